#!/bin/sh
# Memory that the host works in, too: what passes between the two is handed over, the
# plan says so and is checked for it, and runs take what it foretells; where limits of
# memory bind tensors are copied.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/wide.sh"
# Products on the one, functions on the other: h1 and h2 go there, u1 and u2 back.
sed -e 's/"outputs": \["h2"\]},/&{"name": "t2", "type": "Tanh", "inputs": ["h2"], "outputs": ["u2"]},/' \
  -e 's/"outputs": \["h1"\]},/&{"name": "t1", "type": "Tanh", "inputs": ["h1"], "outputs": ["u1"]},/' \
  -e 's/\["h1", "w2"\]/["u1", "w2"]/' -e 's/\["h2", "w3"\]/["u2", "w3"]/' wide.json > net.json
{ cat fast.conf; echo pool=host; echo 'missing=Tanh'; } > apart.conf
{ cat apart.conf; echo map=3us; } > both.conf
echo pool=host >> slow.conf
apart=$slow,sim:$work/apart.conf both=$slow,sim:$work/both.conf
try 0 optimize net.json --devices "$apart" -o apart.json && ! grep -q '"mapped"' apart.json; say $? "with copies"
try 0 optimize net.json --devices "$both" -o both.json && grep -q '"mapped": \[false, true\]' both.json && out_has 'proved least'
say $? "in the same memory"
try 0 check both.json; say $? "its proof is good"
python3 "$top_srcdir/tests/check_plan.py" both.json > .out 2>&1; say $? "by the other checker, too"
number () { sed -n "s/^ \"$1\": \([0-9]*\).*/\1/p" "$2"; }
# Four tensors of 128 KiB: 14107 ns each, copied, or 3000; x and y are copied as before.
[ $(($(number cost_ns apart.json) - $(number cost_ns both.json))) = $((4 * (1000 + 13107 - 3000))) ]
say $? "cheaper by what four copies take above as many hand-overs"
sum () { sed -n 's/^ "peak_bytes": \[\([0-9]*\), \([0-9]*\)\].*/\1 \2/p' "$1" | { read -r a b; echo $((a + b)); }; }
[ "$(sum both.json)" -lt "$(sum apart.json)" ]; say $? "and takes less memory"
try 0 run both.json --format json --check && out_has "\"median_ns\": $(number cost_ns both.json),"
say $? "a run takes just that, and its results are right"
try 0 explain both.json; say $? "it is explained"
for lie in 's/"mapped": \[false, true\]/"mapped": [true, false]/' 's/ "mapped": \[false, true\],//' \
  's/"mapped": \[false, true\]/"mapped": [false, 1]/' 's/"mapped": \[false, true\]/"mapped": [true, true]/' \
  's/"mapped": \[false, true\]/"mapped": [false, false]/'; do
  sed "$lie" both.json > lie.json
  try 3 check lie.json; say $? "refused: $lie"
done
try 0 optimize net.json --devices "$both" --mem-limit "sim:$work/both.conf=64M" -o loose.json && grep -q '"mapped"' loose.json \
  && grep -q '"memory_limits"' loose.json && try 0 check loose.json
say $? "a limit that does not bind"
try 0 optimize net.json --devices "$both" --mem-limit "sim:$work/both.conf=2500K" -o tight.json && ! grep -q '"mapped"' tight.json \
  && out_has 'proved least that fits' && try 0 check tight.json && try 0 run tight.json --check
say $? "where one binds, tensors are copied"
for objective in throughput makespan energy; do
  try 0 optimize net.json --devices "$both" --objective "$objective" --watts "$slow=10:1" --watts "sim:$work/both.conf=30:3" -fo other.json \
    && grep -q '"mapped"' other.json && try 0 check other.json && try 0 run other.json --check
  say $? "handed over for $objective, too"
  python3 "$top_srcdir/tests/check_plan.py" other.json > .out 2>&1; say $? "  by the other checker, too"
done
try 0 optimize net.json --devices "$both" --objective makespan -fo span.json && try 0 run span.json --format json \
  && out_has '"error": 0.0,'
say $? "engines that work at once take what the schedule says"
try 0 optimize net.json --devices "$both" --objective makespan --mem-limit "sim:$work/both.conf=2500K" -fo span.json \
  && ! grep -q '"mapped"' span.json && try 0 check span.json && try 0 run span.json --check
say $? "with copies where a limit binds"
try 0 pareto net.json --devices "$both" --objectives time,energy --watts "$slow=10:1" --watts "sim:$work/both.conf=30:3"
say $? "all points between time and energy"
try 0 sweep net.json --devices "$both" --scale copies=0.01..100; say $? "all speeds of copies"
# The first of several.
sed 's/3us/1us/' both.conf > third.conf
try 0 optimize net.json --devices "$both,sim:$work/third.conf" -o three.json && grep -q '"mapped": \[false, true, false\]' three.json \
  && try 0 check three.json && try 0 run three.json --check
say $? "one of several devices"
try 0 optimize wide.json --devices "sim:$work/both.conf" -o alone.json && ! grep -q '"mapped"' alone.json; say $? "none without a host"
for bad in map=soon map=-1us map=; do
  { cat fast.conf; echo "$bad"; } > bad.conf
  try 3 optimize net.json --devices "$slow,sim:$work/bad.conf" && err_has 'map'; say $? "$bad"
done
echo "1..$n"
