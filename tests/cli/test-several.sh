#!/bin/sh
# Plans for three devices and more: made, checked twice, shown, and run on the host
# and two OpenCL devices, where there are so many.
. "$(dirname "$0")/common.sh"
cp "$top_srcdir/tests/plans/residual.json" . || exit 99
POCL_DEVICES="pthread basic"
export POCL_DEVICES

board=sim:$top_srcdir/tests/machines/odd-board.conf
for list in sim:desktop-cpu,sim:laptop-gpu,sim:desktop-gpu "sim:desktop-cpu,sim:laptop-gpu,sim:desktop-gpu,$board"; do
  for model in mlp residual; do
    try 0 optimize $model.json --devices "$list" -f -o plan.json; say $? "$model on $list"
    out_has 'cost .*(simulated), proved least'; say $? "  proved"
    grep -q '"certificate": "share-tree"' plan.json; say $? "  by shares"
    try 0 check plan.json && out_has 'valid.*no plan is cheaper'; say $? "  checked"
    if command -v python3 > /dev/null; then
      python3 "$top_srcdir/tests/check_plan.py" plan.json > .out 2> .err; say $? "  by the other checker"
    fi
    cp plan.json first.json
    try 0 optimize $model.json --devices "$list" -f -o plan.json && cmp -s first.json plan.json; say $? "  the same again"
  done
done

# One tensor that all ops read, in groups of them: sweeps alone left a bound below 0, and the plan could not be read.
awk 'BEGIN { printf "{\"format\":\"tplan-graph/1\",\"inputs\":[{\"name\":\"x\",\"shape\":[4,4]}],\"outputs\":[\"t5000\"],\"ops\":["
  printf "{\"type\":\"Relu\",\"inputs\":[\"x\"],\"outputs\":[\"t0\"]}"
  for (i = 1; i <= 5000; i++) printf ",\n{\"type\":\"Add\",\"inputs\":[\"t%d\",\"t0\"],\"outputs\":[\"t%d\"]}", i - 1, i
  print "]}" }' > star.json
sims=sim:desktop-cpu,sim:laptop-gpu,sim:desktop-gpu
try 0 optimize star.json --devices $sims -o star-plan.json && out_has 'proved least'; say $? "one tensor that 5000 ops read"
try 0 check star-plan.json; say $? "  checked"
try 0 optimize residual.json --devices $sims --pin conv1=sim:laptop-gpu --pin conv2=sim:desktop-gpu --pin sum2=sim:desktop-cpu \
  --margins -f -o spread.json && [ "$(grep -c '"device": "sim:laptop-gpu"' spread.json)" -ge 1 ]
say $? "pins on all three"
grep -q '"from": "sim:laptop-gpu", "to": "sim:desktop-gpu"' spread.json \
  || grep -q '"from": "sim:desktop-gpu", "to": "sim:desktop-cpu"' spread.json; say $? "  with the copies they need"
grep -q '"margin_at_least": true' spread.json; say $? "  margins are bounds"
try 0 check spread.json; say $? "  checked"
try 0 explain spread.json && out_has 'sim:desktop-cpu | sim:laptop-gpu | sim:desktop-gpu'; say $? "explain has a time for each"
try 0 explain spread.json --format json && out_has '"sim:laptop-gpu"'; say $? "for programs too"
try 0 view spread.json -o spread.svg && grep -q 'laptop.*gpu' spread.svg; say $? "a picture"
try 0 report spread.json -o spread.html && grep -q laptop-gpu spread.html; say $? "a page"
try 0 optimize residual.json --devices $sims --format json -f -o plan.json && out_has '"gap": 0.0'; say $? "optimize for programs"

