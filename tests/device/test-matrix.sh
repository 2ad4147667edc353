#!/bin/sh
# Any function of OpenCL hangs at any of its calls, does nothing and tells of success,
# or tells what is false: `run --check` gives what is right, or an error, in time. Some
# of them; all for TPLAN_TEST_FULL.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
export OPENCL_LAYERS
step=17
[ -z "${TPLAN_TEST_FULL-}" ] || step=1
try 0 optimize mlp.json --devices=opencl:0 -o plan.json; say $? "a plan for opencl:0"

# A driver that does not call back, as it said it would, keeps what was to be freed then:
# what a buffer lies in, and how many kernels ended. Who asked GLib for it is lost, its callers are not.
kept=$PWD/kept.supp
cat "$top_srcdir/tests/lsan.supp" - > "$kept" << 'EOF'
leak:cl_alloc
leak:tp_cli_watchdog_watch
EOF

# options_for FAULT: LeakSanitizer's.
options_for ()
{
  case $1 in
    *Callback*lie) echo "${LSAN_OPTIONS-}:suppressions=$kept" ;;
    *) echo "${LSAN_OPTIONS-}" ;;
  esac
}

# judge FAULT: what `run` does about it; 124: it had to be ended.
judge ()
{
  claim=
  case $1 in *[mM]ap*) claim='CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 1' ;; esac
  TEST_OPENCL_CLAIM=$claim TEST_OPENCL_FAIL=$1 LSAN_OPTIONS=$(options_for "$1") timeout -k 1 300 "$TPLAN" run plan.json --check -n 1 --warmup=0 \
    --watchdog=0.3 --timeout=1.5 > .out 2> .err
  code=$?
  case $code in
    0) out_has 'check *good' ;;
    1) out_has WRONG ;;
    5|6) err_has '^tplan: ' ;;
    *) echo "exit status $code" >> .err; false ;;
  esac
}

# judge_build FAULT: of what is asked only where kernels cannot be built.
judge_build () { judge "clBuildProgram 1 -11 $1" && { [ $code = 5 ] || err_has 'CL_BUILD_PROGRAM_FAILURE'; }; }

# judge_clock FAULT: of what is asked only while kernels are timed.
judge_clock ()
{
  rm -f cost.db
  TEST_OPENCL_FAIL=$1 timeout -k 1 300 "$TPLAN" calibrate mlp.json --devices=opencl:0 --timeout=60 > .out 2> .err
  code=$?
  case $code in
    0|4) "$TPLAN" run mlp.json --devices=opencl:0 --check -n 1 > .out 2> .err && out_has 'check *good' ;;
    5|6) err_has '^tplan: ' ;;
    *) echo "exit status $code" >> .err; false ;;
  esac
}

# judge_shared FAULT: of what is asked only where runs overlap. bench holds what comes
# out of them against what comes out of one.
judge_shared ()
{
  TEST_OPENCL_FAIL=$1 LSAN_OPTIONS=$(options_for "$1") timeout -k 1 300 "$TPLAN" bench plan.json --in-flight=2 --rounds=3 --time-limit=0.1s \
    --watchdog=0.5 --timeout=3 > .out 2> .err
  code=$?
  case $code in
    0) out_has '2 in flight' ;;
    5|6) err_has '^tplan: ' ;;
    *) echo "exit status $code" >> .err; false ;;
  esac
}

# meet FUNCTION CALL WHAT: one in $step.
i=0
meet ()
{
  i=$((i + 1))
  [ $((i % step)) = 0 ] || return 0
  case $1 in
    clGetProgramBuildInfo) judge_build "$*" ;;
    clGetEventProfilingInfo) judge_clock "$*" ;;
    clSVMAlloc|clSetMemObjectDestructorCallback) judge_shared "$*" ;;
    *) judge "$*" ;;
  esac
  say $? "$*"
  # Else the driver would be known as bad from then on.
  case $1 in clCreateContext|clCreateSubDevices|clGet*) rm -f "$XDG_CACHE_HOME/tplan/drivers" ;; esac
}

for function in clCreateContext clCreateCommandQueue clCreateBuffer \
                clCreateProgramWithSource clBuildProgram clCreateKernel clSetKernelArg \
                clEnqueueNDRangeKernel clEnqueueWriteBuffer clEnqueueReadBuffer \
                clEnqueueMapBuffer clEnqueueUnmapMemObject clSetEventCallback clFinish clFlush \
                clReleaseEvent clReleaseDevice clReleaseCommandQueue clReleaseMemObject \
                clReleaseProgram clReleaseKernel; do
  for call in 1 2 3 4; do
    for what in hang lie; do meet $function $call $what; done
  done
done
# Those that tell something: it is nothing, or all ones; call 0 is each.
for function in clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateSubDevices \
                clGetProgramBuildInfo; do
  for call in 0 1 2 3 4; do
    for what in hang lie false -5; do meet $function $call $what; done
  done
done
for what in hang lie false -7; do
  for call in 0 2 21; do meet clGetEventProfilingInfo $call $what; done
done
for function in clSVMAlloc clSetMemObjectDestructorCallback; do
  for call in 0 1 2 3 4; do
    for what in hang lie -5; do meet $function $call $what; done
  done
done
# Each that once ended the program, or hid who was at fault.
step=1
if [ -z "${TPLAN_TEST_FULL-}" ]; then
  meet clGetPlatformIDs 1 false
  meet clGetDeviceIDs 1 false
  meet clGetDeviceInfo 0 false
  meet clGetDeviceInfo 0 lie
  meet clCreateSubDevices 1 false
fi
# A device of which a run takes seconds is not compared without an end: a minute is
# enough, of the processor little.
if [ -n "${TPLAN_TEST_FULL-}" ]; then
  TEST_OPENCL_FAIL="clEnqueueNDRangeKernel 0 slow"
  export TEST_OPENCL_FAIL
  try 0 optimize mlp.json --devices=cpu,opencl:0 --verify -f -o slow.json && err_has 'verified by . of 6 rounds'
  say $? "rounds that take seconds have an end"
fi
finish
