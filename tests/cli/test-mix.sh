#!/bin/sh
# Several graphs on one machine: planned together, checked, told, and run side by side.
. "$(dirname "$0")/common.sh"
python=$(command -v python3)
sed 's/"name": "mlp"/"name": "other"/' mlp.json > other.json

try 0 optimize mlp.json other.json --devices $sims --rate mlp=300/s,other=4ms -o both.json && err_has "wrote both.json" && out_has "simulated"; say $? "made"
out_has "^busiest .* of each second predicted (simulated), \(proved least\|bound\)" && out_has "^all on one " && out_has "mlp, 300/s  other, 250/s"; say $? "told"
try 0 optimize other.json mlp.json --devices $sims --rate other=4ms --rate mlp=300/s && out_has "other, 250/s  mlp, 300/s"; say $? "in the order given"
try 0 optimize mlp.json other.json --devices $sims --rate mlp=300/s,other=4ms -o again.json && cmp -s both.json again.json; say $? "equal calls give equal bytes"
try 0 optimize mlp.json other.json --devices $sims && err_has "no rate of 'mlp' is given, taken as 1/s" && err_has "no rate of 'other'"; say $? "once a second if nothing is said"
try 0 optimize mlp.json --devices $sims --rate mlp=7/s -o one.json && try 0 optimize mlp.json --devices $sims --objective throughput -o load.json
"$TPLAN" explain one.json --part mlp -q --format csv > a.csv && "$TPLAN" explain load.json -q --format csv > b.csv && cmp -s a.csv b.csv; say $? "one graph is placed as for throughput"
try 0 optimize mlp.json other.json --devices $sims --rate mlp=300/s,other=4ms --format json && first=$(json busy) \
  && try 0 optimize mlp.json other.json --devices $sims --rate mlp=600/s,other=2ms --format json \
  && [ "$(awk "BEGIN { r = $(json busy) / $first; print (r > 1.999 && r < 2.001) }")" = 1 ]; say $? "twice as often is twice as busy"

try 0 check both.json && out_has "^both.json: valid: .*of each second predicted (simulated)"; say $? "checked"
try 0 check both.json --format json && [ "$(json valid)" = true ] && [ "$(json format)" = tplan-check-mix/1 ]; say $? "as JSON"
try 0 check both.json --part other && out_has "^both.json: valid: costs"; say $? "one of them"
if [ -n "$python" ]; then
  "$python" "$top_srcdir/tests/check_plan.py" both.json one.json > .out 2> .err && [ "$(grep -c ': valid$' .out)" -eq 2 ]; say $? "by the other checker too"
fi
try 0 explain both.json && out_has "ENGINE  *SIMULATED BUSY"; say $? "explained"
try 0 explain both.json --part mlp fc1; say $? "an op of one"
try 2 explain both.json fc1 && err_has "part says of which"; say $? "which wants its graph"
try 0 view both.json --part mlp -o mlp.svg && try 0 report both.json --part other -o other.html && try 0 run both.json --part other --repeat 1; say $? "one is drawn, reported and run"
for command in "view both.json" "report both.json -o all.html"; do try 2 $command && err_has "say which with --part mlp" || break; done; say $? "not all at once"
try 2 run both.json --part ohter && err_has "no plan is of 'ohter': there are mlp, other"; say $? "no other part"
try 2 run load.json --part mlp && err_has "has one plan"; say $? "nor a part of one plan"
try 0 optimize mlp.json other.json --devices $sims --rate mlp=300/s,other=4ms -o both.json.gz -q && try 0 check both.json.gz; say $? "packed"
"$TPLAN" optimize mlp.json other.json --devices $sims --rate mlp=300/s,other=4ms -q -o - > piped.json 2> .err && cmp -s piped.json both.json; say $? "to standard output"

# What cannot be.
try 5 optimize mlp.json other.json --devices $sims --rate mlp=90000000/s,other=90000000/s -o fast.json && err_has "the rates cannot be kept: '.*' would be busy .* s of every second (simulated)" && [ ! -e fast.json ]
say $? "rates that are too high"
n_kept=0
for rate in 170000 190000 230000 290000 310000 370000 410000 430000; do
  try 5 optimize mlp.json other.json --devices $sims --rate mlp=$rate/s,other=$rate/s || break
  rate=$(sed -n 's/.*divide the rates by //p' .err | awk -v rate=$rate '{ printf "%.3f", int (1000 * rate / $1) / 1000 }')
  try 0 optimize mlp.json other.json --devices $sims --rate mlp=$rate/s,other=$rate/s || break
  n_kept=$((n_kept + 1))