# Why ops are where they are, by hand: on two devices, and with a third that takes no part.
# why FILE OP OBJECTIVE DEVICES OPTION...: what explain says of it.
why ()
{
  file=$1 op=$2 objective=$3 list=$4; shift 4
  try 0 optimize "$file" --objective "$objective" --devices "$list" "$@" -f -o why.json && try 0 explain why.json --format=csv \
    && sed -n "s/^$op,.*/&/p" .out > why.txt && [ -s why.txt ] && try 0 check why.json
}
# pair A_CPU A_GPU B_CPU B_GPU HALF: ops a and b, one behind the other, with copies of 100 ns.
pair ()
{
  cat <<JSON
{"format": "tplan-graph/1", "inputs": [{"name": "x", "shape": [4, 4]}], "outputs": ["z"], "ops": [
{"name": "a", "type": "Relu", "inputs": ["x"], "outputs": ["y"], "cost": {"$cpu": [$1, $5], "$gpu": [$2, $5], "$third": [900000, $5]}},
{"name": "b", "type": "Relu", "inputs": ["y"], "outputs": ["z"], "cost": {"$cpu": [$3, $5], "$gpu": [$4, $5], "$third": [900000, $5]}}],
"copies": {"x": {"$gpu": 100, "$third": 100}, "y": {"$gpu": 100, "$third": 100}, "z": {"$gpu": 100, "$third": 100}}}
JSON
}
cpu=sim:server-cpu gpu=sim:server-gpu third=sim:laptop-gpu
# 20300 all on the CPU, 19200 with b on the GPU and two copies: less than spreads of 5000 can tell. Of 18000 and 18700
# the busiest engine carries 18000 and 10000. And of 10 W and 1 W the GPU takes less.
pair 10000 12000 10300 9000 5000 > tied.json
pair 10000 12000 8000 8500 0 > clear.json
for list in $cpu,$gpu $cpu,$gpu,$third; do
  why tied.json b time $list && grep -q 'tie: the cheapest plan has it on sim:server-gpu' why.txt; say $? "a tie is one, on $list"
  why tied.json a time $list && grep -q 'faster than on sim:server-gpu' why.txt; say $? "  beside what is faster"
  why clear.json b time $list && grep -q 'faster than on sim:server-gpu' why.txt; say $? "  and nothing is, where figures are exact"
  why clear.json b throughput $list && grep -q 'load: for one run.*sim:server-cpu' why.txt; say $? "  what the busiest engine is rid of"
  why clear.json b energy $list --watts $cpu=10 --watts $gpu=1 && grep -q 'energy: the fastest plan has it on sim:server-cpu' why.txt
  say $? "  what takes less energy elsewhere"
  why clear.json b time $list --mem-limit $cpu=100 && grep -q 'memory: the cheapest plan has it on sim:server-cpu' why.txt
  say $? "  what finds no room"
done

