#!/bin/sh
# Placements that were made elsewhere: what they cost, by what means they are told.
. "$(dirname "$0")/common.sh"
judge () { wanted=$1; file=$2; shift 2; try "$wanted" check --placement "$file" mlp.json --devices $sims "$@"; }

# Plans, and what commands print of them, are such files, and cost what they say.
try 0 optimize mlp.json --devices $sims --pin fc2=sim:laptop-gpu --pin relu=sim:desktop-cpu -o plan.json --format json
cost=$(json cost_ns)
try 0 explain plan.json --format json && cp .out explain.json
try 0 explain plan.json --format csv && cp .out explain.csv
for file in plan.json explain.json explain.csv; do
  judge 0 $file --format json && [ "$(json cost_ns)" = "$cost" ]; say $? "$file costs what it did"
done
try 0 optimize mlp.json --devices $sims --format json; least=$(json cost_ns)
judge 0 plan.json --format json && [ "$(json bound_ns)" = "$least" ] && [ "$least" -lt "$cost" ]
say $? "beside the least that there is"
gain=$(json gain_ns)
[ "$gain" -gt 0 ] && [ $((cost - gain)) -ge "$least" ]; say $? "a move gains, and not more than there is"

# The move, made by hand, costs what was said.
printf '%s\n' 'soft,sim:desktop-cpu' '' '# by hand' '"fc1", sim:desktop-cpu' 'fc2,sim:laptop-gpu' 'relu,sim:desktop-cpu' > a.csv
judge 0 a.csv --format json && moved=$(sed -n '/"moves"/,$s/^ *"cost_ns": \([0-9]*\).*/\1/p' .out | head -n 1)
first=$(json first) to=$(json to) last=$(json last)
[ "$first" = "$last" ] && sed "s/^\"*$first\"*,.*/$first,$to/" a.csv > b.csv
judge 0 b.csv --format json && [ "$(json cost_ns)" = "$moved" ]; say $? "a move made by hand costs what it was said to"
echo '{"fc1": "sim:laptop-gpu", "relu": "sim:laptop-gpu", "fc2": "sim:laptop-gpu", "soft": "sim:laptop-gpu"}' > gpu.json
try 0 optimize mlp.json --devices $sims --pin '*=sim:laptop-gpu' --format json; cost=$(json cost_ns)
judge 0 gpu.json --format json && [ "$(json cost_ns)" = "$cost" ]; say $? "names and devices as JSON"
judge 0 gpu.json && out_has 'No placement costs less than .*proved' && out_has 'GAIN'; say $? "as text"
judge 0 gpu.json --format csv && out_has '^first,last,n_ops,to,gain_ns,cost_ns,kept$'; say $? "as rows"
judge 0 gpu.json --no-fuse epilogue --no-fuse pointwise --no-fuse prologue --format json && [ "$(json groups)" = 0 ] && [ "$(json cost_ns)" -gt "$cost" ]
say $? "without groups it costs more"
try 0 optimize mlp.json --devices $sims -o best.json -f && judge 0 best.json && out_has '^No placement costs less: proved' && ! out_has GAIN
say $? "of the best that is all there is to say"

# What planning folds away.
sed 's/"outputs": \["logits"\]/"outputs": ["l0"]/; s/{"name": "soft"/{"name": "same", "type": "Identity", "inputs": ["l0"], "outputs": ["logits"]},\n    &/' mlp.json > same.json
echo '{"fc1": "sim:laptop-gpu", "relu": "sim:laptop-gpu", "fc2": "sim:laptop-gpu", "same": "sim:desktop-cpu", "soft": "sim:laptop-gpu"}' > same-gpu.json
try 0 check --placement same-gpu.json same.json --devices $sims --format json && [ "$(json cost_ns)" = "$cost" ] && [ "$(json ops_folded)" = 1 ] && err_has 'note: 1 op'
say $? "an op that is folded away says nothing"

# Devices in the metadata of ONNX: of a model as its file has it.
try 0 convert same.json --placement gpu.json -o placed.onnx && try 0 check --placement placed.onnx same.json --devices $sims --format json \
  && [ "$(json cost_ns)" = "$cost" ] && [ "$(json ops_folded)" = 1 ]
say $? "written into ONNX and read back"
[ "$(grep -a -o 'layer_ann' placed.onnx | wc -l)" -eq 5 ]; say $? "what is folded away goes with what reads it"
try 0 convert same.json -o plain.onnx && try 0 convert placed.onnx -o again.onnx && cmp -s plain.onnx again.onnx
say $? "the model is the same"
try 3 check --placement plain.onnx same.json --devices $sims && err_has 'plain.onnx: no op has a device in it'; say $? "without metadata there is none"
try 2 convert same.json --placement gpu.json -o placed.json && err_has 'give -o FILE.onnx'; say $? "JSON has no metadata"
echo '{"fc3": "cpu"}' > other.json
try 3 convert mlp.json --placement other.json -o other.onnx && err_has "other.json: the model has no op 'fc3' (did you mean 'fc1'?)"
say $? "a placement of another model"


