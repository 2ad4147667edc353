#!/bin/sh
# run, check and explain, on the device that is always there.
. "$(dirname "$0")/common.sh"

try 0 optimize mlp.json --devices ref -o plan.json; say $? "plan"
try 0 run plan.json --check --repeat 3 --format json; say $? "run --check"
for key in format runs median_ns p10_ns p90_ns predicted_ns error peak_bytes weight_bytes workspace_bytes max_abs_error max_rel_error worst_op; do
  out_has "\"$key\":"; say $? "json has $key"
done
[ "$(json runs)" = 3 ] && [ "$(json worst_op)" = soft ]; say $? "what it says"
try 0 run plan.json --repeat 1; say $? "table"
for count in 0 5; do
  try 0 run plan.json --repeat 1 --warmup $count --format json && [ "$(json warmup_runs)" = $count ]; say $? "$count runs before them"
done
try 0 run plan.json --repeat 1 --format json && [ "$(json warmup_runs)" -ge 3 ]; say $? "until it is warm"
! err_has 'was made for another'; say $? "nothing is said of the machine that the plan was made on"
try 0 run plan.json --repeat 1 --format json && out_has '"differs": {}'; say $? "  nor in JSON"
# moved SED: the plan as if it had been made elsewhere, signed anew.
moved ()
{
  sed "/^ \"sha256\": /,\$d; /^ \"facts\": /{$1}" plan.json > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > moved.json
  ! cmp -s moved.json plan.json
}
moved 's/threads=[0-9]*/threads=777/' && try 0 run moved.json --repeat 1 && err_has "moved.json was made for another ref: threads was '777', is '[0-9]*'"
say $? "another number of processors is said"
[ "$(grep -n 'made for another' .err | cut -d: -f1)" = 1 ]; say $? "  first"
try 0 run moved.json --repeat 1 --format json && out_has "\"differs\": {\"ref\": \"threads was '777'" || out_has "\"ref\": \"threads was '777'"
say $? "  and in JSON"
moved 's/cpu=[^\\]*/cpu=Another 1 2 3/' && try 0 run moved.json --repeat 1 && err_has "another ref: cpu was 'Another 1 2 3'"; say $? "another processor"
try 0 bench moved.json plan.json -n 2 && err_has "moved.json was made for another ref: cpu was" && ! err_has ': plan.json was made'; say $? "  by bench"
try 0 bench moved.json plan.json -n 2 --format json && [ "$(grep -c "\"ref\": \"cpu was 'Another" .out)" = 1 ]; say $? "  in its JSON"
moved 's/codegen=[^\\]*/codegen=older/' && try 0 run moved.json --repeat 1 && err_has "another ref: codegen was 'older'"; say $? "kernels of another release"
try 2 run plan.json --warmup=-1 && try 2 run plan.json --repeat=-1; say $? "no such counts"
try 0 run plan.json --repeat 1 --check-ops && out_has 'each op'; say $? "each op by itself"
try 0 run mlp.json --devices sim:desktop-cpu,sim:laptop-gpu --repeat 1 --check-ops --format json && out_has max_op_error
say $? "each op by itself, simulated"
# The clock of made-up machines shows what the plan promised, whichever device is
# the host: the first, the second, neither, one of two. "h" is an output and is
# read elsewhere.
sed 's/^  "outputs": .*/  "outputs": ["h", "probs"],/' mlp.json > fork.json
for pair in laptop-cpu,laptop-gpu laptop-gpu,laptop-cpu laptop-gpu,desktop-gpu laptop-cpu,desktop-cpu; do
  first=sim:${pair%,*} second=sim:${pair#*,} is_good=0
  for pins in "fc1=$first fc2=$second" "fc1=$second fc2=$first" "f*=$first s*=$second"; do
    set --
    for pin in $pins; do set -- "$@" --pin "$pin"; done
    try 0 optimize fork.json -f --devices "$first,$second" "$@" -o fork-plan.json \
      --no-fuse epilogue --no-fuse prologue --no-fuse pointwise &&
      try 0 check fork-plan.json &&
      try 0 run fork-plan.json --repeat 1 --check --format json &&
      [ "$(json median_ns)" = "$(json predicted_ns)" ] || is_good=1
  done
  say $is_good "the plan and the clock of $pair agree"
done
try 1 run plan.json --check --tolerance 0; say $? "exit 1 when an error is too large"
out_has WRONG; say $? "and says so"

try 0 run plan.json --repeat 1 --output a --seed 7 && [ -f a/probs.npy ]; say $? "outputs"
try 2 run plan.json --repeat 1 --output a; say $? "outputs are not overwritten"
try 0 run plan.json --repeat 1 --output b --seed 7 && cmp -s a/probs.npy b/probs.npy
say $? "equal seeds, equal outputs"
try 0 run plan.json --repeat 1 --output c --seed 8; ! cmp -s a/probs.npy c/probs.npy
say $? "other seed, other outputs"
# Four rows of 16 ones.
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 16), }"
  i=0; while [ $i -lt 64 ]; do printf '\000\000\200\077'; i=$((i + 1)); done; } > x.npy