done
[ $n_kept -eq 8 ]; say $? "divided as they are told, they are kept"
try 5 optimize mlp.json other.json --devices $sims --mem-limit sim:desktop-cpu=1 --mem-limit sim:laptop-gpu=1 && err_has "allow more"; say $? "memory that is not there"
try 2 optimize mlp.json other.json --devices $sims --rate mpl=3/s && err_has "no model is named 'mpl' (did you mean 'mlp'?): there are mlp, other"; say $? "a rate of none of them"
for rate in mlp mlp=3 mlp=0/s mlp=-3/s mlp=3/y mlp=1/s,mlp=2/s; do try 2 optimize mlp.json other.json --devices $sims --rate $rate || break; done; say $? "rates that are none"
try 2 optimize mlp.json ./mlp.json --devices $sims && err_has "'mlp.json' and './mlp.json' would both be named 'mlp', as files are: to run one more often give its --rate"; say $? "one name twice"
mkdir one two && cp mlp.json one/net.json && sed 's/"name": "mlp"/"name": "second"/' mlp.json > two/net.json
try 0 optimize one/net.json two/net.json --devices $sims --rate one/net=300/s,two/net=4ms -q -o nets.json \
  && try 0 explain nets.json --part two/net; say $? "two files of one name are told apart by their folders"
try 0 optimize one/net.json two/net.json --devices $sims --rate one/net=300/s,second=4ms -q -o - && cmp -s .out nets.json; say $? "a graph's own name"
try 0 optimize mlp.json one/net.json two/net.json --devices $sims --rate second=3/s,mlp=5/s && err_has "no rate of 'one/net' is given"; say $? "the name of a file before that of a graph"
try 5 optimize mlp.json other.json --devices $sims --rate mlp=1000003/s,other=0.000001/h && err_has "the rates of 'mlp' and 'other' are kept: give rates that are in a simpler proportion"; say $? "rates in no simple proportion"
for option in --verify --margins "--require sim:desktop-cpu>=1%time" "--objective makespan" "-o t.svg"; do
  try 2 optimize mlp.json other.json --devices $sims $option || break
done
say $? "what is for one model"
try 2 optimize mlp.json other.json --devices $sims -o both.json && err_has exists; say $? "nothing is overwritten"
try 3 bench both.json && err_has "simulated devices run one graph at a time"; say $? "simulated graphs do not run side by side"
try 3 run both.json && err_has "simulated devices run one graph at a time"; say $? "nor for what comes out"

# Side by side, on the references.
try 0 optimize mlp.json other.json --devices ref --rate mlp=40/s,other=20/s -o ref.json -q
try 0 bench ref.json --time-limit 300ms --format json && [ "$(json format)" = tplan-bench-mix/1 ] && [ "$(grep -c '"asked": ' .out)" -eq 2 ] && out_has '"asked": 12' && out_has '"asked": 6'
say $? "run at their rates"
try 0 bench ref.json --time-limit 300ms --seed 3 --in-flight 4 && out_has "^ENGINE  *PREDICTED BUSY  *MEASURED" && out_has "^ref "; say $? "at times that are drawn"
try 2 bench ref.json load.json && err_has "side by side"; say $? "they are no contestants"

# For what comes out: rounds of two and one, against the references and runs alone.
try 0 run ref.json --repeat 3 --check --format json && [ "$(json format)" = tplan-run-mix/1 ] && [ "$(json rounds)" = 3 ] && [ "$(json good)" = true ] \
  && out_has '"in_round": 2' && out_has '"runs": 6' && out_has '"runs": 3' && [ "$(json median_ns)" -gt 0 ]; say $? "run in rounds, and checked"
