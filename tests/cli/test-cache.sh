#!/bin/sh
# The folder of compiled kernels, which drivers load and run: only one that nobody
# else can reach is used.
. "$(dirname "$0")/common.sh"
unset POCL_CACHE_DIR
TPLAN_CACHE_DIR=off # but where it is asked for
export TPLAN_CACHE_DIR
TMPDIR=$work/tmp
export TMPDIR
mkdir tmp

# fresh NAME: a cache folder of its own for the next case.
fresh () { XDG_CACHE_HOME=$work/$1/cache; mkdir -p "$XDG_CACHE_HOME"; pocl=$XDG_CACHE_HOME/tplan/pocl; }

# kept: the folder is used, for us alone, and nothing is said.
kept () { try 0 devices && [ ! -s .err ] && [ "$(stat -c %a "$pocl")" = 700 ]; }

# refused REASON: it is not used, that is said once, nothing is left behind.
refused ()
{
  try 0 devices && [ "$(grep -c "cache folder '.*' $1" .err)" -eq 1 ] \
    && [ -z "$(find "$pocl/" -mindepth 1 2> /dev/null)" ] && [ -z "$(ls tmp)" ]
}

fresh new
kept; say $? "a new folder is ours alone"
kept; say $? "and is used again"
chmod 755 "$pocl"
kept; say $? "what others may only read is closed to them"
fresh sticky
chmod 1777 "$XDG_CACHE_HOME"
kept; say $? "below a folder like /tmp"
mkdir -p linked && ln -s "$work/linked" link
XDG_CACHE_HOME=$work/link pocl=$work/linked/tplan/pocl
kept; say $? "a base that is reached by a link"

