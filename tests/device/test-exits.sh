#!/bin/sh
# A driver that was good when it was met ends the process since, by exit(), _exit() or
# a signal, when it lists, opens or builds, or at its first kernel: no command ends
# with 0 and nothing done, each that does not survive says who it was, and nobody is
# left behind. Some of them; all for TPLAN_TEST_FULL.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
export OPENCL_LAYERS
step=5
[ -z "${TPLAN_TEST_FULL-}" ] || step=1
try 0 optimize mlp.json --devices=opencl:0 -o plan.json; say $? "a plan for opencl:0"
cp "$XDG_CACHE_HOME/tplan/drivers" good

# By its arguments who is left behind is found.
marker=none
is_gone () { for _ in $(seq 100); do pgrep -f "$1" > /dev/null || return 0; sleep 0.1; done; return 1; }

# end FAULT VERB ARGUMENT...: its exit status is $code.
end ()
{
  fault=$1; shift
  marker=$*
  cp good "$XDG_CACHE_HOME/tplan/drivers"
  rm -f cost.db* new.json
  TEST_OPENCL_FAIL=$fault timeout -k 1 300 "$TPLAN" "$@" > .out 2> .err
  code=$?
}
# Signals are the caller's business where the driver works in the process itself.
judge ()
{
  case $code in
    0) [ -s .out ] ;;
    4|5|6) err_has 'driver' ;;
    134|137) [ "$1" = run ] ;;
    *) echo "exit status $code" >> .err; false ;;
  esac && is_gone "$TPLAN $marker"
}

i=0
for function in clGetPlatformIDs clGetDeviceIDs clCreateContext clBuildProgram clEnqueueNDRangeKernel; do
  for what in exit quit crash kill; do
    for verb in devices calibrate optimize run try; do
      i=$((i + 1))
      [ $((i % step)) = 0 ] || [ "$verb $what" = "run exit" ] || continue
      case $verb in
        calibrate) end "$function 1 $what" calibrate mlp.json --devices=opencl:0 ;;
        optimize) end "$function 1 $what" optimize mlp.json --devices=opencl:0 -o new.json ;;
        run) end "$function 1 $what" run plan.json -n 1 ;;
        try) end "$function 1 $what" try mlp.json ;;
        devices) end "$function 1 $what" devices ;;
      esac
      judge $verb; say $? "$verb: $function $what"
    done
  done
done
for what in exit quit; do
  end "clEnqueueNDRangeKernel 1 $what" run plan.json -n 1
  [ $code = 6 ]; say $? "run: $what is no success"
  err_has 'before .run. was done'; say $? "  and said"
done
# What a driver started before it crashes ends with it; a sanitizer would take
# the signal.
[ -z "${ASAN_OPTIONS+set}" ] || ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0
for what in abort segv; do
  end "clEnqueueNDRangeKernel 1 left-$what" run plan.json -n 1
  [ $code -gt 128 ] && is_gone "$TPLAN $marker"; say $? "run: nobody is left behind by $what"
done
# A compiler whose linker is ended with the command does not get to say how that ends.
for i in 1 2 3 4; do
  end "clEnqueueNDRangeKernel 1 helped" run plan.json -n 1 --timeout=0.5
  [ $code = 5 ] && err_has 'not done in time' && is_gone "$TPLAN $marker"; say $? "run: a driver aborts as its helpers are ended, $i"
done
finish
