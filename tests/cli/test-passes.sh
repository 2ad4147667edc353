#!/bin/sh
# --no-pass and convert --after: a graph with passes left out, or after one, is
# planned, run and read like any other.
. "$(dirname "$0")/common.sh"

cat > net.json <<'JSON'
{ "format": "tplan-graph/1", "name": "net", "opset": 17, "dims": {"N": 2},
  "inputs":  [{"name": "x", "dtype": "float32", "shape": ["N", 4, 6, 6]}],
  "outputs": ["y", "m"],
  "initializers": [
    {"name": "w", "shape": [8, 4, 3, 3], "random": {"seed": 1, "std": 0.2}},
    {"name": "v", "shape": [8], "fill": 2},
    {"name": "b", "shape": [8], "random": {"seed": 2}},
    {"name": "p", "shape": [6, 6], "random": {"seed": 3}} ],
  "ops": [
    {"type": "Conv", "inputs": ["x", "w", "b"], "outputs": ["c"], "attrs": {"pads": [1, 1, 1, 1]}},
    {"type": "BatchNormalization", "inputs": ["c", "v", "b", "b", "v"], "outputs": ["n"]},
    {"type": "Identity", "inputs": ["n"], "outputs": ["i"]},
    {"type": "Sigmoid", "inputs": ["i"], "outputs": ["s"]},
    {"type": "Mul", "inputs": ["i", "s"], "outputs": ["m"]},
    {"type": "Transpose", "inputs": ["m"], "outputs": ["t"], "attrs": {"perm": [0, 1, 3, 2]}},
    {"type": "MatMul", "inputs": ["m", "t"], "outputs": ["q"]},
    {"type": "BatchNormalization", "inputs": ["q", "v", "b", "b", "v"], "outputs": ["r"]},
    {"type": "Add", "inputs": ["r", "p"], "outputs": ["y"]} ] }
JSON

# floats FILE: of an .npy, one a line.
floats ()
{
  header=$(od -An -tu2 -j8 -N2 "$1")
  od -An -v -tf4 -w4 -j$((header + 10)) "$1"
}
# near A B: the same number of floats, each within 1e-4 of its size or of 1.
near ()
{
  floats "$1" > .a && floats "$2" > .b && [ -s .a ] && [ "$(wc -l < .a)" -eq "$(wc -l < .b)" ] \
    && paste .a .b | awk '{ d = $1 - $2; if (d < 0) d = -d; s = $1 < 0 ? -$1 : $1; if (!(d <= 1e-4 * (1 + s))) exit 1 }'
}
# types FILE: of the ops of a graph, in one line.
types () { grep -o '"type": "[A-Za-z]*"' "$1" | sed 's/.*: "//; s/"//' | tr '\n' ' '; }

try 2 optimize net.json --devices $sims --no-pass '?' && err_has "no pass '?': there are scatter"; say $? "unknown pass"
optional=$(sed -n 's/.*there are //p' .err | tr -d ,)
try 2 convert net.json --after '?' -o a.json && err_has 'there are resize'; say $? "unknown pass to stop after"
all=$(sed -n 's/.*there are //p' .err | tr -d ,)
try 2 optimize net.json --devices $sims --no-pass resize && err_has 'no device has a kernel'
say $? "a pass that cannot be left out"
try 2 convert net.json --no-pass layout -o a.json && err_has "with --after only"; say $? "nothing to leave out of"

try 0 run net.json -d ref --repeat 1 --warmup 0 --seed 3 --output base; say $? "all passes"
try 0 optimize net.json --devices $sims -q -o all.json && ! grep -q no_pass all.json; say $? "a plan says nothing of all"
devices=ref
! "$TPLAN" devices 2> /dev/null | grep -q '^ *cpu  *ready' || devices="ref cpu"
for pass in $optional; do
  try 0 optimize net.json --devices $sims -q --no-pass "$pass" -o "no-$pass.json" \
    && grep -q "\"no_pass\": \[\"$pass\"\]" "no-$pass.json"; say $? "a plan without $pass says so"
  try 0 check "no-$pass.json"; say $? "and is good"
  for device in $devices; do
    try 0 optimize net.json --devices $device -q -f --no-pass "$pass" -o "run-$pass.json" \
      && try 0 run "run-$pass.json" --repeat 1 --warmup 0 --seed 3 --check --output "$device-$pass" \
      && near base/y.npy "$device-$pass/y.npy"; say $? "the same results on $device"
  done