# An empty HOME leaves no place that is the same wherever one is.
mkdir -p .config/tplan && echo nonsense > .config/tplan/tplan.conf
(unset XDG_CACHE_HOME XDG_CONFIG_HOME; HOME=; TPLAN_CACHE_DIR=user; export HOME TPLAN_CACHE_DIR; try 0 devices) \
  && [ "$(grep -c "cache folder '.cache' is no absolute path (set HOME" .err)" -eq 2 ] && [ ! -e .cache ]
say $? "an empty HOME: nothing is kept, and nothing read"
rm -r .config
(unset XDG_CACHE_HOME; HOME=/dev/null; export HOME; try 0 devices) && err_has "cache folder '/dev/null/.cache' cannot be made: Not a directory (set XDG_CACHE_HOME"
say $? "a HOME in which there can be no folder"

# What PoCL leaves in it each time that it starts, and when it is ended at work; what
# somebody may be at work on stays.
fresh drafts
mkdir -p "$pocl/tempfile_folder" && chmod 700 "$XDG_CACHE_HOME/tplan" "$pocl" && : > "$pocl/tempfile_new" && : > "$pocl/other" && : > "$work/target"
ln -s "$work/target" "$pocl/tempfile_link"
for name in old old.o; do : > "$pocl/tempfile_$name"; done
touch -h -d '2 hours ago' "$pocl"/tempfile_old* "$pocl/tempfile_link" "$pocl/tempfile_folder" "$pocl/other"
try 0 info mlp.json && [ -e "$pocl/tempfile_old" ]; say $? "who asks no driver leaves its drafts"
try 0 devices && [ -z "$(ls -d "$pocl"/tempfile_old* 2> /dev/null)" ] && [ -e "$pocl/tempfile_new" ] && [ -d "$pocl/tempfile_folder" ] \
  && [ -L "$pocl/tempfile_link" ] && [ -e "$pocl/other" ] && [ -e "$work/target" ]
say $? "drafts that are left in it are removed, and nothing else"

fresh open
mkdir -p -m 777 "$XDG_CACHE_HOME/tplan/pocl" && chmod 777 "$pocl"
refused "can be written to by others (remove it"; say $? "a folder that others can write to"
fresh group
mkdir -p "$pocl" && chmod 770 "$XDG_CACHE_HOME/tplan"
refused "can be written to by others"; say $? "or its group"
fresh parent
mkdir -p "$pocl" && chmod 777 "$XDG_CACHE_HOME"
refused "can be written to by others (take that right"; say $? "a parent that others can write to"
fresh symlink
mkdir -p elsewhere "$XDG_CACHE_HOME/tplan" && ln -s "$work/elsewhere" "$pocl"
refused "is a symbolic link"; say $? "a symbolic link"
fresh above
mkdir -p elsewhere/pocl && ln -s "$work/elsewhere" "$XDG_CACHE_HOME/tplan"
refused "is a symbolic link"; say $? "a symbolic link above it"
fresh file
mkdir -p "$XDG_CACHE_HOME/tplan" && : > "$pocl"
refused "is a symbolic link, or no folder"; say $? "a file"
if [ "$(id -u)" -eq 0 ]; then
  fresh foreign
  mkdir -p "$pocl" && chmod 755 "$pocl" && chown 65534 "$pocl"
  refused "belongs to another user"; say $? "a folder of another user"
  fresh stranger
  mkdir -p "$pocl" && chown 65534 "$work/stranger"
  refused "belongs to another user"; say $? "a parent of another user"
fi

try 0 info mlp.json && [ ! -s .err ]; say $? "who asks no driver is told nothing"
mkdir given
POCL_CACHE_DIR=$work/given
export POCL_CACHE_DIR
try 0 devices && [ ! -s .err ]; say $? "a folder given by name is not looked at"

# What tplan compiles itself. run_kept NAME: whether a run prints what one without
# any cache does.
if ! "$TPLAN" devices 2> /dev/null | grep -q '^cpu'; then
  say 0 "kept kernels # SKIP no cpu device"
  finish; exit 0
fi
kept=$work/kept
run_kept () { try 0 run -q -n 1 --warmup 0 --devices cpu --cache "$kept" -f -o "$1" mlp.json && diff -r off "$1"; }
files () { find "$kept/tplan/code" -type f | wc -l; }
try 0 run -q -n 1 --warmup 0 --devices cpu --cache off -o off mlp.json && [ ! -e "$kept" ]; say $? "off: nothing is kept"
run_kept cold && n_files=$(files) && [ "$n_files" -gt 1 ]; say $? "kernels are kept"
ls -l --time-style=full-iso "$kept/tplan/code" > before
run_kept warm && ls -l --time-style=full-iso "$kept/tplan/code" | cmp -s - before
say $? "and loaded: the same results, no file is new"
for file in "$kept/tplan/code/"*; do printf X | dd of="$file" bs=1 seek=200 conv=notrunc 2> /dev/null; done
run_kept damaged && [ "$(files)" -eq "$n_files" ]; say $? "damaged files are made anew"
for file in "$kept/tplan/code/"*; do truncate -s 100 "$file"; done
run_kept cut && [ "$(files)" -eq "$n_files" ]; say $? "cut files too"
rm -rf "$kept"
for i in 1 2 3 4; do
  "$TPLAN" run -q -n 1 --warmup 0 --devices cpu --cache "$kept" -o "at-once-$i" mlp.json > "at-once-$i.out" 2>&1 &
done
wait
diff -r off at-once-1 && diff -r off at-once-2 && diff -r off at-once-3 && diff -r off at-once-4
say $? "several at once, into an empty folder"
[ "$(files)" -eq "$n_files" ]; say $? "leave one file for each kernel"
rm -rf "$kept"
(ulimit -f 2 && run_kept full); say $? "files that cannot grow are done without"
[ "$(files)" -eq 0 ]; say $? "and none is left"
rm -rf "$kept"; mkdir -p "$kept/tplan/code"; chmod 777 "$kept/tplan/code"
try 0 run -n 1 --warmup 0 --devices cpu --cache "$kept" -o unsafe mlp.json && diff -r off unsafe && err_has "compiled each time: the cache folder '.*' can be written to by others" && [ "$(files)" -eq 0 ]
say $? "a folder that others can write to is not used, and that is said"
try 2 run --cache here mlp.json && err_has "absolute path"; say $? "a place that is no place is a mistake"
# vectors of two registers are no concern of whoever runs a model
cat > long.json <<'JSON'
{ "format": "tplan-graph/1", "name": "long", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [64, 1024]}], "outputs": ["y"],
  "ops": [ {"name": "exp", "type": "Exp", "inputs": ["x"], "outputs": ["y"]} ] }
JSON
try 0 run -q -n 1 --warmup 0 --devices opencl:0 long.json && [ ! -s .err ]; say $? "a compiler has nothing to say"
finish
