#!/bin/sh
# --outputs: a model is read up to some of its tensors.
. "$(dirname "$0")/common.sh"

# A detector: what follows NonMaxSuppression is of no use without it, and K is known there alone.
cat > det.json <<'JSON'
{ "format": "tplan-graph/1", "name": "det", "opset": 17,
  "inputs": [{"name": "x", "shape": ["N", 4]}, {"name": "k", "shape": ["K"]}],
  "outputs": ["kept", "more"],
  "initializers": [{"name": "w", "shape": [4, 4], "random": {"seed": 1}}],
  "ops": [
    {"name": "heads", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["boxes"]},
    {"type": "Sigmoid", "inputs": ["boxes"], "outputs": ["/head/a,b"]},
    {"name": "nms", "type": "NonMaxSuppression", "inputs": ["boxes", "/head/a,b"], "outputs": ["kept"]},
    {"type": "Add", "inputs": ["k", "k"], "outputs": ["more"]} ] }
JSON

try 3 optimize det.json -d ref \
  && err_has "NonMaxSuppression.*or plan up to it, with --outputs=boxes --outputs='/head/a,b' --outputs=more$"
say $? "an op in the way is told with what to name"
remedy=$(sed -n 's/.*with \(--outputs=boxes.*\)/\1/p' "$work/.err")
eval "try 0 optimize det.json -d ref -q --dim N=2 --dim K=3 -o plan.json $remedy"; say $? "which does it"
grep -q '"outputs": \["boxes", "/head/a,b", "more"\]' plan.json; say $? "a plan says so"
try 0 check plan.json; say $? "and is good"
try 0 run plan.json -q -n 1 -o got && [ -f got/boxes.npy ] && [ -f got/more.npy ] && [ "$(ls got | wc -l)" -eq 3 ]
say $? "and runs so"
try 0 explain plan.json heads; say $? "and is explained"
try 0 bench plan.json -n 3 -q; say $? "and measured"
try 2 run plan.json --outputs boxes && err_has 'a plan, which --outputs cannot change'
say $? "and stays as it is"
try 2 report plan.json --outputs boxes -o r.html && err_has 'which --outputs cannot change'
say $? "for every command"
for command in "calibrate -d ref" "run -d ref -n 1" "sweep -d sim:desktop-cpu,sim:desktop-gpu --bandwidth 1..2" "pareto -d sim:desktop-cpu,sim:desktop-gpu --watts sim:desktop-cpu=9 --watts sim:desktop-gpu=20" "info"; do
  try 0 $command det.json --outputs boxes --dim N=2; say $? "$command"
done
try 0 info det.json --outputs boxes --dim N=2 && ! out_has NonMax && out_has MatMul; say $? "the rest is not there"
try 0 convert det.json --outputs boxes,/head/a,b -o cut.json; code=$?
[ $code -ne 0 ]; say $? "a comma parts names"
try 0 convert det.json --outputs boxes --outputs /head/a,b -o cut.json && ! grep -q '"K"' cut.json
say $? "the part is written"
try 0 convert det.json --outputs boxes --outputs /head/a,b -o cut.onnx; say $? "and as ONNX"
for file in cut.json cut.onnx; do
  try 0 run $file -d ref -q -n 1 --dim N=2 -fo part && cmp got/boxes.npy part/boxes.npy; say $? "$file gives the same"
done
try 2 optimize det.json --outputs box && err_has "output 'box': .*did you mean 'boxes'"; say $? "no such tensor"
try 2 optimize det.json --outputs x && err_has "'x': it is an input"; say $? "an input"
try 2 optimize det.json --outputs boxes --state more=k && err_has "outputs leaves it out"; say $? "a state that is cut off"
echo "1..$n"
