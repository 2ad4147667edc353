#!/bin/sh
# A driver whose kernels compute nothing, in no time.
. "$G_TEST_SRCDIR/driver-common.sh"
OPENCL_LAYERS=$layer
TEST_OPENCL_LIE=1
export OPENCL_LAYERS TEST_OPENCL_LIE

"$TPLAN" devices --format=csv | grep -q '^cpu,ready' || skip "no cpu device here"
try 4 calibrate --devices=cpu,opencl:0 mlp.json; say $? "calibrate goes on without it"
err_has "'opencl:0'.*wrong"; say $? "  and says why"
try 0 optimize mlp.json --devices=cpu,opencl:0 -o plan.json; say $? "a plan of what is left"
try 0 run --check plan.json -n 1; say $? "  gives what is right"
try 6 calibrate --devices=opencl:0 mlp.json; say $? "nothing is left of it alone"

# One that computed while its constants were measured.
rm cost.db
unset TEST_OPENCL_LIE
try 0 calibrate --devices=cpu,opencl:0; say $? "a driver that is good"
export TEST_OPENCL_LIE=1
"$TPLAN" calibrate --devices=cpu,opencl:0 mlp.json > .out 2> .err
try 5 optimize mlp.json --devices=cpu,opencl:0 --pin='fc1=opencl:0' -o -; say $? "nothing can be put there"
err_has "wrong"; say $? "  since it is wrong"
try 0 optimize mlp.json --devices=cpu,opencl:0 -o two.json; say $? "and no more"
try 0 explain two.json; say $? "  can be explained"
! out_has 'opencl:0.*ops'; say $? "  has nothing to do"
try 0 run --check two.json -n 1; say $? "  so that all is right"

# What a driver claims of its device is believed within bounds.
rm cost.db
unset TEST_OPENCL_LIE
for claim in "CL_DEVICE_MAX_COMPUTE_UNITS 1000000000" "CL_DEVICE_LOCAL_MEM_SIZE 1099511627776" \
             "CL_DEVICE_MAX_WORK_GROUP_SIZE 0" "CL_DEVICE_MAX_WORK_GROUP_SIZE 1000000000" \
             "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE 1000000000000" "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT 1000000"; do
  export TEST_OPENCL_CLAIM="$claim"
  for size in 1 64; do
    TPLAN_OPENCL_LOCAL_SIZE=$size try 0 run --check mlp.json --devices=opencl:0 -n 1 --warmup=0
    say $? "$claim, groups of $size"
  done
done
finish
