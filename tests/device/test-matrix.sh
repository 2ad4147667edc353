#!/bin/sh
# Any function of OpenCL hangs at any of its calls, or does nothing and tells of
# success: `run --check` gives what is right, or an error, in time. Some of them; all
# for TPLAN_TEST_FULL.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
export OPENCL_LAYERS
step=9
[ -z "${TPLAN_TEST_FULL-}" ] || step=1
try 0 optimize mlp.json --devices=opencl:0 -o plan.json; say $? "a plan for opencl:0"

# judge FAULT: what `run` does about it; 124: it had to be ended.
judge ()
{
  claim=
  case $1 in *[mM]ap*) claim='CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 1' ;; esac
  TEST_OPENCL_CLAIM=$claim TEST_OPENCL_FAIL=$1 timeout -k 1 300 "$TPLAN" run plan.json --check -n 1 --warmup=0 \
    --watchdog=0.3 --timeout=1.5 > .out 2> .err
  code=$?
  case $code in
    0) out_has 'check *good' ;;
    1) out_has WRONG ;;
    5|6) err_has '^tplan: ' ;;
    *) echo "exit status $code" >> .err; false ;;
  esac
}
i=0
for function in clCreateContext clCreateCommandQueue clCreateBuffer clCreateSubBuffer \
                clCreateProgramWithSource clBuildProgram clCreateKernel clSetKernelArg \
                clEnqueueNDRangeKernel clEnqueueWriteBuffer clEnqueueReadBuffer \
                clEnqueueMapBuffer clEnqueueUnmapMemObject clSetEventCallback clFinish clFlush; do
  for call in 1 2 3 4; do
    for what in hang lie; do
      i=$((i + 1))
      [ $((i % step)) = 0 ] || continue
      judge "$function $call $what"; say $? "$function $call $what"
      # Else the driver would be known as bad from then on.
      [ $function != clCreateContext ] || rm -f "$XDG_CACHE_HOME/tplan/drivers"
    done
  done
done
finish
