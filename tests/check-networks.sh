#!/bin/sh
# Real networks, end to end: optimize, check, run --check against the reference
# in double; (a) all on cpu, (b) all on opencl:0, (c) pins that force at least
# three device changes. Outputs must depend on inputs, and stay near 1.
# Two networks at a time, each by this script with its name as argument.
# `make check-full` sets TPLAN_TEST_FULL: batch 4 of the classifiers, those that are
# slow to compile all on opencl:0, and the large networks.
set -u
full=${TPLAN_TEST_FULL:-}
# Slow ones first, so that both ends come together.
networks=${NETWORKS:-${full:+bert_base gpt2 vit_b_16} densenet121 unet resnet50 vit_ti_16 bert_mini gpt2_mini lstm_lm mobilenet_v2 squeezenet1_1 decoder_mini gru_tagger}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
export TPLAN_COST XDG_CONFIG_HOME

field () # FILE KEY: a number or truth from JSON with unique keys
{
  tr ',{}' '\n\n\n' < "$1" | sed -n "s/^ *\"$2\": *\\([^ ]*\\) *\$/\\1/p" | head -n 1
}

memory () # FILE: the arenas, by device
{
  tr -d ' \n' < "$1" | sed -n 's/.*"peak_bytes":{\([^}]*\)}.*/\1/p'
}

n=0
verdict () # GOOD NAME
{
  n=$((n + 1))
  if [ "$1" = yes ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

skip () { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

fail () # NAME: what tplan said, as diagnostics
{
  sed 's/^/# /' "$work/err"
  verdict no "$network $1"
}

try () # NAME LEAST-TRANSFERS OPTIONS...
{
  name="batch $batch $1"; least=$2; shift 2
  model=$top_builddir/examples/$network.json
  if ! "$TPLAN" optimize -q -f --format json --dim N="$batch" $dims "$@" "$model" -o "$work/plan.json" > "$work/optimize" 2> "$work/err"; then
    fail "$name: optimize"; return
  fi
  if "$TPLAN" check -q "$work/plan.json" > "$work/out" 2>&1; then verdict yes "$network $name: check"
  else sed 's/^/# /' "$work/out"; verdict no "$network $name: check"; fi
  changes=$(field "$work/optimize" transfers)
  [ "${changes:-0}" -ge "$least" ] && good=yes || good=no
  verdict $good "$network $name: ${changes:-?} transfers, at least $least"
  if "$TPLAN" run -q --check --tolerance "$limit" --repeat 1 --format json "$work/plan.json" > "$work/run" 2> "$work/err"; then
    error=$(field "$work/run" max_rel_error)
    good=$(awk -v e="${error:-1}" -v limit="$limit" 'BEGIN { print (e >= 0 && e <= limit) ? "yes" : "no" }')
    verdict "$good" "$network $name: largest relative error ${error:-?}, at most $limit"
    foretold=$(memory "$work/optimize"); taken=$(memory "$work/run")
    [ -n "$foretold" ] && [ "$foretold" = "$taken" ] && good=yes || good=no
    verdict $good "$network $name: foretold peak $foretold, taken $taken"
  else
    fail "$name: run"
  fi
}

# The last plan, on two inputs: outputs differ, and are neither 0 nor huge. An
# .npy file of floats has 128 bytes of header.
try_inputs ()
{
  for seed in 1 2; do
    "$TPLAN" run -q -f --seed $seed --warmup 0 --repeat 1 -o "$work/out$seed" "$work/plan.json" > "$work/run" 2> "$work/err" \
      || { sed 's/^/# /' "$work/err"; verdict no "$network: run with seed $seed"; return; }
  done
  for file in "$work"/out1/*.npy; do
    name=$(basename "$file" .npy)
    cmp -s "$file" "$work/out2/$name.npy" && good=no || good=yes
    verdict $good "$network: output $name depends on the inputs"
    most=$(od -An -v -j 128 -t f4 "$file" | awk '{ for (i = 1; i <= NF; i++) { x = $i < 0 ? -$i : $i; if (!(x <= most)) most = x } } END { print most + 0 }')
    good=$(awk -v x="$most" 'BEGIN { print (x >= 0.05 && x <= 50) ? "yes" : "no" }')
    verdict "$good" "$network: output $name is up to $most"
  done
  rm -rf "$work/out1" "$work/out2"
}

try_everywhere ()
{
  try "all on cpu" 0 --devices cpu
  try_inputs
  if grep -q 'opencl:0  *ready' "$work/devices"; then
    # Up to half a minute of compiling: "mixed" has every second of their layers there.
    case $network$full in densenet121|resnet50|unet|mobilenet_v2|vit_ti_16) ;; *) try "all on opencl:0" 2 --devices cpu,opencl:0 --pin '*=opencl:0' ;; esac
    # Every second heavy op there, the others here.
    pins=$(sed -n 's/.*"name": "\(\(conv\|convtranspose\|matmul\|gemm\|lstm\|gru\|softmax\)_[0-9]*\)", "type".*/\1/p' "$top_builddir/examples/$network.json" \
      | awk '{ printf "--pin %s=%s ", $1, NR % 2 ? "opencl:0" : "cpu" }')
    try "mixed" 3 --devices cpu,opencl:0 $pins
  else
    skip "$network on opencl:0" "no OpenCL device"
  fi
  case $network in
    squeezenet*|gru_tagger|bert_mini) try "on a made-up pair" 0 --devices sim:laptop-cpu,sim:laptop-gpu ;;
  esac
}

try_network ()
{
  dims=; limit=1e-4; batches=1
  case $network in
    squeezenet*|mobilenet*|resnet*|densenet*) batches=${BATCHES:-1 ${full:+4}} ;;
    unet) size=64; [ -z "$full" ] || size=128; dims="--dim H=$size --dim W=$size" ;;
    bert_*|gpt2*|vit_*|lstm_*) limit=1e-3 ;;
  esac
  for batch in $batches; do try_everywhere; done
}

"$TPLAN" devices > "$work/devices" 2>&1
if [ $# -gt 0 ]; then network=$1; try_network; echo "1..$n"; exit 0; fi

# make-networks counts what it writes, and this is what was published.
published="squeezenet1_1:1235496 mobilenet_v2:3504872 resnet50:25557032 densenet121:7978856 bert_base:109482240
  gpt2:124439808 vit_b_16:86567656 vit_ti_16:5717416 unet:7763041 smollm_135m:134515008"
mkdir "$work/counts"
for pair in $published; do
  "$top_builddir/examples/make-networks" "$work/counts" "${pair%:*}" > "$work/count" 2>&1
  grep -q ": ${pair#*:} parameters" "$work/count" && good=yes || good=no
  verdict $good "${pair%:*} has ${pair#*:} parameters"
done

if ! grep -q '^ *cpu  *ready' "$work/devices"; then
  skip "networks" "no cpu device: built without LLVM"; echo "1..$n"; exit 0
fi

printf '%s\n' $networks | xargs -P 2 -I @ sh -c 'sh "$0" @ > "$1/@.tap" 2>&1' "$0" "$work"
for network in $networks; do
  results=$work/$network.tap
  awk -v n=$n '/^1\.\./ { next } /^(not )?ok [0-9]/ { sub(/ok [0-9]+/, "ok " ++n) } { print }' "$results"
  n=$((n + $(grep -c '^\(not \)\?ok [0-9]' "$results")))
  tail -n 1 "$results" | grep -q '^1\.\.' || verdict no "$network: all of it was tried"
done
echo "1..$n"
