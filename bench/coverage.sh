#!/bin/sh
# How many runs are in the interval of what was predicted: the medians of runs in
# several sittings, each of its own process, beside the 90 % of each plan; and how
# far they are from it. Aims at 85 to 95 % of them within, a mean of 3 %, 95 of 100
# within 10 %, all within 15 %. Of a sitting that others disturbed (`tplan run` says
# so), the undisturbed runs count; where those are fewer than nine the sitting is
# told and does not count.
#
#   coverage.sh TPLAN MODEL...
#
# DEVICES=cpu,opencl:0 one after another; SITTINGS=5 of each plan; DURATION=2s of
# each: short ones say little of who else was there; THREADS=: as many, PoCL's too
# (it wakes all it has for each kernel, and those beyond THREADS for nothing: then
# times are others in each process); WAIT=60s for processors to be near each other
# before each;
# APART=600 lets as many seconds pass before each sitting, in which all models run once:
# a machine is not quite the same later, which is what intervals are to hold (not with EACH);
# EACH=1 calibrates each network by itself, right before it is run, else all first;
# KEEP=1 lets each sitting correct the plans after it, as use does, else nothing is
# kept and all plans are of one calibration.
set -eu
[ $# -ge 2 ] || { echo "usage: coverage.sh TPLAN MODEL..." >&2; exit 2; }
[ -z "${EACH:-}" ] || [ -z "${APART:-}" ] || { echo "coverage.sh: EACH=1 or APART=, not both" >&2; exit 2; }
tplan=$1
shift
threads=${THREADS:+--threads=$THREADS}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
TPLAN_SYSTEM_COST=$work/none
export TPLAN_COST TPLAN_SYSTEM_COST
if [ -n "${THREADS:-}" ]; then
  export POCL_MAX_PTHREAD_COUNT="${POCL_MAX_PTHREAD_COUNT:-$THREADS}"
fi

# "median low high" of one sitting
sit () {
  [ -n "${KEEP:-}" ] || cp "$TPLAN_COST" "$work/kept.db"
  "$tplan" run -q --devices="$1" $threads --duration="${DURATION:-2s}" \
    --wait="${WAIT:-60s}" --format=json "$2" > "$work/run.json"
  [ -n "${KEEP:-}" ] || cp "$work/kept.db" "$TPLAN_COST"
  sed -n 's/^  "\(calm_median\|median\|predicted\|predicted_low\|predicted_high\)_ns": \([0-9]*\).*/\1 \2/p
          s/^  "\(calm_runs\)": \([0-9]*\).*/\1 \2/p' "$work/run.json"
}

# measure DEVICE MODEL...: from nothing
measure () {
  rm -f "$TPLAN_COST"*
  device=$1
  shift
  "$tplan" calibrate -q --devices="$device" $threads "$@" > /dev/null
}

# judge DEVICE MODEL: a line of one sitting
judge () {
  sit "$1" "$2" | awk -v device="$1" -v model="${2##*/}" '
    { at[$1] = $2 }
    END {
      is_calm = at["calm_runs"] >= 9
      median = is_calm ? at["calm_median"] : at["median"]
      low = at["predicted_low"]; high = at["predicted_high"]
      within = low <= median && median <= high
      printf "%s %s %.3f of predicted, %.3f to %.3f, %d calm: %s\n", device,
             model, median / at["predicted"], low / at["predicted"],
             high / at["predicted"], at["calm_runs"],
             !is_calm ? "disturbed" : within ? "within" : "outside"
    }'
}

# in_turns DEVICE MODEL...: all once, again and again, APART seconds from one to the next
in_turns () {
  device=$1
  shift
  i=0
  while [ $((i += 1)) -le "${SITTINGS:-5}" ]; do
    sleep "$APART"
    for model; do judge "$device" "$model"; done
  done
}

for device in $(echo "${DEVICES:-cpu,opencl:0}" | tr , ' '); do
  [ -n "${EACH:-}" ] || measure "$device" "$@" || continue
  [ -z "${APART:-}" ] || { in_turns "$device" "$@"; continue; }
  for model; do
    [ -z "${EACH:-}" ] || measure "$device" "$model" || continue
    i=0
    while [ $((i += 1)) -le "${SITTINGS:-5}" ]; do judge "$device" "$model"; done
  done
done | tee "$work/all"
for device in $(cut -d' ' -f1 "$work/all" | sort -u); do
  grep "^$device .*\(within\|outside\)$" "$work/all" \
    | awk '{ e = $3 - 1; print e < 0 ? -e : e, $NF }' | sort -g \
    | awk -v device="$device" '
      { error[NR] = $1; sum += $1; within += $2 == "within" }
      END {
        if (NR > 0)
          printf "%s: %d of %d within (%.0f %%); off by %.1f %% in the mean, " \
                 "%.1f %% in 95 of 100, %.1f %% at most\n", device, within, NR,
                 100 * within / NR, 100 * sum / NR,
                 100 * error[int(0.95 * (NR - 1)) + 1], 100 * error[NR]
      }'
  echo "$device: $(grep -c "^$device .*disturbed$" "$work/all") disturbed"
done
