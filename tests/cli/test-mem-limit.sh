#!/bin/sh
# --mem-limit: what fits, what it costs, what is said where nothing does.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/wide.sh"
try 0 optimize wide.json --devices "$devices" -o free.json || { cat .err; }
say $? "without a limit"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1G" -o loose.json && out_has 'keeps to'
say $? "a limit that does not bind"
grep -v 'memory_limits\|sha256' loose.json > a; grep -v 'memory_limits\|sha256' free.json > b
cmp -s a b; say $? "and leaves the plan as it is"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" -o tight.json \
  && out_has 'proved least that fits' && out_has 'without,'
say $? "a limit that binds"
try 0 check tight.json; say $? "its proof is good"
try 0 explain tight.json && out_has 'memory: the cheapest plan has it on' && err_has 'Memory limits: '
say $? "explain says so"
try 0 explain tight.json --format json && out_has '"reason_code": "memory"' && out_has '"free_cost_ns"'
say $? "for programs too"
out_has '"margin_at_least": true'; say $? "margins are bounds"
try 0 report tight.json -o tight.html && grep -q 'proved least of those that fit the memory' tight.html; say $? "so does the page"
try 0 explain tight.json && out_has '>= '; say $? "and marked so"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --margins -o margins.json \
  && grep -q '"margin_at_least": true' margins.json && try 0 check margins.json
say $? "kept in plans, and checked"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" -o again.json && cmp -s tight.json again.json
say $? "the same plan every time"
sed 's/"memory_limits": \[\([0-9]*\), [0-9]*\]/"memory_limits": [\1, 1000]/' tight.json > lie.json
try 3 check lie.json; say $? "a changed limit is refused"
try 0 run tight.json; say $? "it runs"
try 0 optimize wide.json --devices "$devices" --objective energy --watts "$fast=9:1" --watts "sim:$work/slow.conf=30:3" --mem-limit "$fast=2.5M" \
  -o green.json && out_has 'energy .*; proved least that fits$' && out_has 'which the cheapest plan keeps to'
say $? "a plan of the least energy keeps to it"
try 0 check green.json; say $? "  checked"
python3 "$top_srcdir/tests/check_plan.py" green.json > .out 2>&1; say $? "  by the other checker too"
try 5 optimize wide.json --devices "$devices" --mem-limit "$fast=1M" --mem-limit "sim:$work/slow.conf=1M" \
  && err_has 'no placement fits' && err_has 'weights' && err_has "op 'fc" && err_has 'more than the limit of 1048576'
say $? "nothing fits: which device, op and bytes"
err_has 'with more memory the cheapest plan fits' && ! err_has 'it fits, '; say $? "what would help, as far as it does"
try 0 optimize wide.json --devices "$devices" --objective throughput --mem-limit "$fast=2.5M" -o busy.json && out_has 'which the plan keeps to$' \
  && out_has '^busiest .*\(bound\|proved least\) of those that fit'
say $? "for throughput too"
try 0 check busy.json && out_has 'of those that fit'; say $? "its proof is good"
python3 "$top_srcdir/tests/check_plan.py" busy.json > .out 2>&1; say $? "  by the other checker too"
try 0 explain busy.json && try 0 view busy.json -o busy.svg && try 0 report busy.json -o busy.html; say $? "  and it is shown"
try 0 optimize wide.json --devices "$devices" --objective makespan --mem-limit "$fast=2.5M" -o soon.json && grep -q '"span_room"' soon.json \
  && out_has 'which the \(cheapest \)\{0,1\}plan keeps to$'
say $? "for makespan too"
try 0 check soon.json; say $? "its proof is good"
python3 "$top_srcdir/tests/check_plan.py" soon.json > .out 2>&1; say $? "  by the other checker too"
sed 's/"paths": \[$/&[1, 0],/' soon.json > lie.json; ! cmp -s soon.json lie.json && try 3 check lie.json; say $? "a path more is refused"
try 5 optimize wide.json --devices "$devices" --objective throughput --mem-limit "$fast=1M" --mem-limit "sim:$work/slow.conf=1M" -o none.json \
  && err_has 'no placement was found that fits'; say $? "and what fits nowhere is named"
try 5 optimize wide.json -q --devices "$devices" --mem-limit "$fast=1M" --mem-limit "sim:$work/slow.conf=1M" \
  && ! err_has 'it fits' && ! err_has 'with more memory'
