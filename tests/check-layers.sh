#!/bin/sh
# The arrows of tests/layers: which folder may include which. A subfolder obeys the
# line of its own, where there is one, else that of the folder it is in.
cd "$top_srcdir" || exit 99
line () { sed -n "s|^$1:||p" tests/layers; }
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
echo "1..$(($(echo "$folders" | wc -l) + 1))"
n=0
for folder in $folders; do
  n=$((n + 1))
  allowed="$folder include $(line "$folder")"
  bad=$(find "$folder" -name '*.[ch]' | sort | xargs grep -Hn '^#include "[a-z/]*/' | while IFS= read -r found; do
    file=${found%%:*}
    from=$(dirname "$file")
    while [ "$from" != . ] && ! grep -q "^$from:" tests/layers; do from=$(dirname "$from"); done
    [ "$from" = "$folder" ] || continue
    target=$(printf '%s\n' "$found" | sed 's|.*#include "\(.*\)/[^/]*".*|\1|')
    while [ "$target" != . ] && ! grep -q "^$target:" tests/layers && [ "$target" != include ]; do
      target=$(dirname "$target"); done
    case " $allowed " in
      *" $target "*) ;;
      *) printf '# %s\n' "$found" ;;
    esac
  done)
  if [ -z "$bad" ]; then echo "ok $n - $folder"; else printf '%s\nnot ok %d - %s\n' "$bad" "$n" "$folder"; fi
done
# What is computed and how know element types, no graph and no op.
n=$((n + 1))
bad=$(grep -Hn '#include "ir/' nest/*.[ch] kernel/*.[ch] schedule/*.[ch] | grep -v '"ir/\(types\|dtype\|guard\|array\|map\|text\)\.h"')
if [ -z "$bad" ]; then echo "ok $n - kernels and schedules know no op"
else printf '%s\n' "$bad" | sed 's/^/# /'; echo "not ok $n - kernels and schedules know no op"; fi
