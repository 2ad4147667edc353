#!/bin/sh
# What every command prints as JSON, and what it writes, is what docs/schema says; the program
# itself tells which commands there are.
. "$(dirname "$0")/common.sh"
python=
for it in python3 /usr/bin/python3; do
  [ -n "$python" ] || { "$it" -c 'import jsonschema; jsonschema.Draft202012Validator' 2> /dev/null && python=$it; }
done
[ -n "$python" ] || { echo "1..0 # SKIP no python3 with jsonschema"; exit 0; }
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json

# keep NAME ARGUMENT...: the output as NAME.json; whatever it says is looked at later.
keep ()
{
  name=$1; shift
  echo "$@" >> kept
  "$TPLAN" "$@" --format json > "out/$name.json" 2> .err \
    || { echo "# $name: exit status $?"; sed 's/^/# /' .err; }
}
mkdir out
keep optimize optimize mlp.json --devices $sims -o out/plan.json --margins
keep optimize-limited optimize mlp.json --devices $sims --mem-limit sim:desktop-cpu=5K --mem-reserve sim:desktop-cpu=1K -o out/limited.json
keep optimize-ref optimize mlp.json --devices ref --pin '*=ref' --no-fuse epilogue --no-pass layout -o out/ref.json
keep optimize-verified optimize mlp.json --devices $sims --verify
keep optimize-tiers optimize sym.json --dim N=1,2 --devices $sims -o out/tiers.json
keep check-tiers check out/tiers.json
keep check check out/plan.json
keep optimize-mix optimize mlp.json sym.json --devices $sims --rate mlp=100/s --mem-limit sim:desktop-cpu=1G --mem-reserve sim:desktop-cpu=1M -o out/mix-file.json
keep check-mix check out/mix-file.json
keep explain-mix explain out/mix-file.json
"$TPLAN" optimize mlp.json sym.json -q --devices ref --rate mlp=100/s -o out/mix-ref.json > /dev/null
keep bench-mix bench out/mix-ref.json --time-limit 100ms
keep run-mix run out/mix-ref.json --repeat 2 --check
"$TPLAN" optimize mlp.json -q --devices $sims --objective throughput -o out/load.json > /dev/null
keep check-load check out/load.json
"$TPLAN" optimize mlp.json -q --devices sim:desktop-cpu,sim:laptop-gpu --objective energy --price sim:desktop-cpu=0.2/h -o out/energy.json > /dev/null
keep optimize-energy optimize mlp.json --devices sim:desktop-cpu,sim:laptop-gpu --objective energy
keep check-energy check out/energy.json
keep optimize-span optimize mlp.json --devices $sims --objective makespan -o out/span.json
keep check-span check out/span.json
# Plans for other ends than time say more, of whatever is done with them.
for end in load energy span; do
  keep run-$end run out/$end.json --repeat 3 --profile
  keep explain-$end explain out/$end.json
  keep bench-$end bench out/$end.json --rounds 2
done
keep sweep-energy sweep sym.json --dim N=1,2 --devices sim:desktop-cpu,sim:laptop-gpu --objective energy
keep sweep-span sweep sym.json --dim N=1,2 --devices $sims --objective makespan
keep optimize-tiers-span optimize sym.json --dim N=1,2 --devices $sims --objective makespan -o out/tiers-span.json
keep check-placement check --placement out/ref.json mlp.json --devices ref,sim:laptop-gpu
keep explain explain out/plan.json
keep run run out/plan.json --repeat 3 --profile --check
keep run-ref run out/ref.json --repeat 3 --check --check-ops
keep bench bench mlp.json out/plan.json --devices $sims
keep bench-flight bench mlp.json --devices ref --in-flight 2 --rounds 1
keep try try sym.json --devices $sims
keep sweep sweep sym.json --dim N=1,2..8 --devices $sims -o out/sweep-file.json
keep sweep-scale sweep mlp.json --scale copies=0.01..100 --devices $sims
keep pareto pareto mlp.json --devices sim:desktop-cpu,sim:laptop-gpu -o out/pareto-file.json --plans out/points
keep pareto-even pareto mlp.json --devices $sims --objectives time,price --price sim:desktop-cpu=2/h --price sim:laptop-gpu=0.1/h:use
keep pareto-joint pareto mlp.json --devices $sims,sim:desktop-gpu --price sim:desktop-cpu=2/h --price sim:laptop-gpu=0.1/h:use --price sim:desktop-gpu=1/h
keep pareto-price pareto mlp.json --devices ref --objectives time,price --price ref=1/h
keep info info sym.json
keep ops ops
keep devices devices
keep calibrate calibrate mlp.json sym.json --devices ref
keep calibrate-again calibrate mlp.json --devices ref
keep calibrate-dims calibrate sym.json --devices ref --dim N=1,2
keep cost-list cost list
keep cost-show cost show
cp "$TPLAN_COST" other.db
keep cost-diff cost diff other.db "$TPLAN_COST" mlp.json --all --devices ref
if "$TPLAN" devices | grep -q '^cpu '; then
  TPLAN_CALIBRATE_WAIT=0 "$TPLAN" calibrate -q -d cpu --threads 1 --level tune mlp.json
fi
keep cost-tune cost tune mlp.json -d cpu,ref --threads 1
keep machine machine show
keep machine-sim machine show sim:laptop-gpu
keep cost cost export
keep machine-file machine export
"$TPLAN" optimize mlp.json -q --machine out/machine-file.json -o out/elsewhere.json > /dev/null
none_left kept
NEVER_TRIED=$(cat .out); export NEVER_TRIED
exec "$python" "$top_srcdir/tests/cli/check_schemas.py" "$top_srcdir/docs/schema" out/*.json out/points/*.json
