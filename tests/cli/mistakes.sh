# mistakes.sh: the files that mistakes.list names. Sourced, after common.sh.
cp mlp.json 'a model.json'
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json
sed 's/"Relu"/"relu"/' mlp.json > relu.json
sed 's/"Relu"/""/' mlp.json > untyped.json
sed 's/32, 8\]/32, 9]/' mlp.json > wider.json
"$TPLAN" optimize -q mlp.json --devices $sims -o plan.json > .out 2> .err; say $? "a plan"
"$TPLAN" optimize -q sym.json --devices $sims --dim N=2,4 -o tiers.json > .out 2> .err; say $? "plans for two values"
head -c 200 plan.json > cut.json
sed 's/"margin_ns": -1/"margin_ns": 7/' plan.json > changed.json
# What is given for a model, and what comes of a download that failed.
: > empty.onnx
printf 'PK\003\004\024\000archive/data.pkl' > net.pt
printf '\200\002}q\000' > net.pkl
printf '\211HDF\r\n\032\n\000' > net.h5
printf 'x\000\000\000\000\000\000\000{"w": {}}' > net.safetensors
echo 'version https://git-lfs.github.com/spec/v1' > pointer.onnx
echo '<!DOCTYPE html><title>404</title>' > page.onnx
printf 'TVqQAAMAAAAEAAAA' > noise.onnx
echo '{"format": "tplan-graph/1", "ops": [' > halfway.json
echo '{"a": 1}' > other.json
echo hello > words.npy
printf '\223NUMPY\001\000v\000' > array.npy
mkdir folder.json && : > folder.json/probs.npy
cp mlp.json a.json
echo '{"format": "tplan-cost/3", "devices": []}' > costs.json
printf '\211PNG\r\n' > picture.json
