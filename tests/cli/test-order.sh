#!/bin/sh
# convert --order=memory: the same model, of which less is alive at once.
. "$(dirname "$0")/common.sh"

# Eight layers of 1 MiB side by side, as breadth-first exporters write them, each summed up later.
awk 'BEGIN {
  print "{\"format\": \"tplan-graph/1\", \"name\": \"broad\", \"opset\": 17, \"outputs\": [\"y\"],"
  print "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [\"N\", 1024]}],"
  print "\"initializers\": [{\"name\": \"axis\", \"dtype\": \"int64\", \"shape\": [1], \"data\": [1]},"
  print "{\"name\": \"row\", \"dtype\": \"float32\", \"shape\": [1, 1024], \"fill\": 0.25},"
  print "{\"name\": \"n\", \"dtype\": \"int64\", \"shape\": [1], \"data\": [8]}], \"ops\": ["
  for (i = 0; i < 8; i++)
    printf "{\"name\": \"wide%d\", \"type\": \"Softmax\", \"inputs\": [\"x\"], \"outputs\": [\"w%d\"]},\n", i, i
  for (i = 0; i < 8; i++)
    printf "{\"name\": \"sum%d\", \"type\": \"ReduceSum\", \"inputs\": [\"w%d\", \"axis\"], \"outputs\": [\"s%d\"]},\n", i, i, i
  print "{\"name\": \"all\", \"type\": \"Sum\", \"inputs\": [\"s0\", \"s1\", \"s2\", \"s3\", \"s4\", \"s5\", \"s6\", \"s7\"], \"outputs\": [\"y\"]}]}"
}' > broad.json
sims=sim:desktop-cpu
limit="--mem-limit $sims=5M"

# Bytes of all arenas of $1.
peak () { sed -n 's/.*"peak_bytes": \[\([0-9]*\)\].*/\1/p' "$1"; }

try 0 optimize broad.json --devices $sims --dim N=256 -o broad.plan.json; say $? "as it stands"
for suffix in json onnx; do
  try 0 convert broad.json --dim N=256 -o plain.$suffix && try 0 convert plain.$suffix --order=memory -o ordered.$suffix; say $? "$suffix: written"
  try 0 optimize ordered.$suffix --devices $sims -o ordered.plan.json -f \
    && [ $((2 * $(peak ordered.plan.json))) -lt "$(peak broad.plan.json)" ]; say $? "$suffix: less than half is alive at once"
  try 0 convert ordered.$suffix --order memory -o again.$suffix && try 0 optimize again.$suffix --devices $sims -o again.plan.json -f \
    && [ "$(peak again.plan.json)" = "$(peak ordered.plan.json)" ]; say $? "$suffix: it stays so"
  try 0 run plain.$suffix --devices ref -n 1 --warmup 0 -o plain && try 0 run ordered.$suffix --devices ref -n 1 --warmup 0 -o ordered \
    && cmp -s plain/y.npy ordered/y.npy; say $? "$suffix: the results are the same"
  rm -rf plain ordered
done
# What is suggested is what happens.
try 5 optimize plain.onnx --devices $sims $limit; say $? "it does not fit"
err_has 'in another order of its ops it fits'; say $? "what would"
sed -n 's/.*fits, \(.*\) a run.*tplan convert plain.onnx --order=memory -o ordered.onnx.*/\1/p' .err > time
try 0 convert plain.onnx --order=memory -f -o ordered.onnx && try 0 optimize ordered.onnx --devices $sims $limit \
  && [ -s time ] && out_has "^cost  *$(cat time) predicted"; say $? "and is as fast"
try 0 convert broad.json --order=memory -o open.json && grep -q '"N"' open.json; say $? "dimensions stay open"
try 2 convert broad.json --order=speed -o no.json && err_has "order 'speed' is not known"; say $? "no other order"
try 2 convert broad.json --order=memory --after=identity -o no.json && err_has 'leave out --after'; say $? "nor of what passes make"
finish