done
for pass in identity recognise fold-norm norm layout permute; do
  ! cmp -s all.json "no-$pass.json"; say $? "$pass matters"
done
try 0 optimize net.json --devices $sims -q --no-pass layout --no-pass norm -o two.json \
  && grep -q '"no_pass": \["layout", "norm"\]' two.json && try 0 check two.json; say $? "two of them"

for pass in $all; do
  for kind in json onnx; do
    try 0 convert net.json --after "$pass" -o "after-$pass.$kind" \
      && try 0 run "after-$pass.$kind" -d ref --repeat 1 --warmup 0 --seed 3 --output "$kind-$pass" \
      && near base/y.npy "$kind-$pass/y.npy"; say $? "the same results after $pass, by way of $kind"
  done
done
grep -q '"dims"' after-layout.json && n_dims=1 || n_dims=0
[ $n_dims = 0 ] && grep -q '"shape": \[2, 4, 6, 6\]' after-layout.json; say $? "dimensions are bound"
try 0 convert net.json --dim N=5 --after layout -o five.json && grep -q '"shape": \[5, 4, 6, 6\]' five.json; say $? "by --dim"
[ "$(types after-transpose.json)" = "Conv BatchNormalization Sigmoid Mul Transpose MatMul BatchNormalization Add " ]
say $? "before BatchNormalization is folded"
[ "$(types after-norm.json)" = "Conv Swish Transpose MatMul ScaleShift Add " ]; say $? "after"
types after-layout.json | grep -q Relayout; say $? "where layouts change"
try 0 convert net.json --after norm --no-pass recognise -o some.json \
  && [ "$(types some.json)" = "Conv Sigmoid Mul Transpose MatMul ScaleShift Add " ]; say $? "some left out"

# Weights that are too large to be folded, computed from others: once, or in every run.
cat > wide.json <<'JSON'
{ "format": "tplan-graph/1", "name": "wide", "opset": 17,
  "inputs":  [{"name": "x", "shape": [2, 520]}], "outputs": ["y"],
  "initializers": [{"name": "w", "shape": [520, 520], "random": {"seed": 1, "std": 0.2}}],
  "ops": [
    {"type": "Tanh", "inputs": ["w"], "outputs": ["t"]},
    {"type": "MatMul", "inputs": ["x", "t"], "outputs": ["y"]} ] }
JSON
try 0 run wide.json -d ref --repeat 1 --warmup 0 --seed 3 --no-pass precompute --output every; say $? "weights in every run"
for kind in json onnx; do
  try 0 convert wide.json -o "wide-whole.$kind" && try 0 convert wide.json --after precompute -o "wide-once.$kind" \
    && try 0 convert "wide-whole.$kind" -o "$kind-whole.json" \
    && try 0 convert "wide-once.$kind" -o "$kind-once.json" \
    && [ "$(types "$kind-whole.json")$(types "$kind-once.json")" = "Tanh MatMul MatMul " ]; say $? "$kind has the ops, or what they make"
  for which in whole once; do
    try 0 run "wide-$which.$kind" -d ref --repeat 1 --warmup 0 --seed 3 --output "$kind-$which" \
      && near every/y.npy "$kind-$which/y.npy"
    say $? "the same results with the weights of $which.$kind"
  done
done
try 0 optimize wide.json --devices $sims -q -o wide-plan.json && ! grep -q Tanh wide-plan.json && try 0 check wide-plan.json
say $? "planned as weights"
try 0 explain wide-plan.json && err_has 'before the first run: 1 op of constants'; say $? "told of"
try 2 explain wide-plan.json Tanh_0 && err_has "op 'Tanh_0' is of constants alone: it is computed once"; say $? "by name"
finish
