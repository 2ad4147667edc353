#!/bin/sh
# What does a batch gain that is run in parts, on the processors alone? Each model is
# planned with its batch whole, and in the micro-batches that are found, both by figures
# that are measured; then both plans run in turn, in one process. Times are the least of
# each, "measured" is the median of the ratios.
#   bench/micro.sh TPLAN MODEL...
# OPTIONS: more options for optimize, such as --dim N=16 --threads 1 (the default).
# ROUNDS (15) of the comparison.
set -eu
tplan=$1
shift
options=${OPTIONS:---dim N=16 --threads 1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), $options"
printf '%-16s %-12s %10s %10s %10s %9s %9s %9s %10s\n' model parts "whole ms" "parts ms" predicted measured MiB MiB load

# all KEY: the figures of both plans, whole first.
all () { sed -n "s/.*\"$1\": \\([0-9.]*\\),*\$/\\1/p" "$folder/bench" | tail -n 2 | tr '\n' ' '; }

for model; do
  for how in whole parts; do
    [ $how = whole ] && parts= || parts=--micro-batches=auto
    # shellcheck disable=SC2086
    "$tplan" optimize -q "$model" --devices cpu $options --level measure --cost "$folder/cost.db" $parts \
      -fo "$folder/$how.json" --format json > "$folder/$how.made" 2> /dev/null
  done
  sizes=$(tr -d ' \n' < "$folder/parts.made" | sed -n 's/.*"micro_batches":\[\([0-9,]*\)\].*/\1/p')
  "$tplan" bench "$folder/whole.json" "$folder/parts.json" --rounds "${ROUNDS:-15}" --time-limit 60s --format json \
    ${THREADS:+--threads "$THREADS"} > "$folder/bench" 2> /dev/null || true
  echo "$(all predicted_ns) $(all minimum_ns) $(all ratio) $(all memory_bytes) $(sed -n 's/.*"load": \([0-9.]*\).*/\1/p' "$folder/bench")" \
    | awk -v name="$(basename "$model" .json)" -v sizes="${sizes:-whole}" '
      { n = split (sizes, part, ",")
        if (sizes != "whole") sizes = n " of " part[1]
        printf "%-16s %-12s %10.1f %10.1f %10.2f %9.2f %9.1f %9.1f %10.2f\n", name, sizes, $3 / 1e6, $4 / 1e6, $2 / $1, $6 / $5, $7 / 1048576, $8 / 1048576, $9 }'
done
