#!/bin/sh
# Models of float16 and bfloat16: every device, and two of them, compute what the
# references do but for rounding; weights and inputs come from files, outputs go there.
. "$(dirname "$0")/common.sh"

# model TYPE: Conv, Add and Relu are one group; Cast ends another.
model ()
{
  cat <<JSON
{ "format": "tplan-graph/1", "name": "$1", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "$1", "shape": [2, 8, 9, 9]}],
  "outputs": ["y", "z"],
  "initializers": [
    {"name": "w", "dtype": "$1", "shape": [8, 8, 3, 3], "random": {"seed": 1, "std": 0.1}},
    {"name": "b", "dtype": "$1", "shape": [8], "data": [0, 1, -1, 0.5, 0.25, -0.125, 2, 3]},
    {"name": "m", "dtype": "$1", "shape": [648, 21], "random": {"seed": 2, "std": 0.05}} ],
  "ops": [
    {"name": "conv", "type": "Conv", "inputs": ["x", "w", "b"], "outputs": ["c"],
     "attrs": {"pads": [1, 1, 1, 1]}},
    {"name": "add", "type": "Add", "inputs": ["c", "x"], "outputs": ["a"]},
    {"name": "relu", "type": "Relu", "inputs": ["a"], "outputs": ["r"]},
    {"name": "flat", "type": "Flatten", "inputs": ["r"], "outputs": ["f"]},
    {"name": "product", "type": "MatMul", "inputs": ["f", "m"], "outputs": ["p"]},
    {"name": "soft", "type": "Softmax", "inputs": ["p"], "outputs": ["y"]},
    {"name": "wide", "type": "Cast", "inputs": ["p"], "outputs": ["v"], "attrs": {"to": 1}},
    {"name": "tanh", "type": "Tanh", "inputs": ["v"], "outputs": ["z"]} ] }
JSON
}

# runs NAME OPTION...: with checks, which only what is wrong fails.
runs ()
{
  name=$1; shift
  try 0 run "$type.json" --repeat 1 --check --check-ops "$@"; status=$?
  if [ $status -ne 0 ] && [ $code -eq 6 ]; then
    n=$((n + 1)); echo "ok $n # SKIP $name: no such device"
  else say $status "$name"; fi
}

for type in float16 bfloat16; do
  model $type > $type.json
  try 0 info $type.json; out_has "$type"; say $? "$type is told"
  for device in ref cpu opencl:0; do runs "$type on $device" --devices $device; done
  runs "$type on two devices" --devices cpu,opencl:0 --pin conv=cpu --pin add=cpu \
    --pin relu=cpu --pin product=opencl:0 --pin soft=cpu
  runs "$type in rows" --devices cpu --no-pass layout
  try 1 run $type.json --devices ref --repeat 1 --check --tolerance 1e-9
  say $? "$type is rounded"
  # To ONNX and back, values as bytes.
  try 0 convert $type.json -o $type.onnx && try 0 convert -f $type.onnx -o back.json &&
    try 0 run back.json --devices ref --repeat 1 --check; say $? "$type to ONNX and back"
done
try 0 run float16.json --devices ref --repeat 1 -o out && [ "$(head -c 80 out/y.npy | grep -ac '<f2')" -eq 1 ]
say $? "float16 in .npy"
try 0 run float16.json --devices ref --repeat 1 -i x=out/y.npy || err_has "21"
say $? "which is read as well"
try 4 run bfloat16.json --devices ref --repeat 1 -o bout || err_has "has no bfloat16: end the graph with a Cast"
say $? "bfloat16 has no .npy, which is said"
finish
