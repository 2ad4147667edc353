#!/bin/sh
# Plans whose engines work at once, run: by the clocks of made-up machines a run takes
# what its schedule says, results are right on real devices too, and a trace shows
# no engine doing two things at a time.
. "$(dirname "$0")/common.sh"

# Four towers of four products each, which meet at the end.
awk 'BEGIN {
  print "{ \"format\": \"tplan-graph/1\", \"name\": \"towers\", \"opset\": 17,"
  print "  \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [32, 64]}],"
  print "  \"outputs\": [\"y\"], \"initializers\": ["
  for (t = 1; t <= 4; t++) for (i = 1; i <= 4; i++)
    printf "    {\"name\": \"w%d%d\", \"dtype\": \"float32\", \"shape\": [64, 64], \"random\": {\"seed\": %d, \"std\": 0.1}}%s\n", t, i, 10 * t + i, t * i < 16 ? "," : "],"
  print "  \"ops\": ["
  for (t = 1; t <= 4; t++) for (i = 1; i <= 4; i++) {
    input = i == 1 ? "x" : "r" t (i - 1)
    printf "    {\"name\": \"fc%d%d\", \"type\": \"MatMul\", \"inputs\": [\"%s\", \"w%d%d\"], \"outputs\": [\"h%d%d\"]},\n", t, i, input, t, i, t, i
    printf "    {\"name\": \"tanh%d%d\", \"type\": \"Tanh\", \"inputs\": [\"h%d%d\"], \"outputs\": [\"r%d%d\"]},\n", t, i, t, i, t, i
  }
  print "    {\"name\": \"a\", \"type\": \"Add\", \"inputs\": [\"r14\", \"r24\"], \"outputs\": [\"s\"]},"
  print "    {\"name\": \"b\", \"type\": \"Add\", \"inputs\": [\"r34\", \"r44\"], \"outputs\": [\"t\"]},"
  print "    {\"name\": \"c\", \"type\": \"Add\", \"inputs\": [\"s\", \"t\"], \"outputs\": [\"y\"]} ] }"
}' > towers.json

