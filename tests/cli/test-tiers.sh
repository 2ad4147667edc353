#!/bin/sh
# Plans for several values of a dimension in one file: made, checked, picked, run.
. "$(dirname "$0")/common.sh"
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json

try 0 optimize sym.json --dim N=8,1,2,4 --devices $sims -o tiers.json && err_has '^wrote tiers.json$' && err_has '^--dim N=... says which of its plans is meant$'; say $? "made"
[ "$(sed -n 's/^ *\([0-9]*\) .*/\1/p' .out | tr '\n' ' ')" = "1 2 4 8 " ]; say $? "a row for each"
try 0 optimize sym.json --dim N=1..8 --devices $sims --format json && out_has '"tplan-optimize-tiers/1"' && [ "$(grep -c '"value":' .out)" -eq 4 ]
say $? "as JSON"
for v in 1 2 4 8; do try 0 optimize sym.json --dim N=$v --devices $sims -o one-$v.json -q || break; done; say $? "one by one"

# Each is the plan that is made alone.
try 0 check tiers.json && [ "$(grep -c '^tiers.json: N=[1248]: valid: ' .out)" -eq 4 ]; say $? "all are checked"
try 0 check tiers.json --format json && [ "$(json valid)" = true ] && [ "$(grep -c '"value":' .out)" -eq 4 ]; say $? "as JSON"
same=0
for v in 1 2 4 8; do
  "$TPLAN" explain tiers.json -q --dim N=$v --format csv > a.csv 2>> .err && "$TPLAN" explain one-$v.json -q --format csv > b.csv && cmp -s a.csv b.csv \
    && grep -qF "$(sed -n 's/.*"sha256": //p' one-$v.json)" tiers.json || same=1
done
say $same "each is the plan of its own value"
try 0 check tiers.json --dim N=2 && out_has '^tiers.json: valid'; say $? "one is checked"

# Which is taken.
try 0 run tiers.json --dim N=4 --repeat 1 && err_has "of its plans, that for N=4"; say $? "the very one"
try 0 run tiers.json --dim N=3 --repeat 1 && err_has "none of its plans is for N=3: taken is that for N=4"; say $? "or the next above"
try 0 explain tiers.json --dim N=5 && err_has "taken is that for N=8"; say $? "explain says which"
try 0 view tiers.json --dim N=2 -o tier.svg; say $? "one is drawn"
try 0 bench tiers.json --dim N=1 --devices $sims || try 0 bench tiers.json --dim N=1; say $? "one is timed"
try 0 report tiers.json --dim N=8 -o tier.html; say $? "one is reported"
try 2 run tiers.json && err_has "it has plans for N = 1, 2, 4, 8: say which with --dim N=1"; say $? "none without a value"
try 2 run tiers.json --dim N=9 && err_has "none for 9 or more"; say $? "none above all"
try 2 run tiers.json --dim M=1 --dim N=1; say $? "no other dimension"
try 2 run tiers.json --dim N=1,2; say $? "not two at once"

# What cannot be.
try 2 optimize sym.json --dim N=1,2 --devices $sims -o t.svg && err_has 'go into a .json file'; say $? "no picture of many"
try 2 optimize sym.json --dim N=1,2 --devices $sims --verify && err_has 'for one plan'; say $? "verified one by one"
try 2 optimize sym.json --dim N=1,2 --devices $sims -o tiers.json && err_has exists; say $? "nothing is overwritten"
try 3 run tiers.json --dim N=1 --graph mlp.jsn; say $? "no such graph"

# Hostile files.
bad () { name=$1 message=$2; shift 2; sed "$@" tiers.json > bad.json; try 3 check bad.json && err_has "bad.json: .*$message"; say $? "$name"; }
bad "another format" "this tplan reads tplan-tiers/1" 's,tplan-tiers/1,tplan-tiers/2,'
bad "no parameter" "not a string" 's/"parameter": "N"/"parameter": 3/'
bad "another parameter" "plans\[0\].dims: the parameter has no value" 's/"parameter": "N"/"parameter": "M"/'
bad "an unknown key" "unknown key (did you mean 'plans'?)" 's/^ "parameter"/ "plan": 1, "parameter"/'
bad "values that fall" "plans\[1\].dims" 's/"dims": {"N": 1}/"dims": {"N": 9}/'
bad "a plan that was changed" "was changed" '0,/"cost_ns": [0-9]*/s//"cost_ns": 1/'
sed '$d' tiers.json > bad.json; try 3 check bad.json && err_has "bad.json:[0-9]*:[0-9]*: "; say $? "without its end"
head -c 300 tiers.json > bad.json; try 3 run bad.json --dim N=1; say $? "cut short"
printf '{ "format": "tplan-tiers/1", "parameter": "N", "plans": [] }' > bad.json; try 3 check bad.json && err_has 'not a list of 1 to 1024'; say $? "no plans"
printf '{ "format": "tplan-tiers/1", "parameter": "N", "plans": [3] }' > bad.json; try 3 check bad.json; say $? "no objects"
finish
