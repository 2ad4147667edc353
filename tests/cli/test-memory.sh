#!/bin/sh
# Memory that runs out is an error: of all large allocations of a command one fails,
# and the command ends with a message and an exit status of ours, or does without;
# nothing is left beside what it writes. So it is with too little for all of them. At
# most 8 allocations a command, spread over all, and 7 limits; every one, and a
# larger graph, with TPLAN_TEST_FULL.
. "$(dirname "$0")/common.sh"
layer=$G_TEST_BUILDDIR/.libs/fail-alloc.so
large=${LARGE:-16384}
most=${MOST:-$([ -n "${TPLAN_TEST_FULL:-}" ] && echo 100000 || echo 8)}
ops=${OPS:-$([ -n "${TPLAN_TEST_FULL:-}" ] && echo 5000 || echo 1000)}
rooms=$([ -n "${TPLAN_TEST_FULL:-}" ] && echo 80 || echo 24) # MiB, in steps of
rooms_step=$([ -n "${TPLAN_TEST_FULL:-}" ] && echo 1 || echo 4)
[ -e "$layer" ] || { echo "1..0 # SKIP the layer is not built"; exit 0; }
[ -z "${ASAN_OPTIONS:-}" ] || { echo "1..0 # SKIP the sanitizer has an allocator of its own"; exit 0; }

awk -v n="$ops" 'BEGIN {
  printf "{\"format\": \"tplan-graph/1\", \"name\": \"long\", \"opset\": 17, \"outputs\": [\"t%d\"],\n", n
  print "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", \"shape\": [64]}],"
  print "\"initializers\": [{\"name\": \"c\", \"dtype\": \"float32\", \"shape\": [64], \"fill\": 0.5}], \"ops\": ["
  for (i = 0; i < n; i++)
    printf "{\"type\": \"%s\", \"inputs\": [\"t%d\"%s], \"outputs\": [\"t%d\"]}%s\n", i % 2 ? "Add" : "Tanh",
      i, i % 2 ? ", \"c\"" : "", i + 1, i < n - 1 ? "," : "] }" }' > long.json
# Tensors of megabytes, and kinds of ops that keep something beside them.
cat > wide.json <<'JSON'
{ "format": "tplan-graph/1", "name": "wide", "opset": 17, "outputs": ["y"],
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [512, 512]}],
  "initializers": [ {"name": "w", "dtype": "float32", "shape": [512, 512], "random": {"seed": 1, "std": 0.1}} ],
  "ops": [ {"type": "Add", "inputs": ["x", "w"], "outputs": ["a"]},
    {"type": "Softmax", "inputs": ["a"], "outputs": ["s"], "attrs": {"axis": -1}},
    {"type": "LayerNormalization", "inputs": ["s", "w"], "outputs": ["l"], "attrs": {"axis": 0}},
    {"type": "Transpose", "inputs": ["l"], "outputs": ["y"]} ] }
JSON

# As many weights as ops, that are written to a file of tensors.
awk -v n="$ops" 'BEGIN {
  printf "{\"format\": \"tplan-graph/1\", \"name\": \"many\", \"opset\": 17, \"outputs\": [\"t%d\"],\n", n
  print "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", \"shape\": [1]}], \"initializers\": ["
  for (i = 0; i < n; i++)
    printf "{\"name\": \"weight%d\", \"dtype\": \"float32\", \"shape\": [1], \"data\": [%d.5]}%s\n", i, i, i < n - 1 ? "," : "], \"ops\": ["
  for (i = 0; i < n; i++)
    printf "{\"type\": \"Add\", \"inputs\": [\"t%d\", \"weight%d\"], \"outputs\": [\"t%d\"]}%s\n", i, i, i + 1, i < n - 1 ? "," : "] }" }' > many.json

sed 's/"t0", "dtype": "float32", "shape": \[64\]/"t0", "dtype": "float32", "shape": ["N", 64]/' long.json > sym.json

# start JOB: a command, with a fresh folder to write to. $room: MiB of addresses.
start ()
{
  job=$1; shift
  rm -rf out; mkdir out
  case $job in
  info) set -- info long.json ;;
  optimize) set -- optimize --devices $sims long.json -o out/plan.json ;;
  check) set -- check plan.json ;;
  pack) set -- optimize --devices $sims long.json -o out/plan.json.gz ;;
  unpack) set -- check plan.json.gz ;;
  pareto) set -- pareto --devices $sims long.json -o out/pareto.csv -o out/pareto.svg -o out/pareto.json --plans=out ;;
  explain) set -- explain plan.json ;;
  explain-json) set -- explain --format json plan.json ;;
  convert-json) set -- convert many.json -o out/many.json ;;
  convert) set -- convert long.json -o out/long.onnx ;;
  run-ref) set -- run --devices ref -n 1 --warmup 0 -o out/values wide.json ;;
  run-cpu) set -- run --devices cpu -n 1 --warmup 0 -o out/values wide.json ;;
  view) set -- view plan.json -o out/plan.dot ;;
  report) set -- report plan.json -o out/plan.html ;;
  tiers) set -- optimize --devices $sims sym.json --dim N=1,2 -o out/tiers.json ;;
  tiers-check) set -- check tiers.json ;;
  sweep) set -- sweep --devices $sims sym.json --dim N=1,2 -o out/sweep.csv -o out/sweep.html ;;
  profile) set -- run --devices ref -n 1 --warmup 0 --profile --account --trace=out/trace.json long.json ;;
  cost-export) set -- cost export -o out/cost.json ;;
  machine-export) set -- machine export -o out/machine.json ;;
  esac
  # shellcheck disable=SC3045
  if [ -n "$room" ]; then
    (ulimit -v $((room * 1024)) && "$TPLAN" "$@" > .out 2> .err)
    return
  fi
  env LD_PRELOAD="$layer" TPLAN_FAIL_BYTES="$large" "TPLAN_FAIL_ALLOC=$failing" \
    TPLAN_FAIL_COUNT="$work/count" "$TPLAN" "$@" > .out 2> .err
}

