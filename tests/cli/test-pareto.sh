#!/bin/sh
# pareto: all points between time, energy and price, in tables, files and plans.
. "$(dirname "$0")/common.sh"
cp "$top_srcdir/tests/plans/residual.json" . || exit 99
cpu=sim:desktop-cpu gpu=sim:desktop-gpu
pair="--devices $cpu,$gpu --watts $gpu=220:15:10"
prices="--price $cpu=0.1/h --price $gpu=0.5/h:use"

try 0 pareto residual.json $pair --plans . && out_has '^POINT .*SIMULATED TIME' && out_has '^ *2 ' && err_has 'each proved least'
say $? "points are listed"
try 0 check point-1.json && try 0 check point-2.json; say $? "  each is proved"
try 0 explain point-2.json && err_has 'Energy: '; say $? "  each is explained"
try 0 optimize residual.json $pair --objective energy --format json && least=$(json energy_j)
try 0 pareto residual.json $pair --format json && [ "$(sed -n 's/ *"energy_j": \([^,]*\),/\1/p' .out | tail -n 1)" = "$least" ]
say $? "the last takes the least energy"
try 0 optimize residual.json $pair --format json && least=$(json cost_ns)
try 0 pareto residual.json $pair --format json && [ "$(json cost_ns)" = "$least" ] && [ "$(json worth_to)" = null ]
say $? "the first takes the least time"
try 0 pareto residual.json $pair -o p.svg -o p.csv -o p.json && grep -q '</svg>' p.svg && grep -q '^point,' p.csv && grep -q tplan-pareto/1 p.json
say $? "files"
try 2 pareto residual.json $pair -o p.svg && err_has 'p.svg'; say $? "  are not overwritten"
try 2 pareto residual.json $pair --plans .; say $? "nor are plans"
try 2 pareto residual.json $pair -o p.png && err_has 'suffix'; say $? "no other kind"
for two in time,price energy,price; do
  try 0 pareto residual.json $pair $prices --objectives $two --format csv; say $? "$two"
done
try 0 pareto residual.json $pair $prices --objectives time,price --format json && [ "$(json pays)" = below ]
say $? "a device pays up to a price"
most=$(sed -n '/"break_even"/,/}/s/ *"price": \(.*\),/\1/p' .out)
try 0 optimize residual.json $pair --price $cpu=0.1/h --price $gpu=$most/h:use --objective price && ! out_has ' 0 ops on sim:desktop-gpu'
say $? "  then it is used"
more=$(echo $most | awk '{ printf "%.5f", $1 + 0.00001 }')
try 0 optimize residual.json $pair --price $cpu=0.1/h --price $gpu=$more/h:use --objective price && out_has ' 0 ops on sim:desktop-gpu'
say $? "  and for more it is not"
# All three, which is meant where all is stated; each point has its proof, and worths for which it is the least.
rent="--devices $cpu,$gpu,sim:laptop-gpu --price $cpu=0.05/h --price $gpu=0.3/h:use --price sim:laptop-gpu=0.1/h:use"
try 0 pareto residual.json $rent --plans joint -o joint.json -o joint.svg -o joint.csv && out_has 'PER HOUR *PER KWH' && err_has 'laptop-gpu .*pays' && err_has 'desktop-gpu .*pays'
say $? "all three"
points=$(ls joint | wc -l)
for each in joint/*.json; do try 0 check "$each" || break; done; [ "$points" -gt 2 ] && [ "$each" = "$(ls -d joint/*.json | tail -n 1)" ]; say $? "  each is proved"
try 0 pareto residual.json $rent --objectives time,energy,price --format json && cmp -s .out joint.json; say $? "  by their names"
grep -q '"per_kwh"' joint.json && grep -q '"faces"' joint.json && [ "$(grep -c '<circle r="6"' joint.svg)" = "$points" ] && grep -q 'price of 1e6 runs' joint.svg
say $? "  in files"
[ "$(wc -l < joint.csv)" = $((points + 1)) ] && head -n 1 joint.csv | grep -q 'per_hour.from,per_hour.to,per_kwh.from,per_kwh.to'; say $? "  in rows"
try 0 pareto residual.json $rent --mem-limit sim:laptop-gpu=1M --mem-limit $gpu=1M; say $? "  within limits"
try 0 pareto residual.json --devices $cpu,$gpu $prices --format json && out_has '"time,energy,price",' \
  && try 0 pareto residual.json $pair --format json && out_has '"time,energy",'; say $? "  what is stated is meant"
try 2 pareto residual.json $pair --objectives time,energy,price && err_has -- "--price $cpu="; say $? "  or is asked for"
try 2 pareto residual.json $pair --objectives price,time && err_has 'none of time,energy'; say $? "no such objectives"
try 2 pareto residual.json $pair --objectives time,price && err_has -- "--price $cpu="; say $? "prices that lack"
try 2 pareto residual.json $pair --objective energy && err_has 'did you mean --objectives'; say $? "no objective"
try 0 pareto residual.json $pair --mem-limit $gpu=1M -f --plans . && err_has 'each proved least'; say $? "limits that do not bind"
try 0 check point-1.json && grep -q '"memory_limits"' point-1.json; say $? "  are kept to"
try 0 pareto residual.json --devices $cpu,$gpu,sim:laptop-gpu && err_has 'plans were made, each proved least'; say $? "three devices"
try 0 pareto residual.json --devices $cpu && [ "$(grep -c sim:desktop .out)" = 1 ]; say $? "one device is one point"
finish
