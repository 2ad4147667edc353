#!/bin/sh
# Limits of the system are errors: files that grow too big.
. "$(dirname "$0")/common.sh"

# big NAME COMMAND...: fails, with a reason, where files end at 4 blocks.
big ()
{
  name=$1; shift
  # shellcheck disable=SC3045
  (ulimit -f 4 && try 1 "$@") && err_has "File too large\|full\|disk I/O"
  say $? "$name"
}

cat > wide.json <<'JSON'
{ "format": "tplan-graph/1", "name": "wide", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [64, 64]}],
  "outputs": ["y"],
  "initializers": [ {"name": "w", "dtype": "float32", "shape": [64, 64], "random": {"seed": 1}} ],
  "ops": [ {"name": "m", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["y"]} ] }
JSON
big "convert" convert wide.json -o wide.onnx
[ ! -e wide.onnx ]; say $? "nothing is left of it"
# Plans are written in pieces of 64 KiB: the second, and what is packed.
awk 'BEGIN {
  print "{ \"format\": \"tplan-graph/1\", \"name\": \"long\", \"opset\": 17,"
  print "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", \"shape\": [64]}], \"outputs\": [\"t999\"], \"ops\": ["
  for (i = 1; i < 1000; i++)
    printf "{\"name\": \"n%d\", \"type\": \"Relu\", \"inputs\": [\"t%d\"], \"outputs\": [\"t%d\"]}%s\n", i, i - 1, i, i < 999 ? "," : "]}"
}' > long.json
# shellcheck disable=SC3045
(ulimit -f 300 && try 1 optimize --devices $sims long.json -o long.plan.json) && err_has "File too large\|full"
say $? "a plan that ends within"
big "a packed plan" optimize --devices $sims long.json -o long.plan.json.gz
[ ! -e long.plan.json ] && [ ! -e long.plan.json.gz ]; say $? "nothing is left of them"
try 0 optimize --devices $sims long.json -o long.plan.json && [ "$(wc -c < long.plan.json)" -gt 200000 ]
say $? "which is longer than that"
big "outputs" run --devices sim:desktop-cpu -n 1 --warmup 0 -o outputs wide.json
big "a picture" optimize --devices $sims mlp.json -o mlp.svg
big "a calibration" calibrate --devices ref mlp.json
try 0 cost list; say $? "the table is whole"
# shellcheck disable=SC3045
(ulimit -f 4 && try 1 ops --format json); say $? "what is printed"

# Less than a program can work with. Below 16 KiB of stack no program starts at all.
for kib in 64 256 1023; do
  # shellcheck disable=SC3045
  (ulimit -s $kib && try 5 optimize --devices $sims mlp.json) && err_has "stack is limited to $kib KiB.*ulimit -s"
  say $? "a stack of $kib KiB"
done
# shellcheck disable=SC3045
(ulimit -s 1024 && try 0 optimize --devices $sims mlp.json -f -o small.svg); say $? "a stack of 1024 KiB will do"
# few N CODE ARGUMENT...: where N files can be opened, which is too few for this shell.
few ()
{
  printf '#!/bin/sh\nulimit -n %s\nexec "%s" "$@"\n' "$1" "$TPLAN" > few.sh
  chmod +x few.sh
  shift
  (TPLAN=$PWD/few.sh && try "$@")
}
for files in 6 8 16; do
  few $files 5 run --devices cpu mlp.json && err_has 'files can be opened.*ulimit -n'; say $? "$files files"
done
few 40 0 run --devices cpu mlp.json; say $? "40 will do"
# What spins in the process itself: a bench without an end.
# shellcheck disable=SC3045
(ulimit -t 3 && try 5 bench --devices ref --time-limit 1h --rounds 10000 mlp.json) \
  && err_has "processor's time is used up.*ulimit -t"
say $? "the processor's time"
finish