# Within limits of memory.
try 0 optimize residual.json --devices $sims --mem-limit sim:desktop-gpu=1K -f -o tight.json && out_has 'the plan keeps to'
say $? "limits of memory that bind"
grep -q '"memory_tree"' tight.json && out_has 'proved least that fits' && out_has 'without, none costs less than'; say $? "  with a bound of those that fit"
try 0 explain tight.json && out_has 'memory: the cheapest plan has it on'; say $? "  explained"
try 0 check tight.json && out_has 'none that fits is cheaper'; say $? "  checked"
# Signed anew, with a limit that the plan is above.
sed '/^ "sha256": /,$d; s/"memory_limits": \[[0-9]*,/"memory_limits": [1,/' tight.json > unsigned
{ cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > above.json
! cmp -s above.json tight.json && try 1 check above.json && out_has 'more memory than its limits'; say $? "  and refused where it is above one"
if command -v python3 > /dev/null; then
  python3 "$top_srcdir/tests/check_plan.py" tight.json > .out 2> .err && ! python3 "$top_srcdir/tests/check_plan.py" above.json > .out 2> .err \
    && cat .out .err | grep -q limits
  say $? "  by the other checker too"
fi
# with_sweep PRICES: with a proof by a sweep, that what fits costs no less than what does not.
with_sweep ()
{
  sed '/^ "sha256": /,$d; /^ "memory_bound_ns": /,/^ "share_unit": /{/^ "share_unit": /!d}; /^ "memory_views": /d' tight.json | awk \
    -v bound="$(sed -n 's/^ "bound_ns": //p' tight.json)" -v views="$(grep '^ "memory_views": ' tight.json)" -v prices="$1" \
    '/^ "share_unit": / { printf " \"memory_bound_ns\": %s\n%s\n \"memory_bounds\": [],\n \"memory_tree\": [\n  [\"sweep\", %s]],\n", bound, views, prices }
     { print }' > unsigned
  cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"
}
with_sweep "0, 5, 7" > swept.json && try 0 check swept.json && out_has 'none that fits goes below the bound'; say $? "  with a sweep"
try 0 explain swept.json && err_has 'which the plan keeps to; without, none costs less than'; say $? "  explained"
try 0 report swept.json -f -o swept.html && grep -q 'above the least that fits the memory' swept.html; say $? "  shown"
if command -v python3 > /dev/null; then
  python3 "$top_srcdir/tests/check_plan.py" swept.json > .out 2>&1; say $? "  checked by the other checker"
fi
with_sweep "5, 7" > swept.json && try 3 check swept.json && err_has 'memory_tree\[0\]: a sweep with 2 prices'; say $? "  and refused with too few prices"
try 5 optimize residual.json --devices $sims --mem-limit sim:desktop-cpu=1K --mem-limit sim:laptop-gpu=1K --mem-limit sim:desktop-gpu=1K \
  -f -o no.json && err_has 'no placement fits' && err_has 'more than the limit of 1024'
say $? "  and what fits nowhere is named"

# Throughput.
for model in mlp residual; do
  try 0 optimize $model.json --devices $sims --objective throughput -f -o busy.json && out_has '^busiest .* a run on' \
    && grep -q '"certificate": "weighted-shares"' busy.json
  say $? "throughput of $model"
  try 0 check busy.json && out_has 'busiest engine'; say $? "  checked"
  if command -v python3 > /dev/null; then
    python3 "$top_srcdir/tests/check_plan.py" busy.json > .out 2>&1; say $? "  by the other checker"
  fi
  cp busy.json first.json
  try 0 optimize $model.json --devices $sims --objective throughput -f -o busy.json && cmp -s first.json busy.json; say $? "  the same again"
  try 0 run busy.json --check && out_has '^check *good'; say $? "  runs, and is right"
  sed '/^ "sha256": /,$d; s/"load_shares": \[\[\[/"load_shares": [[["t", 9999, 0, 0, 0, 1], [/' busy.json > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > lie.json
  cmp -s lie.json busy.json || { try 1 check lie.json && out_has 'load_shares'; }; say $? "  shares of nothing are refused"
done
try 0 explain busy.json; say $? "  explained"
try 0 report busy.json -f -o busy.html && try 0 view busy.json -f -o busy.svg; say $? "  shown"
try 0 optimize residual.json --devices $sims --objective throughput --mem-limit sim:desktop-gpu=1K -f -o busy.json && out_has 'the plan keeps to' \
  && try 0 check busy.json
say $? "  within limits of memory"
try 5 optimize residual.json --devices $sims --objective throughput --mem-limit sim:desktop-cpu=1K --mem-limit sim:laptop-gpu=1K \
  --mem-limit sim:desktop-gpu=1K -f -o no.json && err_has 'no placement was found that fits'
say $? "  where nothing fits"

# Energy, price, makespan: what is proved, by both checkers; run as it says.
prices="--price sim:desktop-cpu=0.05/h --price sim:laptop-gpu=0.2/h --price sim:desktop-gpu=0.3/h"
for objective in energy price makespan; do
  kind=rated-shares word=proved
  [ $objective != makespan ] || { kind=schedule; word='work at once'; }
  for model in mlp residual; do
    try 0 optimize $model.json --devices $sims --objective $objective $prices -f -o plan.json && out_has "^$objective .*$word" \
      && grep -q "\"certificate\": \"$kind\"" plan.json
    say $? "$objective of $model"
    try 0 check plan.json; say $? "  checked"
    if command -v python3 > /dev/null; then
      python3 "$top_srcdir/tests/check_plan.py" plan.json > .out 2>&1; say $? "  by the other checker"
    fi
    cp plan.json first.json
    try 0 optimize $model.json --devices $sims --objective $objective $prices -f -o plan.json && cmp -s first.json plan.json; say $? "  the same again"
    try 0 run plan.json --check && out_has '^check *good'; say $? "  runs, and is right"
    try 0 explain plan.json && try 0 report plan.json -f -o plan.html && try 0 view plan.json -f -o plan.svg; say $? "  shown"
  done
  try 0 optimize residual.json --devices $sims --objective $objective $prices --mem-limit sim:desktop-gpu=1K --mem-limit sim:laptop-gpu=1K -f -o plan.json \
    && try 0 check plan.json
  say $? "  within limits of memory"
  try 5 optimize residual.json --devices $sims --objective $objective $prices --mem-limit sim:desktop-cpu=1K --mem-limit sim:laptop-gpu=1K \
    --mem-limit sim:desktop-gpu=1K -f -o no.json && err_has 'no placement fits'
  say $? "  where nothing fits"
done
# Signed anew, with more rented than is; with a part less; and with weights divided by nothing.
try 0 optimize residual.json --devices $sims --objective price $prices -f -o plan.json
for lie in 's/"rented": \[[^]]*\]/"rented": [1, 2]/' 's/"divisor": [0-9]*/"divisor": 0/' 's/"without": \[[^]]*\]/"without": [0]/' 's/"aim_ends": \[/"aim_ends": [],"x": [/'; do
  sed "/^ \"sha256\": /,\$d; $lie" plan.json > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > lie.json
  ! cmp -s lie.json plan.json && { "$TPLAN" check lie.json > .out 2> .err; case $? in 1 | 3) ;; *) false ;; esac; }
  say $? "  refused: $lie"
