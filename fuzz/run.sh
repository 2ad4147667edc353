#!/bin/sh
# Builds the fuzz targets with clang in a build of their own, _fuzz, and runs
# each for FUZZ_SECONDS (60), FUZZ_JOBS at a time (one per processor). Seeds are
# the bad files of tests/bad and the good ones they are made of; what is found
# goes to _fuzz/found.
#   FUZZ_TARGETS="onnx npz"   only these
#   FUZZ_TIMEOUT=SECONDS      an input that takes longer (10) is a finding; more, where the
#                             processor is not ours alone
#   FUZZ_CORPUS=DIR           keep what was learnt, and the count of runs, there
#                             (_fuzz/corpus), from build to build
set -eu
source=$1 # of tplan
build=$2  # a finished build, for `tplan` and tests/bad
folders=$3 # what the targets are linked with
fuzz=$build/_fuzz
FUZZ_CORPUS=${FUZZ_CORPUS:-$fuzz/corpus}
export FUZZ_CORPUS
targets=${FUZZ_TARGETS:-graph-json onnx npy npz safetensors pb plan streamed tiers mix cost rows machine object code}
sanitize=address,undefined

command -v "${CLANG:=clang}" > /dev/null || {
  echo "make fuzz needs clang and its sanitizers: apt-get install clang libclang-rt-14-dev" >&2
  exit 1
}
mkdir -p "$fuzz/found"
cd "$fuzz"
[ -f Makefile ] || "$source/configure" -q CC="$CLANG" --disable-shared --enable-static \
  --without-llvm --without-opencl \
  CFLAGS="-g -O1 -fsanitize=fuzzer-no-link,$sanitize -fno-sanitize-recover=undefined"
for folder in $folders; do make -s -C $folder; done
make -s -C fuzz targets
ln -sf fuzz-plan fuzz/fuzz-streamed # of another model

# Seeds: one folder per target.
rm -rf bad && mkdir bad
make -s -C "$build/tests/bad" test-bad
(cd "$build/tests/bad" && KEEP="$fuzz/bad" TPLAN="$build/cli/tplan" G_TEST_SRCDIR="$source/tests/bad" \
  ./test-bad > /dev/null 2>&1) || true
sow () # TARGET PATTERN...
{
  mkdir -p "seeds/$1" "$FUZZ_CORPUS/$1"
  folder=seeds/$1
  shift
  for pattern; do
    find bad -type f -size -64k -path "$pattern"
  done | while IFS= read -r file; do
    cp "$file" "$folder/$(sha256sum < "$file" | cut -c 1-16)"
  done
}
sow graph-json '*/graph.json' '*/good.json'
sow onnx '*.onnx'
# ONNX's tests know all ops, where they are installed.
find "${TPLAN_ONNX_TESTDATA:-/usr/share/libonnx-testdata/data}" -name model.onnx -size -20k 2> /dev/null \
  | while IFS= read -r file; do cp "$file" "seeds/onnx/$(sha256sum < "$file" | cut -c 1-16)"; done
sow npy '*.npy'
sow npz '*.npz'
sow safetensors '*.safetensors'
sow pb '*.pb'
sow cost '*/costs.json'
sow plan '*/plan.json'
# A good one, with and without what may be left out; the others are all refused.
"$build/cli/tplan" optimize -q -f --devices sim:desktop-cpu,sim:desktop-gpu \
  "$source/tests/bad/good.json" -o good-plan.json > /dev/null
cp good-plan.json seeds/plan/good
# Within limits of memory, of two devices and of three.
within ()
{
  name=$1; shift
  "$build/cli/tplan" optimize -q -f "$@" "$source/tests/bad/good.json" -o within.json > /dev/null
  mv within.json "seeds/plan/$name"
}
within two --devices sim:desktop-cpu,sim:desktop-gpu --mem-limit sim:desktop-gpu=1M
within three --devices sim:desktop-cpu,sim:desktop-gpu,sim:laptop-gpu --mem-limit sim:desktop-gpu=1M --mem-limit sim:laptop-gpu=1M
within load-two --objective throughput --devices sim:desktop-cpu,sim:desktop-gpu --mem-limit sim:desktop-gpu=1M
within load-three --objective throughput --devices sim:desktop-cpu,sim:desktop-gpu,sim:laptop-gpu --mem-limit sim:desktop-gpu=1M --mem-limit sim:laptop-gpu=1M
# For three devices, what is minimised one way or another.
trio=sim:desktop-cpu,sim:desktop-gpu,sim:laptop-gpu
for objective in throughput makespan energy price; do
  within "trio-$objective" --devices $trio --objective $objective --price sim:desktop-cpu=0.1/h --price sim:desktop-gpu=0.3/h --price sim:laptop-gpu=0.2/h
