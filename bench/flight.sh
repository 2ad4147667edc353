#!/bin/sh
# Is a pipeline as fast as its busiest engine? Each model is planned for throughput on
# pairs of devices, by figures measured just before; then all plans take turns: in each
# sitting, a process of its own, one run at a time and several in flight do. Aims at 15 %
# between what a run takes in flight, the median of the sittings, and what was predicted.
#
# usage: flight.sh TPLAN [MODEL...]      without any: four towers of products, made here
#
# PAIRS="pthread,basic cpu,basic": devices of PoCL as it calls them; cpu comes first. All
# have one thread, so that each engine may have a processor of its own.
# FLIGHT=6 runs at a time; SITTINGS=9 of ROUNDS=3; OPTIONS=: more for calibrate and
# optimize, such as --dim N=16; ROWS=256 of the towers; FORMAT=json: a line of JSON each.
# WORK=DIR keeps tables, plans and sittings: what DIR has is not measured again.
#
# "busy": engines that compute, by the plan: of one there is no pipeline. "alone": one run
# at a time. "ratio": in flight to predicted, and the least and most of the sittings.
# "disturbed": sittings in which others kept the machine busy, as `tplan bench` says; where
# most are, nothing can be told.
set -eu
[ $# -ge 1 ] || { echo "usage: flight.sh TPLAN [MODEL...]" >&2; exit 2; }
tplan=$1
shift
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
work=${WORK:-$folder}
mkdir -p "$work"
TPLAN_SYSTEM_COST=$folder/none.db
POCL_MAX_PTHREAD_COUNT=${POCL_MAX_PTHREAD_COUNT:-1}
export TPLAN_SYSTEM_COST POCL_MAX_PTHREAD_COUNT

# Each of three products; they meet at the end.
make_towers ()
{
  awk -v rows="${ROWS:-256}" 'BEGIN {
    print "{ \"format\": \"tplan-graph/1\", \"name\": \"towers\", \"opset\": 17,"
    print "  \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [" rows ", 512]}],"
    print "  \"outputs\": [\"y\"], \"initializers\": ["
    for (t = 1; t <= 4; t++) for (i = 1; i <= 3; i++)
      printf "    {\"name\": \"w%d%d\", \"dtype\": \"float32\", \"shape\": [512, 512], \"random\": {\"seed\": %d, \"std\": 0.05}}%s\n", t, i, 10 * t + i, t * i < 12 ? "," : "],"
    print "  \"ops\": ["
    for (t = 1; t <= 4; t++) for (i = 1; i <= 3; i++)
      printf "    {\"name\": \"fc%d%d\", \"type\": \"MatMul\", \"inputs\": [\"%s\", \"w%d%d\"], \"outputs\": [\"h%d%d\"]},\n", t, i, i == 1 ? "x" : "h" t (i - 1), t, i, t, i
    print "    {\"name\": \"a\", \"type\": \"Add\", \"inputs\": [\"h13\", \"h23\"], \"outputs\": [\"s\"]},"
    print "    {\"name\": \"b\", \"type\": \"Add\", \"inputs\": [\"h33\", \"h43\"], \"outputs\": [\"t\"]},"
    print "    {\"name\": \"c\", \"type\": \"Add\", \"inputs\": [\"s\", \"t\"], \"outputs\": [\"y\"]} ] }"
  }'
}

# tplan_on PAIR ARGUMENT...: with the drivers of PAIR, and its table.
tplan_on ()
{
  case $1 in
    cpu,*) drivers=${1#cpu,} ;;
    *) drivers="${1%,*} ${1#*,}" ;;
  esac
  TPLAN_COST=$work/$1.db
  shift
  POCL_DEVICES=$drivers TPLAN_COST=$TPLAN_COST "$tplan" "$@"
}

# prepare PAIR MODEL PLAN
prepare ()
{
  case $1 in cpu,*) devices=cpu,opencl:0 ;; *) devices=opencl:0,opencl:1 ;; esac
  # shellcheck disable=SC2086
  tplan_on "$1" calibrate -q --devices=$devices --threads=1 ${OPTIONS:-} "$2" > /dev/null 2> "$folder/said" || return 1
  # shellcheck disable=SC2086
  tplan_on "$1" optimize -f --objective=throughput -o "$3~.json" -q --devices=$devices --threads=1 ${OPTIONS:-} "$2" > /dev/null 2> "$folder/said" ||
    return 1
  mv "$3~.json" "$3.json"
}

