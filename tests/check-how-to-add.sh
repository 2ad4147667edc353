#!/bin/sh
# What docs/HACKING.md says of adding things is counted: each patch in how-to-add/
# adds one and applies to the tree as it is, and its row tells how many files it
# touches. In `make check-full` a copy with all of them is built and tried.
. "$top_srcdir/tests/tap.sh"
patches=$top_srcdir/tests/how-to-add
page=$top_srcdir/docs/HACKING.md

# count PATCH: "source 2, build 1, tests 1, docs 1", without what there is none of.
count ()
{
  sed -n 's,^+++ b/,,p' "$1" | awk '
    /^tests\// { n["tests"]++; next }
    /^docs\// || /README\.md$/ { n["docs"]++; next }
    /Makefile\.am$/ || /^configure\.ac$/ || /\.mk$/ { n["build"]++; next }
    { n["source"]++ }
    END {
      split ("source build tests docs", kinds, " ")
      for (i = 1; i <= 4; i++)
        if (n[kinds[i]] > 0)
          text = text (text == "" ? "" : ", ") kinds[i] " " n[kinds[i]]
      print text
    }'
}

# The first two cells of each row of "How to add": what, and what it touches.
sed -n '/^## How to add/,/^## Tests/s/^| \(an\{0,1\} [a-z ]*\) | \([^|]*\) |.*/\1|\2/p' "$page" > "$work/rows"
[ -s "$work/rows" ]; say $? "docs/HACKING.md has a table"

