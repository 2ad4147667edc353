#!/bin/sh
# Do plans follow noise? Each model is calibrated N times from nothing; how many
# of its plans copy anything, as plans are made and with --exact, and how far
# their predictions lie apart. On one processor and PoCL none should copy.
#   bench/copies.sh TPLAN N MODEL...
#   BUSY=1: beside two processes that spin and one that streams memory
#   WORK=DIR: keeps what each calibration gave there, which is not done again, so
#     that it may be stopped and go on; PIECES=N: no more than so many now
# OPTIONS: more options for calibrate and optimize, such as -d cpu,opencl:0.
set -eu
tplan=$1 times=$2
shift 2
folder=$(mktemp -d)
work=${WORK:-$folder}/${BUSY:+busy}
left=${PIECES:-100000}
mkdir -p "$work"
company=
trap 'kill $company 2>/dev/null || :; rm -rf "$folder"' EXIT
if [ -n "${BUSY:-}" ]; then
  for i in 1 2; do (while :; do :; done) & company="$company $!"; done
  dd if=/dev/zero of=/dev/null bs=64M 2>/dev/null & company="$company $!"
fi
# number KEY FILE: the first whole number behind "KEY" in JSON.
number () { tr -d ' \n' < "$2" | sed "s/.*\"$1\":\\([0-9]*\\).*/\\1/"; }
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)${BUSY:+, busy}"
printf '%-16s %5s %8s %8s %12s %12s\n' model plans copying exact "least us" "most us"

# plan_once MODEL RESULT: a calibration from nothing; writes "COPIES COPIES-EXACT NS"
plan_once ()
{
  rm -f "$folder"/cost.db*
  "$tplan" calibrate -q ${OPTIONS:-} --cost "$folder/cost.db" "$1" > /dev/null
  for how in "" --exact; do
    "$tplan" optimize -q ${OPTIONS:-} --cost "$folder/cost.db" --format json $how "$1" > "$folder/plan$how" 2> /dev/null
  done
  echo "$(number transfers "$folder/plan") $(number transfers "$folder/plan--exact")" \
    "$(number cost_ns "$folder/plan")" > "$2~"
  mv "$2~" "$2"
}

for model; do
  name=$(basename "$model" .json)
  i=0
  while [ $i -lt "$times" ]; do
    i=$((i + 1))
    result=$work/$name-$i
    [ -e "$result" ] && continue
    [ $((left -= 1)) -ge 0 ] || exit 0
    plan_once "$model" "$result"
  done
  cat "$work/$name"-* | awk -v name="$name" '
    { copying += $1 > 0; exact += $2 > 0; all[NR] = $3 / 1000
      if (NR == 1 || all[NR] < least) least = all[NR]
      if (all[NR] > most) most = all[NR] }
    END { printf "%-16s %5d %8d %8d %12d %12d\n", name, NR, copying, exact, least, most }'
done
