#!/bin/sh
# A driver whose copies take longer in one process than in others: what most say counts.
. "$G_TEST_SRCDIR/driver-common.sh"
export OPENCL_LAYERS=$layer TEST_OPENCL_FAIL="clEnqueueReadBuffer 0 late"
export TPLAN_CALIBRATE_MOST=60 # none of the processes is left out
# base DIRECTION: what a copy takes at least, in whole milliseconds.
base () { echo $(($("$TPLAN" cost export | tr -d ' \n' | sed "s/.*\"$1_base_ns\":\([0-9]*\).*/\1/") / 1000000)); }

try 0 calibrate -q --devices=opencl:0; say $? "copies to the host are late in all processes"
[ "$(base to_host)" -ge 3 ]; say $? "  so they take that long"
rm -f cost.db*
export TEST_OPENCL_FIRST=$work/first
try 0 calibrate -q --devices=opencl:0; say $? "late in the first process alone"
[ -e first ] && [ "$(base to_host)" -lt 3 ]; say $? "  so they do not"
rm -f cost.db* first
export TEST_OPENCL_FAIL="clEnqueueReadBuffer 0 then-crash"
try 0 calibrate --devices=opencl:0; say $? "the driver survives only the first process"
err_has "opencl:0.*crashed"; say $? "  which is said"
[ -e first ] && [ "$(base to_host)" -lt 3 ] && "$TPLAN" cost export | grep -q to_host_base_ns; say $? "  and what that has measured is kept"
rm -f cost.db* first
export TEST_OPENCL_FAIL="clEnqueueReadBuffer 0 late"
export TPLAN_CALIBRATE_MOST=0.2
try 0 calibrate -q --devices=opencl:0; say $? "no time for other processes"
[ "$(base to_host)" -ge 3 ]; say $? "  so it counts"
finish
