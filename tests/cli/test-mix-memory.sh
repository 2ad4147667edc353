#!/bin/sh
# Plans of several graphs keep to limits of memory when they run, too: what the sessions of all take
# together is what runs of each alone say, added up; so much is allowed, and a byte less is not.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/wide.sh"
sed -i 's/\[64, 512\]/[4, 512]/' wide.json
sed 's/"name": "wide"/"name": "other"/; s/\[4, 512\]/[8, 512]/' wide.json > other.json

# plan OUTPUT OPTION...: for $device.
plan () { output=$1; shift; try 0 optimize wide.json other.json --devices "$device" --trust-estimates --rate wide=2/s,other=1/s -f -q -o "$output" "$@"; }
# bytes KEY: of the device, as a run says.
bytes () { sed -n "/\"$1\"/,/}/s/.*\"$device\": \([0-9]*\).*/\1/p" .out; }
# add PLANS: what runs of each graph take, one at a time.
add ()
{
  fixed=0 arenas=0 scratch=0
  for part in wide other; do
    try 0 run "$1" --part $part --repeat 1 --format json || return 1
    fixed=$((fixed + $(bytes weight_bytes))) arenas=$((arenas + $(bytes peak_bytes))) scratch=$((scratch + $(bytes workspace_bytes)))
  done
}
# foretell PLANS: of that, what the plans say.
foretell () { sed -n 's/^ "\(peak\|weight\)_bytes": \[\([0-9]*\)\],$/\2/p' "$1" | awk '{ sum += $1 } END { printf "%.0f", sum }'; }
few="have fewer in flight, or free other sessions, or plan again with a reserve of at least"
in_flight () { try 0 run "$1" --repeat 1 --format json && [ "$(json in_flight)" = "$2" ]; }

for device in ref cpu; do
  if ! "$TPLAN" devices --format csv 2> /dev/null | grep -q "^$device,"; then
    n=$((n + 1)); echo "ok $n # SKIP no device $device"
    continue
  fi
  plan free.json && add free.json && [ "$fixed" -gt 0 ] && [ "$arenas" -gt 0 ]; say $? "$device: what each takes alone"
  one=$((fixed + arenas + scratch)) two=$((one + arenas)) beside=$((one - $(foretell free.json)))
  plan two.json --mem-limit $device=$two && in_flight two.json 2 && try 0 run two.json --repeat 2 --check; say $? "$device: room for two runs of each"
  try 0 bench two.json --in-flight 2 --time-limit 100ms; say $? "$device: at their rates"
  plan less.json --mem-limit $device=$((two - 1)) && try 5 bench less.json --in-flight 2 --time-limit 100ms \
    && err_has "device '$device' takes $two bytes with tensors of 2 runs in flight, .* of other sessions of these plans, 1 more than the plans' limit: $few $((beside + arenas)) bytes"
  say $? "$device: a byte less is too little"
  in_flight less.json 1 && err_has "^note: one run of each graph at a time: device '$device' takes $two bytes"; say $? "$device: but for one of each, which is said"
  try 0 bench less.json --time-limit 100ms --format json && [ "$(json in_flight)" = 1 ]; say $? "$device: likewise at their rates"
  plan one.json --mem-limit $device=$one && in_flight one.json 1; say $? "$device: room for one of each"
  try 0 run one.json --part other --repeat 1 && try 5 bench one.json --in-flight 64 --time-limit 100ms; say $? "$device: one graph alone"
  [ "$beside" -gt 0 ] || continue
  plan none.json --mem-limit $device=$((one - 1)) && try 5 run none.json --repeat 1 \
    && err_has "takes $one bytes with weights packed for kernels and their scratch, and .*, 1 more than the plans' limit: free other sessions, or .* at least $beside bytes (--mem-reserve=$device=$beside)"
  say $? "$device: a byte less is too little for kernels"
  plan kept.json --mem-limit $device=$one --mem-reserve $device=$beside && in_flight kept.json 1 && try 0 check kept.json; say $? "$device: what is reserved is for them"
done
finish
