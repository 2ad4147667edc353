#!/bin/sh
# `tplan calibrate` and `tplan cost`, on the references: what they print, how
# they end.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
TPLAN_SYSTEM_COST=$work/none.db
XDG_CONFIG_HOME=$work
XDG_CACHE_HOME=$work
export TPLAN_COST TPLAN_SYSTEM_COST XDG_CONFIG_HOME XDG_CACHE_HOME
cat > "$work/small.json" <<'END'
{ "format": "tplan-graph/1", "name": "small", "opset": 17, "dims": {"N": 2},
  "inputs": [{"name": "x", "dtype": "float32", "shape": ["N", 16]}],
  "outputs": ["y"],
  "ops": [
    {"name": "a", "type": "Relu", "inputs": ["x"], "outputs": ["h"]},
    {"name": "b", "type": "Tanh", "inputs": ["h"], "outputs": ["y"]} ] }
END

n=0
run () # STATUS NAME COMMAND...: output in $work/out and $work/err
{
  wanted=$1; name=$2; shift 2
  "$@" > "$work/out" 2> "$work/err"
  status=$?
  n=$((n + 1))
  if [ $status -eq "$wanted" ]; then echo "ok $n - $name"; else
    sed 's/^/# /' "$work/out" "$work/err"
    echo "not ok $n - $name: status $status, not $wanted"
  fi
}
says () # PATTERN FILE: of the run before
{
  n=$((n + 1))
  if grep -q "$1" "$work/$2"; then echo "ok $n - ... says '$1'"; else
    sed 's/^/# /' "$work/$2"
    echo "not ok $n - ... does not say '$1'"
  fi
}

await () # FILE: until it is there, two minutes at most
{
  for _ in $(seq 1200); do [ -e "$1" ] && return; sleep 0.1; done
}

run 0 "an empty table" "$TPLAN" cost list
run 0 "constants of ref" "$TPLAN" calibrate --devices ref --format json
says '"format": "tplan-calibrate/1"' out
says '"complete": true' out
says '"quality": {' out
says '"grade": ""' out
says '"name": "ref"' out
run 0 "a model" "$TPLAN" calibrate -q --devices ref "$work/small.json"
run 0 "the entries" "$TPLAN" cost show ref
says 'Relu 2x16' out
says 'reference' out
run 0 "another batch" "$TPLAN" calibrate -v --devices ref --dim N=3 --format json "$work/small.json"
says '^run as a whole on ref: \(kept\|not kept: [0-9]* of [0-9]* runs were disturbed\)$' err
says '"measured": 2' out
says '"grade": "[ABCD]"' out
says '"failed": 0' out
says '"others_processors": ' out
says '"cpu_pressure": \(0\|1\|null\)' out
says '"memory_pressure": \(0\|1\|null\)' out
if "$TPLAN" devices --format csv | grep -q '^cpu,ready'; then
  run 0 "the host was never measured" "$TPLAN" optimize --devices cpu,ref --format json -o "$work/guessed.json" "$work/small.json"
  says '"ref": 2' out
  says '"untrusted_ops": {$' out
  says '"cpu": 2' out
  says "note: device 'cpu' was never measured: its times are estimates, and it may have none of 2 of 2 ops: .*calibrate.*--trust-estimates" err
  run 0 "one note says all of it" test "$(grep -c 'estimate' "$work/err")" = 1
  run 0 "which tplan check agrees with" "$TPLAN" check --cost "$TPLAN_COST" "$work/guessed.json"
  run 7 "nor is it with --stale=fail" "$TPLAN" optimize --devices cpu,ref --stale fail "$work/small.json"
  run 0 "its guesses are trusted" "$TPLAN" optimize --devices cpu,ref --trust-estimates --format json "$work/small.json"
  says '"untrusted_ops": {}' out
  says '"estimated_ops": 2' out
fi
run 0 "how good it is" "$TPLAN" calibrate --devices ref "$work/small.json"
says '^load: .*disturbed$' out
if cat /proc/pressure/cpu > "$work/pressure" 2>&1; then
  says '^load: .*; somebody waited for a processor [0-9]* % of the time.*; [0-9]* % of [0-9]* samples' out
