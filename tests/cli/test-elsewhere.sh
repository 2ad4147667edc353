#!/bin/sh
# Graphs made elsewhere: what they say of copies, spreads, state and of what is to be
# on one device, planned and checked twice; files of dnn-partitioning.
. "$(dirname "$0")/common.sh"
here=$top_srcdir/tests/cli
cpu=sim:server-cpu gpu=sim:server-gpu
both="--devices $cpu,$gpu"

# A training step: the forward op reads what the update stores.
cat > step.json <<JSON
{ "format": "tplan-graph/1", "name": "step", "inputs": [{"name": "x", "shape": [64, 256]}], "outputs": ["loss"],
  "state": [{"name": "w", "shape": [256, 256], "next": "w.new"}, {"name": "m", "shape": [256, 256], "next": "m.new"}],
  "ops": [
    {"name": "forward", "type": "Forward", "inputs": ["x", "w"], "outputs": ["h"], "shapes": [[64, 256]],
     "cost": {"$cpu": [50000, 900], "$gpu": 9000}},
    {"name": "loss", "type": "Loss", "inputs": ["h"], "outputs": ["loss"], "shapes": [[1]], "cost": {"$cpu": 100, "$gpu": 90000}},
    {"name": "backward", "type": "Backward", "inputs": ["loss", "h", "x"], "outputs": ["g"], "shapes": [[256, 256]],
     "cost": {"$cpu": 40000, "$gpu": [9000, 100]}, "colocation": "grad"},
    {"name": "momentum", "type": "Momentum", "inputs": ["m", "g"], "outputs": ["m.new"], "shapes": [[256, 256]],
     "cost": {"$cpu": 5, "$gpu": 900}, "colocation": "grad"},
    {"name": "update", "type": "Update", "inputs": ["w", "m.new"], "outputs": ["w.new"], "shapes": [[256, 256]],
     "cost": {"$cpu": 5, "$gpu": 900}} ],
  "copies": {"x": {"$gpu": {"to": [2000, 50], "from": 1}}, "h": {"$gpu": 700}, "loss": {"$gpu": [30, 3]}} }
JSON
# All but the loss hang together: on the GPU 2000 + 9000 + 9000 + 900 + 900, and the loss by the way of the host.
try 0 optimize step.json $both -o plan.json --format json && [ "$(json cost_ns)" = 22630 ]
say $? "the step costs what it should"
try 0 check plan.json; say $? "tplan check takes it"
python3 "$here/../check_plan.py" plan.json > .out 2>&1; say $? "so does the other checker"
sed 's/\["update"\]//; s/, "update"\]/]/' plan.json > spoilt.json
try 1 check spoilt.json || try 3 check spoilt.json; say $? "without one of a colocation it is none"
try 0 explain plan.json && out_has "slower than on $cpu, but is to be with forward"; say $? "it is explained"
try 0 convert step.json -o again.json && try 0 convert again.json -o same.json && cmp -s again.json same.json
say $? "convert keeps what there is"
try 0 optimize again.json $both --format json && [ "$(json cost_ns)" = 22630 ]; say $? "and it is the same graph"
! try 0 convert step.json -o step.onnx && err_has "'[wm]' is state"; say $? "ONNX has no word for state"
try 0 info step.json --format json && [ "$(json state_bytes)" = 524288 ]; say $? "info has its bytes"
! try 0 run plan.json && err_has "is not known: give its costs"; say $? "ops that have costs only are not run"
# Both states, of 256 KiB, are in one place: on the CPU 50000 + 100 + 40000 + 5 + 5.
try 0 optimize step.json $both --mem-limit "$gpu=500K" -o tight.json --format json && [ "$(json cost_ns)" = 90110 ]
say $? "a GPU with no room for the state has none of it"
try 0 check tight.json && out_has "none that fits is cheaper"; say $? "tplan check takes that"
python3 "$here/../check_memory.py" tight.json > .out 2>&1; say $? "so does the other checker"
try 0 optimize step.json $both,sim:laptop-gpu --mem-limit "$gpu=500K" -fo tight.json --format json && [ "$(json cost_ns)" = 90110 ]
say $? "nor where there is a third device, which can do none of it"
try 0 check tight.json && python3 "$here/../check_plan.py" tight.json > .out 2>&1; say $? "both checkers take that"
! try 0 optimize step.json $both --pin "forward=$cpu" --pin "update=$gpu" && err_has "on one device" && err_has "pinned elsewhere"
say $? "pins that contradict it are named"
try 0 optimize step.json $both,sim:laptop-gpu -o three.json --format json && [ "$(json cost_ns)" = 22630 ]
say $? "three devices, one of which can do none of it"
try 0 check three.json && python3 "$here/../check_plan.py" three.json > .out 2>&1; say $? "both checkers take that, too"
try 0 optimize step.json $both --objective makespan -o engines.json && try 0 check engines.json &&
  python3 "$here/../check_plan.py" engines.json > .out 2>&1; say $? "a makespan with states, and both checkers take it"
printf '%s\n' "forward,$gpu" "loss,$cpu" "backward,$gpu" "momentum,$gpu" "update,$cpu" > apart.csv
! try 0 check --placement apart.csv step.json $both && err_has "wants them on one device"; say $? "a placement that parts them is none"

# dnn-partitioning: against all placements there are.
python3 "$here/check_partitioning.py" "$TPLAN" "$work" "$here/../check_plan.py" > .out 2>&1; say $? "graphs of dnn-partitioning cost the least there is"
python3 "$here/check_unrolled.py" "$TPLAN" "$work" "$here/../check_plan.py" > .out 2>&1; say $? "unrolled networks are proved least on three devices"
printf '{"nodes": [{"id": 1, "cpuLatency": -1}], "edges": []}' > bad.json
! try 0 optimize bad.json $both && err_has "nodes\[0\].cpuLatency: must be a number"; say $? "bad times are named"
printf '{"nodes": [{"id": 1, "cpuLatency": 1, "fpgaLatency": 1}], "edges": [{"sourceId": 1, "destId": 7, "cost": 1}]}' > bad.json
! try 0 optimize bad.json $both && err_has "edges\[0\].destId: must be the id"; say $? "so are edges to nowhere"
finish
