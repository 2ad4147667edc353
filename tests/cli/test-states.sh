#!/bin/sh
# --state: an output of one run is an input of the next, as if somebody had fed it back.
. "$(dirname "$0")/common.sh"

# y and n.1 read h.0 after n.0 is made, so n.0 cannot be written over it; n.1 can.
cat > net.json <<'JSON'
{ "format": "tplan-graph/1", "name": "net", "opset": 17,
  "inputs": [{"name": "x", "shape": [3, 5]}, {"name": "h.0", "shape": [3, 5]},
             {"name": "h.1", "shape": [3, 5]}, {"name": "t", "shape": [1], "dtype": "int64"}],
  "outputs": ["y", "n.0", "n.1", "u"],
  "initializers": [{"name": "w", "shape": [5, 5], "random": {"seed": 1, "std": 0.4}},
                   {"name": "one", "shape": [1], "dtype": "int64", "data": [1]}],
  "ops": [
    {"type": "MatMul", "inputs": ["h.0", "w"], "outputs": ["p"]},
    {"type": "Add", "inputs": ["p", "x"], "outputs": ["s"]},
    {"type": "Tanh", "inputs": ["s"], "outputs": ["n.0"]},
    {"type": "Add", "inputs": ["h.1", "n.0"], "outputs": ["n.1"]},
    {"type": "Add", "inputs": ["t", "one"], "outputs": ["u"]},
    {"type": "Cast", "inputs": ["u"], "outputs": ["f"], "attrs": {"to": 1}},
    {"type": "Mul", "inputs": ["n.1", "f"], "outputs": ["m"]},
    {"type": "Sub", "inputs": ["m", "h.0"], "outputs": ["y"]} ] }
JSON
# A token after the other: keys and values go where the state "at" says.
cat > decoder.json <<'JSON'
{ "format": "tplan-graph/1", "name": "decoder", "opset": 18,
  "inputs": [{"name": "x", "shape": [2, 1, 16]}, {"name": "past.key", "shape": [2, 1, 6, 4]},
             {"name": "past.value", "shape": [2, 1, 6, 4]}, {"name": "at", "shape": [2], "dtype": "int32"}],
  "outputs": ["y", "present.key", "present.value", "now"],
  "initializers": [{"name": "n", "shape": [], "dtype": "int32", "data": [6]},
                   {"name": "one", "shape": [2], "dtype": "int32", "data": [1, 1]},
                   {"name": "w", "shape": [8, 16], "random": {"seed": 2, "std": 0.5}},
                   {"name": "c", "shape": [8, 2], "random": {"seed": 3}},
                   {"name": "s", "shape": [8, 2], "random": {"seed": 4}}],
  "ops": [
    {"type": "com.microsoft.GroupQueryAttention",
     "inputs": ["x", "", "", "past.key", "past.value", "at", "n", "c", "s"],
     "outputs": ["a", "present.key", "present.value"],
     "attrs": {"num_heads": 2, "kv_num_heads": 1, "do_rotary": 1}},
    {"type": "MatMul", "inputs": ["a", "w"], "outputs": ["y"]},
    {"type": "Add", "inputs": ["at", "one"], "outputs": ["now"]} ] }
JSON

