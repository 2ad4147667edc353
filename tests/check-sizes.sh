#!/bin/sh
# Functions of at most 60 lines, files of at most 600; what may not be so is a
# line in tests/size-exceptions, "path[:function] reason".
cd "$top_srcdir" || exit 99
echo 1..2
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
files=$(find $folders examples bench tests fuzz -name '*.[ch]' | sort -u)
long=$(awk '
  FNR == 1 { inside = 0 }
  /^[a-z_][a-z0-9_]* \(/ && !inside { name = $1 }
  /^{/ && previous ~ /\)$/ { inside = 1; start = FNR }
  /^}/ && inside { n = FNR - start - 1; inside = 0
    if (n > 60) printf "%s:%s %d lines\n", FILENAME, name, n }
  { previous = $0 }' $files)
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
