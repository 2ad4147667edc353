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
big "outputs" run --devices sim:desktop-cpu -n 1 --warmup 0 -o outputs wide.json
big "a picture" optimize --devices $sims mlp.json -o mlp.svg
big "a calibration" calibrate --devices ref mlp.json
try 0 cost list; say $? "the table is whole"
# shellcheck disable=SC3045
(ulimit -f 4 && try 1 ops --format json); say $? "what is printed"
finish
