#!/bin/sh
# The pages as one site (`make html`): pandoc has no warning, HTML is well-formed, and each
# link leads to a page, a place on it or a file that came along.
skip () { echo "1..0 # SKIP $1"; exit 0; }
command -v pandoc > /dev/null || skip "no pandoc"
python=$(command -v python3) || skip "no python3"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

sh "$top_srcdir/docs/html.sh" "$top_srcdir" "$top_builddir" "$work/site" > "$work/out" 2> "$work/err"
status=$?
if [ $status -eq 0 ] && [ ! -s "$work/err" ]; then echo "ok 1 - made without a warning"; else
  head -n 15 "$work/err" | sed 's/^/# /'; echo "not ok 1 - made without a warning"; fi
"$python" - "$work/site" <<'PY'
import html.parser
import os
import sys
from urllib.parse import unquote

site = sys.argv[1]
VOID = {"meta", "br", "img", "link", "hr", "input", "col", "source"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.open, self.wrong, self.ids, self.links = [], [], set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        self.ids.add(at.get("id"))
        self.links += [at[key] for key in ("href", "src", "srcset") if at.get(key)]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")


pages = {os.path.relpath(os.path.join(folder, name), site): Page(os.path.join(folder, name))
         for folder, _, names in os.walk(site) for name in names if name.endswith(".html")}
wrong = [f"{path}: {it}" for path, page in pages.items() for it in page.wrong]
print("ok" if not wrong else "not ok", 2, "- well-formed")
dead, n_links = [], 0
for path, page in pages.items():
    for link in page.links:
        if link.startswith(("http:", "https:", "mailto:", "data:")):
            continue
        n_links += 1
        file, _, place = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(file))) if file else path
        if not os.path.exists(os.path.join(site, target)):
            dead.append(f"{path}: {link} is not there")
        elif place and target in pages and unquote(place) not in pages[target].ids:
            dead.append(f"{path}: {link}: no such place")
for text in (wrong + dead)[:20]:
    print("#", text)
print("ok" if not dead and n_links >= 200 else "not ok", 3, f"- {n_links} links lead somewhere, on {len(pages)} pages")
PY
echo "1..3"
