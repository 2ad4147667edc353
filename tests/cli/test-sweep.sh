#!/bin/sh
# Several values of a dimension: measured, swept, drawn.
. "$(dirname "$0")/common.sh"
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json

try 0 sweep sym.json --dim N=8,1,2..4,2 --devices $sims --format csv; say $? "swept"
[ "$(sed 's/,.*//' .out | tr '\n' ' ')" = "value 1 2 4 8 " ]; say $? "values rise, each once"
cp .out rows.csv
try 0 sweep sym.json --dim N=1..8 --devices $sims --format json; say $? "as JSON"
cost=$(json cost_ns) rate=$(json items_per_second) low=$(json items_per_second_low) high=$(json items_per_second_high)
awk "BEGIN { exit !($rate > 0 && $low <= $rate && $rate <= $high && $rate * $cost > 0.999e9 && $rate * $cost < 1.001e9) }"
say $? "one item in the time of the plan, between the ends"
cp .out points.json
try 0 sweep sym.json --dim N=1..8 --devices $sims && out_has 'ITEMS/S' && out_has '+-'; say $? "as a table"

try 0 sweep sym.json --dim N=1,2,4,8 --devices $sims -o s.svg -o s.html -o s.csv -o s.json && err_has 'wrote s.html'; say $? "all files at once"
cmp -s s.csv rows.csv; say $? "rows are those of --format"
cmp -s s.json points.json; say $? "so is JSON"
grep -q '<svg' s.svg && grep -q 'all on sim:laptop-gpu' s.svg && grep -q '(simulated)' s.svg && [ "$(grep -c '<path fill="none"' s.svg)" -eq 3 ]
say $? "a chart with a line for the plan and for each device"
grep -q 'fill-opacity' s.svg && ! grep -qE 'nan|inf' s.svg; say $? "and a band"
grep -q '"parameter":"N"' s.html && grep -q 'N=1' s.html; say $? "a page with the sweep and its plans"
try 2 sweep sym.json --dim N=1,2 --devices $sims -o s.svg && err_has "exists"; say $? "nothing is overwritten"
try 2 sweep sym.json --dim N=1,2 --devices $sims -o s.png && err_has 'suffix'; say $? "no such kind"
cp sym.json 'a<b>&"c.json'
try 0 sweep 'a<b>&"c.json' --dim N=1,2 --devices $sims -o odd.svg && grep -q 'a&lt;b&gt;&amp;&quot;c.json' odd.svg; say $? "names are text"

# A device that cannot run it all has no line of its own, but a name.
sed 's/"type": "Softmax",/"type": "Softmax", "device": ["sim:laptop-gpu"],/' sym.json > pinned.json
try 0 sweep pinned.json --dim N=1,4 --devices $sims -o pinned.svg; say $? "pinned"

# Between values: from end to end, at both what the plans of these values cost; where one
# placement gives way to the next both cost the same.
try 0 sweep sym.json --dim N=1,512,65536 --devices sim:edge-cpu,sim:laptop-gpu --exact --format json && cp .out ranges.json; say $? "ranges"
python=$(command -v python3 || echo /usr/bin/python3)
"$python" -c '
import json
it = json.load (open ("ranges.json"))
points, ranges = it["points"], it["ranges"]["list"]
near = lambda a, b: abs (a - b) <= 1e-6 * abs (b)
assert it["ranges"]["interpolated"] and it["ranges"]["proved"]
assert ranges[0]["from"] == points[0]["value"] and ranges[-1]["to"] == points[-1]["value"]
assert near (ranges[0]["cost_from_ns"], points[0]["cost_ns"])
assert near (ranges[-1]["cost_to_ns"], points[-1]["cost_ns"])
assert len (ranges) > 1 and not all (r["from"] in (1, 512) for r in ranges)
for a, b in zip (ranges, ranges[1:]):
  assert a["to"] == b["from"] and near (a["cost_to_ns"], b["cost_from_ns"]) and a["devices"] != b["devices"]
'; say $? "they meet between the values"
try 0 sweep sym.json --dim N=1,512,65536 --devices sim:edge-cpu,sim:laptop-gpu && out_has 'INTERPOLATED COST' && err_has 'figures are interpolated (simulated)'; say $? "which is said"
try 0 sweep sym.json --dim N=1,512 --devices $sims --mem-limit sim:laptop-gpu=1K && ! out_has 'INTERPOLATED'; say $? "not within limits of memory"

