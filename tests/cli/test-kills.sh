#!/bin/sh
# Killed at any moment, tplan leaves no process, no half of a file, and no figure
# that it had said to keep is lost. 24 kills; 1000 with TPLAN_TEST_FULL.
. "$(dirname "$0")/common.sh"
kills=${KILLS:-$([ -n "${TPLAN_TEST_FULL:-}" ] && echo 1000 || echo 24)}
[ -r /proc/self/environ ] && date +%N | grep -q '^[0-9]*$' \
  || { echo "1..0 # SKIP needs /proc and GNU date"; exit 0; }
rows=2000
mark=TPLAN_TEST_KILLED_$$
faults=0

fault () { faults=$((faults + 1)); echo "# kill $i of $job: $*"; }

# start NUMBER: the job, which a mark in its environment tells from all others.
start ()
{
  case $job in
  calibrate) set -- calibrate -q --devices ref --dim N="$1" mlp.json ;;
  picture) set -- optimize -f --devices $sims chain.json -o out/p.svg -o out/p.json ;;
  convert) set -- convert wide.json -o out/wide.onnx --external-data ;;
  import) set -- cost import --cost out/import.db many.cost ;;
  esac
  env "$mark=1" "$TPLAN" "$@" > .out 2> .err &
  child=$!
}

# How many figures the table has.
count () { "$TPLAN" cost show --all --format csv --cost "$1" | sed 1d | wc -l; }

# After a kill: what is there is whole. $has is how many figures there were.
look_calibrate ()
{
  now=$(count "$TPLAN_COST") || fault "the table cannot be read"
  [ "$now" -ge "$has" ] || fault "$has figures were there, now $now"
  has=$now
}
look_picture ()
{
  [ "$(cat out/p.svg)" = old ] || grep -q '</svg>' out/p.svg || fault "half a picture"
  [ "$(cat out/p.json)" = old ] || "$TPLAN" check out/p.json > /dev/null || fault "half a plan"
}
look_convert ()
{
  [ ! -e out/wide.onnx ] || "$TPLAN" info out/wide.onnx > /dev/null || fault "half a model"
  case $(stat -f -c %T out) in ext*|xfs|btrfs|tmpfs)
    [ -z "$(ls -A out | grep '^\.tplan-')" ] || fault "a draft is left" ;;
  esac
}
look_import ()
{
  now=$(count out/import.db) || fault "the table cannot be read"
  [ "$now" -eq 0 ] || [ "$now" -eq $rows ] || fault "$now of $rows figures"
  ! err_has taken || [ "$now" -eq $rows ] || fault "$now of $rows figures that were acknowledged"
}

# Nothing with our mark lives, at most two minutes later.
is_alone ()
{
  for _ in $(seq 1200); do
    grep -slzx "$mark=1" /proc/[0-9]*/environ > alive
    [ -s alive ] || return 0
    sleep 0.1
  done
  return 1
}

now_ms () { echo $(($(date +%s%N) / 1000000)); }

prepare ()
{
  rm -rf out && mkdir out
  [ $job != picture ] || { echo old > out/p.svg; echo old > out/p.json; }
}

# Kills at moments drawn from the time that the job takes.
kill_job ()
{
  prepare
  begin=$(now_ms)
  start 1; wait $child || fault "it fails by itself: $(head -c 200 .err)"
  [ $job != import ] || [ "$(count out/import.db)" -eq $rows ] || fault "not all is imported"
  span=$(($(now_ms) - begin))
  awk -v n=$((kills / 4)) -v ms=$span -v seed="${TPLAN_TEST_FULL:+$$}" \
    'BEGIN { srand(seed + 1); for (i = 0; i < n; i++) printf "%.4f\n", 1.1 * ms * rand() / 1000 }' > moments
  has=0 i=0
  while read -r moment; do
    i=$((i + 1))
    prepare
    start $((i + 1))
    sleep "$moment"
    kill -9 $child 2> /dev/null
    wait $child 2> /dev/null
    is_alone || { fault "left behind: $(cat alive)"; sed 's/[^0-9]//g' alive | xargs kill -9; }
    look_$job
  done < moments
}

sed 's/\[16, 32\]/[16, 512]/; s/\[32\]/[512]/; s/\[32, 8\]/[512, 8]/' mlp.json > wide.json
sed -i 's/"random": {"seed": 1, "std": 0.2}/"fill": 0.5/; s/\[16, 512\]/[16, 300000]/; s/\[512\]/[300000]/; s/\[512, 8\]/[300000, 8]/' wide.json
awk 'BEGIN { printf "{\"format\": \"tplan-graph/1\", \"name\": \"chain\", \"opset\": 17, \"outputs\": [\"t300\"],"
  print "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", \"shape\": [4]}], \"ops\": ["
  for (i = 0; i < 300; i++)
    printf "{\"type\": \"Relu\", \"inputs\": [\"t%d\"], \"outputs\": [\"t%d\"]}%s\n", i, i + 1, i < 299 ? "," : "] }" }' > chain.json
printf '%s\n' '{"format": "tplan-graph/1", "name": "one", "opset": 17, "outputs": ["y"],' \
  '"inputs": [{"name": "x", "dtype": "float32", "shape": [4]}],' \
  '"ops": [{"type": "Relu", "inputs": ["x"], "outputs": ["y"]}] }' > one.json
"$TPLAN" calibrate -q --devices ref --cost one.db one.json 2> /dev/null
"$TPLAN" cost export --cost one.db -o one.cost
# Its entry, $rows times.
awk -v n=$rows '/"wholes": [[]$/ { print "   \"wholes\": []"; skip = 1 }
  skip { skip = !/^   []]/; next }
  /^    [{]$/ { on = 1 }
  on { text = text $0 (/^    [}]$/ ? "" : "\n") }
  /^    [}]$/ { on = 0
    for (i = 0; i < n; i++) {
      sub(/"digest": "[0-9a-f]*"/, sprintf("\"digest\": \"%064x\"", i), text)
      print text (i < n - 1 ? "," : "") }
    next }
  !on' one.cost > many.cost

for job in calibrate picture convert import; do
  faults=0
  kill_job > said
  cat said
  : > .out; : > .err
  [ $faults -eq 0 ]; say $? "$((kills / 4)) kills of $job"
done
finish
