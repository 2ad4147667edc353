#!/bin/sh
# A stem is foo.c with foo.h. No ring of stems: none needs, by way of others, itself;
# and what a stem defines for others is declared in its own header. Read off the objects
# of the build, so no include can hide a need. What may be otherwise is a line in
# tests/stem-exceptions: "FROM TO reason" (a need), or "STEM SYMBOL reason".
cd "$top_builddir" || exit 99
exceptions=$top_srcdir/tests/stem-exceptions
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
echo 1..5

# "STEM KIND SYMBOL" for all that objects define or lack.
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' "$top_srcdir/tests/layers")
stems=$(cd "$top_srcdir" && for folder in $folders; do ls "$folder"/*.c 2> /dev/null; done)
nm -AP $(for folder in $folders; do ls "$folder"/*.o "$folder"/.libs/*.o 2> /dev/null; done) \
  | awk -v stems="$stems" '
    BEGIN { n = split (stems, list, "\n"); for (i = 1; i <= n; i++) known[list[i]] = 1 }
    $3 ~ /^[TDRBCVU]$/ {
      stem = $1
      sub (/\.o:$/, "", stem); sub (/\/\.libs\//, "/", stem)
      sub (/\/(jit_llvm_la|lib[a-z]*_la|tplan)-/, "/", stem)
      if ((stem ".c") in known) print stem, $3, $2
    }' | sort -u > "$work/symbols"

awk 'NR == FNR { if ($2 != "U") owner[$3] = $1; next }
     $2 == "U" && $3 in owner && owner[$3] != $1 { print $1, owner[$3] }' \
  "$work/symbols" "$work/symbols" | sort -u > "$work/needs"
grep -v '^#' "$exceptions" | awk '$2 ~ /\// { print $1, $2 }' | sort -u > "$work/allowed"
comm -23 "$work/needs" "$work/allowed" > "$work/left"

n_stems=$(cut -d' ' -f1 "$work/symbols" | sort -u | wc -l)
n_needs=$(wc -l < "$work/needs")
if [ "$n_stems" -ge 150 ] && [ "$n_needs" -ge 400 ]; then echo "ok 1 - $n_needs needs of $n_stems stems"
else echo "not ok 1 - only $n_needs needs of $n_stems stems"; fi

if tsort "$work/left" > /dev/null 2> "$work/rings"; then echo "ok 2 - no ring of stems"
else sed 's/^/# /' "$work/rings"; echo "not ok 2 - no ring of stems"; fi

# A ring made on purpose: the last of an order needs the first.
first=$(tsort "$work/left" 2> /dev/null | head -n 1)
{ cat "$work/left"; awk -v first="$first" '$1 == first { print $2, first }' "$work/left"; } > "$work/ring"
if tsort "$work/ring" > /dev/null 2>&1; then echo "not ok 3 - a ring is seen"; else echo "ok 3 - a ring is seen"; fi

stale=$(comm -13 "$work/needs" "$work/allowed")
if [ -z "$stale" ]; then echo "ok 4 - every exception is needed"
else echo "$stale" | sed 's/^/# /'; echo "not ok 4 - every exception is needed"; fi

# Functions: tables of records are made by lists, and name what no header does.
(cd "$top_srcdir" && find . -name '*.h' | xargs grep -ho '\<tp_[a-z0-9_]* (' /dev/null --with-filename) \
  | sed 's|^\./||; s/ ($//; s/\.h:/ /p; s/-private / /' | sort -u > "$work/declared"
awk '$2 == "T" && $3 ~ /^tp_/ { print $1, $3 }' "$work/symbols" | sort -u > "$work/defined"
grep -v '^#' "$exceptions" | awk '{ print $1, $2 }' | sort -u \
  | sort -um - "$work/declared" | comm -23 "$work/defined" - \
  | sed 's/^\(.*\) \(.*\)$/# \1.h does not declare \2/' > "$work/strays"
if [ -s "$work/strays" ]; then cat "$work/strays"; echo "not ok 5 - a header declares what its stem defines"
else echo "ok 5 - a header declares what its stem defines"; fi
