#!/bin/sh
# --stream-weights: weights that stay in host memory and are sent to the device in every
# run: cheaper plans within limits, proved, told, kept, run, and no more than was asked.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/wide.sh"
cost () { sed -n 's/.*"cost_ns": \([0-9]*\).*/\1/p' "$1" | head -n 1; }

# ---- plans ----------------------------------------------------------------------------
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" -o tight.json; say $? "without"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --stream-weights -o plan.json \
  && out_has 'proved least with these weights streamed' && out_has "^streamed  *2 weights, 2.00 MiB, stay on $slow: 2 copies a run"
say $? "a plan that streams"
[ $((5 * $(cost plan.json))) -lt "$(cost tight.json)" ]; say $? "costs less than a fifth of the one that does not"
grep -q "^ \"streamed\": {\"from\": \"$slow\", \"weights\": \[\"w2\", \"w3\"\]},\$" plan.json \
  && [ "$(grep -c '"streamed": true' plan.json)" = 2 ]
say $? "the file has them"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --stream-weights -o again.json && cmp -s plan.json again.json
say $? "the same plan every time"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1G" --stream-weights -o loose.json \
  && try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1G" -o plain.json && cmp -s loose.json plain.json
say $? "nothing is streamed where limits do not bind"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1G" --stream-weights --objective makespan -fo loose.json \
  && try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1G" --objective makespan -fo plain.json && cmp -s loose.json plain.json
say $? "nor for makespan"
try 0 optimize wide.json --devices "$devices" --stream-weights -fo loose.json && ! grep -q streamed loose.json
say $? "nor where there are none"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=1200K" --stream-weights -o least.json && try 0 check least.json
say $? "with no room for two of them"
try 0 optimize wide.json --devices "$devices,sim:laptop-gpu" --mem-limit "$fast=2.5M" --mem-limit sim:laptop-gpu=1M \
  --stream-weights -o three.json && try 0 check three.json && grep -q '"streamed": true' three.json
say $? "with three devices"
try 5 optimize wide.json --devices "$devices" --mem-limit "$fast=1M" --mem-limit "$slow=1M" --stream-weights \
  && err_has 'no placement fits' && ! err_has 'weights sent from host memory'
say $? "nothing fits: weights stay somewhere"
try 5 optimize wide.json --devices "$fast,sim:laptop-gpu" --mem-limit "$fast=1M" --mem-limit sim:laptop-gpu=1M --stream-weights \
  && err_has 'no weights are streamed: none of these devices works in host memory'
say $? "nor is anything streamed without a device of the host"
try 2 optimize wide.json --devices "$devices" --objective price --price "$fast=1" --stream-weights && err_has "'makespan' and 'throughput', not for 'price'"
say $? "for no other objective"

# Where nothing fits with an op's weights beside what is pinned there, it says what would.
try 5 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --pin "*=$fast" \
  && err_has 'with weights sent from host memory in every run it fits' && err_has "optimize.* --stream-weights"
say $? "a remedy where nothing fits"
sed -n 's/.*with weights sent from host memory.*`tplan \(.*\)`.*/\1/p' .err > remedy
eval "try 0 $(cat remedy) -o remedy.json" && try 0 check remedy.json; say $? "which does"
try 5 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --pin "*=$fast" --objective throughput \
  && err_has 'with weights sent from host memory in every run it fits, .* a run on the busiest engine'
say $? "for throughput too"
sed -n 's/.*with weights sent from host memory.*`tplan \(.*\)`.*/\1/p' .err > remedy
eval "try 0 $(cat remedy) -f -o remedy.json" && grep -q '"objective": "throughput"' remedy.json && try 0 check remedy.json; say $? "which does"

# ---- what is said ---------------------------------------------------------------------
try 0 check plan.json && out_has 'no plan is cheaper with these weights streamed'; say $? "its proof is good"
try 0 explain plan.json && out_has "^streamed  *fc2:stream: 'w2' stays on $slow, and is sent" \
  && err_has '^Streamed: 2 weights'
say $? "explain says so"
try 0 explain plan.json fc2:stream && out_has "'w2' stays on"; say $? "and of one"
try 0 explain plan.json --format json && out_has '"reason_code": "streamed"' && out_has '"copies": 2'; say $? "for programs too"
try 0 explain tight.json --format json && out_has '"streamed": null'; say $? "null where there are none"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --stream-weights --format json && out_has '"weights": \['
say $? "optimize for programs"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=2.5M" --stream-weights --margins -fo margins.json \
  && try 0 check margins.json
say $? "margins"
try 0 view plan.json -o plan.svg && [ -s plan.svg ]; say $? "a picture"
try 0 report plan.json -o report.html && grep -q 'with these weights streamed' report.html; say $? "a report"

