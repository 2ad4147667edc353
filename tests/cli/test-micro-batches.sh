#!/bin/sh
# --micro-batches: a batch that is run in parts: cheaper plans within limits, devices side
# by side; proved, told, kept, run, with the results of the whole.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/tall.sh"
cost () { sed -n 's/.*"cost_ns": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
plan () { try 0 optimize tall.json --dim N=16 --devices "$devices" "$@"; }

# ---- parts one after the other --------------------------------------------------------
plan --mem-limit "$fast=600K" -o tight.json; say $? "without"
plan --mem-limit "$fast=600K" --micro-batches=auto -o plan.json \
  && out_has 'proved least that fits with these micro-batches' && out_has '^micro-batches  4 of 4, a batch of 16$'
say $? "found where limits bind"
[ $((3 * $(cost plan.json))) -lt "$(cost tight.json)" ]; say $? "costs less than a third of the whole batch"
grep -q '^ "micro_batches": \[4, 4, 4, 4\],$' plan.json && grep -q '"op": "conv1:3"' plan.json; say $? "the file has them"
plan --mem-limit "$fast=600K" --micro-batches=auto -o again.json && cmp -s plan.json again.json; say $? "the same plan every time"
plan --mem-limit "$fast=600K" --micro-batches=4 -fo again.json && cmp -s plan.json again.json; say $? "the same by number"
plan --mem-limit "$fast=600K" --micro-batches=4,4,4,4 -fo again.json && cmp -s plan.json again.json; say $? "and by sizes"
plan --mem-limit "$fast=1G" --micro-batches=auto -fo loose.json && ! grep -q micro_batches loose.json; say $? "none where limits do not bind"
plan --micro-batches=auto -fo loose.json && ! grep -q micro_batches loose.json; say $? "nor where there are none"
plan --micro-batches=13,3 -fo uneven.json && grep -q '^ "micro_batches": \[13, 3\],$' uneven.json && try 0 check uneven.json \
  && out_has 'no plan is cheaper with these micro-batches'
say $? "asked for, they are made whatever they cost"
plan --micro-batches=5 -fo five.json && grep -q '^ "micro_batches": \[4, 3, 3, 3, 3\],$' five.json && out_has '^micro-batches  4, 3, 3, 3, 3, a'
say $? "as equal as can be"
plan --mem-limit "$fast=600K" --micro-batches=auto --stream-weights -fo both.json && try 0 check both.json; say $? "beside weights streamed"
try 5 optimize tall.json --dim N=16 --devices "$devices" --mem-limit "$fast=1K" --mem-limit "$slow=1K" --micro-batches=auto \
  && err_has 'no placement fits' && ! err_has 'in micro-batches'
say $? "nothing fits"

# What outgrows any cache is told of: a GiB.
if [ "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -gt 4000000 ] && [ -d /sys/devices/system/cpu/cpu0/cache ]; then
  try 0 optimize tall.json --dim N=8192 --devices ref && err_has 'GiB of tensors outgrow the caches: the batch of 8192 may be faster in parts'
  say $? "a batch that outgrows the caches is told of"
fi
try 0 optimize tall.json --dim N=2 --devices ref && ! err_has 'in parts'; say $? "one that does not is not"
plan && ! err_has 'in parts'; say $? "nor what is simulated"

# ---- side by side ---------------------------------------------------------------------
cp fast.conf other.conf
twins=$fast,sim:$work/other.conf
for objective in makespan throughput; do
  try 0 optimize tall.json --dim N=16 --devices "$twins" --objective $objective -fo one.json
  say $? "$objective without"
  try 0 optimize tall.json --dim N=16 --devices "$twins" --objective $objective --micro-batches=auto -fo two.json && try 0 check two.json
  say $? "$objective with"
done
try 0 optimize tall.json --dim N=16 --devices "$twins" --objective makespan --micro-batches=auto -fo two.json \
  && out_has '^micro-batches  2 of 8, a batch of 16$' && out_has 'makespan.*with these micro-batches'
say $? "two equal devices share the batch"
try 0 run two.json --check; say $? "which runs (simulated)"
try 2 optimize tall.json --dim N=16 --devices "$devices" --objective price --price "$fast=1/h" --price "$slow=1/h" --micro-batches=auto \
  && err_has "found for the objectives 'time', 'makespan' and 'throughput', not for 'price'"
say $? "not for every objective"
try 0 optimize tall.json --dim N=16 --devices "$devices" --objective energy --watts "$fast=100" --watts "$slow=10" --micro-batches=2 -fo energy.json \
  && try 0 check energy.json
say $? "but given for any"

# ---- what cannot be -------------------------------------------------------------------
for bad in 0 1 x 8, ,8 8,x 8,-8 8.5 '' 99999999999 'auto,2'; do
  try 2 optimize tall.json --dim N=16 --devices "$devices" --micro-batches="$bad"; say $? "no parts: '$bad'"
done
try 2 optimize tall.json --dim N=16 --devices "$devices" --micro-batches=8,9 && err_has 'tall.json: the batch cannot be split: .* sum to it, which is 16'
say $? "a sum that is not the batch"
try 2 optimize tall.json --dim N=16 --devices "$devices" --micro-batches=17 && err_has 'a batch of 16 cannot be split into 17'; say $? "more than the batch"
try 2 optimize tall.json --dim N=1000 --devices "$devices" --micro-batches=257 && err_has 'from 2 to 256'; say $? "more than there may be"
cat > mixed.json <<'JSON'
{ "format": "tplan-graph/1", "name": "mixed", "opset": 17, "inputs": [{"name": "x", "shape": [8, 65536]}], "outputs": ["y"],
  "ops": [{"name": "sum", "type": "ReduceSum", "inputs": ["x"], "outputs": ["s"], "attrs": {"keepdims": 1}},
          {"name": "y", "type": "Sub", "inputs": ["x", "s"], "outputs": ["y"]}] }
JSON
try 2 optimize mixed.json --devices "$devices" --micro-batches=2 && err_has "op 'sum' (ReduceSum) may read several parts for one"
say $? "a model that mixes the batch"
try 0 optimize mixed.json --devices "$twins" --objective makespan --micro-batches=auto \
  && err_has "note: no micro-batches: mixed.json: the batch cannot be split: op 'sum'"
say $? "is left whole, and said"

# Where nothing fits, it says what would.
try 5 optimize tall.json --dim N=16 --devices "$devices" --mem-limit "$fast=600K" --pin "*=$fast" \
  && err_has 'in micro-batches (4 of 4, a batch of 16) it fits' && err_has 'optimize.* --micro-batches=auto'
say $? "a remedy where nothing fits"
sed -n 's/.*in micro-batches.*`tplan \(.*\)`.*/\1/p' .err > remedy
eval "try 0 $(cat remedy) -o remedy.json" && try 0 check remedy.json; say $? "which does"

# ---- what is said ---------------------------------------------------------------------
try 0 check plan.json && out_has 'with these micro-batches'; say $? "its proof is good"
try 0 explain plan.json && err_has '^Micro-batches: 4 of 4, a batch of 16\.$'; say $? "explain says so"
try 0 explain plan.json --format json && tr -d ' \n' < .out | grep -q '"micro_batches":\[4,4,4,4\]'; say $? "for programs too"
try 0 explain tight.json --format json && out_has '"micro_batches": null'; say $? "null where there are none"
plan --micro-batches=2 --format json && tr -d ' \n' < .out | grep -q '"micro_batches":\[8,8\]'; say $? "optimize for programs"
plan --mem-limit "$fast=600K" --micro-batches=4 --margins -fo margins.json && try 0 check margins.json; say $? "margins"
try 0 view plan.json -o plan.svg && [ -s plan.svg ]; say $? "a picture"
try 0 report plan.json -o report.html && grep -q 'with these micro-batches' report.html; say $? "a report"
plan --micro-batches=2 --verify -fo verified.json; say $? "verified"

# ---- edited plans ---------------------------------------------------------------------
# edit SCRIPT: plan.json changed by it and signed anew.
edit ()
{
  sed "$1" plan.json | sed '$d' | sed '$d' > edited.json
  printf ' "sha256": "%s"\n}\n' "$(sha256sum < edited.json | cut -d' ' -f1)" >> edited.json
}
# refused TO SAYS: with those sizes.
refused ()
{
  edit "s/^ \"micro_batches\": .*/ \"micro_batches\": $1,/"
  try 3 check edited.json && err_has "$2"
  say $? "refused: $1"
}
edit ''; cmp -s plan.json edited.json; say $? "edits are signed as plans are"
refused '[8, 8]' 'graph_sha256'
refused '[4, 4, 4, 3]' 'micro_batches: the batch cannot be split'
refused '[16]' 'micro_batches: not from 2 to 256'
refused '[]' 'micro_batches: not from 2 to 256'
refused '[4, 4, 4, 0]' 'micro_batches\[3\]'
refused '[4, 4, 4, -4]' 'micro_batches\[3\]'
refused '[4, 4, 4, 4.5]' 'micro_batches\[3\]'
refused '[4, 4, 4, "4"]' 'micro_batches\[3\]'
refused '4' 'micro_batches'
refused "[$(yes 1, | head -n 300 | tr -d '\n')1]" 'micro_batches: not from 2 to 256'
err_has "tplan optimize tall.json --dim N=16 --devices $devices .*--micro-batches=1,1,"; say $? "made again as it was"
edit '/^ "micro_batches"/d'; try 3 check edited.json; say $? "not told of them"

# ---- runs -----------------------------------------------------------------------------
plan --mem-limit "$fast=1.2M" --mem-reserve "$fast=600K" --micro-batches=auto -fo roomy.json && try 0 run roomy.json --check
say $? "runs within limit and reserve (simulated)"
# same A B: what both folders have.
same () { for f in "$1"/*.npy; do cmp -s "$f" "$2/${f##*/}" || return 1; done; }
for host in cpu ref; do
  rm -rf whole parts
  try 0 run tall.json --dim N=16 --devices $host -n 1 -o whole && try 0 optimize tall.json --dim N=16 --devices $host --micro-batches=5,10,1 -fo real.json \
    && try 0 run real.json -n 1 -o parts && same whole parts
  say $? "the very results of the whole on $host"
  if "$TPLAN" devices | grep -q '^opencl:0 *ready'; then
    try 0 optimize tall.json --dim N=16 --devices "$host,opencl:0" --trust-estimates --pin 'conv*=opencl:0' --micro-batches=3 -fo real.json \
      && try 0 run real.json --check && try 0 bench real.json --in-flight 2 --threads 1 --rounds 2
    say $? "on $host and OpenCL, two runs at once"
  else
    n=$((n + 1)); echo "ok $n - on $host and OpenCL # SKIP no OpenCL device"
  fi
done
finish
