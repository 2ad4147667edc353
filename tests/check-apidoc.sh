#!/bin/sh
# Every call of tplan.h that can fail says with which errors; the reference that
# Doxygen makes has no warnings, which is to say that every symbol, argument and
# field is documented, and a page for each.
. "$top_srcdir/tests/tap.sh"
header=$top_srcdir/include/tplan.h
LC_ALL=C; export LC_ALL
silent=$(awk '
  /^\/\*\*$/ { name = ""; fails = said = 0 }
  /^ \* [a-z_]+:$/ { name = $2 }
  /^ \* @error:/ { fails = 1 }
  /%TPLAN_ERROR_|@error set as/ { said = 1 }
  /^ \*  ?.*as (for|there)/ { said = 1 }
  /errors are those of/ { said = 1 }
  /^ \*\/$/ && name != "" { n++; if (fails && !said) print name }
  END { if (n < 40) print "only " n " calls found" }' "$header")
echo "$silent" > "$work/log"
[ -z "$silent" ]; say $? "each call that can fail names its errors"

"$top_srcdir/docs/api/build.sh" "$top_srcdir" "$work/doc" > "$work/log" 2>&1
status=$?
if [ $status -eq 77 ]; then
  echo "ok 2 - the reference # SKIP no doxygen"
  echo "1..2"
  exit 0
fi
[ $status -eq 0 ] && [ ! -s "$work/log" ]; say $? "the reference is made without a warning"
pages=$work/doc/man/man3
sed 's,^ \*.*,,' "$header" | grep -o 'tplan_[a-z_]* (.*[,;]$' | sed 's/ .*//' | sort -u > "$work/calls"
sed -n 's/^} \(Tplan[A-Za-z]*\);$/\1/p; s/^typedef struct \(Tplan[A-Za-z]*\) .*/\1/p' "$header" > "$work/types"
sed -n 's/^  \(TPLAN_[A-Z0-9_]*\),.*/\1/p; s/^#define \(TPLAN_[A-Z_]*\).*/\1/p' "$header" \
  | grep -vx TPLAN_H > "$work/constants"
cat "$work/calls" "$work/types" "$work/constants" > "$work/symbols"
[ "$(wc -l < "$work/symbols")" -ge 85 ]; say $? "symbols are found"
while read -r symbol; do
  grep -rq "$symbol" "$pages" || echo "$symbol: no page tells of it"
done < "$work/symbols" > "$work/log"
cat "$work/calls" "$work/types" | while read -r symbol; do
  [ -e "$pages/$symbol.3" ] || echo "$symbol: no page"
done >> "$work/log"
[ ! -s "$work/log" ]; say $? "each has a page"
find "$pages" -type f ! -name '[tT]plan*' ! -name 'TPLAN_*' > "$work/log"
[ ! -s "$work/log" ]; say $? "and nothing else has"
while read -r symbol; do
  grep -q ">$symbol<" "$work"/doc/html/*.html || echo "$symbol is not in the HTML"
done < "$work/calls" > "$work/log"
[ ! -s "$work/log" ]; say $? "HTML tells of every call"
if command -v groff > /dev/null; then
  (cd "$work/doc/man" && groff -man -ww -z man3/tplan.h.3 man3/Tplan*.3) > "$work/log" 2>&1
  [ ! -s "$work/log" ]; say $? "groff sees no mistakes"
fi
finish
