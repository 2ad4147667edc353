#!/bin/sh
# The arrows of tests/layers: which folder may include which. A subfolder obeys the
# line of its own, where there is one, else that of the folder it is in.
cd "$top_srcdir" || exit 99
line () { sed -n "s|^$1:||p" tests/layers; }
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
echo "1..$(($(echo "$folders" | wc -l) + 2))"
n=0
arrows=$(mktemp) || exit 99
trap 'rm -f "$arrows"' EXIT
# "FILE:LINE:include FOLDER TARGET" for all that is included by folder; then those
# whose target is not in the line of the folder.
find $folders -name '*.[ch]' | sort -u | xargs grep -Hn '^#include "[a-z/]*/' | awk -v names="$(echo $folders)" '
  # The folder of that list that a path is in.
  function folder_of (path)
  {
    while (path != "" && !(path in known)) { if (!sub ("/[^/]*$", "", path)) path = "" }
    return path
  }
  BEGIN { n = split (names " include", list, " "); for (i = 1; i <= n; i++) known[list[i]] = 1 }
  {
    file = $0; sub (":.*", "", file)
    target = $0; sub (".*#include \"", "", target); sub ("\".*", "", target)
    print folder_of (file), (folder_of (target) == "" ? "?" : folder_of (target)), $0
  }' > "$arrows"
for folder in $folders; do
  n=$((n + 1))
  bad=$(awk -v folder="$folder" -v allowed=" $folder include $(line "$folder") " '
    $1 == folder && !index (allowed, " " $2 " ") { sub ("^[^ ]* [^ ]* ", "# "); print }' "$arrows")
  if [ -z "$bad" ]; then echo "ok $n - $folder"; else printf '%s\nnot ok %d - %s\n' "$bad" "$n" "$folder"; fi
done
# What is computed and how know element types, no graph and no op.
n=$((n + 1))
bad=$(grep -Hn '#include "ir/' nest/*.[ch] kernel/*.[ch] schedule/*.[ch] | grep -v '"ir/\(types\|dtype\|guard\|array\|map\|pointers\|text\|digest\)\.h"')
if [ -z "$bad" ]; then echo "ok $n - kernels and schedules know no op"
else printf '%s\n' "$bad" | sed 's/^/# /'; echo "not ok $n - kernels and schedules know no op"; fi
# What checks plans knows nothing of what makes them: tests/cli/test-alone.sh links it so.
n=$((n + 1))
bad=$(sed -n '/^libbind_la_SOURCES/,/[^\\]$/p' api/Makefile.am | grep -o '[a-z-]*\.[ch]' | sed 's,^,api/,' \
  | xargs grep -Hn '#include "planner/' /dev/null | grep -v '"planner/check/')
if [ -z "$bad" ]; then echo "ok $n - who checks plans knows no planner"
else printf '%s\n' "$bad" | sed 's/^/# /'; echo "not ok $n - who checks plans knows no planner"; fi
