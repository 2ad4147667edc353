#!/bin/sh
# Runs one fuzz target from its seeds for FUZZ_SECONDS (60), and adds what was run
# to $FUZZ_CORPUS/runs; called by run.sh in the folder of the fuzz build.
set -eu
source=$1
target=$2
dict=
case $target in
  graph-json|plan|streamed|tiers|mix|cost|machine|safetensors) dict=-dict=$source/fuzz/json.dict ;;
  onnx|pb) dict=-dict=$source/fuzz/onnx.dict ;;
esac
# Some write a file for each input: in memory that takes a third of the time. What is
# found is tried once more by hand, with all callers of what was allocated; two are
# enough here.
[ ! -w /dev/shm ] || TMPDIR=${TMPDIR:-/dev/shm}
ASAN_OPTIONS=malloc_context_size=2:${ASAN_OPTIONS-}
export TMPDIR ASAN_OPTIONS
[ "$target" != streamed ] || FUZZ_GRAPH=$FUZZ_GRAPH_OF_STREAMED
status=0
./fuzz/fuzz-"$target" $dict -max_total_time="${FUZZ_SECONDS:-60}" -timeout="${FUZZ_TIMEOUT:-10}" \
  -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="found/$target-" "$FUZZ_CORPUS/$target" "seeds/$target" \
  > "$target.log" 2>&1 || status=$?
awk -v target="$target" -v seconds="${FUZZ_SECONDS:-60}" \
  '/number_of_executed_units/ { print target, $2, seconds }' "$target.log" \
  >> "$FUZZ_CORPUS/runs"
if [ "$status" -eq 0 ]; then
  echo "ok $target, ${FUZZ_SECONDS:-60} s:" $(grep -E \
    'number_of_executed_units|peak_rss|slowest_unit' "$target.log") \
    $(grep -ao 'cov: [0-9]*' "$target.log" | tail -n 1) # places in the code: few where all is refused
else
  echo "failed: $target"
  tail -n 40 "$target.log"
  exit 1
fi
