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
i=1
for op in first second third fourth first; do
  export TEST_OPENCL_FAIL="clEnqueueNDRangeKernel $i stall"
  try 6 run plan.json --watchdog=0.5; say $? "run: kernel $i never ends"
  err_has "opencl:0.*'$op'"; say $? "  which is that of $op"
  i=$((i + 1))
done
export TEST_OPENCL_FAIL="clEnqueueNDRangeKernel 30 stall"
try 6 bench plan.json --watchdog=0.5; say $? "bench: a kernel never ends"
err_has "opencl:0.*'second'"; say $? "  it is named"
export TEST_OPENCL_FAIL="clEnqueueReadBuffer 1 hang"
try 6 run plan.json --watchdog=0.5; say $? "a copy never ends"
err_has "'d'"; say $? "  its tensor is named"
try 2 run plan.json --watchdog=soon; say $? "a time that is none"
finish
