#!/bin/sh
# Every header compiles alone and is in a Makefile.am, else it would be missing in
# a tarball, and a vendor's API stays in one folder. A header that is the first its
# own file includes has been compiled alone by the build.
cd "$top_srcdir" || exit 99
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
headers=$(for folder in include $folders; do ls "$folder"/*.h 2>/dev/null; done)
echo "1..$(($(echo "$headers" | wc -l) + 6))"
n=0
for header in $headers; do
  n=$((n + 1))
  if [ "$(grep -s -m 1 '^#include' "${header%.h}.c")" = '#include "config.h"' ] \
    && [ "$(grep '^#include' "${header%.h}.c" | sed -n 2p)" = "#include \"$header\"" ]; then
    echo "ok $n - $header, first in its own file"
    continue
  fi
  if [ -z "$LLVM_CFLAGS" ] && grep -q '#include <llvm-c' "$header"; then
    echo "ok $n - $header # SKIP no LLVM"
    continue
  fi
  if messages=$(${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Wextra -Wno-unused-parameter -Werror \
    -I. -I"$top_builddir" -I"$top_builddir/schedule" $CHECK_CFLAGS -x c "$header" 2>&1); then
    echo "ok $n - $header"
  else
    printf '%s\n' "$messages" | sed 's/^/# /'
    echo "not ok $n - $header"
  fi
done
n=$((n + 1))
lost=$(for header in $headers; do
  makefile=$(dirname "$header")
  while [ ! -e "$makefile/Makefile.am" ]; do makefile=$(dirname "$makefile"); done
  inside=${header#"$makefile"/}
  tr ' \t' '\n\n' < "$makefile/Makefile.am" | grep -qx -e "$inside" -e "$header" || echo "$header"
done)
if [ -z "$lost" ]; then echo "ok $n - headers are in tarballs"; else printf '# %s\n' $lost; echo "not ok $n - headers are in tarballs"; fi
only ()
{
  n=$((n + 1))
  bad=$(find $folders -name '*.[ch]' | xargs grep -lE "$2" | grep -v "$3")
  if [ -z "$bad" ]; then echo "ok $n - $1 only in $3"; else echo "# $bad"; echo "not ok $n - $1 only in $3"; fi
}
only LLVM '#include <llvm-c' '^kernel/'
only OpenCL '#include <CL/' '^runtime/'
only cgraph '#include <(graphviz/)?(cgraph|gvc)' '^view/'
only SQLite '#include <sqlite3' '^calib/'
# Reports are written with it, too.
only jansson '#include <jansson' '^format/\|^cli/\|^calib/exchange.c\|^calib/keys-check\|^calib/machine-json'
