#!/bin/sh
# tplan convert: files of both formats, and what it says.
. "$top_srcdir/tests/cli/common.sh"

# plan FILE: the digest of the graph as it is planned.
plan () { "$TPLAN" optimize -q -f --devices $sims "$1" -o plan.json > .out 2> .err && grep graph_sha256 plan.json; }
same () { [ -n "$(plan "$1")" ] && [ "$(plan "$1")" = "$(plan "$2")" ]; }

try 0 convert mlp.json -o a.onnx && [ ! -s .out ] && [ "$(cat .err)" = 'wrote a.onnx' ]; say $? "JSON to ONNX"
same mlp.json a.onnx; say $? "the same plan"
# onnx.checker wants outputs with shapes: float, of two dimensions, which N leaves open.
od -An -v -tx1 a.onnx | tr -d ' \n' | grep -q '70726f6273120a0a08080112040a000a00'; say $? "with the rank of its output"
try 0 convert mlp.json -o n.onnx --dim N=3 && ! grep -q 'tplan.dim' n.onnx && try 0 info n.onnx && out_has '^inputs  *x float32 .3, 16.$'
say $? "a dimension that is given a value is a number"
hex () { od -An -v -tx1 "$1" | tr -d ' \n'; }
# h0, float, [3, 32], among what lies between; and not where N leaves it open.
hex n.onnx | grep -q '6a140a026830120e0a0c080112080a0208030a020820' && ! hex a.onnx | grep -q '6a..0a02683012'; say $? "and what lies between has its shape"
try 0 convert mlp.json -o n.json --dim N=3 && grep -q '"shape": .3, 16' n.json && ! grep -q '"N"' n.json; say $? "so it is in JSON"
try 2 convert mlp.json -o m.json --dim M=3 && err_has "no dimension 'M'" && [ ! -e m.json ]; say $? "one that the graph has"
try 0 convert a.onnx -o b.json && err_has '^wrote b.json, and its weights into b.safetensors$' && [ -f b.safetensors ] && grep -q '"N": 4' b.json; say $? "ONNX to JSON"
same mlp.json b.json; say $? "the same plan again"
try 0 run mlp.json -d ref --repeat 1 --seed 3 --output o1 && try 0 run b.json -d ref --repeat 1 --seed 3 --output o2 \
  && cmp -s o1/probs.npy o2/probs.npy; say $? "the same results"
try 0 convert b.json -o c.onnx --external-data && [ -f c.onnx.data ] && [ "$(wc -c < c.onnx)" -lt 2000 ]
say $? "weights beside an ONNX model"
same mlp.json c.onnx; say $? "which are found"
try 0 convert c.onnx -o d.json && cmp -s b.safetensors d.safetensors; say $? "with the same values"

try 2 convert mlp.json -o a.onnx && err_has "exists: give -f"; say $? "nothing is overwritten"
try 2 convert b.json -o e.onnx -o f.json; say $? "one output"
try 2 convert b.json && err_has "ends in .json or .onnx"; say $? "no output"
try 2 convert b.json -o e.xml; say $? "another suffix"
rm b.json; try 2 convert a.onnx -o b.json && err_has "b.safetensors.*exists"; say $? "weights are not overwritten"
try 1 convert a.onnx -o none/b.json && err_has "^tplan: none/b.json: cannot be written: No such file"; say $? "no such folder"
printf 'junk' > junk.onnx; try 3 convert junk.onnx -o j.json && err_has "junk.onnx"; say $? "a damaged model"
sed 's/"type": "Relu"/"type": "my.Relu", "device": "cpu", "cost": {"cpu": 5}, "shapes": [["N", 32]]/' mlp.json > pins.json
try 0 convert pins.json -o pins.onnx && err_has '"device" of 1 ops and the "cost" of 1: left out'
say $? "pins and costs are left out with a warning"
try 0 convert pins.onnx -o unknown.json && err_has "1 ops, such as my.Relu"; say $? "unknown ops are kept with a warning"
finish
