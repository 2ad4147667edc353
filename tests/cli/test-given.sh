#!/bin/sh
# Groups of which the graph says what they cost as one kernel.
. "$(dirname "$0")/common.sh"
cat > given.json <<'JSON'
{ "format": "tplan-graph/1", "name": "given", "dims": {"N": 4},
  "inputs": [{"name": "x", "shape": ["N", 16]}],
  "outputs": ["y"],
  "initializers": [{"name": "w", "shape": [16, 16], "random": {"seed": 1, "std": 0.2}}],
  "groups": [{"cost": {"ref": [9000, 100], "sim:desktop-gpu": 7000}, "ops": ["mul", "mm", "soft"]},
             {"cost": {"sim:laptop-gpu": 1}, "ops": ["relu", "tanh"]}],
  "ops": [
    {"name": "mm", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["a"], "cost": {"ref": 8000, "sim:desktop-gpu": 6000}},
    {"name": "soft", "type": "Softmax", "inputs": ["a"], "outputs": ["b"], "cost": {"ref": 8000, "sim:desktop-gpu": 6000}},
    {"name": "mul", "type": "Mul", "inputs": ["a", "b"], "outputs": ["c"], "cost": {"ref": 8000, "sim:desktop-gpu": 6000}},
    {"name": "relu", "type": "Relu", "inputs": ["c"], "outputs": ["r"], "cost": {"ref": 500}},
    {"name": "tanh", "type": "Tanh", "inputs": ["r"], "outputs": ["y"], "cost": {"ref": 500}} ] }
JSON
# as MODEL: without what it says of groups
sed -e '/"groups"/d' -e '/laptop-gpu": 1/d' given.json > apart.json

try 0 optimize given.json -d ref --format json -o plan.json && [ "$(json cost_ns)" = 10000 ] && [ "$(json groups)" = 1 ]; say $? "as one kernel"
try 0 optimize apart.json -d ref --format json -f -o apart.out.json && [ "$(json cost_ns)" = 25000 ]; say $? "and apart"
grep -q '"ops": \["mm", "soft", "mul"\], "given": {"ref": \[9000, 100\]}' plan.json && ! grep -q laptop-gpu plan.json; say $? "a plan names those of its devices"
try 0 check plan.json && out_has 'no plan is cheaper'; say $? "it is proved"
try 0 optimize given.json -d ref && out_has 'fused groups *1, 1 of which the model claims'; say $? "whose word it is"
try 0 explain plan.json && err_has 'Of 1 group only the model says'; say $? "explained"
try 0 explain plan.json mul && out_has '^group *that of mm$'; say $? "op by op"
try 0 run plan.json --check --check-ops -n 2 && out_has 'check *good' && out_has 'each op *good'; say $? "run one by one"
try 0 run plan.json --profile -n 2 && out_has '^mm .* 9\.00 us ' && out_has '^soft .*  0 ns ' && out_has '^mul .*  0 ns '; say $? "and told so"
try 0 view plan.json && out_has mul; say $? "drawn"

# The ops are run one by one, and that is what memory they take.
peaks () { grep -o '"peak_bytes": [][0-9, ]*' "$1"; }
try 0 optimize apart.json -d ref -f -o apart.out.json && [ "$(peaks plan.json)" = "$(peaks apart.out.json)" ]; say $? "memory as of ops"
peak=$(peaks plan.json | tr -cd 0-9) weights=$(grep -o '"weight_bytes": [][0-9, ]*' plan.json | tr -cd 0-9)
try 0 optimize given.json -d ref --mem-limit "ref=$((peak + weights))" -f -o limit.json && try 0 check limit.json; say $? "that fits"
try 5 optimize given.json -d ref --mem-limit "ref=$((peak + weights - 1))" -f -o limit.json; say $? "a byte less does not"

# The figures are of whatever --dim says.
for objective in time throughput makespan; do
  try 0 optimize given.json -d sim:desktop-cpu,sim:desktop-gpu,sim:laptop-gpu --objective $objective --dim N=8 -f -o "$objective.json" && try 0 check "$objective.json"
  say $? "$objective"
done
try 0 optimize given.json -d ref,sim:desktop-gpu --mem-limit sim:desktop-gpu=1M -f -o limit.json && try 0 check limit.json; say $? "within limits"
try 0 sweep given.json -d sim:desktop-cpu,sim:desktop-gpu --dim N=1..8; say $? "for several values of a dimension"
try 0 pareto given.json -d sim:desktop-cpu,sim:desktop-gpu --watts sim:desktop-cpu=90 --watts sim:desktop-gpu=200; say $? "all that may be worth it"
try 2 optimize given.json -d ref --micro-batches 2 && err_has "is of a group with a given cost, of the whole batch\|has a given cost, of the whole batch"; say $? "a batch that is not split"

# What is only a body of other ops is one op where the file gives its cost.
cat > norm.json <<'JSON'
{ "format": "tplan-graph/1", "name": "norm", "outputs": ["y"], "inputs": [{"name": "x", "shape": [2, 3, 4]}],
  "initializers": [{"name": "c", "shape": [3], "data": [1, 2, 0.5]}],
  "ops": [{"name": "bn", "type": "BatchNormalization", "inputs": ["x", "c", "c", "c", "c"], "outputs": ["n", "m"],
           "shapes": [[2, 3, 4], [3]], "dtypes": ["float32", "float32"], "attrs": {"training_mode": 1}, "cost": {"ref": 700}},
          {"type": "Relu", "inputs": ["n"], "outputs": ["y"], "cost": {"ref": 30}}] }