try 2 sweep sym.json --dim N=4 && err_has 'one --dim with several values'; say $? "one value is no sweep"
try 2 sweep sym.json --dim N=1,2 --dim M=1,2 && err_has "'N' and 'M' have several values"; say $? "two dimensions are too many"
try 2 sweep sym.json --dim N=1,2 --dim N=4 && err_has "'N' is given twice"; say $? "one twice"

# As something takes longer: where one plan gives way to the next both cost the same; with
# dear copies, and beside a slow device, all ops are on the host.
try 0 sweep sym.json --dim N=65536 --scale sim:laptop-gpu=0.000001..1000000 --devices $sims --format csv; say $? "a device scaled"
awk -F, 'NR == 1 { next } NR > 2 && ($1 != end || $5 / cost > 1.000001 || $5 / cost < 0.999999) { exit 1 }
  { end = $2; cost = $6 } END { exit !(NR >= 3) }' .out; say $? "pieces meet"
host=$(sed -n 1p .out | tr , '\n' | grep -n sim:desktop-cpu | cut -d: -f1)
[ "$(tail -n 1 .out | cut -d, -f7)" = 0 ] && [ "$(tail -n 1 .out | cut -d, -f"$host")" = 4 ]; say $? "none is on a slow device"
try 0 sweep mlp.json --scale copies=0.5..1000000 --devices $sims --format csv && [ "$(tail -n 1 .out | cut -d, -f7)" = 0 ]; say $? "no dear copies"
try 0 sweep mlp.json --scale sim:laptop-gpu=0.5..2 --devices $sims && out_has 'SIMULATED COST' && err_has 'proved least'; say $? "as a table, marked as simulated"
try 0 optimize mlp.json --devices $sims --format json; cost=$(json cost_ns)
try 0 sweep mlp.json --scale copies=0.5..1 --devices $sims --format json; [ "$(sed -n 's/^ *"cost_to_ns": \([0-9]*\).*/\1/p' .out | tail -n 1)" = "$cost" ]
say $? "times 1: what the plan costs"
for bad in copies copies= copies=1 copies=1.. copies=2..1 copies=0..1 copies=1..nan copies=1..2x =1..2 copies=1..1e9; do
  try 2 sweep mlp.json --scale "$bad" --devices $sims && err_has "as in --scale copies"; say $? "no scale: $bad"
done
try 2 sweep mlp.json --scale gpu=1..2 --devices $sims && err_has "sim:laptop-gpu"; say $? "no such device: what there is"
try 2 sweep mlp.json --dim N=1,2 --scale copies=1..2 --devices $sims && err_has "'N' has several values: with --scale give it one"; say $? "no dimension beside a scale"
try 2 sweep mlp.json --scale copies=1..2 --devices $sims -o x.svg && err_has 'leave out -o'; say $? "no files"
try 2 sweep mlp.json --scale copies=1..2 --devices $sims --mem-limit sim:desktop-cpu=1G && err_has 'leave out --mem-limit'; say $? "no limits of memory"
try 2 sweep mlp.json --scale copies=1..2 --devices $sims --objective throughput && err_has 'leave out --objective'; say $? "no other objective"

# Bandwidth: at what it is, what the plan costs; with none to speak of, all is where it
# need not be copied; and what is divided by it is what changes.
try 0 sweep mlp.json --bandwidth 1..1000 --devices $sims --format json; [ "$(sed -n 's/^ *"cost_from_ns": \([0-9]*\).*/\1/p' .out | head -n 1)" = "$cost" ]
say $? "bandwidth times 1: what the plan costs"
try 0 sweep sym.json --dim N=65536 --bandwidth sim:laptop-gpu=0.000001..1000000 --devices $sims --format csv; say $? "bandwidth of a device"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  function off (x, y) { return x / y > 1.000001 || x / y < 0.999999 }
  NR > 2 && ($at["from"] != end || off($at["cost_from_ns"], cost) || $at["fixed_ns"] > fixed) { exit 1 }
  off($at["fixed_ns"] + $at["scaled_ns"] / $at["to"], $at["cost_to_ns"]) { exit 1 }
  { end = $at["to"]; cost = $at["cost_to_ns"]; fixed = $at["fixed_ns"] } END { exit !(NR >= 3) }' .out; say $? "pieces meet, the faster the less is left on the host"
