#!/bin/sh
# Random kernels of every type, and the work that items of GPUs share, under
# oclgrind: right results, and not a word of races or of indices out of bounds.
set -u
command -v oclgrind > /dev/null || { echo "1..0 # SKIP no oclgrind"; exit 0; }
grep -q __asan_init ./test-opencl-print \
  && { echo "1..0 # SKIP oclgrind does not run under ASan"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
echo 1..4
report ()
{
  if [ "$2" -eq 0 ]; then echo "ok $1 - $3"; else
    sed 's/^/# /' "$work/out" "$work/log" | tail -n 20; echo "not ok $1 - $3"; fi
}
# judge NUMBER PROGRAM CASES WHAT
# oclgrind counts the local memory of a whole program against each kernel. And
# what clang's optimizer makes of masks it takes wrong: 1 in a lane for -1.
judge ()
{
  number=$1 program=$2 cases=$3 what=$4
  : > "$work/log"
  sh "$top_srcdir/tests/run-seeded.sh" oclgrind --data-races \
    --build-options -cl-opt-disable --log "$work/log" \
    --local-mem-size 33554432 "$program" -p "$cases" > "$work/out" 2>&1
  status=$?
  if grep -q SKIP "$work/out"; then
    echo "ok $number # SKIP no OpenCL"; echo "ok $((number + 1)) # SKIP no OpenCL"
    return
  fi
  report "$number" $status "$what are right under oclgrind"
  [ ! -s "$work/log" ]; report $((number + 1)) $? "and it finds nothing"
}
judge 1 ./test-opencl-print /opencl-print/random "typed kernels"
judge 3 ./test-schedule-opencl /schedule-opencl/gpu "kernels of items"
