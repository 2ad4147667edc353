# tall.sh: a model whose activations outweigh its weights, and made-up devices for it.
# Sourced. Two convolutions, far faster on the second device; a sample takes 64 KiB.
cat > tall.json <<'JSON'
{ "format": "tplan-graph/1", "name": "tall", "opset": 17,
  "inputs": [{"name": "x", "shape": ["N", 16, 32, 32]}], "outputs": ["y"],
  "initializers": [{"name": "w1", "shape": [16, 16, 3, 3], "random": {"seed": 1, "std": 0.1}},
                   {"name": "w2", "shape": [16, 16, 3, 3], "random": {"seed": 2, "std": 0.1}}],
  "ops": [{"name": "conv1", "type": "Conv", "inputs": ["x", "w1"], "outputs": ["c1"], "attrs": {"pads": [1, 1, 1, 1]}},
          {"name": "relu1", "type": "Relu", "inputs": ["c1"], "outputs": ["r1"]},
          {"name": "conv2", "type": "Conv", "inputs": ["r1", "w2"], "outputs": ["c2"], "attrs": {"pads": [1, 1, 1, 1]}},
          {"name": "mean", "type": "GlobalAveragePool", "inputs": ["c2"], "outputs": ["y"]}] }
JSON
printf '[machine]\ngflops=10\ngbps=10\nlaunch=1us\n' > slow.conf
printf '[machine]\ngflops=1000\ngbps=100\nlaunch=1us\nlink=10GB/s+1us\n' > fast.conf
slow=sim:$work/slow.conf
fast=sim:$work/fast.conf
devices=$slow,$fast
