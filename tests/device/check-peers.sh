#!/bin/sh
# OpenCL runtimes other than the one tests run on, those that are there: each op
# with every device of theirs, networks, and random graphs. Part of `make
# check-full`; PEERS names those to try (intel rusticl oclgrind pocl-two pocl-basic
# pocl-gpu).
#
#   intel    python3 -m venv DIR; DIR/bin/pip install intel-opencl-rt intel-cmplr-lib-rt
#            PEER_INTEL=DIR/lib/libintelocl.so
#   rusticl  apt-get install mesa-opencl-icd
set -u
. "$top_srcdir/tests/cli/common.sh"
conformance=$G_TEST_BUILDDIR/test-conformance
vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
unset OCL_ICD_VENDORS POCL_DEVICES RUSTICL_ENABLE

skip () { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# Runs a program; its output goes to .out.
quietly () { "$@" > "$work/.out" 2> "$work/.err"; }

# The loader finds the drivers of one .icd file alone.
only ()
{
  rm -rf "$work/vendors"; mkdir "$work/vendors"
  cp "$1" "$work/vendors/peer.icd"
  OCL_ICD_VENDORS=$work/vendors
  export OCL_ICD_VENDORS
}

walk () # NAME DEVICE: all cases
{
  quietly env TPLAN_TEST_PART=1/1 sh "$top_srcdir/tests/run-seeded.sh" "$conformance" -p "/conformance/$2" \
    && grep -q "^ok .*/conformance/$2\$" "$work/.out"
  say $? "$1: each op on $2 is right"
}

run () # NAME NETWORK
{
  try 0 run -q --check --tolerance 1e-3 --warmup 0 --repeat 1 --devices cpu,opencl:0 --pin '*=opencl:0' \
    "$top_builddir/examples/$2.json"
  say $? "$1: $2 is right"
}

soak () # NAME SECONDS
{
  quietly python3 -B "$top_srcdir/tests/soak/soak.py" --seconds "$2"
  grep -q '^ok .* graphs, [1-9][0-9]* plans' "$work/.out"
  say $? "$1: random graphs are right"
}

# meet NAME N: whether the runtime has N devices.
meet ()
{
  quietly "$TPLAN" devices --format=csv \
    && [ "$(grep -c '^opencl:[0-9]*,ready' "$work/.out")" -ge "$2" ]
  met=$?; say $met "$1: has devices, $2 or more"; return $met
}

try_intel ()
{
  library=${PEER_INTEL:-}
  [ -f "$library" ] || { skip intel "PEER_INTEL names no libintelocl.so"; return; }
  echo "$library" > "$work/intel.icd"
  only "$work/intel.icd"
  meet intel 1 || return
  walk intel opencl:0
  # For AVX2 its vectorizer takes the index of a lane with that of the next one for
  # 64 bits of one (2026.2): kernels for GPUs read astray there.
  grep -qw avx512f /proc/cpuinfo || CL_CONFIG_CPU_VECTORIZER_MODE=1
  export CL_CONFIG_CPU_VECTORIZER_MODE
  walk intel gpu-style
  unset CL_CONFIG_CPU_VECTORIZER_MODE
  for network in squeezenet1_1 bert_mini gru_tagger; do run intel $network; done
  soak intel 30
}

# It compiles for minutes what others compile in milliseconds: one small kernel.
try_rusticl ()
{
  [ -f "$vendors/rusticl.icd" ] || { skip rusticl "no mesa-opencl-icd"; return; }
  only "$vendors/rusticl.icd"
  RUSTICL_ENABLE=llvmpipe
  export RUSTICL_ENABLE
  meet rusticl 1 || return
  cat > "$work/relu.json" <<'JSON'
{ "format": "tplan-graph/1", "inputs": [{"name": "x", "shape": [4, 16]}], "outputs": ["y"],
  "ops": [{"name": "relu", "type": "Relu", "inputs": ["x"], "outputs": ["y"]}] }
JSON
  try 0 run -q --check --timeout 2m --warmup 0 --repeat 1 --devices cpu,opencl:0 \
    --pin relu=opencl:0 "$work/relu.json"
  say $? "rusticl: a small kernel is right"
  unset RUSTICL_ENABLE
}

# As check-oclgrind.sh has it, which walks all ops.
try_oclgrind ()
{
  library=$(dpkg -L oclgrind 2>/dev/null | grep 'rt-icd\.so$')
  [ -f "$library" ] || { skip oclgrind "not installed"; return; }
  echo "$library" > "$work/oclgrind.icd"
  only "$work/oclgrind.icd"
  OCLGRIND_BUILD_OPTIONS=-cl-opt-disable
  OCLGRIND_LOCAL_MEM_SIZE=33554432
  export OCLGRIND_BUILD_OPTIONS OCLGRIND_LOCAL_MEM_SIZE
  meet oclgrind 1 || return
  soak oclgrind 30
}

# Two devices of one driver, and copies between them.
try_pocl () # DEVICES NAME
{
  [ -f "$vendors/pocl.icd" ] || { skip "$2" "no pocl-opencl-icd"; return; }
  only "$vendors/pocl.icd"
  POCL_DEVICES=$1
  export POCL_DEVICES
  meet "$2" 2 || return
  run "$2" squeezenet1_1
  soak "$2" 30
  unset POCL_DEVICES
}

# PoCL that claims to be a GPU and is as strict: the schedules a GPU gets, in groups of
# 256, by the whole road.
try_pocl_gpu ()
{
  layer=$G_TEST_BUILDDIR/.libs/opencl-layer.so
  [ -f "$vendors/pocl.icd" ] && [ -f "$layer" ] || { skip pocl-gpu "no pocl-opencl-icd"; return; }
  only "$vendors/pocl.icd"
  OPENCL_LAYERS=$layer TEST_OPENCL_STRICT=512 TEST_OPENCL_WHOLE=1
  TEST_OPENCL_CLAIM="CL_DEVICE_TYPE 4 CL_DEVICE_LOCAL_MEM_SIZE 49152 CL_DEVICE_MAX_WORK_GROUP_SIZE 1024 CL_DEVICE_HOST_UNIFIED_MEMORY 0"
  export OPENCL_LAYERS TEST_OPENCL_STRICT TEST_OPENCL_WHOLE TEST_OPENCL_CLAIM
  meet pocl-gpu 1 || return
  walk pocl-gpu opencl:0
  for network in squeezenet1_1 bert_mini gru_tagger; do run pocl-gpu $network; done
  unset OPENCL_LAYERS TEST_OPENCL_STRICT TEST_OPENCL_WHOLE TEST_OPENCL_CLAIM
}

for peer in ${PEERS:-intel rusticl oclgrind pocl-two pocl-basic pocl-gpu}; do
  case $peer in
    pocl-gpu) try_pocl_gpu ;;
    pocl-two) try_pocl "pthread pthread" pocl-two ;;
    pocl-basic) try_pocl "pthread basic" pocl-basic; POCL_DEVICES=basic; export POCL_DEVICES
      walk pocl-basic opencl:0; unset POCL_DEVICES ;;
    *) "try_$peer" ;;
  esac
done
finish