JSON
try 0 optimize norm.json -d ref --format json -o norm.plan.json && [ "$(json cost_ns)" = 730 ] && try 0 check norm.plan.json
say $? "statistics of a batch at a given cost"
try 3 run norm.plan.json && err_has "BatchNormalization"; say $? "which is not run"
sed 's/, "cost": {"ref": 700}//; s/ "shapes".*"float32".,//' norm.json > run.json
try 0 run run.json -d ref -n 1 --check; say $? "nor taken apart"

# Names of devices. mistyped PLACE NAME MEANT SED: what the file has then.
mistyped ()
{
  sed -e "$4" given.json > typed.json
  ! cmp -s given.json typed.json && try 3 optimize typed.json -d ref && err_has "^tplan: typed.json: $1: device '$2': no such kind (did you mean '$3'?): there are "
  say $? "no device is called $2"
}
mistyped 'ops.0..cost' openclo:1 opencl:1 '/"mm", "type"/s/"sim:desktop-gpu"/"openclo:1"/'
mistyped 'groups.0..cost' cpu:0 cpu 's/"cost": {"ref": .9000, 100./"cost": {"cpu:0": 1, "ref": [9000, 100]/'
mistyped 'groups.1..cost' opencl:O opencl:0 's/"sim:laptop-gpu"/"opencl:O"/'
mistyped 'copies.a' rref ref 's/"groups": /"copies": {"a": {"rref": 5}}, "groups": /'
sed -e 's/"ref"/"cpu"/g' given.json > other.json
try 5 optimize other.json -d ref --mem-limit ref=1 && ! err_has 'have no say'; say $? "of no use is no word where there is no plan"
sed -e 's/"sim:desktop-gpu"/"opencl:3"/' -e 's/"sim:laptop-gpu"/"sim:npu.conf"/' given.json > typed.json
try 0 optimize typed.json -d ref; say $? "others there could be"
err_has "note: typed.json: groups.1..cost has no cost of a device that is planned for, but of 'sim:npu.conf'"; say $? "but have no say"
try 0 optimize given.json -d ref,sim:laptop-gpu && ! err_has "no say"; say $? "all are of use"
try 0 optimize apart.json -d sim:laptop-cpu && err_has "note: apart.json: ops.0..cost and 4 more have no cost of a device that is planned for, but of 'ref'"; say $? "none is"

# There and back again.
try 0 convert given.json -o again.json -f && try 0 optimize again.json -d ref -f -o again.out.json \
  && [ "$(grep graph_sha256 again.out.json)" = "$(grep graph_sha256 plan.json)" ] && [ "$(grep -c '"ops": \["' again.json)" = 2 ]
say $? "written as it was read"
[ "$(grep graph_sha256 apart.out.json)" != "$(grep graph_sha256 plan.json)" ]; say $? "another graph than without"
try 0 convert given.json -o given.onnx -f && err_has "has no place for the .groups. of 5 ops"; say $? "ONNX has no word for them"

# Lies, each signed again. lie NAME PYTHON SED...: what is wrong, and whether the plan alone tells.
for python in python3 none; do command -v $python > /dev/null && break; done
lie ()
{
  name=$1; told=$2; shift 2
  sed "$@" plan.json | head -n -2 > body
  { cat body; tail -n 2 plan.json | sed "s/\"[0-9a-f]*\"\$/\"$(sha256sum body | cut -d ' ' -f 1)\"/"; } > lie.json
  ! cmp -s plan.json lie.json && ! try 0 check lie.json && { [ $python = none ] || ! $told || ! $python "$top_srcdir/tests/check_plan.py" lie.json > .out 2>&1; }
  say $? "$name"
}
[ $python = none ] || $python "$top_srcdir/tests/check_plan.py" plan.json > .out 2>&1; say $? "by the other checker, too"
lie "another figure given" true 's/"given": {"ref": \[9000, 100\]}/"given": {"ref": [8000, 100]}/'
lie "another spread given" true 's/"given": {"ref": \[9000, 100\]}/"given": {"ref": [9000, 99]}/'
lie "given of a device that there is not" true 's/"given": {"ref": \[9000, 100\]}/"given": {"cpu": [9000, 100]}/'
lie "nothing given" false '/"given_groups"/,+1d'
lie "no mere claim" false '/"claimed_groups"/,+1d'
lie "another claim" true '/"claimed_groups"/,+1s/"mm", //'
lie "other ops given" true 's/{"ops": \["mm", "soft", "mul"\]/{"ops": ["soft", "mul"]/'
lie "ops in another order" true 's/{"ops": \["mm", "soft", "mul"\]/{"ops": ["soft", "mm", "mul"]/'
lie "not offered" true 's/^  \["mm", "soft", "mul"\]\]/  ["relu", "tanh"]]/'
lie "its figure is another" true 's/^  \[\[9000, 100\]\]/  [[8000, 100]]/'
lie "what it makes amid is an output" false '/"tensor": "a"/s/}/, "output": true}/'
lie "what it makes amid is read elsewhere" false '/"tensor": "a"/s/"mul"/"mul", "relu"/'

# Several results: one is read elsewhere, one is an output.
sed -e 's/"ops": \["mul", "mm", "soft"\]/"ops": ["mm", "soft"]/' -e 's/"outputs": \["y"\],$/"outputs": ["y", "a"],/' given.json > several.json
for objective in time throughput energy makespan; do
  try 0 optimize several.json -d ref,sim:desktop-gpu --watts ref=90 --watts sim:desktop-gpu=200 --objective $objective -f -o several.out.json && grep -q '"claimed_groups"' several.out.json && try 0 check several.out.json \
    && { [ $python = none ] || $python "$top_srcdir/tests/check_plan.py" several.out.json > .out 2>&1; }
  say $? "several results, for $objective"
done
finish
