#!/bin/sh
# What compilers for GPUs tell of our kernels (bench/gpu-static.py --check): nothing
# spills; products are multiply-adds, little is read for each, and two groups fit on a
# unit. And of all that a network is fused to. Part of `make check-full`.
set -u
n=0
say () # STATUS WHAT
{
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
    sed 's/^/# /' "$work/err"; tail -n 5 "$work/out" | sed 's/^/# /'; echo "not ok $n - $2"; fi
}
clang=${CLANG:-clang-15} clc=${CLC:-/usr/lib/clc}
python=$(command -v /usr/bin/python3 || command -v python3 || true)
[ -n "$python" ] || { echo "1..0 # SKIP no python3"; exit 0; }
command -v "$clang" > /dev/null || { echo "1..0 # SKIP no $clang"; exit 0; }
for file in amdgcn--amdhsa.bc nvptx64--nvidiacl.bc; do
  [ -f "$clc/$file" ] || { echo "1..0 # SKIP no $clc/$file: libclc"; exit 0; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
source=$top_builddir/bench/gpu-source static=$top_srcdir/bench/gpu-static.py

"$python" "$static" --check "$source" > "$work/out" 2> "$work/err"
say $? "what holds of every nest"
# As many rows as kernels and chips: none was passed over.
rows=$(grep -c '^| [a-z]' "$work/out") kernels=$(for nest in $("$source"); do "$source" "$nest" | grep '^void'; done | sort -u | wc -l)
echo "$rows rows of $kernels kernels" >> "$work/err"
[ "$rows" -eq $((5 * kernels + 1)) ]; say $? "all of them were looked at"
if command -v ptxas > /dev/null; then
  ! grep -q '| ? |' "$work/out"; say $? "registers of NVIDIA's too"
else
  n=$((n + 1)); echo "ok $n - registers of NVIDIA's # SKIP no ptxas"
fi
# It can fail: a tile of one row is not worth its reads.
if "$python" "$static" --check "$source" \
  'sgemm-nn=contract-tiles tile=1x4 items=16x16 depth=4 buffers=2 parts=1' > "$work/out" 2> "$work/err"; then
  false
else
  grep -q 'multiply-adds' "$work/err" && grep -q 'from local memory' "$work/err"
fi
say $? "what does not hold is said"
for net in squeezenet1_1 mobilenet_v2; do
  "$python" "$static" --check "$source" "$top_builddir/examples/$net.json" > "$work/out" 2> "$work/err"
  say $? "$net"
done
echo "1..$n"
