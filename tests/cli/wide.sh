# wide.sh: a model for limits of memory, and two made-up devices for it. Sourced.
# Three layers, far faster on the second device; weights of 1 MiB each.
layers=$(for i in 1 2 3; do
  printf '{"name": "fc%d", "type": "MatMul", "inputs": ["h%d", "w%d"], "outputs": ["h%d"]}' $i $((i - 1)) $i $i
  [ $i = 3 ] || echo ,
done)
weights=$(for i in 1 2 3; do
  printf '{"name": "w%d", "dtype": "float32", "shape": [512, 512], "random": {"seed": %d, "std": 0.05}}' $i $i
  [ $i = 3 ] || echo ,
done)
cat > wide.json <<JSON
{ "format": "tplan-graph/1", "name": "wide", "opset": 17,
  "inputs": [{"name": "h0", "dtype": "float32", "shape": [64, 512]}],
  "outputs": ["h3"], "initializers": [$weights], "ops": [$layers] }
JSON
printf '[machine]\ngflops=10\ngbps=10\nlaunch=1us\n' > slow.conf
printf '[machine]\ngflops=1000\ngbps=100\nlaunch=1us\nlink=10GB/s+1us\n' > fast.conf
slow=sim:$work/slow.conf
fast=sim:$work/fast.conf
devices=$slow,$fast