# What was written is as it was; times and dates are not.
is_whole ()
{
  case $job in
  profile) tail -n 1 out/trace.json | grep -q '[]}] *$' ;;
  report | sweep) tail -n 1 "$(echo out/*.html)" | grep -q '</html>$' ;;
  *) diff -r out good > /dev/null ;;
  esac
}

# After a failure, which may come after a file: what is there is whole, and nothing is
# beside it.
is_rest_whole ()
{
  case $job in
  profile) ! diff -rq out good | grep '^Only in out' && { [ ! -e out/trace.json ] || is_whole; } ;;
  *) ! diff -r out good | grep -v '^Only in good' ;;
  esac
}

# Success, with the same result; or a status of ours and a message. What is there
# then is whole, and nothing is beside it.
is_survived ()
{
  if [ "$1" -eq 0 ]; then
    case $job in
    run-* | profile) ;;
    *) cmp -s .out good.out || return 1 ;;
    esac
    is_whole
    return
  fi
  [ "$1" -le 8 ] && grep -q '^tplan: ' .err && is_rest_whole
}

# Those that a library would have ended with a signal.
count_late () { ! grep -q '^tplan: no memory for .* or the batch$' .err || late=$((late + 1)); }

attack ()
{
  room='' failing=0 died=0 refused=0 late=0 tried=0
  start "$1" || { echo "# $1 fails by itself: $(head -c 200 .err)"; return 1; }
  n_large=$(cat count)
  rm -rf good; mv out good; cp .out good.out
  step=$(((n_large + most - 1) / most))
  for failing in $(seq 1 $((step > 0 ? step : 1)) "$n_large"); do
    tried=$((tried + 1))
    start "$1"; status=$?
    [ $status -eq 0 ] || refused=$((refused + 1))
    is_survived $status && { count_late; continue; }
    died=$((died + 1))
    echo "# $1: allocation $failing of $n_large: status $status: $(head -c 300 .err)"
  done
  echo "# $1: $tried of $n_large allocations failed: $((tried - refused)) done without, $((refused - died)) refused ($late late), $died died"
  [ $died -eq 0 ]
}

# All allocations fail beyond a limit, from where the program itself can start.
squeeze ()
{
  died=0 refused=0 late=0 tried=0 room=4
  # shellcheck disable=SC3045
  until (ulimit -v $((room * 1024)) && "$TPLAN" --version) > .out 2>&1; do
    room=$((room + 1))
    [ $room -lt 1000 ] || return 1
  done
  for room in $(seq $room "$rooms_step" $((room + rooms))); do
    tried=$((tried + 1))
    start "$1"; status=$?
    [ $status -eq 0 ] || refused=$((refused + 1))
    is_survived $status && { count_late; continue; }
    died=$((died + 1))
    echo "# $1 in $room MiB: status $status: $(head -c 300 .err)"
  done
  echo "# $1: $tried limits of memory: $((tried - refused)) suffice, $((refused - died)) refused ($late late), $died died"
  [ $died -eq 0 ]
}

# test_job FAULT FUNCTION JOB
test_job ()
{
  $2 "$3" > said; status=$?
  cat said
  : > .out; : > .err
  say $status "$3: $1 is an error"
}

# The set-up: a test that cannot begin says why.
begin () # COMMAND...
{
  "$TPLAN" "$@" > .out 2> .err && return
  echo "Bail out! tplan $*: $(head -n 1 .err)"; exit 99
}
begin optimize -q --devices $sims long.json -o plan.json
begin optimize -q --devices $sims long.json -o plan.json.gz
begin optimize -q --devices $sims sym.json --dim N=1,2 -o tiers.json
begin calibrate -q --devices ref mlp.json
# Words come from GLib in the locale's own letters, which takes memory as well.
(LC_ALL=C; export LC_ALL; attack info) > said; status=$?
cat said
say $status "in the locale C: an allocation that fails is an error"
for each in ${JOBS:-info optimize check pack unpack pareto explain explain-json convert convert-json run-ref run-cpu view report tiers tiers-check sweep profile cost-export machine-export}; do
  if [ $each = run-cpu ] && ! "$TPLAN" devices | grep -q '^cpu'; then continue; fi
  test_job "an allocation that fails" attack $each
  # LLVM alone takes more addresses than that.
  [ $each = run-cpu ] || test_job "too little memory" squeeze $each
done
finish
