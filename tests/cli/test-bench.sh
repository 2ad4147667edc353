#!/bin/sh
# bench: contestants, verdicts and refusals. The clocks of made-up machines are
# exact, so what bench measures there is what the plans foretell.
. "$(dirname "$0")/common.sh"

# field NAME KEY: of contestant NAME in .out.
field () { sed -n "/^ *\"name\": \"$1\",\$/,/^ *\"verdict\"/s/^ *\"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" .out; }

try 0 bench mlp.json --devices $sims --format json; say $? "a model, simulated"
for key in format graph simulated rounds time_ns items load involuntary_switches busy baseline winner name device \
  devices runs median_ns p90_ns p95_ns p99_ns minimum_ns items_per_second predicted_ns first_ns memory_bytes ratio \
  low high verdict; do
  out_has "\"$key\":"; say $? "json has $key"
done
is_good=0
for name in plan sim:desktop-cpu sim:laptop-gpu; do
  [ -n "$(field $name median_ns)" ] || continue
  for key in median_ns p99_ns minimum_ns; do
    [ "$(field $name $key)" = "$(field $name predicted_ns)" ] || is_good=1
  done
  [ "$(field $name low)" = "$(field $name high)" ] || is_good=1
done
say $is_good "the clocks of made-up machines are exact"
[ "$(json items)" = 4 ]; say $? "items by the first dimension"
best=$(json baseline)
[ "$(field "$best" ratio)" = 1.0 ] && [ "$(field "$best" device)" != null ] && [ "$(json rounds)" = 6 ]
say $? "the base is on one device"

# A plan that must lose, and one that is all on a device: it stands for that one.
try 0 optimize mlp.json --devices $sims --pin '*=sim:laptop-gpu' -o gpu.json; gpu=$(sed -n 's/^ "cost_ns": \([0-9]*\),$/\1/p' gpu.json)
try 0 optimize mlp.json --devices $sims --pin 'fc1=sim:laptop-gpu' --pin 'relu=sim:desktop-cpu' \
  --pin 'fc2=sim:laptop-gpu' --pin 'soft=sim:desktop-cpu' -o zigzag.json
try 0 bench mlp.json zigzag.json --devices $sims --format json && [ "$(field zigzag.json verdict)" = slower ] \
  && [ "$(json winner)" != zigzag.json ] && [ "$(field sim:laptop-gpu median_ns)" = "$gpu" ]
say $? "a plan beside its model"
try 0 bench zigzag.json gpu.json --format json && [ "$(json winner)" = gpu.json ] && [ "$(json baseline)" = gpu.json ] \
  && [ "$(grep -c '"name"' .out)" = 2 ]
say $? "plans alone"
try 0 bench gpu.json gpu.json --format json && [ "$(json winner)" = null ] && out_has '"no difference"'
say $? "nobody wins against itself"
try 0 bench mlp.json --devices sim:laptop-cpu --format json && [ "$(grep -c '"name"' .out)" = 1 ] && [ "$(field plan device)" = sim:laptop-cpu ]
say $? "what is all on one device is not run twice"
try 0 bench mlp.json --devices $sims --rounds 3 --format json && [ "$(json rounds)" = 3 ] && out_has '"too few rounds"' \
  && [ "$(json winner)" = null ] && [ "$(json high)" = null ]
say $? "three rounds give no interval"
try 0 bench mlp.json --devices $sims && out_has SIMULATED && out_has '(simulated)'; say $? "table"
try 0 bench mlp.json --devices $sims --format csv && out_has '^name,device,devices.sim:desktop-cpu,.*,median_ns,' && out_has '^sim:laptop-gpu,sim:laptop-gpu,0,4,[0-9]*,[0-9]*,' && [ "$(wc -l < .out)" -ge 3 ]; say $? "csv"

echo '{ "format": "tplan-graph/1", "name": "none", "opset": 17, "inputs": [{"name": "x", "dtype": "float32", "shape": [2, 3]}],
  "outputs": ["x"], "initializers": [], "ops": [] }' > none-to-do.json
try 0 bench none-to-do.json --devices ref --rounds 6 --format json && [ "$(json baseline)" = plan ]; say $? "a model without ops"

try 0 optimize mlp.json --devices ref -o ref.json
try 0 bench ref.json ref.json --rounds 7 --format json && [ "$(json rounds)" = 7 ] && [ "$(json simulated)" = false ] \
  && [ "$(field ref.json first_ns | sed 's/null//;1q')" ]
say $? "plans that run"
try 0 bench ref.json --in-flight 3 --rounds 2 --format json && [ "$(field 'ref.json, 3 in flight' in_flight)" = 3 ] \
  && [ "$(field ref.json in_flight)" = 1 ] && [ "$(json baseline)" = ref.json ]
say $? "runs in flight, with the results of single ones"
try 3 bench mlp.json --devices $sims --in-flight 2 && err_has 'one at a time'; say $? "not on simulated devices"
try 2 bench ref.json --in-flight 1 && err_has '2 to 64'; say $? "one in flight is none"
try 0 bench ref.json --time-limit 1ms --format json && [ "$(json rounds)" -ge 1 ]; say $? "one round at least"
try 2 bench ref.json gpu.json && err_has simulated && err_has "'ref'"; say $? "simulated and measured are not compared"
try 2 bench mlp.json --devices ref,sim:laptop-gpu && err_has -- --devices; say $? "nor devices of both sorts"
try 0 optimize mlp.json --dim N=5 --devices $sims -o five.json
try 2 bench gpu.json five.json && err_has 'differ in input 1'; say $? "other inputs"
try 2 bench mlp.json mlp.json && err_has '2 models'; say $? "two models"
try 2 bench gpu.json zigzag.json --pin fc1=sim:laptop-gpu && err_has -- --pin; say $? "plans alone are not shaped"
try 2 bench mlp.json --devices $sims --rounds=-1; say $? "rounds below one"
try 2 bench mlp.json --devices $sims --rounds=0 && err_has 'rounds takes 1 to'; say $? "none"
try 2 bench mlp.json --devices $sims --in-flight=0 && err_has 'in-flight'; say $? "none in flight"
try 2 bench mlp.json --devices $sims --time-limit soon; say $? "no time"
try 3 bench none.json; say $? "no such file"
finish
