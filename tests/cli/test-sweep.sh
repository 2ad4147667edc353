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

try 2 sweep sym.json --dim N=4 && err_has 'one --dim with several values'; say $? "one value is no sweep"
try 2 sweep sym.json --dim N=1,2 --dim M=1,2 && err_has "'N' and 'M' have several values"; say $? "two dimensions are too many"
try 2 sweep sym.json --dim N=1,2 --dim N=4 && err_has "'N' is given twice"; say $? "one twice"

# All of them measured.
try 0 calibrate sym.json --devices ref --dim N=1,2,4 --format json && [ "$(grep -c '"model":' .out)" -eq 3 ] \
  && [ "$(sed -n 's/^ *"N": //p' .out | tr '\n' ' ')" = "1 2 4 " ]
say $? "calibrated for each value"
try 0 sweep sym.json --devices ref --dim N=1,2,4 --stale=fail; say $? "so that nothing is missing in the sweep"
try 7 sweep sym.json --devices ref --dim N=1,8 --stale=fail; say $? "but for what was not measured"
finish