done
# Engines that slow each other, as those of real devices do: what its costs are then,
# a check of it says.
sign ()
{
  sed '/^ "sha256": /,$d' "$1" > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -c 1-64)"; } > "$1"
}
within slowed --devices sim:desktop-cpu,sim:desktop-gpu --objective makespan
speeds=$(awk 'BEGIN { for (i = 0; i < 36; i++) printf "%s%d", i ? ", " : "", i % 7 ? 900 : 1000 }')
sed -i -e "0,/^ \"host\": /s//\ \"speeds\": [$speeds],\n&/" -e '/_starts": /{p;s/_starts/_ends/}' seeds/plan/slowed
sign seeds/plan/slowed
costs=$("$build/cli/tplan" check seeds/plan/slowed 2>&1 | sed -n 's/.*but the costs are \([0-9a-f]*\).*/\1/p')
sed -i "s/^ \"costs_sha256\": \"[0-9a-f]*/ \"costs_sha256\": \"$costs/" seeds/plan/slowed
sed '/^ "\(peak\|weight\)_bytes": /d' good-plan.json > seeds/plan/bare
for plan in seeds/plan/*; do sed -i '/^ "sha256": /,$d' "$plan"; done
# Packed: whole, without the last lines, in a stored block, cut short, followed by more.
gzip -nc good-plan.json > seeds/plan/packed
for plan in good bare; do gzip -nc1 seeds/plan/$plan > seeds/plan/packed-$plan; done
head -c 300 seeds/plan/good > start
{ printf '\37\213\10\0\0\0\0\0\0\3\1\54\1\323\376'; cat start; } > seeds/plan/packed-stored
head -c 400 seeds/plan/packed > seeds/plan/packed-cut
cat seeds/plan/packed-good seeds/plan/packed-bare > seeds/plan/packed-twice
cp "$source"/examples/*.json seeds/graph-json/
# Groups that are given, of one chain and of another, with a spread and without.
cat > seeds/graph-json/groups <<'JSON'
{ "format": "tplan-graph/1", "inputs": [{"name": "x", "shape": [2, 3]}], "outputs": ["z"],
  "groups": [{"ops": ["a", "b"], "cost": {"sim:desktop-cpu": 5, "sim:laptop-gpu": [900, 20]}},
    {"ops": ["c", "d"], "cost": {"sim:laptop-gpu": 0}}],
  "ops": [{"name": "a", "type": "Relu", "inputs": ["x"], "outputs": ["y"]},
    {"name": "b", "type": "Tanh", "inputs": ["y"], "outputs": ["u"]},
    {"name": "c", "type": "Sigmoid", "inputs": ["u"], "outputs": ["v"]},
    {"name": "d", "type": "Add", "inputs": ["v", "x"], "outputs": ["z"]}] }
JSON
mkdir -p seeds/object "$FUZZ_CORPUS/object"
for level in 0 1 2 3; do
  "$CLANG" -O$level -fPIC -fno-math-errno -ffreestanding -c "$source/fuzz/object.c" -o seeds/object/$level
done
# What was measured of this machine, and what was compiled for it; of `ref` alone it
# is had in seconds, and everywhere.
tplan () { TPLAN_MODULE_DIR=$build/kernel/.libs TPLAN_COST=$fuzz/cost.db XDG_CACHE_HOME=$fuzz/cache "$build/cli/tplan" "$@" > tplan.log 2>&1 || { cat tplan.log >&2; false; } }
mkdir -p seeds/machine seeds/rows seeds/streamed seeds/tiers seeds/mix seeds/code
for target in machine rows streamed tiers mix code; do mkdir -p "$FUZZ_CORPUS/$target"; done
mlp=$source/examples/mlp.json
# Few ops: what an input changes is what is used, and it takes no time.
cat > small.json <<'JSON'
{ "format": "tplan-graph/1", "name": "small", "opset": 17, "outputs": ["y"],
  "inputs": [{"name": "x", "dtype": "float32", "shape": ["N", 8]}],
  "initializers": [{"name": "w", "dtype": "float32", "shape": [8, 8], "random": {"seed": 1, "std": 0.2}}],
  "ops": [{"name": "product", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["p"]},
    {"name": "relu", "type": "Relu", "inputs": ["p"], "outputs": ["y"]}] }
JSON
sed 's/ "name": "small",/& "dims": {"N": 4},/' small.json > small-of-4.json
[ -f machine.json ] || {
  tplan calibrate small-of-4.json --devices ref --threads 1 --time-limit 5s || true # not all may be measured by then
  tplan machine export -f --threads 1 -o machine.json
  tplan cost export -f -o costs.json
}
# Wholes come of a quiet machine alone.
digest=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
whole="{\"digest\": \"$digest\", \"network\": \"$digest\", \"label\": \"mlp\", \"measured_us\": 1, \"n_devices\": 1,
 \"kernels_ns\": 5, \"predicted_ns\": 6, \"spread_ns\": 1, \"median_ns\": 7, \"half_ns\": 1, \"n\": 9}"
for kind in machine costs; do
  awk -v whole="$whole" '{ gsub (/"wholes": \[\]/, "\"wholes\": [" whole "]"); print }' $kind.json > with-$kind.json
done
cp with-machine.json seeds/machine/good
cp with-costs.json seeds/cost/good
printf '\1\14\0\3\2ab' > seeds/rows/text
tplan optimize -q -f small.json --dim N=1,3,8 --devices sim:desktop-cpu,sim:desktop-gpu \
  --pin relu=sim:desktop-gpu -o tiers.json
cp tiers.json seeds/tiers/good
# Weights that are streamed, of which one has two readers.
cat > heavy.json <<'JSON'
{ "format": "tplan-graph/1", "name": "heavy", "opset": 17, "outputs": ["z"],
  "inputs": [{"name": "x", "dtype": "float32", "shape": [4, 128]}],
  "initializers": [{"name": "u", "dtype": "float32", "shape": [128, 128], "fill": 0.1},
    {"name": "v", "dtype": "float32", "shape": [128, 128], "fill": 0.2}],
  "ops": [{"name": "a", "type": "MatMul", "inputs": ["x", "u"], "outputs": ["p"]},
    {"name": "b", "type": "MatMul", "inputs": ["p", "v"], "outputs": ["q"]},
    {"name": "c", "type": "MatMul", "inputs": ["q", "u"], "outputs": ["z"]}] }
JSON
tplan optimize -q -f heavy.json --devices sim:desktop-cpu,sim:desktop-gpu --pin '?=sim:desktop-gpu' \
  --mem-limit sim:desktop-gpu=80K --stream-weights -o streamed.json
sed '/^ "sha256": /,$d' streamed.json > seeds/streamed/good
# The same in micro-batches, too.
tplan optimize -q -f heavy.json --devices sim:desktop-cpu,sim:desktop-gpu --pin '?=sim:desktop-gpu' \
  --mem-limit sim:desktop-gpu=80K --stream-weights --micro-batches=3,1 -o streamed.json
sed '/^ "sha256": /,$d' streamed.json > seeds/streamed/parts
# Two models side by side, by devices that both are on; and with limits of memory, of which some is reserved.
tplan optimize -q -f "$mlp" "$source/tests/bad/good.json" --rate mlp=100/s --rate good=30/s \
  --devices sim:desktop-cpu,sim:desktop-gpu -o mix.json
cp mix.json seeds/mix/good
tplan optimize -q -f "$mlp" "$source/tests/bad/good.json" --rate mlp=3/s --rate good=7ms \
  --devices sim:desktop-cpu,sim:desktop-gpu --mem-limit sim:desktop-gpu=1G --mem-reserve sim:desktop-gpu=1M -o mix.json
cp mix.json seeds/mix/limited
gzip -nc mix.json > seeds/mix/packed
tplan optimize -q -f "$mlp" "$source/tests/bad/good.json" --rate mlp=3/s --rate good=7ms --devices $trio -o mix.json
cp mix.json seeds/mix/trio
# Without LLVM there is none but this, of three bytes for a key of three.
zero='\0\0\0\0\0\0\0'
{ printf "tplan code 1\n\0\0\0\3$zero\3$zero"; printf '%064d' 0; printf keyset; } > seeds/code/small
tplan run --devices cpu --threads 1 --repeat 1 "$mlp" || true
find cache/tplan/code -type f -size -64k -exec cp {} seeds/code/ \; 2> /dev/null || true
FUZZ_GRAPH=$source/tests/bad/good.json
FUZZ_GRAPH_OF_STREAMED=$fuzz/heavy.json
FUZZ_GRAPH_OF_TIERS=$fuzz/small.json
FUZZ_GRAPH_OF_MACHINE=$fuzz/small-of-4.json
FUZZ_GRAPH_OF_MIX=$mlp
FUZZ_MACHINE=$fuzz/with-machine.json
FUZZ_COSTS=$fuzz/with-costs.json
export FUZZ_GRAPH FUZZ_GRAPH_OF_STREAMED FUZZ_GRAPH_OF_TIERS FUZZ_GRAPH_OF_MACHINE FUZZ_GRAPH_OF_MIX FUZZ_MACHINE FUZZ_COSTS

status=0
printf '%s\n' $targets | xargs -n 1 -P "${FUZZ_JOBS:-$(nproc)}" \
  sh "$source/fuzz/run-target.sh" "$source" \
  || { echo "inputs that fail are in $fuzz/found, logs in $fuzz" >&2; status=1; }
echo "since $FUZZ_CORPUS was begun:"
awk '{ runs[$1] += $2; seconds[$1] += $3 }
     END { for (target in runs)
             printf "%s: %.0f runs in %.2f h, %.3g %% of 1e8\n", target,
                    runs[target], seconds[target] / 3600, runs[target] / 1e6 }' \
  "$FUZZ_CORPUS/runs" | sort
exit $status
