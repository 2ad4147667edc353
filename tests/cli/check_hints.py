"""check_hints.py SOURCES SAID: TAP. Each message in the sources that suggests a
command was said at least once; SAID has one message a line.

A message is what stands in the sources as one string, of pieces side by side. A line
is taken for the longest such string that it holds, so that one that ends like another
must be said itself."""
import glob
import re
import sys

sources, said = sys.argv[1:]
FOLDERS = ("api", "calib", "cli", "format", "graph", "kernel", "machine", "nest", "ops",
           "planner", "runtime", "schedule", "view")
# Strings that suggest nothing, by how they begin, and what they are.
NO_HINTS = {
    "`tplan \0": "what hints begin with, in cli/hint.c",
    "\n`tplan COMMAND --help` shows": "of --help",
    "  show [FILE|sim:PROFILE]": "of --help",
    "what `tplan run` said": "of --help",
    "what `tplan sweep` said": "of --help",
    "plan for the machine of": "of --help",
}
# Hints that no command line brings about at will, and why; what they suggest is tried
# all the same.
ELSEWHERE = {
    "%s: the plan is not for %s=%d": "only programs ask a plan for a dimension",
    "%s: %d of %d ops are not measured": "whoever looks times up refuses first",
    "wrong: %d of %d values": "a driver that lies: tests/device/test-lies.sh",
    "not believed: ": "a driver that lies about time",
    "note: others used these cores": "a machine that became calmer",
    "see `tplan devices`": "a driver that fails while it works",
    "op '%s': type '%s' cannot be run": "a plan of such an op is refused first",
}
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'|[A-Za-z_]\w*|\S', re.S)
CONVERSION = re.compile(r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|%%")


def strings(text):
    """Each row of strings side by side as one, a macro between two of them (the format
    of a number) as the end of a conversion; and its line."""
    parts, start, macro = [], 0, None
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith(("/*", "//")):
            continue
        if token[0] == '"':
            start = start if parts else text.count("\n", 0, match.start()) + 1
            if macro:
                parts.append("d")
            parts.append(token[1:-1].replace(r"\n", "\n").replace(r"\"", '"'))
            macro = None
        elif parts and re.fullmatch(r"[A-Z][A-Z0-9_]*", token) and macro is None and parts[-1].endswith("%"):
            macro = token
        elif parts:
            yield start, "".join(parts)
            parts, macro = [], None


def expression(text):
    """What is said is what stands there with the conversions made and the commands in
    backquotes completed."""
    made = []
    for i, piece in enumerate(re.split(r"`(tplan [^`]*)`", text)):
        if i % 2:
            verb = piece.split()[1]
            made.append("`tplan " + ("[a-z]+" if "%" in verb else re.escape(verb)) + "[^`]*`")
        else:
            made.append(".*".join(re.escape(it) for it in CONVERSION.split(piece)))
    return re.compile("".join(made), re.S)


BARE = re.compile(r"(?<![`/\w-])tplan (?:%s)\b" % "|".join(
    re.findall(r"^  X \((\w+)\)", open(f"{sources}/cli/main.c").read(), re.M)))
sites, bare = [], []
for folder in FOLDERS:
    for path in sorted(glob.glob(f"{sources}/{folder}/*.[ch]")):
        with open(path) as file:
            for line, text in strings(file.read()):
                if BARE.search(text) and not text.startswith("  tplan "):  # an example of --help
                    bare.append(f"{path[len(sources) + 1:]}:{line}: no backquote stands before a command: {text}")
                if "`tplan " in text + "\0" and not (text + "\0").startswith(tuple(NO_HINTS)):
                    sites.append([f"{path[len(sources) + 1:]}:{line}", text, expression(text), 0])

with open(said, errors="replace") as file:
    for message in file:
        fitting = [site for site in sites if site[2].search(message)]
        if fitting:
            longest = max(len(site[1]) for site in fitting)
            for site in fitting:
                site[3] += len(site[1]) == longest

for count, (where, text, _, times) in enumerate(sites, 1):
    shown = text.replace("\n", " ").replace("#", "")
    reason = [ELSEWHERE[key] for key in ELSEWHERE if text.startswith(key)]
    if reason and not times:
        for hint in re.findall(r"`(tplan [^`]*)`", text):
            if hint not in ("tplan optimize", "tplan calibrate"):  # which take a model
                print("# try:", hint)
        print("ok", count, "-", f"{where}: {shown} # SKIP {reason[0]}")
    else:
        print("ok" if times else "not ok", count, "-", f"{where}: {shown}")
for count, text in enumerate(bare, len(sites) + 1):
    print("not ok", count, "-", text.replace("\n", " "))
print(f"1..{len(sites) + len(bare)}")
