#!/bin/sh
# Drivers that hang, crash or end the process when they are first met: named, left
# out, and the rest goes on.
. "$G_TEST_SRCDIR/driver-common.sh"
echo "$fake" > "$work/vendors/bad.icd"
TPLAN_DRIVER_TIMEOUT=2
export TPLAN_DRIVER_TIMEOUT

# The good driver's device is there, and the bad driver is told of.
for what in "hang load" "hang platforms" "hang devices" "hang context" \
            "exit load" "exit platforms" "exit devices" "exit context" \
            "crash load" "crash platforms" "crash devices" "crash context"; do
  export TEST_DRIVER="$what"
  try 0 devices --format=csv; say $? "devices: $what"
  out_has '^opencl:0,ready'; say $? "  the other is there"
  ! out_has '^opencl:1'; say $? "  this one is not"
  err_has 'bad.icd'; say $? "  and is named"
done

# What was bad is not met again by those who only plan; `devices` tries anew.
export TEST_DRIVER="hang platforms"
try 0 devices; say $? "hangs once more"
try 0 optimize mlp.json -o plan.json --driver-timeout=1h; say $? "optimize does without it"
err_has 'bad.icd'; say $? "  and says so"
try 0 run plan.json -n 1 --driver-timeout=1h; say $? "run does without it"
export TEST_DRIVER=
try 0 devices --format=csv; say $? "a driver that was mended"
! err_has 'bad.icd'; say $? "  is met anew"

# One that was good, and is not any more.
export TEST_DRIVER="hang platforms"
try 6 optimize mlp.json -fo plan.json; say $? "a driver that was good hangs"
err_has 'tplan devices'; say $? "  which says who finds out"
try 0 devices; err_has 'bad.icd'; say $? "  who does"
try 0 optimize mlp.json -fo plan.json; say $? "  and leaves it out"

# Nothing is left behind where the whole command is given up.
export TEST_DRIVER="hang platforms"
rm -rf "$XDG_CACHE_HOME/tplan/drivers"
try 5 optimize mlp.json -o - --timeout=0.2 --driver-timeout=1h; say $? "--timeout ends it"
sleep 0.3
! pgrep -f "tplan optimize mlp.json -o - --timeout=0.2" > /dev/null
say $? "  and the child with it"
try 2 devices --driver-timeout=often; say $? "a time that is none"

# A driver alone: without it there is no OpenCL device.
rm "$work/vendors/good.icd"
export TEST_DRIVER="exit devices"
try 6 calibrate --devices=opencl:0; say $? "calibrate with no driver left"
err_has 'bad.icd'; say $? "  names it"
try 6 calibrate --devices=ref,opencl:0; say $? "calibrate with ref beside it"
finish
