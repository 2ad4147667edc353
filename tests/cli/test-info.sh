#!/bin/sh
# tplan info: figures of graphs counted by hand, and of graphs that cannot be
# planned.
. "$top_srcdir/tests/cli/common.sh"

# is KEY VALUE: the first KEY of the JSON in .out.
is () { [ "$(json "$1")" = "$2" ]; }

try 0 info --format json mlp.json && is format tplan-info/1; say $? "json"
# 16 * 32 + 32 + 32 * 8 parameters; x 4 * 16, h0 and h 4 * 32, logits and probs 4 * 8 values.
is parameters 800 && is weight_bytes 3200; say $? "parameters"
is activation_bytes $((4 * (64 + 2 * 128 + 2 * 32))); say $? "bytes of activations"
is peak_activation_bytes $((4 * 2 * 128)); say $? "at a time"
# Gemm and MatMul: a product and a sum for each weight and row; Gemm adds the
# bias, Relu compares. What exp counts in Softmax is its own affair.
flops=$(sed -n 's/^  "flops": \([0-9]*\)$/\1/p' .out)
least=$((2 * 4 * (16 * 32 + 32 * 8) + 4 * 32 + 4 * 32))
[ "$flops" -gt "$least" ] && [ "$flops" -lt $((least + 40 * 32)) ]; say $? "work"
try 0 info --format json --dim N=8 mlp.json && is activation_bytes $((8 * (64 + 2 * 128 + 2 * 32))); say $? "--dim"
try 0 info mlp.json && out_has '^Gemm  *1 ' && out_has 'x float32 \[4, 16\]'; say $? "table"

sed 's/"dims": {"N": 4},//' mlp.json > free.json
try 0 info free.json && err_has "'N' has no value and is taken as 1" && out_has 'x float32 \[1, 16\]'
say $? "a dimension without a value"
sed 's/"type": "Relu"/"type": "Swirl"/' mlp.json > odd.json
try 0 info odd.json && out_has '^Swirl .*1 not supported: unknown type' && out_has '^MatMul .*1 of unknown shape' \
  && out_has 'probs (shape unknown)'; say $? "an unknown op"
try 3 optimize odd.json --devices $sims; say $? "which cannot be planned"
sed 's/"inputs": \["h", "w2"\]/"inputs": ["h", "w1"]/' mlp.json > misfit.json
try 0 info misfit.json && out_has '^MatMul .*1 not supported: misfit.json: ops\[2\]'; say $? "an op that does not fit"
try 0 info --format json odd.json && out_has '"shape": null'; say $? "unknown shapes are null"

printf 'junk' > junk.onnx; try 3 info junk.onnx; say $? "a damaged model"
# A constant that is folded away is one of the file's all the same.
sed 's/"inputs": \["x", "w1", "b1"\]/"inputs": ["x", "w1n", "b1"]/
  s/"ops": \[/&{"type": "Neg", "inputs": ["w1"], "outputs": ["w1n"]},/' mlp.json > folded.json
try 0 info --format json folded.json && is parameters 800; say $? "folded constants count"
try 0 info folded.json && out_has '^Neg  *0  *0  1 folded$'; say $? "folded ops are told"
sed 's/"ops": \[/&{"type": "Relu", "inputs": ["w1"], "outputs": ["w1r"]},/' mlp.json > some.json
try 0 info mlp.json && out_has '^Relu  *1 ' && mflop=$(sed -n 's/^Relu  *1  *//p' .out) && try 0 info some.json && out_has "^Relu  *1  *$mflop *1 folded\$"; say $? "counts and work are of those that are left"
try 2 info --dim Q=1 mlp.json; say $? "a dimension that is not there"
try 2 info; say $? "no model"

if [ -d /usr/share/libonnx-testdata/data/node ]; then
  good=0
  for model in /usr/share/libonnx-testdata/data/node/test_[lt]*/model.onnx; do
    # Inputs must be tensors, whatever reads them.
    "$TPLAN" info "$model" > .out 2> .err \
      || grep -q 'is no tensor of\|is a sequence\|is optional' .err || good=1
  done
  say $good "models of ONNX's suite"
else
  n=$((n + 1)); echo "ok $n - models of ONNX's suite # SKIP not installed"
fi
# Weights cut and put together are constants, however large, if they are data of a
# file; what grows beyond 1 MiB is computed.
cat > cut.json <<'JSON'
{ "format": "tplan-graph/1", "name": "cut", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [4, 600]}],
  "outputs": ["y", "z"],
  "initializers": [
    {"name": "w", "dtype": "float32", "shape": [600, 600], "random": {"seed": 1, "std": 0.05}},
    {"name": "zero", "dtype": "int64", "shape": [1], "data": [0]},
    {"name": "half", "dtype": "int64", "shape": [1], "data": [300]},
    {"name": "all", "dtype": "int64", "shape": [1], "data": [600]},
    {"name": "tall", "dtype": "int64", "shape": [2], "data": [2, 1]} ],
  "ops": [
    {"name": "a", "type": "Slice", "inputs": ["w", "zero", "half", "zero"], "outputs": ["wa"]},
    {"name": "b", "type": "Slice", "inputs": ["w", "half", "all", "zero"], "outputs": ["wb"]},
    {"name": "c", "type": "Concat", "inputs": ["wb", "wa"], "outputs": ["wc"], "attrs": {"axis": 0}},
    {"name": "d", "type": "Tile", "inputs": ["w", "tall"], "outputs": ["wd"]},
    {"name": "e", "type": "MatMul", "inputs": ["x", "wc"], "outputs": ["y"]},
    {"name": "f", "type": "ReduceSum", "inputs": ["wd", "zero"], "outputs": ["z"]} ] }
JSON
try 0 convert cut.json -o cut.onnx && try 0 info cut.onnx; say $? "weights in parts"
out_has '^Concat  *0  *0  1 folded' && out_has '^Slice  *0  *0  2 folded'; say $? "are put together once"
out_has '^Tile  *1  *0 *$'; say $? "but not made larger"
try 0 run cut.onnx --devices ref --check -n 1; say $? "rightly"

# The rows of a large weight standardized, or only moved, before it is used.
cat > once.json <<'JSON'
{ "format": "tplan-graph/1", "name": "once", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [4, 600]}],
  "outputs": ["y"],
  "initializers": [
    {"name": "w", "dtype": "float32", "shape": [600, 600], "random": {"seed": 1, "std": 0.05}},
    {"name": "s", "dtype": "float32", "shape": [600, 1], "random": {"seed": 2}} ],
  "ops": [
    {"type": "Exp", "inputs": ["w"], "outputs": ["a"]}, {"type": "Mul", "inputs": ["a", "s"], "outputs": ["b"]},
    {"type": "MatMul", "inputs": ["x", "b"], "outputs": ["c"]}, {"type": "Exp", "inputs": ["c"], "outputs": ["y"]} ] }
JSON
try 0 info once.json && out_has '^once  *2 ops of weights, to 1.37 MiB, before the first run$'; say $? "what is computed once"
try 0 info once.json --format json && grep -q '"precomputed_ops": 2' "$work/.out" && grep -q '"precomputed_bytes": 1440000' "$work/.out"
say $? "in numbers"
try 0 info mlp.json --dim N=4 && ! out_has "^once"; say $? "or nothing is"

finish
