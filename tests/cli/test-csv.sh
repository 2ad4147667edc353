#!/bin/sh
# --format csv of every command: a head, rows of one length, numbers by themselves.
. "$(dirname "$0")/common.sh"
"$TPLAN" optimize mlp.json --devices $sims -o plan.json > .out 2> .err
cp mlp.json 'a, "b".json'

# data NAME ARGUMENT...: rows of .out: all as long as the first, no quantity with
# its unit in one cell.
data ()
{
  name=$1; shift
  echo "$@" >> tried
  try 0 "$@" --format csv && awk '
    { n = 1; quoted = 0
      for (i = 1; i <= length ($0); i++) {
        c = substr ($0, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) n++
      }
      if (NR == 1) wanted = n
      if (n != wanted) { print "row " NR " has " n " cells, not " wanted; bad = 1 } }
    END { exit bad || NR < 2 }' .out >> .err \
    && ! grep -E '(^|,)~?[0-9.]+ (ns|us|ms|s|B|KiB|MiB|GiB|GB/s|GFLOP/s|%)(,|$)' .out >> .err
  say $? "$name"
}
data optimize optimize mlp.json --devices $sims
grep -qx 'name,value,unit' .out && grep -q '^cost_ns,[0-9]*,ns$' .out && grep -q '^weight_bytes.sim:desktop-cpu,[0-9]*,B$' .out
say $? "one thing is rows of name, value and unit"
data run run plan.json --repeat 3
grep -q '^p99_ns,[0-9]*,ns$' .out; say $? "its percentiles"
data profile run plan.json --repeat 1 --profile
data bench bench mlp.json plan.json --devices $sims
data check check plan.json
sed 's/"cost_ns": [0-9]*/"cost_ns": 1/; s/"threads": 0/"threads": 1/' plan.json > forged.json
sed '$d' forged.json | sed '$d' > head.txt
{ cat head.txt; printf ' "sha256": "%s"\n}\n' "$(sha256sum < head.txt | cut -d' ' -f1)"; } > forged.json
try 1 check forged.json --format csv && grep -q '^reasons.0,..*,$' .out; say $? "a row for each reason"
data machine machine show
data explain explain plan.json
head -n 1 .out | grep -q '^op,type,device,times_ns.sim:desktop-cpu,times_ns.sim:laptop-gpu,'; say $? "a column for each device"
[ "$(wc -l < .out)" -eq 5 ]; say $? "a row for each op"
data sweep sweep mlp.json --dim N=1,2..8 --devices $sims
[ "$(sed 's/,.*//' .out | tr '\n' ' ')" = "value 1 2 4 8 " ]; say $? "a row for each value"
data info info mlp.json
data calibrate calibrate mlp.json --devices ref
data try try 'a, "b".json' --devices $sims
data 'cost list' cost list
data 'cost show' cost show
data devices devices
data ops ops
cp "$TPLAN_COST" other.db
data 'cost diff' cost diff other.db "$TPLAN_COST" --all
if "$TPLAN" devices | grep -q '^cpu '; then
  TPLAN_CALIBRATE_WAIT=0 "$TPLAN" calibrate -q -d cpu --threads 1 --level tune mlp.json > .out 2> .err
  data 'cost tune' cost tune mlp.json -d cpu --threads 1
else
  try 0 cost tune mlp.json -d ref --format csv; say $? "cost tune"
  echo cost tune >> tried
fi
data pareto pareto mlp.json --devices sim:desktop-cpu,sim:laptop-gpu
data scale sweep mlp.json --scale copies=0.1..10 --devices $sims
printf 'fc1,sim:laptop-gpu\nrelu,sim:desktop-cpu\nfc2,sim:laptop-gpu\nsoft,sim:desktop-cpu\n' > elsewhere.csv
data placement check --placement elsewhere.csv mlp.json --devices $sims
data 'a made-up machine' machine show sim:laptop-gpu
cp mlp.json other.json
data several optimize mlp.json other.json --devices $sims -o both.json
data 'check of several' check both.json
data 'explain of several' explain both.json
"$TPLAN" optimize mlp.json other.json -q --devices ref --rate mlp=9/s -o real.json > .out 2> .err
data 'bench of several' bench real.json --time-limit 100ms
for verb in cost machine; do
  try 2 $verb export --format csv && err_has "$verb export writes JSON, .*: .tplan $verb show --format csv" && [ ! -s .out ]
  say $? "$verb export is for other commands"
  try 0 $verb export --format json; say $? "and says so where it is asked for that"
  echo "$verb export" >> tried
done
none_left tried; say $? "every command was tried"

# explain in another order, and less of it.
first () { sed -n '2s/,.*//p' .out; }
try 0 explain plan.json --format csv --sort name --top 1 && [ "$(first)" = fc1 ] && [ "$(wc -l < .out)" -eq 2 ]; say $? "explain --sort name --top 1"
try 0 explain plan.json --format csv --sort time && [ "$(sed 1d .out | cut -d, -f4 | sort -rn | tr '\n' ' ')" = "$(sed 1d .out | cut -d, -f4 | tr '\n' ' ')" ]
say $? "explain --sort time: longest first"
try 0 explain plan.json --sort gain --top 2 && [ "$(sed '/^$/,$d' .out | wc -l)" -eq 3 ]; say $? "explain --sort gain"
try 2 explain plan.json --sort size && err_has 'none of time, name, gain'; say $? "no such order"
try 2 explain plan.json --top -2; say $? "fewer than none"
finish
