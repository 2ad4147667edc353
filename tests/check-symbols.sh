#!/bin/sh
# libtplan exports the functions that tplan.h declares, and nothing else; each
# is documented.
header=$top_srcdir/include/tplan.h
library=$top_builddir/api/.libs/libtplan.so
if [ ! -e "$library" ] || ! command -v nm >/dev/null; then
  echo "1..0 # SKIP no shared library, or no nm to look into it"
  exit 0
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
LC_ALL=C; export LC_ALL
sed 's,^ \*.*,,' "$header" | grep -o 'tplan_[a-z_]* (.*[,;]$' | sed 's/ .*//' \
  | sort -u > "$folder/declared"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u \
  > "$folder/exported"
sed -n 's,^ \* \(tplan_[a-z_]*\):$,\1,p' "$header" | sort > "$folder/documented"
echo 1..3
if [ "$(wc -l < "$folder/declared")" -ge 15 ]; then echo "ok 1 - found the declarations"; else echo "not ok 1 - found the declarations"; fi
same ()
{
  if difference=$(diff "$folder/declared" "$folder/$2"); then
    echo "ok $1 - declared and $2 are the same"
  else
    printf '%s\n' "$difference" | sed 's/^/# /'
    echo "not ok $1 - declared and $2 are the same"
  fi
}
same 2 exported
same 3 documented
