#!/bin/sh
# `make install DESTDIR=...` gives what is needed: examples/embed.c is built
# through pkg-config and runs, program and library find the module wherever the
# tree is, the pages and the completion are where they are looked for.
. "$top_srcdir/tests/tap.sh"
HOME=$work
TPLAN_COST=$work/cost.db
unset TPLAN_MODULE_DIR TPLAN_DEVICES
export HOME TPLAN_COST
root=$work/root

MAKEFLAGS= make -s -C "$top_builddir" install DESTDIR="$root" > "$work/log" 2>&1
say $? "make install DESTDIR="
# Where things are, with the prefix of this build.
pc=$(find "$root" -name tplan.pc)
[ -n "$pc" ]; say $? "tplan.pc is installed"
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
# pkg-config wants the development packages of private ones too.
pkg-config --print-requires --print-requires-private tplan > "$work/log"
[ "$(sed 's/ .*//' "$work/log" | xargs)" = glib-2.0 ]; say $? "a program needs the headers of GLib alone"
libdir=$root$(pkg-config --variable=libdir tplan)
prefix=$root$(pkg-config --variable=prefix tplan)
includedir=$root$(pkg-config --variable=includedir tplan)
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
cd "$work" || exit 99

sanitize=
grep -q __asan_init "$libdir"/libtplan.so && sanitize=-fsanitize=address,undefined
${CC:-cc} $sanitize -I"$includedir" "$top_srcdir/examples/embed.c" \
  -L"$libdir" $(pkg-config --cflags --libs tplan) -o embed > "$work/log" 2>&1
say $? "examples/embed.c builds through pkg-config"
./embed "$top_srcdir/examples/mlp.json" ref > "$work/log" 2>&1 \
  && grep -q 'run 4:' "$work/log"
say $? "and runs"
./embed none.onnx ref > "$work/log" 2>&1; [ $? -eq 1 ] && grep -q none.onnx "$work/log"
say $? "and tells of a file that is not there"
if [ -e "$libdir/tplan/jit-llvm.so" ]; then
  ./embed "$top_srcdir/examples/mlp.json" cpu > "$work/log" 2>&1 && grep -q '^cpu: ' "$work/log"
  say $? "on kernels compiled by the installed module"
fi
ls "$libdir" | grep -qx 'libtplan\.so\.[0-9]*'; say $? "the library has a soname"
exported=$(nm -D --defined-only "$libdir/libtplan.so" | awk '{ print $3 }' | grep -v '^tplan_')
[ -z "$exported" ]; say $? "only tplan_* is exported"

tplan=$prefix/bin/tplan
"$tplan" optimize "$top_srcdir/examples/mlp.json" --devices ref -o plan.json > "$work/log" 2>&1 \
  && "$tplan" check plan.json >> "$work/log" 2>&1 \
  && "$tplan" run --check --repeat 1 plan.json >> "$work/log" 2>&1
say $? "the installed program plans, checks and runs"
pages=$(find "$root" -name 'tplan*.1' | wc -l)
commands=$("$tplan" --help | grep -c '^  [a-z]* ')
[ "$pages" -eq $((commands + 1)) ]; say $? "a manual page for each command"
if command -v man > /dev/null; then
  MANPATH=$(dirname "$(dirname "$(find "$root" -name tplan.1)")") man tplan-optimize > "$work/log" 2>&1 \
    && grep -q 'cheapest plan' "$work/log"
  say $? "man finds them"
fi
if command -v bash > /dev/null; then
  completion=$(find "$root" -path '*bash-completion/completions/tplan')
  PATH=$prefix/bin:$PATH bash -c '. "$1"; COMP_LINE="tplan opt" COMP_POINT=9
    _tplan tplan; [ "${COMPREPLY[*]}" = optimize ]' bash "$completion" > "$work/log" 2>&1
  say $? "the completion works"
fi
find "$root" -path '*/zsh/site-functions/_tplan' | grep -q . \
  && find "$root" -path '*/fish/vendor_completions.d/tplan.fish' | grep -q .
say $? "so do zsh and fish find theirs"
# A tree that is moved stays whole, and what lies in the working directory is
# none of its business.
moved=$work/moved
moved_libdir=$moved${libdir#"$root"}
moved_tplan=$moved${prefix#"$root"}/bin/tplan
if [ -e "$libdir/tplan/jit-llvm.so" ]; then
  mkdir -p elsewhere/tplan lib/tplan && mv "$root" "$moved" && cd elsewhere || exit 99
  echo nonsense | tee tplan/jit-llvm.so > ../lib/tplan/jit-llvm.so
  LD_LIBRARY_PATH=$moved_libdir ../embed "$top_srcdir/examples/mlp.json" cpu > "$work/log" 2>&1 \
    && grep -q '^cpu: ' "$work/log"
  say $? "the library finds its module in a tree that was moved"
  "$moved_tplan" devices > "$work/log" 2>&1 && grep -q '^cpu  *ready' "$work/log"
  say $? "so does the program"
  mv "$moved_libdir/tplan/jit-llvm.so" ../module
  "$moved_tplan" devices > "$work/log" 2>&1
  grep -q '^cpu  *absent' "$work/log"
  say $? "and none elsewhere"
  mv ../module "$moved_libdir/tplan/jit-llvm.so"
  cd "$work" && mv "$moved" "$root" || exit 99
fi
find "$root" -path '*/python/tplan/__init__.py' | grep -q .; say $? "the Python module is installed"
# Pages link to pages and pictures that are installed, too.
docs=$(dirname "$(find "$root" -path '*/doc/*/README.md' ! -path '*/python/*')")
: > "$work/log"
find "$docs" -name '*.md' | sort > pages
while IFS= read -r page; do
  { grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//'
    grep -oE '(src|srcset|href)="[^"]+"' "$page" | sed 's/.*="//; s/"$//'; } > links
  while IFS= read -r link; do
    case $link in http:* | https:* | mailto:* | '#'*) continue ;; esac
    [ -e "$(dirname "$page")/${link%%#*}" ] || echo "${page#"$docs"/}: $link: no such file" >> "$work/log"
  done < links
done < pages
[ "$(wc -l < pages)" -ge 15 ] && [ ! -s "$work/log" ]; say $? "so are the pages, and all that they link to"
find "$root" -name '*.schema.json' | sed 's,.*/,,' | sort > installed
ls "$top_srcdir/docs/schema" | diff - installed > "$work/log"; say $? "and the schemas"
MAKEFLAGS= make -s -C "$top_builddir" uninstall DESTDIR="$root" > "$work/log" 2>&1
left=$(find "$root" -type f | head -n 5)
[ -z "$left" ] || echo "$left" >> "$work/log"
[ -z "$left" ]; say $? "make uninstall leaves nothing"
finish