done
# Likewise of what fits: with a part less, divided by nothing, raised by nothing, swept at a price below 0, and with a limit lifted.
cheap="--price sim:desktop-cpu=1/h --price sim:laptop-gpu=0.001/h --price sim:desktop-gpu=0.003/h"
for objective in energy price; do
  try 0 optimize residual.json --devices $sims --objective $objective $cheap --mem-limit sim:desktop-gpu=1K --mem-limit sim:laptop-gpu=1K -f -o fit.json \
    && out_has "^$objective .*proved least that fits" && grep -q '"aim_room"' fit.json
  say $? "$objective of what fits is proved least"
  try 0 check fit.json; say $? "  checked"
  if command -v python3 > /dev/null; then
    python3 "$top_srcdir/tests/check_plan.py" fit.json > .out 2>&1; say $? "  by the other checker"
  fi
  for lie in 's/"ends": \[/"ends": [],"x": [/' '/"times"/s/"divisor": [0-9]*/"divisor": 0/' 's/"times": 0/"times": -1/' 's/\["sweep", 0/["sweep", -1/' \
      's/"memory_bound_ns": [0-9]*/"memory_bound_ns": 1/' 's/^ "memory_limits": \[[0-9]*, [0-9]*/ "memory_limits": [0, 0/'; do
    sed "/^ \"sha256\": /,\$d; $lie" fit.json > unsigned
    { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > lie.json
    ! cmp -s lie.json fit.json && { "$TPLAN" check lie.json > .out 2> .err; case $? in 1 | 3) ;; *) false ;; esac; }
    say $? "  refused: $lie"
  done
done
try 0 pareto residual.json --devices $sims && out_has '^ *1 '; say $? "all points of time and energy"
try 0 pareto residual.json --devices $sims --objectives time,price $prices --plans points && try 0 check points/point-1.json; say $? "  and of time and price"
try 0 optimize mlp.json residual.json --devices $sims --rate mlp=3000/s,residual=900/s -o mix.json && out_has '^busiest .*of each second' \
  && grep -q '"load_shares": \[\[' mix.json
say $? "two graphs on three devices"
try 0 check mix.json; say $? "  checked"
if command -v python3 > /dev/null; then
  python3 "$top_srcdir/tests/check_plan.py" mix.json > .out 2>&1; say $? "  by the other checker"
fi
try 0 optimize mlp.json residual.json --devices $sims --rate mlp=3000/s,residual=900/s -f -o again.json && cmp -s mix.json again.json; say $? "  the same again"

# What is not done.
for i in 1 2 3 4 5 6 7; do printf '[machine]\ngflops=%d0\ngbps=10\nlaunch=1us\nlink=1GB/s+1us\n' $i > m$i.conf; done
many=$(for i in 1 2 3 4 5 6 7; do printf ',sim:%s/m%d.conf' "$work" $i; done)
try 3 optimize residual.json --devices "${many#,}" -o no.json && err_has '7 devices.*at most 6'; say $? "and so are seven devices"

# Run.
if "$TPLAN" devices --format=csv > .out 2> .err && out_has '^cpu,ready' && out_has '^opencl:1,ready'; then
  three=cpu,opencl:0,opencl:1
  try 0 optimize residual.json --devices $three --trust-estimates --pin conv1=opencl:0 --pin relu1=opencl:0 \
    --pin conv2=opencl:1 --pin sum2=cpu -f -o run.json
  say $? "a plan for the host and two OpenCL devices"
  grep -q '"from": "opencl:0", "to": "opencl:1"' run.json; say $? "  with a copy from one to the other"
  try 0 check run.json; say $? "  checked"
  try 0 run --check --profile run.json -n 2 --warmup=0 && out_has '^check *good'; say $? "  runs, and is right"
  [ "$(grep -c ' copy  *\(cpu\|opencl:[01]\) ' .out)" -eq "$(grep -c '"from": ' run.json)" ]; say $? "  makes the copies that it says"
  try 0 optimize residual.json --devices $three --trust-estimates --objective throughput --pin conv1=opencl:0 --pin conv2=opencl:1 \
    --pin sum2=cpu -f -o flight.json && try 0 check flight.json && try 0 bench flight.json --in-flight 3 -n 3 && out_has 'in flight'
  say $? "three runs in flight on three devices"
  try 0 optimize residual.json --devices $three --trust-estimates --objective makespan --pin conv1=opencl:0 --pin conv2=opencl:1 \
    --pin sum2=cpu -f -o span.json && try 0 check span.json && try 0 run span.json --check -n 3 && out_has '^check *good'
  say $? "kernels and copies of three devices at once"
  try 0 optimize mlp.json residual.json --devices $three --trust-estimates --rate mlp=200/s,residual=100/s -f -o mix.json && try 0 check mix.json \
    && try 0 run mix.json --check -n 3
  say $? "two graphs on three devices"
  try 0 bench residual.json --devices $three --trust-estimates -n 3; say $? "bench has them all"
else
  n=$((n + 1)); echo "ok $n - a plan for the host and two OpenCL devices # SKIP not so many devices"
fi
finish
