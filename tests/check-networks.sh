#!/bin/sh
# Real networks, end to end: optimize, check, run --check against the reference
# in double; (a) all on cpu, (b) all on opencl:0, (c) pins that force at least
# three device changes. `make check-full` takes batch 4 as well.
set -u
networks=${NETWORKS:-squeezenet1_1 mobilenet_v2 resnet50 densenet121}
batches=${BATCHES:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
export TPLAN_COST XDG_CONFIG_HOME

field () # FILE KEY: a number or truth from JSON with unique keys
{
  tr ',{}' '\n\n\n' < "$1" | sed -n "s/^ *\"$2\": *\\([^ ]*\\) *\$/\\1/p" | head -n 1
}

n=0
verdict () # GOOD NAME
{
  n=$((n + 1))
  if [ "$1" = yes ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

skip () { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

try () # NAME LEAST-TRANSFERS OPTIONS...
{
  name="batch $batch $1"; least=$2; shift 2
  model=$top_builddir/examples/$network.json
  if ! "$TPLAN" optimize -q -f --format json --dim N="$batch" "$@" "$model" -o "$work/plan.json" > "$work/optimize" 2> "$work/err"; then
    sed 's/^/# /' "$work/err"; verdict no "$network $name: optimize"; return
  fi
  if "$TPLAN" check -q "$work/plan.json" > "$work/out" 2>&1; then verdict yes "$network $name: check"
  else sed 's/^/# /' "$work/out"; verdict no "$network $name: check"; fi
  changes=$(field "$work/optimize" transfers)
  [ "${changes:-0}" -ge "$least" ] && good=yes || good=no
  verdict $good "$network $name: ${changes:-?} transfers, at least $least"
  if "$TPLAN" run -q --check --repeat 1 --format json "$work/plan.json" > "$work/run" 2> "$work/err"; then
    error=$(field "$work/run" max_rel_error)
    good=$(awk -v e="${error:-1}" 'BEGIN { print (e >= 0 && e <= 1e-4) ? "yes" : "no" }')
    verdict "$good" "$network $name: largest relative error ${error:-?}, at most 1e-4"
  else
    sed 's/^/# /' "$work/err"; verdict no "$network $name: run"
  fi
}

"$TPLAN" devices > "$work/devices" 2>&1
if ! grep -q '^ *cpu  *ready' "$work/devices"; then
  echo "1..0 # SKIP no cpu device: built without LLVM"; exit 0
fi
try_everywhere ()
{
  try "all on cpu" 0 --devices cpu
  if grep -q 'opencl:0  *ready' "$work/devices"; then
    try "all on opencl:0" 2 --devices cpu,opencl:0 --pin '*=opencl:0'
    # Every second convolution there, the others here.
    pins=$(sed -n 's/.*"name": "\(conv_[0-9]*\)", "type".*/\1/p' "$top_builddir/examples/$network.json" \
      | awk '{ printf "--pin %s=%s ", $1, NR % 2 ? "cpu" : "opencl:0" }')
    try "mixed" 3 --devices cpu,opencl:0 $pins
  else
    skip "$network on opencl:0" "no OpenCL device"
  fi
}

for network in $networks; do
  for batch in $batches; do try_everywhere; done
done
echo "1..$n"
