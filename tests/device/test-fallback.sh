#!/bin/sh
# A device that is lost in the middle: without --fallback an error, with it a right
# result from the host.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
export OPENCL_LAYERS
try 0 optimize mlp.json --devices=opencl:0 -o plan.json; say $? "a plan for opencl:0"
try 0 run plan.json --check --fallback -n 2; say $? "nothing fails"
! err_has host; say $? "  and nothing is said"

# Where engines work at once too, copies by the driver among them.
TPLAN_OPENCL_SHARE=no; export TPLAN_OPENCL_SHARE
try 0 optimize mlp.json --devices=opencl:0 --objective makespan -o span.json; say $? "a plan for makespan"
for fault in "clEnqueueNDRangeKernel 7 -5" "clFinish 2 -36" "clEnqueueReadBuffer 3 -5" "clEnqueueWriteBuffer 2 -2"; do
  export TEST_OPENCL_FAIL="$fault"
  "$TPLAN" run span.json -n 4 > .out 2> .err
  code=$?
  [ $code = 6 ] || [ $code = 5 ]; say $? "at once, without: $fault"
  try 0 run span.json --check --fallback -n 4; say $? "at once, with: $fault"
  err_has "on the host: device 'opencl:0'"; say $? "  it is said"
done
unset TEST_OPENCL_FAIL TPLAN_OPENCL_SHARE

# At which call what happens.
for fault in "clCreateContext 1 -2" "clBuildProgram 1 -11" "clCreateBuffer 1 -4" \
             "clEnqueueNDRangeKernel 1 -36" "clEnqueueNDRangeKernel 7 -5" "clFinish 2 -36" \
             "clEnqueueReadBuffer 3 -5" "clEnqueueWriteBuffer 2 -2"; do
  export TEST_OPENCL_FAIL="$fault"
  "$TPLAN" run plan.json -n 4 > .out 2> .err
  code=$?
  [ $code = 6 ] || [ $code = 5 ]; say $? "without: $fault"
  try 0 run plan.json --check --fallback -n 4; say $? "with: $fault"
  err_has "on the host: device 'opencl:0'"; say $? "  it is said"
done
try 0 run plan.json --check --fallback -n 4 --format=json; say $? "as JSON"
out_has '"fallback": "device'; say $? "  too"
try 0 run plan.json --check --fallback -n 4 --trace=trace.json; say $? "with a profile"

# What states had is lost with the device: a run says so, and none goes on without.
cat > step.json <<'JSON'
{ "format": "tplan-graph/1", "name": "step", "opset": 17, "inputs": [{"name": "x", "shape": [64]}],
  "outputs": ["y"], "state": [{"name": "h", "shape": [64], "next": "n"}],
  "ops": [{"type": "Add", "inputs": ["h", "x"], "outputs": ["n"]}, {"type": "Neg", "inputs": ["n"], "outputs": ["y"]}] }
JSON
export TEST_OPENCL_FAIL=
try 0 optimize step.json --devices=opencl:0 -o step.plan.json && try 0 run step.plan.json --check --fallback -n 4
say $? "a state, and nothing fails"
for fault in "clEnqueueNDRangeKernel 3 -5" "clFinish 3 -36"; do
  export TEST_OPENCL_FAIL="$fault"
  try 6 run step.plan.json --fallback -n 4; say $? "a state: $fault"
  err_has "goes on on the host, but what its states had is lost"; say $? "  it is said"
done
export TEST_OPENCL_FAIL="clBuildProgram 1 -11"
try 0 run step.plan.json --check --fallback -n 4 && err_has "on the host: device 'opencl:0'"
say $? "a state: before there was any"

for fault in "clEnqueueNDRangeKernel 1 stall" "clEnqueueNDRangeKernel 9 stall" "clFinish 2 hang"; do
  export TEST_OPENCL_FAIL="$fault"
  try 0 run plan.json --check --fallback --watchdog=0.5 -n 4; say $? "hangs: $fault"
  err_has "run again on the host"; say $? "  it is said"
done

# As a folder that runs anywhere starts it, on a machine with an old C library.
loader=$(ldd "$TPLAN" | sed -n 's|^	\(/[^ ]*/ld[^ ]*\) .*|\1|p')
if [ -x "$loader" ] && "$loader" "$TPLAN" --version > .out 2>&1; then
  "$loader" "$TPLAN" run plan.json --check --fallback --watchdog=0.5 -n 4 > .out 2> .err \
    && err_has "run again on the host"
  say $? "hangs: started by the loader"
else
  n=$((n + 1)); echo "ok $n - hangs: started by the loader # SKIP it cannot be"
fi
finish