# plan DEVICES OPTION...: with two towers on each device.
plan ()
{
  first=${1%,*} second=${1#*,} devices=$1; shift
  try 0 optimize towers.json -f -o plan.json --devices "$devices" --objective makespan \
    --pin "fc1?=$first" --pin "fc2?=$second" --pin "fc3?=$first" --pin "fc4?=$second" "$@"
}

# Three of them, on their way at once.
trio=sim:laptop-cpu,sim:laptop-gpu,sim:desktop-gpu
pins="--pin fc1?=sim:laptop-gpu --pin fc2?=sim:desktop-gpu --pin fc3?=sim:laptop-cpu --pin fc4?=sim:desktop-gpu"
try 0 optimize towers.json -fo plan.json --devices $trio --objective makespan $pins && try 0 check plan.json &&
  out_has 'makespan: .* for a run whose engines work at once, simulated, ' &&
  try 0 optimize towers.json --devices $trio --objective makespan --format json $pins &&
  span=$(sed -n 's/.*"span_ns": *\([0-9]*\).*/\1/p' .out) && cost=$(json cost_ns) &&
  try 0 check plan.json --format json && grep -q "\"span_ns\": $span," .out &&
  try 0 run plan.json --repeat 1 --check --format json && [ "$(json predicted_ns)" = "$span" ] && [ "$span" -lt "$cost" ] &&
  took=$(json median_ns) && [ $((10 * took)) -ge $((9 * span)) ] && [ $((10 * took)) -le $((11 * span)) ]
say $? "three devices: the run takes what the schedule says, within a tenth"

for pair in laptop-cpu,laptop-gpu laptop-gpu,laptop-cpu laptop-gpu,desktop-gpu laptop-cpu,desktop-cpu; do
  plan "sim:${pair%,*},sim:${pair#*,}" && try 0 check plan.json &&
    try 0 optimize towers.json --devices "sim:${pair%,*},sim:${pair#*,}" --objective makespan --format json \
      --pin "fc1?=sim:${pair%,*}" --pin "fc2?=sim:${pair#*,}" --pin "fc3?=sim:${pair%,*}" --pin "fc4?=sim:${pair#*,}" &&
    span=$(sed -n 's/.*"span_ns": *\([0-9]*\).*/\1/p' .out) && cost=$(json cost_ns) &&
    try 0 run plan.json --repeat 1 --check --format json --trace trace.json -f &&
    [ "$(json predicted_ns)" = "$span" ] && [ "$span" -lt "$cost" ] &&
    took=$(json median_ns) && [ $((10 * took)) -ge $((9 * span)) ] && [ $((10 * took)) -le $((11 * span)) ]
  say $? "$pair: the run takes what the schedule says, within a tenth"
  # The bars of each row, in order: none begins before the last has ended.
  sed -n 's/.*"ph": "X".*"pid": \([12]\), "tid": \([0-9]*\), "ts": \([0-9.]*\), "dur": \([0-9.]*\).*/\1 \2 \3 \4/p' trace.json |
    sort -k1,1n -k2,2n -k3,3n > bars
  awk -v took="$took" '{ row = $1 " " $2; if (row == last && $3 < end - 0.0015) bad = 1
         last = row; end = $3 + $4; rows[row] = 1; if ($1 == 2 && end > most) most = end }
       END { for (r in rows) n++; d = most - took / 1000
             exit !(NR > 30 && n >= 6 && !bad && d < 0.01 && d > -0.01) }' bars
  say $? "$pair: engines do one thing at a time, in the trace too"
  # What --profile draws of each row is what the bars say.
  sort -k2,2n -k1,1n bars | awk '{ if ($3 + $4 > most) most = $3 + $4; n[NR] = $0 }
       END { for (i = 1; i <= NR; i++) { split(n[i], it, " "); row = it[2] " " it[1]
               if (row != last) order[++rows] = row
               last = row; b = 64 * it[3] / most; e = b + 64 * it[4] / most
               for (c = int(b); c < 64 && c < e; c++)
                 part[row, c] += (e < c + 1 ? e : c + 1) - (b > c ? b : c) }
             for (r = 1; r <= rows; r++) { line = ""
               for (c = 0; c < 64; c++) line = line (part[order[r], c] >= 0.5 ? "#" : part[order[r], c] > 0 ? "." : " ")
               print "|" line "|" } }' > drawn
  try 0 run plan.json --repeat 1 --profile && sed -n 's/.*\(|[#. ]*|\)$/\1/p' .out > seen
  [ "$(wc -l < seen)" -ge 6 ] && [ "$(diff drawn seen | grep -c '^>')" -le 1 ] && grep -q '^|.*#.*|$' seen; say $? "$pair: and as it is drawn"
done

# All is on the CPU, in 296 KiB, where it may be: within less a run has more on the other, and is as its schedule says.
for limit in 280K 200K 100K; do
  limits="--devices sim:laptop-cpu,sim:laptop-gpu --mem-limit sim:laptop-cpu=$limit --mem-reserve sim:laptop-cpu=40K --format json"
  try 0 optimize towers.json -fo timed.json $limits && cost=$(json cost_ns) &&
    try 0 optimize towers.json -fo tight.json $limits --objective makespan && span=$(json span_ns) &&
    [ "$span" -gt 0 ] && [ "$span" -le "$cost" ] && grep -q '"memory_limits"' tight.json
  say $? "within $limit: no later than one thing after the other"
  try 0 check tight.json && python3 "$top_srcdir/tests/check_plan.py" tight.json > .out 2>&1; say $? "both checkers take it"
  try 0 run tight.json --repeat 1 --check --format json && took=$(json median_ns) &&
    [ $((10 * took)) -ge $((9 * span)) ] && [ $((10 * took)) -le $((11 * span)) ]
  say $? "and it runs so"
done

# Real devices: times are what they are, results are to be right.
if "$TPLAN" devices --quiet 2> /dev/null | grep -q '^opencl:0'; then
  plan cpu,opencl:0 --trust-estimates && try 0 run plan.json --repeat 5 --check --trace real.json && grep -q '"to opencl:0"' real.json
  say $? "a CPU and an OpenCL device at once"
  try 0 run plan.json --repeat 2 --account --profile; say $? "and accounted for"
  try 0 bench plan.json --rounds 2; say $? "and raced"
else
  n=$((n + 1)); echo "ok $n # SKIP no OpenCL device"
fi
finish
