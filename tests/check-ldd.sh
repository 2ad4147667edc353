#!/bin/sh
# No libLLVM in the link closure of tplan, libtplan or any test: linked so, it
# crashes OpenCL drivers built on another LLVM. Only the module has it, and that has
# all of ours that it calls: where all is bound at once it would not load.
cd "$top_builddir" || exit 99
objects=$(find api cli tests bench -type f -perm -u+x ! -name '*.sh' ! -name '*.la' -path '*/*' 2>/dev/null | while IFS= read -r file; do
  head -c 4 "$file" | grep -q ELF && echo "$file"
done)
set -- $objects
echo "1..$(($# + 2))"
n=0
for object; do
  n=$((n + 1))
  if ldd "$object" 2>/dev/null | grep -qi llvm; then echo "not ok $n - $object"; else echo "ok $n - $object"; fi
done
n=$((n + 1))
if [ $# -ge 2 ]; then echo "ok $n - looked at $# files"; else echo "not ok $n - looked at $# files only"; fi
n=$((n + 1))
module=kernel/.libs/jit-llvm.so
if [ ! -e $module ]; then echo "ok $n - no module # SKIP built without LLVM"; exit 0; fi
lacks=$(nm -D --undefined-only $module | grep -o ' tp_[a-z_0-9]*\| tplan_[a-z_0-9]*' | tr '\n' ' ')
if [ -z "$lacks" ]; then echo "ok $n - $module has all of ours that it calls"; else echo "not ok $n - $module lacks$lacks: see its sources in kernel/Makefile.am"; fi
