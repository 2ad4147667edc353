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
  sizes=$([ "${sizes:-64}" = 64 ] && echo 1 || echo 64) # by turns
  for size in $([ -n "${TPLAN_TEST_FULL:-}" ] && echo 1 64 || echo "$sizes"); do
    TPLAN_OPENCL_LOCAL_SIZE=$size try 0 run --check mlp.json --devices=opencl:0 -n 1 --warmup=0
    say $? "$claim, groups of $size"
  done
done

# As GPUs are: groups of 256 and fewer, memory of their own or the host's, parts of
# buffers at multiples of 512, no divisions that are rounded correctly, a first
# dimension that is smaller than a group.
export TEST_OPENCL_STRICT=512 TEST_OPENCL_WHOLE=1
gpu="CL_DEVICE_TYPE 4"
for claim in "$gpu CL_DEVICE_HOST_UNIFIED_MEMORY 0" "$gpu CL_DEVICE_HOST_UNIFIED_MEMORY 1" \
             "$gpu CL_DEVICE_SINGLE_FP_CONFIG 63" "$gpu CL_DEVICE_LOCAL_MEM_SIZE 32768 CL_DEVICE_MAX_WORK_GROUP_SIZE 64" \
             "$gpu CL_DEVICE_LOCAL_MEM_SIZE 16384 CL_DEVICE_MAX_WORK_ITEM_SIZES 8" \
             "$gpu CL_DEVICE_LOCAL_MEM_SIZE 0"; do
  export TEST_OPENCL_CLAIM="$claim"
  try 0 run --check mlp.json --devices=opencl:0 -n 2 --warmup=0; say $? "a GPU: $claim"
  try 0 run --check mlp.json --devices=cpu,opencl:0 --pin='fc*=opencl:0' -n 2 --warmup=0; say $? "  half of it"
done
export TEST_OPENCL_CLAIM="$gpu CL_DEVICE_MAX_MEM_ALLOC_SIZE 64"
try 5 run --check mlp.json --devices=opencl:0 -n 1 --warmup=0 && err_has "64"; say $? "a GPU whose buffers are small"

# GPUs come first, so that the first device is one.
unset TEST_OPENCL_CLAIM TEST_OPENCL_STRICT
export POCL_DEVICES="pthread basic"
if "$TPLAN" devices --format=csv | grep -q '^opencl:1,ready.*"pthread'; then
  export TEST_OPENCL_GPU=pthread
  try 0 devices --format=csv; out_has '^opencl:0,ready.*"pthread'; say $? "a GPU goes before a CPU"
  out_has '^opencl:1,ready.*"basic'; say $? "  which follows"
else
  n=$((n + 1)); echo "ok $n - a GPU goes before a CPU # SKIP no driver of two devices"
fi
finish