# sit PAIR PLAN RESULT: "ENGINES ALONE-NS FLIGHT-NS PREDICTED-NS DISTURBED"
sit ()
{
  tplan_on "$1" bench -q --threads=1 --in-flight="${FLIGHT:-6}" --rounds="${ROUNDS:-3}" --time-limit=60s --format=json \
    "$2.json" > "$folder/bench" 2> "$folder/said" || return 1
  awk '{ gsub (/[",]/, "") }
       $1 == "busy:" { disturbed = $2 == "true" }
       $1 == "devices:" { within = 1; n = 0; next }
       within && $1 == "}" { within = 0 }
       within { n += $2 > 0 }
       $1 == "median_ns:" { alone = took; took = $2 }
       $1 == "predicted_ns:" { predicted = $2 }
       END { print n, alone, took, predicted, disturbed + 0 }' "$folder/bench" > "$3~"
  mv "$3~" "$3"
}

# tell PAIR NAME: a row, of all sittings
tell ()
{
  awk '{ print $3 / $4, $0 }' "$work/$1-$2".sitting-* | sort -n | awk -v pair="$1" -v name="$2" -v format="${FORMAT:-table}" '
    { ratio[NR] = $1; took[NR] = $4; n = $2; predicted = $5; disturbed += $6; alone[NR] = $3 }
    function middle (of) { return (of[int ((NR + 1) / 2)] + of[int (NR / 2) + 1]) / 2 }
    END {
      # by their own order, not by that of the ratios
      for (i = 2; i <= NR; i++) for (k = i; k > 1 && alone[k] < alone[k - 1]; k--) { x = alone[k]; alone[k] = alone[k - 1]; alone[k - 1] = x }
      words = n < 2 ? "no pipeline" : 2 * disturbed > NR ? "disturbed" : middle (ratio) <= 1.15 && middle (ratio) >= 0.85 ? "within 15 %" : "apart"
      line = "%-16s %-14s %4d %9.3f %9.3f %9.3f %6.2f %6.2f %6.2f %6d/%-2d  %s\n"
      if (format == "json")
        line = "{\"model\": \"%s\", \"pair\": \"%s\", \"busy\": %d, \"alone_ms\": %.3f, \"flight_ms\": %.3f, \"predicted_ms\": %.3f, " \
          "\"ratio\": %.4f, \"least\": %.4f, \"most\": %.4f, \"disturbed\": %d, \"sittings\": %d, \"verdict\": \"%s\"}\n"
      printf line, name, pair, n, middle (alone) / 1e6, middle (took) / 1e6, predicted / 1e6,
        middle (ratio), ratio[1], ratio[NR], disturbed, NR, words
    }'
}

if [ $# -eq 0 ]; then
  make_towers > "$work/towers.json"
  set -- "$work/towers.json"
fi
load=$(cut -d' ' -f1 /proc/loadavg)
: > "$folder/cases"
for pair in ${PAIRS:-pthread,basic cpu,basic}; do
  for model; do
    plan=$work/$pair-$(basename "$model" .json)
    [ -e "$plan.json" ] || prepare "$pair" "$model" "$plan" ||
      { echo "$(basename "$model" .json) on $pair: $(tail -n 1 "$folder/said")" >&2; continue; }
    printf '%s:%s\n' "$pair" "$(basename "$model" .json)" >> "$folder/cases"
  done
done
[ -s "$folder/cases" ] || exit 1
for i in $(seq "${SITTINGS:-9}"); do
  while IFS= read -r it; do
    plan=$work/${it%%:*}-${it#*:}
    [ -e "$plan.sitting-$i" ] || sit "${it%%:*}" "$plan" "$plan.sitting-$i" < /dev/null || { cat "$folder/said" >&2; exit 1; }
  done < "$folder/cases"
done
if [ "${FORMAT:-table}" = json ]; then exec 3>&2; else exec 3>&1; fi
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $load before, $(cut -d' ' -f1 /proc/loadavg) after, ${FLIGHT:-6} in flight" >&3
[ "${FORMAT:-table}" = json ] ||
  printf '%-16s %-14s %4s %9s %9s %9s %6s %6s %6s %9s  %s\n' model pair busy "alone ms" "flight ms" predicted ratio least most disturbed verdict
while IFS= read -r it; do tell "${it%%:*}" "${it#*:}"; done < "$folder/cases"