# The first line of a patch names its row.
for patch in "$patches"/*.patch; do
  what=$(sed -n 1p "$patch")
  told=$(sed -n "s/^$what|//p" "$work/rows")
  counted=$(count "$patch")
  [ -n "$counted" ] && [ "$told" = "$counted" ] || echo "# docs/HACKING.md says '$told'"
  [ -n "$counted" ] && [ "$told" = "$counted" ]; say $? "$what touches: $counted"
  echo "$what|$counted" >> "$work/counted"
done
sed '/|not counted$/d' "$work/rows" | sort > "$work/told"
sort "$work/counted" | cmp -s - "$work/told"; say $? "each number in the table is counted"

if ! command -v patch > /dev/null; then
  n=$((n + 1)); echo "ok $n - patches apply # SKIP no patch(1)"
  echo "1..$n"
  exit 0
fi
for patch in "$patches"/*.patch; do
  patch -p1 -s -f --dry-run -d "$top_srcdir" < "$patch" > "$work/said" 2>&1
  status=$?
  sed 's/^/# /' "$work/said"
  [ $status -eq 0 ]; say $? "$(basename "$patch") applies"
done

# compiles PATCH: what it makes of the library's and the program's sources is C that
# fits the headers, which change without it.
compiles ()
{
  rm -rf "$work/part"
  sed -n 's,^+++ b/,,p' "$1" > "$work/touched"
  while read -r file; do
    mkdir -p "$work/part/$(dirname "$file")"
    [ ! -e "$top_srcdir/$file" ] || cp "$top_srcdir/$file" "$work/part/$file"
  done < "$work/touched"
  patch -p1 -s -f -d "$work/part" < "$1" || return 1
  grep '\.c$' "$work/touched" | grep -v '^tests/' > "$work/sources"
  while read -r file; do
    ${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Werror -I"$work/part" -I"$top_srcdir" -I"$top_builddir" \
      -I"$top_builddir/schedule" $CHECK_CFLAGS -DG_LOG_DOMAIN='"tplan"' "$work/part/$file" || return 1
  done < "$work/sources"
}
for patch in "$patches"/*.patch; do
  compiles "$patch" > "$work/said" 2>&1
  status=$?
  head -n 20 "$work/said" | sed 's/^/# /'
  [ $status -eq 0 ]; say $? "$(basename "$patch") compiles"
done

# ---- all of them, built and tried -------------------------------------------

# try NAME COMMAND...: what it says comes with a failure.
try ()
{
  name=$1; shift
  "$@" > "$work/said" 2>&1
  status=$?
  [ $status -eq 0 ] || tail -n 30 "$work/said" | sed 's/^/# /'
  say $status "$name"
  return $status
}
copy_tree ()
{
  mkdir -p "$work/tree/build" \
    && (cd "$top_srcdir" && git ls-files -z | tar -c --null -T - -f -) | tar -x -C "$work/tree"
}
patch_all ()
{
  for patch in "$patches"/*.patch; do
    patch -p1 -s -f -d "$work/tree" < "$patch" || return 1
  done
}
# The options of this build, but the folder it is in.
build ()
{
  (cd "$work/tree" && ./autogen.sh) \
    && (cd "$work/tree/build" && eval "set -- $("$top_builddir/config.status" --config)" \
      && ../configure --quiet "$@" && make -s -j2 SUBDIRS='$(PARTS) view cli')
}
# program GROUP NAME: one test, built and run.
program ()
{
  G_TEST_SRCDIR=$work/tree/tests/$1 G_TEST_BUILDDIR=$work/tree/build/tests/$1
  export G_TEST_SRCDIR G_TEST_BUILDDIR
  make -s -C "$G_TEST_BUILDDIR" "$2" && "$G_TEST_BUILDDIR/$2"
}
script ()
{
  (top_srcdir=$work/tree top_builddir=$work/tree/build; export top_srcdir top_builddir
    sh "$work/tree/tests/$1") > "$work/tap"
  cat "$work/tap"
  ! grep '^not ok' "$work/tap"
}
run_model ()
{
  cat > "$work/m.json" <<'JSON'
{ "format": "tplan-graph/1", "opset": 17,
  "inputs": [{"name": "x", "shape": [4, 6]}, {"name": "i", "dtype": "int16", "shape": [4]}],
  "outputs": ["y", "j"],
  "ops": [
    {"type": "Neg", "inputs": ["x"], "outputs": ["a"]},
    {"type": "Neg", "inputs": ["a"], "outputs": ["b"]},
    {"type": "Cube", "inputs": ["b"], "outputs": ["c"]},
    {"type": "Softmax", "inputs": ["c"], "outputs": ["y"]},
    {"type": "Add", "inputs": ["i", "i"], "outputs": ["j"]} ] }
JSON
  "$new" run "$work/m.json" --devices "$1" --check --repeat 1 --warmup 0
}
has () { wanted=$1; shift; "$@" 2>&1 | grep -e "$wanted"; }
hasnt () { unwanted=$1; shift; ! grep -e "$unwanted" "$@"; }

if [ "${TPLAN_TEST_FULL:-0}" != 1 ]; then
  n=$((n + 1)); echo "ok $n - all of them # SKIP for make check-full"
elif ! git -C "$top_srcdir" ls-files --error-unmatch configure.ac > /dev/null 2>&1; then
  n=$((n + 1)); echo "ok $n - all of them # SKIP no checkout to copy"
else
  new=$work/tree/build/cli/tplan
  XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
  TPLAN_MODULE_DIR=$work/tree/build/kernel/.libs
  unset MAKEFLAGS MFLAGS MAKEOVERRIDES # what is asked of this make is not for that one
  export XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME TPLAN_MODULE_DIR
  if try "a copy" copy_tree && try "all patches together" patch_all && try "are built" build; then
    try "the op, the element type and the pass run on ref" run_model ref
    try "and on the device" run_model ref,twin
    try "the op is listed" has '^Cube ' "$new" ops
    try "the device is listed" has '^twin' "$new" devices --format csv
    try "the rule is known" has reduced "$new" optimize "$work/m.json" --devices sim:laptop-cpu --no-fuse '?'
    try "the pass runs" "$new" convert "$work/m.json" --after negation -o "$work/n.json"
    try "and does its work" hasnt '"Neg"' "$work/n.json"
    try "the objective plans" "$new" optimize "$work/m.json" --devices sim:laptop-cpu,sim:laptop-gpu \
      --objective caution -o "$work/p.json"
    try "and its proof is checked" "$new" check "$work/p.json"
    try "the command lists" has '^negation' "$new" passes
    try "tests of ops" program ir test-op
    try "tests of passes" program ir test-passes
    try "tests of element types" program ir test-dtype
    try "tests of rules" program planner test-fuse
    try "tests of schedule families" program codegen test-families
    for it in man tables layers sizes devices; do
      try "check-$it.sh" script "check-$it.sh"
    done
  fi
fi
finish
