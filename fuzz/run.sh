#!/bin/sh
# Builds the fuzz targets with clang in a build of their own, _fuzz, and runs
# each for FUZZ_SECONDS (60), FUZZ_JOBS at a time (one per processor). Seeds are
# the bad files of tests/bad and the good ones they are made of; what is found
# goes to _fuzz/found.
#   FUZZ_TARGETS="onnx npz"   only these
#   FUZZ_CORPUS=DIR           keep what was learnt, and the count of runs, there
#                             (_fuzz/corpus), from build to build
set -eu
source=$1 # of tplan
build=$2  # a finished build, for `tplan` and tests/bad
folders=$3 # what the targets are linked with
fuzz=$build/_fuzz
FUZZ_CORPUS=${FUZZ_CORPUS:-$fuzz/corpus}
export FUZZ_CORPUS
targets=${FUZZ_TARGETS:-graph-json onnx npy npz safetensors pb plan cost object}
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
sed '/^ "\(peak\|weight\)_bytes": /d' good-plan.json > seeds/plan/bare
for plan in seeds/plan/*; do sed -i '/^ "sha256": /,$d' "$plan"; done
cp "$source"/examples/*.json seeds/graph-json/
mkdir -p seeds/object "$FUZZ_CORPUS/object"
for level in 0 1 2 3; do
  "$CLANG" -O$level -fPIC -fno-math-errno -ffreestanding -c "$source/fuzz/object.c" -o seeds/object/$level
done
FUZZ_GRAPH=$source/tests/bad/good.json
export FUZZ_GRAPH

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