fi
says '^kernels: [012] settled, [012] not settled, 0 failed$' out
says '^grade [ABCD]: times within +-[0-9.]* %\( of each other, on a machine under strain\)\{0,1\}: ' out
run 0 "how good it is, as CSV" "$TPLAN" calibrate --devices ref --format csv "$work/small.json"
says ',unsettled,grade$' out
says '^ref,.*,[012],[012],[ABCD]$' out
run 0 "entries as JSON" "$TPLAN" cost show --format json
says 'Tanh 3x16' out
run 0 "the list" "$TPLAN" cost list --format csv
says '^name,entries,wholes,peak_gflops,' out
says '^ref,4,[0-9]*,[0-9.e+]*,' out
run 0 "export" "$TPLAN" cost export -o "$work/cost.json"
run 2 "export does not overwrite" "$TPLAN" cost export -o "$work/cost.json"
run 0 "import" "$TPLAN" cost import --cost "$work/other.db" "$work/cost.json"
says '4 entries taken' err
run 0 "no difference" "$TPLAN" cost diff "$TPLAN_COST" "$work/other.db"
says '0 of 4 figures moved' err
sed 's/"median_ns": /&9/' "$work/cost.json" > "$work/slow.json"
run 0 "slower figures" "$TPLAN" cost import --cost "$work/slow.db" "$work/slow.json"
run 0 "a difference" "$TPLAN" cost diff --format json "$TPLAN_COST" "$work/slow.db"
says '"moved": 4' out
says '"what": "Relu 2x16"' out
says '"change": [0-9]' out
run 0 "a difference as a table" "$TPLAN" cost diff "$TPLAN_COST" "$work/slow.db"
says 'Relu 2x16.*+[0-9.]* %' out
# A device that the slow figures make worth its link, and that the own ones do not.
sed 's/"median_ns": /&999999/' "$work/cost.json" > "$work/slowest.json"
run 0 "the slowest figures" "$TPLAN" cost import --cost "$work/slowest.db" "$work/slowest.json"
far=ref,sim:gflops=1,gbps=1,link=1GB/s+1ms
run 0 "plans that stay" "$TPLAN" cost diff --devices $far --format json "$TPLAN_COST" "$work/other.db" "$work/small.json"
says '"changes": false' out
says '"moved_ops": 0' out
run 0 "plans that change" "$TPLAN" cost diff --devices $far --format json "$TPLAN_COST" "$work/slowest.db" "$work/small.json"
says '"changes": true' out
says '"moved_ops": 2' out
run 0 "a plan to change" "$TPLAN" optimize --devices $far "$work/small.json" -o "$work/small.plan.json"
run 0 "a plan that changes" "$TPLAN" cost diff "$TPLAN_COST" "$work/slowest.db" "$work/small.plan.json"
says 'small.plan.json .* 2  .*changes' out
run 2 "a plan for other devices" "$TPLAN" cost diff --devices ref "$TPLAN_COST" "$work/slowest.db" "$work/small.plan.json"
says 'is a plan, which says itself' err
run 3 "a model that is not there" "$TPLAN" cost diff "$TPLAN_COST" "$work/other.db" "$work/absent.json"
run 2 "devices of no model" "$TPLAN" cost list --devices ref
run 2 "a difference to nothing" "$TPLAN" cost diff "$TPLAN_COST"
run 3 "a difference to no file" "$TPLAN" cost diff "$TPLAN_COST" "$work/absent.db"
says 'absent.db' err
: > "$work/none.db"
run 0 "a difference to a table of nothing" "$TPLAN" cost diff "$TPLAN_COST" "$work/none.db"
says 'only in the first: 4, only in the second: 0' err
run 0 "and from it" "$TPLAN" cost diff "$work/none.db" "$TPLAN_COST"
says 'only in the first: 0, only in the second: 4' err
run 3 "a difference to a folder" "$TPLAN" cost diff "$TPLAN_COST" "$work"
says ': is a folder: name a file in it$' err
run 0 "to forget what is not there" "$TPLAN" cost forget --cost "$work/none.db" rfe
says "no figures of 'rfe'" err
printf '{"format": "tplan-cost/3", "devices": [{}]}' > "$work/bad.json"
run 3 "import of a bad file" "$TPLAN" cost import "$work/bad.json"
says "bad.json: devices\\[0\\]: 'name'" err
run 3 "import of no file" "$TPLAN" cost import "$work/absent.json"
run 0 "other threads are other figures" env TPLAN_THREADS=7 "$TPLAN" cost list
says 'stale: threads was' out
run 2 "forget nothing" "$TPLAN" cost forget
run 0 "forget the stale" env TPLAN_THREADS=7 "$TPLAN" cost forget --stale
says '1 device forgotten' err
run 0 "nothing left" "$TPLAN" cost show
run 2 "no such verb" "$TPLAN" cost shows
run 2 "no verb" "$TPLAN" cost
run 2 "a bad time" "$TPLAN" calibrate --devices ref --time-limit soon
run 6 "no such device" "$TPLAN" calibrate --devices opencl:99
if "$TPLAN" devices 2> /dev/null | grep -q '^cpu  *ready'; then
  run 4 "no time for the device itself" "$TPLAN" calibrate --cost "$work/hasty.db" --devices cpu --time-limit 1ms --format json
  says '"complete": false' out
  says "device 'cpu': no time was left to measure it" err
fi
run 0 "simulated ones are never measured" "$TPLAN" calibrate --cost "$work/hasty.db" --devices sim:laptop-cpu --time-limit 1ms --format json
says '"complete": true' out
run 3 "no such model" "$TPLAN" calibrate --devices ref "$work/absent.json"
printf 'not a table, and long enough to be looked at as one' > "$work/text.db"
run 3 "no cost table" "$TPLAN" cost list --cost "$work/text.db"
says 'text.db' err
model=$top_builddir/examples/squeezenet1_1.json
if [ -f "$model" ]; then
  # What runs behind a shell is deaf to Ctrl-C: the one who presses it does so there.
  (await "$TPLAN_COST-turn"; read -r pid < "$work/pid"; kill -s INT "$pid") &
  run 130 "Ctrl-C" sh -c 'echo $$ > "$0"; exec "$@"' "$work/pid" "$TPLAN" calibrate --devices ref "$model"
  wait
  says 'kept' err
  run 4 "time limit" "$TPLAN" calibrate --cost "$work/fresh.db" --devices ref --time-limit 200ms "$model"
  run 0 "the table is whole" "$TPLAN" cost list
  "$TPLAN" calibrate -q --cost "$work/turn.db" --devices ref "$model" > /dev/null 2>&1 &
  other=$!
  await "$work/turn.db-turn"
  run 4 "another has its turn" "$TPLAN" calibrate --cost "$work/turn.db" --devices ref --time-limit 200ms "$model"
  says 'waiting for another calibration' err
  run 0 "who only reads does not wait" "$TPLAN" cost list --cost "$work/turn.db"
  kill $other; wait $other
fi
echo "1..$n"