# Placements for other runtimes, who name devices in their own way.
to () { runtime=$1; shift; try 0 convert same.json -f --placement plan.json --to "$runtime" "$@" -o map.json && cp map.json .out; }
to onnxruntime && out_has '"session.name_based_layer_assignment": "cpu(fc1,relu,same,soft);gpu:0(fc2)"'; say $? "for onnxruntime: a made-up processor is the processor"
to openvino --device-name sim:laptop-gpu=NPU && out_has '"device": "HETERO:.*NPU' && out_has '^    "fc2": "NPU"' && out_has '^    "relu": "CPU"'
say $? "for openvino"
to tensorflow --device-name sim:desktop-cpu=/CPU:0 && out_has '^  "relu": "/CPU:0"' && out_has '^  "fc2": "/device:GPU:'; say $? "for tensorflow"
echo '{"fc1": "cpu", "relu": "ref", "fc2": "opencl:1", "soft": "opencl:0"}' > kinds.json
try 0 convert mlp.json -f --placement kinds.json --to tensorflow -o map.json && [ "$(tr -d ' \n' < map.json)" = '{"fc1":"/device:CPU:0","relu":"/device:CPU:0","fc2":"/device:GPU:0","soft":"/device:GPU:1"}' ]
say $? "the host is the processor, others are numbered as they come"
try 0 convert same.json --placement gpu.json --device-configuration -o eleven.onnx && try 0 check --placement eleven.onnx same.json --devices $sims
say $? "a device configuration does not hide the metadata"
sed 's/"name": "relu"/"name": "re,lu"/' mlp.json > comma.json
echo '{"fc1": "cpu", "re,lu": "cpu", "fc2": "cpu", "soft": "cpu"}' > comma-at.json
try 3 convert comma.json --placement comma-at.json --to onnxruntime -o comma-to.json && err_has "op 're,lu'.*cannot name it"
say $? "a name that onnxruntime would take for two"

# bad TEXT SAID: a file with TEXT is refused.
bad () { printf "$1" > bad; judge 3 bad && err_has "$2"; say $? "refused: $2"; }
bad 'fc1,sim:laptop-gpu\nrelv,sim:laptop-gpu\nfc2,sim:laptop-gpu\nsoft,sim:laptop-gpu\nrelu,sim:laptop-gpu\n' "bad:2: graph 'mlp' has no op 'relv' (did you mean 'relu'?)"
bad 'fc1,sim:laptop-gpu\nrelu,sim:laptop-gpa\n' "bad:2: op 'relu': no device 'sim:laptop-gpa' (did you mean 'sim:laptop-gpu'?): there are sim:desktop-cpu, sim:laptop-gpu, and others by --devices"
bad 'fc1,sim:laptop-gpu\n' "bad: op 'relu' and 2 more: no device is given"
bad 'fc1,sim:laptop-gpu\nfc1,sim:laptop-gpu\n' "bad:2: op 'fc1' has a device already"
bad 'op,device,why\nfc1,sim:laptop-gpu\n' 'bad:2: not as many fields'
bad 'fc1\n' 'bad:1: not two fields'
bad '\n"fc1,sim:laptop-gpu\n' 'bad:2: no row of CSV'
bad '' 'bad: no op has a device'
bad '{"fc1": 3}' 'bad: fc1: must be the name of a device'
bad '{"fc1": "a", "fc1": "b"}' 'bad:1:'
bad '[{"op": "fc1"}]' 'bad: ops\[0\].device: is missing'
bad '[3]' 'bad: ops\[0\]: must be an object'
bad '{"fc1": "sim' 'bad:1:'
head -c 300 /dev/urandom > noise.onnx
judge 3 noise.onnx && err_has 'noise.onnx: '; say $? "noise is no model"
sed 's/"type": "Softmax",/"type": "Softmax", "device": "sim:desktop-cpu",/' mlp.json > pinned.json
try 5 check --placement gpu.json pinned.json --devices $sims && err_has "gpu.json: op 'soft' is placed on sim:laptop-gpu, where its pin"
say $? "a pin of the graph is kept to"
try 2 check --placement gpu.json best.json && err_has 'of a model, not of a plan'; say $? "a plan is no model"
try 2 check best.json --devices cpu && err_has 'is a plan, which --devices cannot change'; say $? "and options do not change it"
try 3 check --placement nothing.csv mlp.json --devices $sims && err_has 'nothing.csv'; say $? "no such file"
finish