try 0 run plan.json --repeat 1 --check --input x=x.npy --output d; say $? "input from a file"
# The same rows, under a key.
{ head='{"rows":{"dtype":"F32","shape":[4,16],"data_offsets":[0,256]}} '
  printf "\\$(printf %o ${#head})\\000\\000\\000\\000\\000\\000\\000%s" "$head"; tail -c 256 x.npy; } > x.safetensors
try 0 run plan.json --repeat 1 --input x=x.safetensors:rows --output d2 && cmp -s d/probs.npy d2/probs.npy
say $? "input from a file, by key"
try 3 run plan.json --repeat 1 --input x=x.safetensors:columns && err_has "no tensor 'columns'; there are: rows"
say $? "key that is not there"
try 3 run plan.json --repeat 1 --input x=a/probs.npy && err_has probs.npy && err_has '\[4, 16\]'
say $? "input of another shape"
try 2 run plan.json --input y=x.npy; say $? "input that is not there"
try 3 run plan.json --input x=none.npy && err_has none.npy; say $? "file that is not there"

try 0 run plan.json --repeat 1 --trace trace.json && err_has "^wrote trace.json" && grep -q '"predicted"' trace.json \
  && grep -q '"name": "fc2"' trace.json
say $? "trace"
try 2 run plan.json --trace trace.json; say $? "trace is not overwritten"

# Where the time goes.
try 0 run plan.json --repeat 1 --profile && out_has '^OP  *TYPE  *DEVICE  *MEASURED  *PREDICTED  *OFF  *SHARE$' \
  && out_has '^fc2 .*%$' && [ "$(sed -n '/^OP /,$p' .out | wc -L)" -le 100 ]
say $? "profile"
try 0 run plan.json --repeat 1 --profile --top 2 --format csv && [ "$(sed 1d .out | wc -l)" -eq 2 ] \
  && out_has '^name,type,device,measured_ns,predicted_ns,share$'
say $? "the longest two"
try 0 run plan.json --repeat 1 --profile --top 0 --sort name && [ "$(sed '1,/^OP /d; s/ .*//' .out)" = "$(sed '1,/^OP /d; s/ .*//' .out | LC_ALL=C sort)" ]
say $? "by name"
try 2 run plan.json --profile --sort size && err_has "none of time, miss, name"; say $? "no such order"
try 2 run plan.json --profile --top -1; say $? "fewer than none"
try 0 run plan.json --repeat 20 && out_has '^percentiles  *p50 .*, p90 .*, p95 .*, p99 ' && out_has '^items/s .*, 4 a run'; say $? "percentiles and items"
try 0 run plan.json --duration 100ms --format json && [ "$(json runs)" -ge 1 ] && [ "$(json p99_ns)" -ge "$(json p50_ns)" ] \
  && [ "$(json maximum_ns)" -ge "$(json p99_ns)" ] && [ "$(json items)" -eq 4 ]
say $? "for a time"
try 0 run plan.json --duration 1h --repeat 2 --format json && [ "$(json runs)" -eq 2 ]; say $? "or as often"
try 2 run plan.json --duration long; say $? "a time that is none"
try 0 run plan.json --repeat 1 -o told && err_has '^wrote told/probs.npy$'; say $? "where outputs went"

try 0 run mlp.json --devices ref --repeat 1 --seed 7 --copy-weights --output copied && cmp -s a/probs.npy copied/probs.npy
say $? "weights read, not mapped: the same"

# The parts of an account add up to the run and to the prediction, with real clocks
# and with made-up ones.
sum () { sed -n '/"parts"/,/\]/s/^ *"'"$1"'": \(-\{0,1\}[0-9]*\),\{0,1\}$/\1/p' .out | { s=0; while read -r x; do s=$((s + x)); done; echo $s; }; }
try 0 run plan.json --repeat 3 --account --format json && out_has '"worst"' \
  && [ "$(sum measured_ns)" = "$(json median_ns)" ] && [ "$(sum predicted_ns)" = "$(json predicted_ns)" ]
say $? "an account adds up"
try 0 run fork-plan.json --repeat 1 --account --format json && out_has '"copy_of"' \
  && [ "$(sum measured_ns)" = "$(json median_ns)" ] && [ "$(json median_ns)" = "$(json predicted_ns)" ] \
  && sed -n '/"copies"/,/}/p' .out | grep 'predicted_ns' | grep -qv ' 0,'
say $? "and tells copies apart"
sed -n '/"account"/,$p' .out | awk '/predicted_ns/ { gsub (/[^0-9]/, ""); p = $0 } /measured_ns/ { gsub (/[^0-9]/, ""); if ($0 != p) exit 1 }'
say $? "made-up machines keep to every step"
try 0 run plan.json --repeat 1 --account && out_has '^account  *took' && out_has '^worst step  *fc1 on ref: predicted'
say $? "the steps furthest off"
try 0 run plan.json --repeat 3 --account && out_has "^account" && [ "$(wc -L < .out)" -le 100 ]; say $? "in lines of 100 columns"
# Said to take 1 ns each, they do not.
sed 's/"type": "\([A-Z]\)/"cost": {"ref": 1}, "type": "\1/' mlp.json > cheap.json
try 0 run cheap.json --devices ref --repeat 1 && out_has '^account  *took .*longer' && [ "$(grep -c '^worst step  *[a-z0-9]* on ref: predicted' .out)" = 4 ]
say $? "what is not as foretold is accounted for unasked, with the worst steps"
try 0 run fork-plan.json --repeat 1 && ! out_has '^account' && ! out_has '^worst step'; say $? "no account of what is as foretold"