# ---- edited plans ---------------------------------------------------------------------
# edit SCRIPT: plan.json changed by it and signed anew.
edit ()
{
  sed "$1" plan.json | sed '$d' | sed '$d' > edited.json
  printf ' "sha256": "%s"\n}\n' "$(sha256sum < edited.json | cut -d' ' -f1)" >> edited.json
}
edit ''; cmp -s plan.json edited.json; say $? "edits are signed as plans are"
edit "s|\"from\": \"$slow\"|\"from\": \"$fast\"|"; try 3 check edited.json; say $? "from another device"
edit 's/"weights": \["w2", "w3"\]/"weights": ["w2"]/'; try 3 check edited.json && err_has 'graph_sha256'; say $? "one less"
edit 's/"weights": \["w2", "w3"\]/"weights": ["w2", "w9"]/'
try 3 check edited.json && err_has "streamed: 'w9' cannot be streamed: the graph has no tensor"; say $? "one that is not there"
err_has "tplan optimize wide.json --devices $devices .*--mem-limit $fast=2621440 .*--stream-weights"; say $? "made again as it was"
edit 's/"weights": \["w2", "w3"\]/"weights": ["w2", "w2"]/'
try 3 check edited.json && err_has "'w2' cannot be streamed: it is named twice"; say $? "one twice"
edit 's/"weights": \["w2", "w3"\]/"weights": ["w2", "h1"]/'
try 3 check edited.json && err_has "'h1' cannot be streamed: it is no constant"; say $? "what is no weight"
edit 's/"weights": \["w2", "w3"\]/"weights": []/'
try 3 check edited.json && err_has 'streamed: no weights are named'; say $? "none"
edit 's/"weights": \["w2", "w3"\]/"weights": 1/'; try 3 check edited.json; say $? "no list"
edit '/^ "streamed"/s/.*/ "streamed": [],/'; try 3 check edited.json; say $? "no object"
edit 's/, "streamed": true//'; try 3 check edited.json; say $? "tensors that do not say so"
edit 's/"weights": \["w2", "w3"\]/&, "more": 1/'; try 3 check edited.json && err_has 'streamed.more'; say $? "what is not known"

# ---- a weight that several read -------------------------------------------------------
cat > shared.json <<'JSON'
{ "format": "tplan-graph/1", "name": "shared", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [64, 512]}],
  "outputs": ["y", "z"],
  "initializers": [
    {"name": "w", "dtype": "float32", "shape": [512, 512], "random": {"seed": 1, "std": 0.05}},
    {"name": "v", "dtype": "float32", "shape": [512, 512], "random": {"seed": 2, "std": 0.05}} ],
  "ops": [
    {"name": "fc1", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["a"]},
    {"name": "fc2", "type": "MatMul", "inputs": ["a", "w"], "outputs": ["y"]},
    {"name": "fc3", "type": "MatMul", "inputs": ["a", "v"], "outputs": ["z"]} ] }
JSON
try 0 optimize shared.json --devices "$devices" --mem-limit "$fast=3.2M" --mem-reserve "$fast=1.2M" \
  --pin "fc*=$fast" --stream-weights -o shared.plan.json && try 0 check shared.plan.json \
  && grep -q '"tensor": "w:streamed_2", .* "producer": "fc2:stream"' shared.plan.json
say $? "is sent to each"
try 0 run shared.plan.json --check; say $? "right"

# ---- runs -----------------------------------------------------------------------------
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=4.2M" --mem-reserve "$fast=2.6M" --stream-weights -fo roomy.json \
  && grep -q '"weights": \["w1", "w2", "w3"\]' roomy.json && try 0 run roomy.json --check
say $? "runs within limit and reserve (simulated)"
# While one weight is used the next is on its way.
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=4.2M" --mem-reserve "$fast=1.6M" --stream-weights --objective makespan \
  -fo beside.json --format json && span=$(json span_ns) && grep -q '"streamed": true' beside.json && [ "$span" -lt "$(json cost_ns)" ] \
  && [ "$span" -lt "$(cost roomy.json)" ]
say $? "for makespan they are sent while kernels work"
try 0 check beside.json && python3 "$top_srcdir/tests/check_plan.py" beside.json > .out 2>&1; say $? "both checkers take that"
try 0 run beside.json --check --repeat 1 --format json && took=$(json median_ns) \
  && [ $((10 * took)) -ge $((9 * span)) ] && [ $((10 * took)) -le $((11 * span)) ]
say $? "and it runs as its schedule says (simulated)"
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=4.2M" --mem-reserve "$fast=1.6M" --objective throughput \
  -fo kept.json --format json && kept=$(json load_ns) \
  && try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=4.2M" --mem-reserve "$fast=1.6M" --objective throughput --stream-weights \
  -fo sent.json --format json && [ "$(json load_ns)" -lt "$kept" ] && grep -q '"streamed": true' sent.json
say $? "for throughput the busiest engine carries less"
try 0 check sent.json && python3 "$top_srcdir/tests/check_plan.py" sent.json > .out 2>&1; say $? "both checkers take that, too"
try 0 run sent.json --check; say $? "right"
for host in cpu ref; do
  if "$TPLAN" devices | grep -q '^opencl:0 *ready'; then
    try 0 optimize wide.json --devices "$host,opencl:0" --trust-estimates --pin '*=opencl:0' --mem-limit opencl:0=4.2M \
      --mem-reserve opencl:0=2.6M --stream-weights -fo real.json && grep -q "\"from\": \"$host\"" real.json \
      && try 0 run real.json --check --threads 1
    say $? "from $host to OpenCL"
    try 0 bench real.json --in-flight 2 --threads 1 --rounds 2; say $? "two runs at once"
    try 0 optimize wide.json --devices "$host,opencl:0" --trust-estimates --pin '*=opencl:0' --mem-limit opencl:0=4.2M \
      --mem-reserve opencl:0=1.6M --stream-weights --objective makespan -fo real.json && grep -q "\"from\": \"$host\"" real.json \
      && try 0 run real.json --check --threads 1 --repeat 3
    say $? "while kernels work"
  else
    n=$((n + 1)); echo "ok $n - from $host to OpenCL # SKIP no OpenCL device"
  fi
done
try 0 optimize wide.json --devices "$devices" --mem-limit "$fast=4.2M" --mem-reserve "$fast=2.6M" --stream-weights --verify -fo verified.json
say $? "verified"
finish
