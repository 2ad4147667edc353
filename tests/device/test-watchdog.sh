#!/bin/sh
# A kernel that never ends: it is named, and the program ends.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
export OPENCL_LAYERS

cat > chain.json <<'JSON'
{ "format": "tplan-graph/1", "name": "chain", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [4, 16]}], "outputs": ["d"],
  "ops": [
    {"name": "first", "type": "Tanh", "inputs": ["x"], "outputs": ["a"]},
    {"name": "second", "type": "Exp", "inputs": ["a"], "outputs": ["b"]},
    {"name": "third", "type": "Sqrt", "inputs": ["b"], "outputs": ["c"]},
    {"name": "fourth", "type": "Relu", "inputs": ["c"], "outputs": ["d"]} ] }
JSON
try 0 optimize chain.json --devices=opencl:0 --no-fuse=epilogue --no-fuse=prologue \
  --no-fuse=pointwise -o plan.json; say $? "a plan of four kernels"
try 0 run plan.json --watchdog=60; say $? "nothing hangs, nothing is said"

# Where engines work at once too, which here are kernels and copies of one device.
try 0 optimize chain.json --devices=opencl:0 --objective makespan --no-fuse=epilogue --no-fuse=prologue \
  --no-fuse=pointwise -o span.json && try 0 run span.json --watchdog=60 --check
say $? "a plan for makespan"

# hang NAME FAULT ARGUMENT...: all at once, as each takes as long as the watchdog
# waits: long enough for what does not hang on a machine that hardly gets to run.
hang ()
{
  name=$1; fault=$2; shift 2
  (TEST_OPENCL_FAIL=$fault "$TPLAN" "$@" --watchdog=10 > "$name.out" 2> "$name.err"; echo $? > "$name.code") &
}
judge ()
{
  cp "$1.out" .out && cp "$1.err" .err && [ "$(cat "$1.code")" = 6 ]
}
for i in 1 2 3 4 5; do hang "run$i" "clEnqueueNDRangeKernel $i stall" run plan.json; done
hang bench "clEnqueueNDRangeKernel 30 stall" bench plan.json
hang copy "clEnqueueReadBuffer 1 hang" run plan.json
hang span "clEnqueueNDRangeKernel 2 stall" run span.json
TPLAN_OPENCL_SHARE=no; export TPLAN_OPENCL_SHARE
hang span_copy "clEnqueueReadBuffer 1 hang" run span.json
unset TPLAN_OPENCL_SHARE
wait
i=1
for op in first second third fourth first; do
  judge "run$i"; say $? "run: kernel $i never ends"
  err_has "opencl:0.*'$op'"; say $? "  which is that of $op"
  i=$((i + 1))
done
judge bench; say $? "bench: a kernel never ends"
err_has "opencl:0.*'second'"; say $? "  it is named"
judge copy; say $? "a copy never ends"
err_has "'d'"; say $? "  its tensor is named"
judge span; say $? "a kernel beside copies never ends"
err_has "opencl:0.*'second'"; say $? "  it is named"
judge span_copy; say $? "a copy beside kernels never ends"
err_has "'d'"; say $? "  its tensor is named"
try 2 run plan.json --watchdog=soon; say $? "a time that is none"
finish