try 0 sweep mlp.json --bandwidth 0.5..2 --devices $sims && out_has 'BANDWIDTH' && err_has 'latencies stay'; say $? "as a table"
for bad in 1 2..1 =1..2 0..1 1..; do
  try 2 sweep mlp.json --bandwidth "$bad" --devices $sims && err_has "as in --bandwidth 0.1..10"; say $? "no bandwidth: $bad"
done
try 2 sweep mlp.json --bandwidth gpu=1..2 --devices $sims && err_has "one of the devices planned for (sim:"; say $? "of no such device"
try 2 sweep mlp.json --bandwidth 1..2 --scale copies=1..2 --devices $sims && err_has "both change something"; say $? "one thing at a time"

# Prices and watts: at an end of a piece, what `optimize` takes there.
two="sim:desktop-cpu,sim:laptop-gpu" host=sim:desktop-cpu=2/h:use
try 0 sweep sym.json --dim N=65536 --price $host --price sim:laptop-gpu=0..9/h:use --devices $two --format csv && cp .out price.csv; say $? "prices"
[ "$(wc -l < price.csv)" -ge 3 ]; say $? "several plans"
last=$(tail -n 1 price.csv | cut -d, -f1)
try 0 optimize sym.json --dim N=65536 --price $host --price "sim:laptop-gpu=$(printf %.5f "$last")/h:use" --devices $two --objective price --format json
awk "BEGIN { x = $(json price) / $(tail -n 1 price.csv | cut -d, -f4); exit !(x > 0.9999 && x < 1.0001) }"; say $? "the price where one plan gives way to the next"
try 0 sweep sym.json --dim N=65536 --watts sim:laptop-gpu=1..5000:1 --devices $two --format csv; say $? "watts"
awk -F, 'NR == 1 { next } NR > 2 && ($1 != end || $4 / cost > 1.000001 || $4 / cost < 0.999999) { exit 1 }
  { end = $2; cost = $5 } END { exit !(NR >= 3 && end == 5000) }' .out; say $? "energies meet"
try 0 sweep sym.json --dim N=65536 --price $host --price sim:laptop-gpu=0..9/h:use --devices $two && out_has 'PER HOUR' && err_has 'an hour of use of sim:laptop-gpu'; say $? "as a table"
try 2 sweep mlp.json --price $host --price sim:laptop-gpu=2..1/h --devices $two && err_has 'such as --price opencl:0=0.1..5/h'; say $? "prices rise"
try 2 sweep mlp.json --price $host --price sim:laptop-gpu=1..x/h --devices $two && err_has 'two ends'; say $? "and are numbers"
try 2 sweep mlp.json --watts sim:laptop-gpu=9..1 --devices $two && err_has 'such as --watts'; say $? "watts rise"
try 2 sweep mlp.json --price $host --price sim:laptop-gpu=1..2/h --watts sim:laptop-gpu=1..9 --devices $two && err_has "both change something"; say $? "one of both"
try 2 sweep mlp.json --price $host --price sim:laptop-gpu=1..2/h --devices $two --objective energy && err_has "objective 'price' only"; say $? "prices for price"
try 2 sweep mlp.json --price sim:laptop-gpu=1..2/h --devices $two --price sim:desktop-cpu=1..2/h && err_has "both change something"; say $? "of one device"

# All of them measured.
try 0 calibrate sym.json --devices ref --dim N=1,2,4 --format json && [ "$(grep -c '"model":' .out)" -eq 3 ] \
  && [ "$(sed -n 's/^ *"N": //p' .out | tr '\n' ' ')" = "1 2 4 " ]
say $? "calibrated for each value"
try 0 sweep sym.json --devices ref --dim N=1,2,4 --stale=fail; say $? "so that nothing is missing in the sweep"
try 7 sweep sym.json --devices ref --dim N=1,8 --stale=fail; say $? "but for what was not measured"
finish
