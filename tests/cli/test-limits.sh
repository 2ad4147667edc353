#!/bin/sh
# Limits of the system are errors: files that grow too big.
. "$(dirname "$0")/common.sh"

# big NAME COMMAND...: fails, with a reason, where files end at 4 blocks.
big ()
{
  name=$1; shift
  # shellcheck disable=SC3045
  (ulimit -f 4 && try 1 "$@") && err_has "File too large\|full\|disk I/O"
  say $? "$name"
}

cat > wide.json <<'JSON'
{ "format": "tplan-graph/1", "name": "wide", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [64, 64]}],
  "outputs": ["y"],
  "initializers": [ {"name": "w", "dtype": "float32", "shape": [64, 64], "random": {"seed": 1}} ],
  "ops": [ {"name": "m", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["y"]} ] }
JSON
big "convert" convert wide.json -o wide.onnx
[ ! -e wide.onnx ]; say $? "nothing is left of it"
# Plans are written in pieces of 64 KiB: the second, and what is packed.
awk 'BEGIN {
  print "{ \"format\": \"tplan-graph/1\", \"name\": \"long\", \"opset\": 17,"
  print "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", \"shape\": [64]}], \"outputs\": [\"t999\"], \"ops\": ["
  for (i = 1; i < 1000; i++)
    printf "{\"name\": \"n%d\", \"type\": \"Relu\", \"inputs\": [\"t%d\"], \"outputs\": [\"t%d\"]}%s\n", i, i - 1, i, i < 999 ? "," : "]}"
}' > long.json
# shellcheck disable=SC3045
(ulimit -f 300 && try 1 optimize --devices $sims long.json -o long.plan.json) && err_has "File too large\|full"
say $? "a plan that ends within"
big "a packed plan" optimize --devices $sims long.json -o long.plan.json.gz
[ ! -e long.plan.json ] && [ ! -e long.plan.json.gz ]; say $? "nothing is left of them"
try 0 optimize --devices $sims long.json -o long.plan.json && [ "$(wc -c < long.plan.json)" -gt 200000 ]
say $? "which is longer than that"
big "outputs" run --devices sim:desktop-cpu -n 1 --warmup 0 -o outputs wide.json
big "a picture" optimize --devices $sims mlp.json -o mlp.svg
big "a calibration" calibrate --devices ref mlp.json
try 0 cost list; say $? "the table is whole"
# shellcheck disable=SC3045
(ulimit -f 4 && try 1 ops --format json); say $? "what is printed"
finish
