#!/bin/sh
# Do plans follow noise? Each model is calibrated N times from nothing; how many
# of its plans copy anything, as plans are made and with --exact, and how far
# their predictions lie apart. On one processor and PoCL none should copy.
#   bench/copies.sh TPLAN N MODEL...
#   BUSY=1: beside two processes that spin and one that streams memory
# OPTIONS: more options for calibrate and optimize, such as -d cpu,opencl:0.
set -eu
tplan=$1 times=$2
shift 2
folder=$(mktemp -d)
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
for model; do
  copying=0 exact=0 least= most=
  i=0
  while [ $i -lt "$times" ]; do
    i=$((i + 1))
    rm -f "$folder"/cost.db*
    "$tplan" calibrate -q ${OPTIONS:-} --cost "$folder/cost.db" "$model" > /dev/null
    for how in "" --exact; do
      "$tplan" optimize -q ${OPTIONS:-} --cost "$folder/cost.db" --format json $how "$model" > "$folder/plan" 2> /dev/null
      if [ "$(number transfers "$folder/plan")" -gt 0 ]; then
        [ -n "$how" ] && exact=$((exact + 1)) || copying=$((copying + 1))
      fi
      [ -z "$how" ] || continue
      cost=$(number cost_ns "$folder/plan")
      [ -n "$least" ] && [ "$least" -le "$cost" ] || least=$cost
      [ -n "$most" ] && [ "$most" -ge "$cost" ] || most=$cost
    done
  done
  printf '%-16s %5d %8d %8d %12d %12d\n' "$(basename "$model" .json)" "$times" $copying $exact $((least / 1000)) $((most / 1000))
done