say $? "not where nobody wants to hear it"
{ cat fast.conf; echo memory=1MiB; } > tiny.conf
try 5 optimize wide.json --devices "sim:$work/tiny.conf" && ! err_has 'with more memory'
say $? "nor where there is no more"
sed 's/"shape": \[64, 512\]/"shape": ["N", 512]/' wide.json > rows.json
try 5 optimize rows.json --devices "$devices" --dim N=512 --mem-limit "$fast=1M" --mem-limit "sim:$work/slow.conf=3800K"
sed -n 's/.*with N=\([0-9]*\) it fits.* for \([0-9]*\) runs.*/\1 \2/p' .err > fits
read -r part runs < fits && [ $((part * runs)) = 512 ]; say $? "rows in several runs"
try 0 optimize rows.json --devices "$devices" --dim N=$part --mem-limit "$fast=1M" --mem-limit "sim:$work/slow.conf=3800K"
say $? "each of which fits"
try 5 optimize rows.json --devices "$devices" --dim N=$((2 * part)) --mem-limit "$fast=1M" \
  --mem-limit "sim:$work/slow.conf=3800K"
say $? "and none of twice as many"
for bad in 1G nowhere=1G "$fast=" "$fast=-1" "$fast=1X" "$fast=0"; do
  try 2 optimize wide.json --devices "$devices" --mem-limit "$bad" && err_has 'is not DEVICE=SIZE'
  say $? "limit '$bad'"
done

# Memory that both share: what each takes counts against one limit.
shared=sim:$work/shared.conf,sim:$work/graphics.conf
{ cat slow.conf; echo pool=host; echo memory=16MiB; } > shared.conf
{ cat fast.conf; echo pool=host; } > graphics.conf
try 0 optimize wide.json --devices "$shared" --mem-limit host=4M -o pool.json \
  && out_has '4.00 MiB together in memory host, which the cheapest plan keeps to'
say $? "a limit of what both share"
try 0 optimize wide.json --devices "$shared" --mem-limit host=3500K \
  --mem-limit "sim:$work/graphics.conf=2400K" -fo pool.json && out_has 'proved least that fits' && try 0 check pool.json
say $? "and one of a device besides, which bind"
grep -q '"memory_limits": \[16777216, 2457600, 3584000\]' pool.json && grep -q '"memory_pools": \["host", "host"\]' pool.json
say $? "the plan says both"
try 0 run pool.json && try 0 run pool.json --check; say $? "it runs within them"
sed 's/3584000/3000000/' pool.json > lie.json
try 3 check lie.json; say $? "a changed limit of both is refused"
sed 's/"memory_pools": \["host", "host"\]/"memory_pools": ["host", null]/' pool.json > lie.json
try 3 check lie.json; say $? "and a pool of one device"
try 5 optimize wide.json --devices "$shared" --mem-limit host=3M \
  && err_has "'host' needs" && err_has 'more than the limit of 3145728' && err_has ' on sim:'
say $? "nothing fits into what both share"
try 2 optimize wide.json --devices "$devices" --mem-limit host=1G && err_has 'is not DEVICE=SIZE'
say $? "no memory of that name"

# Each tensor has a page of its own, which no price on its bytes knows: what fits into
# less is found, whatever the limit.
awk 'BEGIN {
  n = 400
  printf "{\"format\": \"tplan-graph/1\", \"opset\": 17, \"outputs\": [\"t%d\"],\n", n
  print "\"inputs\": [{\"name\": \"t0\", \"shape\": [64]}], \"initializers\": ["
  for (i = 0; i < n; i += 16)
    printf "%s{\"name\": \"w%d\", \"shape\": [64], \"random\": {\"seed\": %d}}\n", i ? "," : "", i, i
  print "], \"ops\": ["
  for (i = 0; i < n; i++) {
    second = i % 16 == 0 ? ", \"w" i "\"" : i % 4 == 3 ? ", \"t" i - 3 "\"" : ""
    printf "%s{\"name\": \"op%d\", \"type\": \"%s\", \"inputs\": [\"t%d\"%s], \"outputs\": [\"t%d\"]}\n", i ? "," : "", i,
      i % 16 == 0 ? "Mul" : i % 4 == 3 ? "Add" : i % 16 == 9 ? "Softmax" : "Tanh", i, second, i + 1 }
  print "] }" }' > pages.json
for bytes in 6000 9000 14500; do
  try 0 optimize -f pages.json --devices sim:laptop-cpu,sim:laptop-gpu --mem-limit sim:laptop-cpu=$bytes \
    --pin op0=sim:laptop-cpu -o pages.plan.json && try 0 check pages.plan.json
  say $? "$bytes bytes, of which layouts take more than tensors do"
done

# Real devices: a run takes no more than the limit, or says by how much.
if "$TPLAN" optimize wide.json --devices cpu,ref --trust-estimates -o all.json > .out 2> .err; then
  try 0 optimize wide.json --devices cpu,ref --trust-estimates --mem-limit cpu=2500K -o part.json
  say $? "a limit on the cpu"
  "$TPLAN" run part.json --check > .out 2> .err
  code=$?
  [ $code -eq 0 ] || { [ $code -eq 5 ] && err_has "more than the plan's limit"; }
  say $? "is kept, or nothing runs"
fi
finish
