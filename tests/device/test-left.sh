#!/bin/sh
# Drivers that start processes, write into files that are not theirs, close them, or
# kill who called them: when a command has ended, in whatever way, nobody is left, and
# the driver is named where it did harm.
. "$G_TEST_SRCDIR/driver-common.sh"
[ -r /proc/self/environ ] || skip "needs /proc"
echo "$fake" > "$work/vendors/bad.icd"
mark=TPLAN_TEST_LEFT_$$

# Nothing with our mark lives.
is_alone ()
{
  for _ in $(seq 100); do
    grep -slzx "$mark=1" /proc/[0-9]*/environ > alive
    [ -s alive ] || return 0
    sleep 0.1
  done
  echo "left behind: $(cat alive)" >> .err
  sed 's/[^0-9]//g' alive | xargs kill -9
  return 1
}
# marked CODE ARGUMENT...: as try, with the mark.
marked () { wanted=$1; shift; env "$mark=1" "$TPLAN" "$@" > .out 2> .err; code=$?
            [ $code -eq "$wanted" ] || { echo "exit status $code, not $wanted" >> .err; false; }; }
# It was met before, as a good one: who lists devices, or opens them, calls it again.
meet_good () { TEST_DRIVER= "$TPLAN" devices > /dev/null 2>&1; }

# ---- when they are met ----
for where in load platforms devices context; do
  for what in write close group parent; do
    export TEST_DRIVER="$what $where"
    marked 0 devices --format=csv && out_has '^opencl:0,ready' && ! out_has '^opencl:1' && err_has 'bad.icd'
    say $? "$what at $where: named and left out, and nothing else"
    [ $what != write ] || err_has 'wrote into files'; say $? "  with what it did"
    is_alone; say $? "  nobody is left"
  done
  export TEST_DRIVER="leave $where"
  marked 0 devices --format=csv && out_has '^opencl:1,ready'; say $? "leave at $where"
  is_alone; say $? "  nobody is left"
done
export TEST_DRIVER="stay platforms"
marked 0 devices --format=csv --driver-timeout=1 && err_has 'bad.icd.*did not answer'; say $? "stay"
is_alone; say $? "  nobody is left"
marked 0 optimize --devices=ref,opencl:0 mlp.json -o away.json; say $? "a plan without it"

# ---- when they were good before ----
for what in write close leave; do
  TEST_DRIVER="" meet_good
  export TEST_DRIVER="$what devices"
  marked 0 optimize --devices=ref mlp.json -f -o p.json; say $? "$what later: a plan for another device"
  marked 0 optimize mlp.json -f -o p.json; say $? "  a plan for all"
  [ $what = leave ] && status=5 || status=4 # of that driver no context is to be had
  marked $status calibrate -q --devices=ref,opencl:0 mlp.json && err_has opencl:0; say $? "  calibrate"
  is_alone; say $? "  nobody is left"
  "$TPLAN" cost list > .out 2> .err; say $? "  and the table is whole"
done

# ---- given up ----
for signal in TERM INT HUP QUIT KILL; do
  # Background jobs of a shell ignore SIGINT and SIGQUIT, all of nohup SIGHUP: env puts
  # that right.
  meet_good; export TEST_DRIVER="stay platforms"
  env --default-signal=HUP,INT,QUIT,TERM "$mark=1" "$TPLAN" optimize mlp.json -f -o p.json --driver-timeout=1h > .out 2> .err &
  child=$!
  sleep 1
  kill -s $signal $child && { wait $child; [ $? -gt 128 ]; }; say $? "SIG$signal while one hangs"
  is_alone; say $? "  nobody is left"
done 2> /dev/null
meet_good; export TEST_DRIVER="stay platforms"
env "$mark=1" timeout -s KILL 1 "$TPLAN" optimize mlp.json -f -o p.json --driver-timeout=1h > .out 2> .err
is_alone; say $? "SIGKILL to its group while one hangs, and nobody is left"
meet_good; export TEST_DRIVER="stay platforms"
marked 5 optimize mlp.json -f -o p.json --driver-timeout=1h --timeout=0.5; say $? "--timeout while one hangs"
is_alone; say $? "  nobody is left"

# ---- in the process itself ----
rm "$work/vendors/bad.icd"
unset TEST_DRIVER
OPENCL_LAYERS=$layer
export OPENCL_LAYERS
try 0 optimize mlp.json --devices=opencl:0 -f -o plan.json; say $? "a plan for opencl:0"
for function in clGetDeviceIDs clCreateContext clBuildProgram clEnqueueNDRangeKernel; do
  export TEST_OPENCL_FAIL="$function 1 leave"
  marked 0 run plan.json -n 1 --warmup=0; say $? "run: $function leaves one"
  is_alone; say $? "  nobody is left"
done
export TEST_OPENCL_FAIL="clEnqueueNDRangeKernel 1 stay"
marked 6 run plan.json -n 1 --watchdog=1; say $? "run: given up by --watchdog"
is_alone; say $? "  nobody is left"
marked 5 run plan.json -n 1 --timeout=1; say $? "run: given up by --timeout"
is_alone; say $? "  nobody is left"
for signal in TERM INT HUP; do
  env --default-signal=HUP,INT,QUIT,TERM "$mark=1" "$TPLAN" run plan.json -n 1 > .out 2> .err &
  child=$!
  sleep 1.5
  kill -s $signal $child
  sleep 0.5
  kill -s $signal $child
  wait $child
  is_alone; say $? "run: SIG$signal, and nobody is left"
done 2> /dev/null
# One is enough where a driver compiles, and nothing is there to be kept.
export TEST_OPENCL_FAIL="clBuildProgram 1 stay"
export TPLAN_CACHE_DIR=$work/none-compiled
for command in "run plan.json -n 1" "bench plan.json -n 1" "report --measure plan.json -o r.html" \
  "optimize --verify mlp.json --devices=opencl:0" "try mlp.json --devices=opencl:0 --time-limit=1ms -o t.plan.json"; do
  env --default-signal=HUP,INT,QUIT,TERM "$mark=1" "$TPLAN" $command > .out 2> .err &
  child=$!
  sleep 1.5
  kill -s INT $child
  for _ in $(seq 50); do kill -0 $child || break; sleep 0.1; done
  kill -s KILL $child
  wait $child; [ $? -eq 130 ]; say $? "${command%% *}: SIGINT while one compiles"
  is_alone; say $? "  nobody is left"
done 2> /dev/null
unset TPLAN_CACHE_DIR
# What was there before is not the command's, whoever became it by exec.
unset TEST_OPENCL_FAIL
sh -c 'sleep 60 & echo $! > before; exec "$0" run plan.json -n 1 --warmup=0' "$TPLAN" > .out 2> .err
kill "$(cat before)"; say $? "run: who was there before lives on"
export TEST_OPENCL_FAIL="clBuildProgram 1 leave clEnqueueNDRangeKernel 1 exit"
marked 6 run plan.json -n 1; say $? "run: ended by the driver"
is_alone; say $? "  nobody is left"
finish
