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
try 0 run bfloat16.json --devices ref --repeat 1 -o bout && [ "$(head -c 80 bout/y.npy | grep -ac "'<V2'")" -eq 1 ]
say $? "bfloat16 in .npy, as ml_dtypes has it"
# What one graph has written another reads, and gives back to the bit; NumPy saves it as |V2.
cat > same.json <<'JSON'
{ "format": "tplan-graph/1", "name": "same", "opset": 17,
  "inputs": [{"name": "x", "dtype": "bfloat16", "shape": [2, 21]}], "outputs": ["same"],
  "ops": [{"name": "abs", "type": "Abs", "inputs": ["x"], "outputs": ["same"]}] }
JSON
for again in bout/y.npy again.npy; do
  try 0 run same.json --devices ref --repeat 1 -i x=$again -f -o sout && cmp bout/y.npy sout/same.npy
  say $? "$again is read"
  sed "s/'<V2'/'|V2'/" bout/y.npy > again.npy
done
finish
