#!/bin/sh
# Whatever is wrong with a file: exit 3, its name in the message, nothing
# written.
. "$(dirname "$0")/common.sh"

# bad NAME [WORD]: bad.json is refused, and the message has WORD.
bad ()
{
  rm -f plan.json
  try 3 optimize bad.json --devices $sims -o plan.json && err_has 'bad\.json' \
    && err_has "${2:-bad}" && [ ! -e plan.json ] && [ ! -s .out ] && [ "$(wc -l < .err)" -le 3 ]
  say $? "$1"
}

# graph OPS [INPUT-SHAPE] [INITIALIZERS]: a graph of one input x, output z.
graph ()
{
  cat > bad.json <<JSON
{ "format": "tplan-graph/1", "name": "bad", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": ${2:-[2, 3]}}],
  "outputs": ["z"], "initializers": [${3:-}], "ops": [$1] }
JSON
}
relu='{"name": "r", "type": "Relu", "inputs": ["x"], "outputs": ["z"]}'

graph "$relu"
cp bad.json good.json
try 0 optimize bad.json --devices $sims; say $? "the good one is good"
: > bad.json; bad "empty file"
i=1
size=$(wc -c < good.json)
while [ $i -lt "$size" ]; do
  head -c $i good.json > bad.json
  [ "$(tail -c 1 bad.json)" = '}' ] && [ $i -ge $((size - 1)) ] || bad "cut after $i bytes"
  i=$((i + 23))
done
for i in 1 2 3 4 5 6; do
  head -c 3000 /dev/urandom > bad.json; bad "random bytes $i"
done
head -c 100000 /dev/zero | tr '\0' '[' > bad.json; bad "100 KB of ["
head -c 100000 /dev/zero | tr '\0' '{' > bad.json; bad "100 KB of {"
head -c 100000 /dev/zero > bad.json; bad "100 KB of zeros"
graph "$relu" '[4294967296, 4294967296]'; bad "overflowing shape" x
graph "$relu" '[9223372036854775807, 2]'; bad "overflowing shape of one" x
graph "$relu" '[-1, 3]'; bad "negative dimension"
graph "$relu" '[2, 2, 2, 2, 2, 2, 2, 2, 2, 2]'; bad "rank 10"
graph '{"name": "r", "type": "Add", "inputs": ["x", "w"], "outputs": ["z"]}' '[2, 3]' \
  '{"name": "w", "dtype": "float32", "shape": [50000, 50000], "data": [1, 2, 3]}'
bad "10 GB tensor in 1 KB"
graph '{"name": "r", "type": "Frobnicate", "inputs": ["x"], "outputs": ["z"]}'
bad "unknown op" Frobnicate
graph '{"name": "r", "type": "Relu", "inputs": ["x"], "outputs": ["z"], "attrs": {"slope": 1}}'
bad "unknown attribute" slope
graph '{"name": "r", "type": "Relu", "inputs": ["x", "x"], "outputs": ["z"]}'; bad "wrong arity" "ops.0.: Relu"
graph '{"name": "r", "type": "Add", "inputs": ["x"], "outputs": ["z"]}'; bad "too few inputs" "ops.0.: Add"
graph '{"name": "a", "type": "Add", "inputs": ["x", "z"], "outputs": ["y"]}, {"name": "b", "type": "Relu", "inputs": ["y"], "outputs": ["z"]}'
bad "cycle" '[ab]'
graph '{"name": "r", "type": "Relu", "inputs": ["x"], "outputs": ["y"]}, {"name": "r", "type": "Relu", "inputs": ["y"], "outputs": ["z"]}'
bad "op name twice" r
graph '{"name": "a", "type": "Relu", "inputs": ["x"], "outputs": ["z"]}, {"name": "b", "type": "Relu", "inputs": ["x"], "outputs": ["z"]}'
bad "tensor name twice" z
graph '{"name": "r", "type": "Relu", "inputs": ["y"], "outputs": ["z"]}'; bad "unknown tensor" y
graph '{"name": "r", "type": "MatMul", "inputs": ["x", "x"], "outputs": ["z"]}'; bad "shapes that do not fit" r
graph '{"name": "r", "type": "Relu", "inputs": ["x"], "outputs": ["z"], "type": "Tanh"}'; bad "key twice"
graph '{"name": "r", "type": "Relu", "inputs": ["x"], "outputs": ["z"], "typ": "Tanh"}'; bad "unknown key" typ
graph '{"name": "r", "type": "Add", "inputs": ["x", "w"], "outputs": ["z"]}' '[2, 3]' '{"name": "w", "file": "/etc/hostname"}'
bad "file outside the folder" "leads out of"
graph '{"name": "r", "type": "Add", "inputs": ["x", "w"], "outputs": ["z"]}' '[2, 3]' '{"name": "w", "file": "none.npy"}'
bad "file that is not there" none.npy
rm bad.json; bad "model that is not there"
mkdir bad.json; bad "folder"; rmdir bad.json

# ONNX: what is not JSON is read as protobuf.
printf '\010\007\022\004test' > bad.json; bad "onnx without a graph"
printf '\072\377\377\377\377\017' > bad.json; bad "onnx longer than its file"

# Plans.
reject () # NAME [WORD]
{
  for command in check run explain view; do
    rm -f view.svg
    case $command in
      view) try 3 view bad.json -o view.svg ;;
      *) try 3 $command bad.json ;;
    esac && err_has "${2:-bad.json}" && err_has 'tplan optimize' && [ ! -e view.svg ]
    say $? "$command: $1"
  done
}
try 0 optimize mlp.json --devices $sims -o good-plan.json; say $? "a good plan"
size=$(wc -c < good-plan.json)
for cut in 100 $((size / 2)) $((size - 2)); do
  head -c "$cut" good-plan.json > bad.json; reject "plan cut after $cut bytes"
done
sed 's/"margin_ns": -1/"margin_ns": 7/' good-plan.json > bad.json; reject "plan with a changed byte" sha256
{ cat good-plan.json; echo x; } > bad.json; reject "plan with a byte more"
cp good-plan.json bad.json
sed 's/Softmax/Sigmoid/; s/, "attrs": {"axis": -1}//' mlp.json > other.json && mv other.json mlp.json
reject "plan for another graph" graph_sha256
: > bad.json; try 3 check bad.json; say $? "check of an empty file"
try 3 check mlp.json; say $? "check of a model"
try 3 check none.json && err_has none.json; say $? "check of no file"
finish
