#!/bin/sh
# How many runs are in the interval of what was predicted: the medians of runs in
# several sittings, each of its own process, beside the 90 % of each plan. Aims at
# 85 to 95 % of them.
#
#   coverage.sh TPLAN MODEL...
#
# DEVICES=cpu,opencl:0 one after another; SITTINGS=5 of each plan; RUNS=21 in each;
# KEEP=1 lets each sitting correct the plans after it, as use does, else nothing is
# kept and all plans are of one calibration.
set -eu
[ $# -ge 2 ] || { echo "usage: coverage.sh TPLAN MODEL..." >&2; exit 2; }
tplan=$1
shift
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
TPLAN_SYSTEM_COST=$work/none
export TPLAN_COST TPLAN_SYSTEM_COST

# "median low high" of one sitting
sit () {
  [ -n "${KEEP:-}" ] || cp "$TPLAN_COST" "$work/kept.db"
  "$tplan" run -q --devices="$1" --repeat="${RUNS:-21}" --format=json "$2" \
    > "$work/run.json"
  [ -n "${KEEP:-}" ] || cp "$work/kept.db" "$TPLAN_COST"
  sed -n 's/^  "\(median\|predicted\|predicted_low\|predicted_high\)_ns": \([0-9]*\).*/\1 \2/p' \
    "$work/run.json"
}

for device in $(echo "${DEVICES:-cpu,opencl:0}" | tr , ' '); do
  "$tplan" calibrate -q --devices="$device" "$@" > /dev/null || continue
  for model; do
    i=0
    while [ $((i += 1)) -le "${SITTINGS:-5}" ]; do
      sit "$device" "$model" | awk -v device="$device" -v model="${model##*/}" '
        { at[$1] = $2 }
        END {
          median = at["median"]; low = at["predicted_low"]
          high = at["predicted_high"]
          within = low <= median && median <= high
          printf "%s %s %.3f of predicted, %.3f to %.3f: %s\n", device, model,
                 median / at["predicted"], low / at["predicted"],
                 high / at["predicted"], within ? "within" : "outside"
        }'
    done
  done
done | tee "$work/all"
awk '{ n[$1]++; within[$1] += $NF == "within" }
     END { for (d in n) printf "%s: %d of %d within (%.0f %%)\n", d, within[d],
                               n[d], 100 * within[d] / n[d] }' "$work/all"
