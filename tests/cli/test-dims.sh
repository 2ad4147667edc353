#!/bin/sh
# Symbolic dimensions: those without a value are 1, and that is said.
. "$(dirname "$0")/common.sh"
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json
note="^note: dimension 'N' has no value and is taken as 1: --dim N="

for line in "optimize sym.json -o plan.json" "explain sym.json" "view sym.json" "bench sym.json --rounds 2"; do
  try 0 $line --devices $sims && err_has "$note"; say $? "$line says it"
  try 0 ${line% -o*} --devices $sims --dim N=3 && ! err_has "$note"; say $? "${line% -o*} --dim says nothing"
done
try 0 run sym.json --repeat 1 --devices ref --dim N=2 -q; say $? "run of a model with --dim"
try 0 run sym.json --repeat 1 --devices ref && err_has "$note"; say $? "run of a model says it"
try 0 info sym.json && err_has "$note" && out_has 'x float32 \[1, 16\]'; say $? "info"
try 0 calibrate sym.json --devices sim:laptop-cpu && err_has "$note"; say $? "calibrate"
try 0 optimize mlp.json --devices $sims && ! err_has "$note"; say $? "the file's own value is one"
try 0 sweep sym.json --dim N=1,2 --devices $sims && ! err_has "$note"; say $? "so is what is swept"

# A plan keeps it, and is for it alone.
grep -q '"dims": {"N": 1}' plan.json; say $? "the plan has it"
try 0 run plan.json --repeat 1 && ! err_has "$note"; say $? "a plan runs, and says no more of it"
try 0 check plan.json; say $? "it is proved"
try 0 run plan.json --repeat 1 --dim N=1; say $? "the same again is no change"
try 2 run plan.json --repeat 1 --dim N=2 && err_has "which --dim cannot change" \
  && err_has '`tplan optimize sym.json --devices .* -f -o plan.json --dim N=2`'
say $? "another value needs another plan"
try 2 run plan.json --dim M=1 && err_has -- --dim; say $? "so does another name"
try 2 bench sym.json plan.json --dim N=2 --devices $sims && err_has "equal dimensions"; say $? "bench wants equal ones"

# Several, and none of them named by who wrote the file.
sed 's/\["N", 16\]/["N", "K"]/' sym.json > two.json
try 3 optimize two.json --devices $sims && err_has two.json; say $? "1 may not fit"
sed 's/"shape": \["N", 16\]}\]/"shape": ["N", 16]}, {"name": "y", "dtype": "float32", "shape": ["M", "K", "N"]}]/' sym.json > three.json
try 0 optimize three.json --devices $sims && err_has "^note: dimensions 'N', 'M', 'K' have no value and are taken as 1: --dim N="
say $? "several in one line"
try 0 optimize three.json --devices $sims --dim M=2 --dim N=2 && err_has "^note: dimension 'K' has"; say $? "but for those given"

# Opsets that nobody knows.
sed 's/"opset": 17/"opset": 99/' mlp.json > new.json
try 0 optimize new.json --devices $sims && err_has '^note: opset 99: .* 6 to 23'; say $? "a new opset is told"
try 0 info new.json && err_has '^note: opset 99'; say $? "by info too"
sed 's/"opset": 17/"opset": 20/' mlp.json > new.json
try 0 optimize new.json --devices $sims && ! err_has opset; say $? "opset 20 is known"
finish
