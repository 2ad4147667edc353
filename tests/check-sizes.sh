#!/bin/sh
# Functions of at most 60 lines and 5 arguments (a GError ** is one), files of at
# most 600 lines; what may not be so is a line in tests/size-exceptions,
# "path[:function] reason", of which there are at most 10.
cd "$top_srcdir" || exit 99
echo 1..4
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
files=$(find $folders examples bench tests fuzz -name '*.[ch]' | sort -u)
long=$(awk '
  FNR == 1 { inside = 0 }
  /^[a-z_][a-z0-9_]* \(/ && !inside { name = $1 }
  /^{/ && previous ~ /\)$/ { inside = 1; start = FNR }
  /^}/ && inside { n = FNR - start - 1; inside = 0
    if (n > 60) printf "%s:%s %d lines\n", FILENAME, name, n }
  { previous = $0 }' $files)
# From the name of a function at the start of a line to the brace of its body.
wide=$(awk '
  FNR == 1 { head = "" }
  /^[a-z_][a-z0-9_]* \(/ { head = $0; name = $1; next }
  head == "" { next }
  /;/ { head = "" ; next }
  !/^{/ { head = head $0; next }
  { depth = 0; n = 1
    for (i = 1; i <= length (head); i++)
      { c = substr (head, i, 1)
        depth += (c == "(") - (c == ")")
        n += c == "," && depth == 1 }
    if (n > 5) printf "%s:%s %d arguments\n", FILENAME, name, n
    head = "" }' $(printf '%s\n' $files | grep '\.c$'))
big=$(wc -l $files | awk '$2 != "total" && $1 > 600 { print $2, $1 " lines" }')
report ()
{
  bad=$(printf '%s\n' "$2" | while IFS= read -r line; do
    [ -n "$line" ] || continue
    grep -q "^${line%% *} " tests/size-exceptions || printf '# %s\n' "$line"
  done)
  if [ -z "$bad" ]; then echo "ok $1 - $3"; else printf '%s\nnot ok %d - %s\n' "$bad" "$1" "$3"; fi
}
report 1 "$long" "functions of at most 60 lines"
report 2 "$big" "files of at most 600 lines"
report 3 "$wide" "functions of at most 5 arguments"
n=$(wc -l < tests/size-exceptions)
[ "$n" -le 10 ] && echo "ok 4 - at most 10 exceptions" \
  || printf '# %d\nnot ok 4 - at most 10 exceptions\n' "$n"