try 0 run ref.json --repeat 2 --check && out_has "^mlp  *2 .*good: " && out_has "^other  *1 .*good: " && out_has "^ref " && err_has "^a round: .* predicted: "; say $? "told"
try 0 run ref.json --repeat 1 --output all && try 0 run ref.json --part other --repeat 1 --output alone && cmp -s all/other/probs.npy alone/probs.npy && [ -e all/mlp/probs.npy ]
say $? "outputs, each in the folder of its graph, are those of one alone"
awk 'BEGIN { for (i = 0; i < 64; i++) print i / 64 }' > x.txt
"$TPLAN" run ref.json --part mlp --repeat 1 --seed 7 -q -o seven > /dev/null 2>&1
python3 -c "import array; h = b'{\"x\":{\"dtype\":\"F32\",\"shape\":[4,16],\"data_offsets\":[0,256]}}'; open('x.safetensors', 'wb').write(len(h).to_bytes(8, 'little') + h + array.array('f', map(float, open('x.txt'))).tobytes())"
try 0 run ref.json --repeat 1 -i mlp:x=x.safetensors:x -i other:x=x.safetensors:x -o given && cmp -s given/mlp/probs.npy given/other/probs.npy \
  && ! cmp -s given/mlp/probs.npy all/mlp/probs.npy; say $? "inputs, by the name of their graph"
try 2 run ref.json -i x=x.safetensors && err_has "input 'x=x.safetensors' is not GRAPH:NAME=FILE .*: such as 'mlp:x=x.safetensors'"; say $? "which is to be said"
try 2 run ref.json -i mlp:y=x.safetensors && err_has "'y=x.safetensors' is not NAME=FILE with an input of graph 'mlp'"; say $? "an input that the graph has not"
try 0 optimize mlp.json other.json --devices ref --rate mlp=60/s,other=20/s -o three.json -q
try 2 run three.json --repeat 1000000 && err_has "'mlp' would be run 3000000 times, and at most 2000000 are counted: give fewer rounds"; say $? "no more runs than are counted"
for option in --check-ops --account --profile "--trace t.json" "--duration 1s" "--wait 1s" "--watchdog 9s" --fallback; do
  try 2 run ref.json $option && err_has "is for one: say which with --part" || break
done
say $? "what is for one plan"
try 1 run ref.json --repeat 1 --check --tolerance 0 && out_has "^mlp .*WRONG: "; say $? "the limit is obeyed"
try 2 run ref.json --devices cpu && err_has "which --devices cannot change"; say $? "no plan is changed"

# Hostile files.
bad () { name=$1 message=$2; shift 2; sed "$@" both.json > bad.json; try 3 check bad.json && err_has "bad.json: .*$message"; say $? "$name"; }
bad "another format" "this tplan reads tplan-mix/1" 's,tplan-mix/1,tplan-mix/2,'
bad "an unknown key" "unknown key" 's/^ "parts"/ "party": 1, "parts"/'
bad "another rate" "sha256: .*was changed" 's/"runs": 300/"runs": 301/; s/"runs": 3,/"runs": 7,/'
bad "no rate" "no such rate" 's/"in_round": [0-9]*/"in_round": 0/'
bad "another load" "was changed" '0,/"load_bound_ns": [0-9]*/s//"load_bound_ns": 1/'
bad "a plan that was changed" "other: .*was changed\|mlp: .*was changed" '0,/"cost_ns": [0-9]*/s//"cost_ns": 1/'
bad "a plan less" "plans: not one for each part" 's/^ "parts": \[/ "parts": [ {"name": "x", "runs": 1, "span_ns": 1, "in_round": 1},/'
if [ -n "$python" ]; then
  # The second plan is of two devices, the first of one; signed anew.
  "$TPLAN" optimize mlp.json other.json --devices "${sims%%,*}" --rate mlp=3/s,other=4ms -q -o narrow.json > /dev/null 2>&1
  "$python" - > bad.json <<'PYTHON'
import hashlib
start, end = '{\n "format": "tplan-plan/', '\n "sha256": "'
def second(text):
    first = text.index(start, text.index(start) + 1)
    return first, text.index(end, first)
wide, narrow = open("both.json").read(), open("narrow.json").read()
a, b = second(wide), second(narrow)
text = narrow[:b[0]] + wide[a[0]:a[1] + len(end) + 64] + narrow[b[1] + len(end) + 64:]
last = text.rindex(end) + 1
print(text[:last] + ' "sha256": "' + hashlib.sha256(text[:last].encode()).hexdigest() + '"\n}')
PYTHON
  try 3 check bad.json && err_has "bad.json: plans: that of 'other' is for other devices than that of 'mlp': plan both together"; say $? "a plan for other devices"
fi
head -c 300 both.json > bad.json; try 3 check bad.json && err_has "cut short"; say $? "cut short"
tr -d '\n' < both.json > flat.json; try 0 check flat.json; say $? "laid out otherwise it is the same"
finish