# begin MODEL TIE...: begin.IN.npy, what both ways begin with; options in $given.
begin ()
{
  model=$1; shift
  "$TPLAN" run "$model" -d ref -q -n 1 --warmup 0 --seed 7 -f -o begun > .out 2> .err || return 1
  given=
  for tie in "$@"; do
    cp "begun/${tie%%=*}.npy" "begin.${tie#*=}.npy" || return 1
    given="$given --input ${tie#*=}=begin.${tie#*=}.npy"
  done
}
# by_hand DEVICE MODEL N TIE...: N runs, what each gives fed to the next.
by_hand ()
{
  device=$1 model=$2 left=$3; shift 3
  for tie in "$@"; do cp "begin.${tie#*=}.npy" "now.${tie#*=}.npy" || return 1; done
  fed=$(echo "$given" | sed 's/=begin\./=now./g')
  while [ "$left" -gt 0 ]; do
    "$TPLAN" run "$model" -d "$device" -q -n 1 --warmup 0 --seed 3 -f -o fed $fed > .out 2> .err || return 1
    left=$((left - 1))
    for tie in "$@"; do cp "fed/${tie%%=*}.npy" "now.${tie#*=}.npy" || return 1; done
  done
}
# floats FILE: of an .npy, one a line.
floats ()
{
  header=$(od -An -tu2 -j8 -N2 "$1")
  od -An -v -tf4 -w4 -j$((header + 10)) "$1"
}
# near A B: the same number of floats, each within 1e-5 of its size or of 1.
near ()
{
  floats "$1" > .a && floats "$2" > .b && [ -s .a ] && [ "$(wc -l < .a)" -eq "$(wc -l < .b)" ] \
    && paste .a .b | awk '{ d = $1 - $2; if (d < 0) d = -d; s = $1 < 0 ? -$1 : $1; if (!(d <= 1e-5 * (1 + s))) exit 1 }'
}
# compare DEVICE MODEL TIE...: states against files, after 1, 2 and 5 runs; planned with $how.
how=
compare ()
{
  device=$1 model=$2; shift 2
  states=
  for tie in "$@"; do states="$states --state $tie"; done
  begin "$model" "$@"; say $? "$model: values to begin with"
  try 0 optimize "$model" -d "$device" -q -f -o plan.json $states $how; say $? "$model: planned for $device $how"
  for runs in 1 2 5; do
    # Runs that warm up count for nothing.
    try 0 run plan.json -q -n $runs --warmup 2 --seed 3 -f -o got $given; say $? "$runs runs"
    by_hand "$device" "$model" $runs "$@" && near fed/y.npy got/y.npy
    say $? "as by hand"
    [ -f got/y.npy ] && [ "$(ls got | wc -l)" -eq 1 ]; say $? "and no state comes out"
  done
  ! near begun/y.npy got/y.npy; say $? "states have moved"
}

devices=ref
for device in cpu opencl:0; do
  "$TPLAN" devices 2> /dev/null | grep -q "^ *$device  *ready" && devices="$devices $device"
done
for device in $devices; do
  compare $device net.json n.0=h.0 n.1=h.1 u=t
  compare $device decoder.json present.key=past.key present.value=past.value now=at
done
# Engines that work at once: of net.json what has to do with h.0 is on one, some of the rest on the other.
pair=sim:laptop-cpu,sim:laptop-gpu
how="--objective makespan --pin MatMul_0=sim:laptop-gpu --pin Add_4=sim:laptop-cpu"
compare $pair net.json n.0=h.0 n.1=h.1 u=t
grep -q '"op_starts"' plan.json && grep -q '"sim:laptop-gpu"' plan.json; say $? "by a schedule"
how=

try 0 optimize net.json -d ref -q -f -o plan.json --state 'n.*=h.*' && grep -q '"states": \["n.\*=h.\*"\]' plan.json
say $? "a plan says what was asked"
try 0 check plan.json; say $? "and is good"
try 0 run plan.json -q -n 3 --check && out_has 'good'; say $? "a run is as the references have it"
try 2 run plan.json --state u=t && err_has 'a plan, which --state cannot change'; say $? "a plan stays as it is"
try 2 run net.json -d ref --state 'n.*=g.*' && err_has "no input 'g.0' that is not a state yet (did you mean 'h.0'"
say $? "no such input"
try 2 run net.json -d ref --state z=t && err_has "no output 'z'"; say $? "no such output"
try 2 run net.json -d ref --state n.0=h.0 --state n.0=h.1 && err_has "no output 'n.0' that is not a state yet"
say $? "an output is one state"
try 2 run net.json -d ref --state 'n.*=h' && err_has "is not OUTPUT=INPUT"; say $? "a '*' on one side"
try 2 run net.json -d ref --state 'n.*=h.*' --state u=t --state y=x && err_has 'no output is left'
say $? "a run gives something"
try 3 run net.json -d ref --state u=h.0 \
  && err_has "state 'u=h.0': 'u', of int64 \[1\], has another shape or element type than the state 'h.0', of float32 \[3, 5\]"
say $? "shapes and types are equal"
try 0 bench net.json -d ref --state u=t --in-flight 2 --rounds 3 && out_has '2 in flight'
say $? "in flight, one run after the other"
try 3 optimize net.json -d ref -q -f -o plan.json --state u=t --objective throughput && err_has 'each waits for the one before'
say $? "no plan for throughput"
echo "1..$n"