try 0 run mlp.json --devices $sims --repeat 2 --check --format json && out_has '"simulated": true'
say $? "a model on simulated devices"

try 0 check plan.json && out_has valid; say $? "check"
try 0 check plan.json --format json && [ "$(json valid)" = true ] && out_has reasons
say $? "check as json"
try 0 check plan.json && out_has 'as stated in the plan'; say $? "check believes measured figures"
try 0 check plan.json --cost "$TPLAN_COST" && ! grep -q 'as stated' "$work/.out"; say $? "check --cost looks them up"
try 3 check lie.json --cost "$TPLAN_COST"; say $? "check --cost of no plan"
mkdir moved && mv mlp.json moved/
try 3 check plan.json && err_has mlp.json && err_has -- --graph; say $? "graph has moved"
try 0 check plan.json --graph moved/mlp.json; say $? "--graph"
cp plan.json moved/ && try 0 check moved/plan.json; say $? "graph beside the plan"
mv moved/mlp.json .

# A lie with a good digest: readable, but not proved.
cost=$(sed -n 's/^ "cost_ns": \([0-9]*\),$/\1/p' plan.json)
sed "s/^ \"cost_ns\": $cost,/ \"cost_ns\": $((cost - 1)),/" plan.json | head -n -2 > body
{ cat body; printf ' "sha256": "%s"\n}\n' "$(sha256sum < body | cut -d ' ' -f 1)"; } > lie.json
try 1 check lie.json && out_has 'not valid'; say $? "a signed lie is not valid"

try 0 explain plan.json && out_has fc1; say $? "explain"
try 0 explain mlp.json fc2 --devices $sims --format json; say $? "explain one op"
for key in reason_code op device times_ns spread_ns transfer_ns group reason margin_ns; do
  out_has "\"$key\":"; say $? "explain has $key"
done
try 0 explain mlp.json --devices $sims --pin fc1=sim:laptop-gpu --format csv && out_has 'pinned to sim:laptop-gpu'
say $? "explain knows pins"
try 2 explain plan.json nobody && err_has nobody; say $? "no such op"
# Names as exporters make them, on two devices, one of which is worth the copies.
long=/encoder/layers/layers.11/feed_forward/intermediate
sed "s,\"fc1\",\"$long/fc1\",; s,\"relu\",\"$long/relu\",; s/\"N\": 4/\"N\": 4096/" mlp.json > long.json
fits () { ! grep -q '.\{101\}' .out && ! grep -q '.\{101\}' .err; }
try 0 explain long.json --devices $sims --pin "$long/fc1=sim:laptop-gpu" && fits && out_has '^\.\.\..*/fc1  *Gemm  *sim:laptop-gpu .* %  .* pinned$' \
  && out_has "^pinned  *$long/fc1: pinned to sim:laptop-gpu$"; say $? "explain fits 100 columns, and says what its reasons mean"
try 0 explain long.json "$long/relu" --devices $sims && fits && out_has '^on sim:laptop-gpu ' && out_has "^group  *that of $long/fc1$"
say $? "of one op it has all"
# Whole runs: kept, or not and why; and the interval.
cat > sure.json <<'JSON'
{ "format": "tplan-graph/1", "name": "sure", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [8, 8]}], "outputs": ["y"],
  "ops": [{"name": "t", "type": "Tanh", "inputs": ["x"], "outputs": ["y"]}] }
JSON
try 0 run sure.json --devices ref --repeat 9 --format json && out_has '"predicted_low_ns": [0-9]' && out_has '"within": [tf]' \
  && [ ! -e "$TPLAN_COST" ] && ! err_has '^kept'; say $? "an interval; no table is made"
try 0 calibrate sure.json --devices ref && try 0 run sure.json --devices ref --repeat 40 && out_has '(90 %: ' && out_has 'the interval' \
  && { err_has '^kept how long the plan took' || err_has 'not kept: others disturbed it'; }; say $? "what was measured is kept, or not"
if err_has '^kept'; then
  "$TPLAN" cost export -o costs.json && grep -q '"predicted_ns"' costs.json; say $? "it is in the table"
  try 0 explain sure.json --devices ref && err_has 'multiplied by [0-9.]*, as whole plans took that ([12] sittings\{0,1\})'; say $? "explain tells the factor"
  try 0 optimize sure.json --devices ref --format json -o sure-plan.json && out_has '"wholes": [12]' && out_has '"cost_low_ns"'
  say $? "so does optimize"
  try 0 check --cost "$TPLAN_COST" sure-plan.json; say $? "the table agrees"
  try 0 run sure-plan.json --repeat 40; try 0 check --cost "$TPLAN_COST" sure-plan.json; say $? "and goes on to"
fi

finish
