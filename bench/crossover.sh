#!/bin/sh
# At which batch does the plan leave the CPU? One line per network, one column
# per made-up machine; every figure is simulated.
#
# usage: crossover.sh TPLAN MODEL...
#
# "8" means: from batch 8 on some op is on the device; "8/32": from 32 on all of
# them are; "-": at no batch from 1 to 128.
tplan=$1; shift
pairs='edge:embedded laptop:integrated desktop:integrated laptop:laptop desktop:desktop server:desktop server:server'
printf '| network'
for pair in $pairs; do printf ' | %s-cpu + %s-gpu' "${pair%:*}" "${pair#*:}"; done
printf ' |\n|---'
for pair in $pairs; do printf '|---'; done
echo '|'
for model; do
  printf '| %s' "$(basename "$model" .json)"
  for pair in $pairs; do
    "$tplan" sweep -q --format csv --dim N=1,2,4..128 "$model" \
      --devices "sim:${pair%:*}-cpu,sim:${pair#*:}-gpu" | awk -F, '
      NR > 1 {
        n = $1; host = $3; device = $4
        if (device > 0 && first == "") first = n
        if (host > 0) all = ""; else if (all == "") all = n
      }
      END {
        if (first == "") cell = "-"
        else if (all != "" && all != first) cell = first "/" all
        else cell = first
        printf " | %s", cell
      }'
  done
  echo ' |'
done
