#!/bin/sh
# How engines slow each other is measured, planned with and checked: two OpenCL devices
# at once, and one beside the CPU.
. "$(dirname "$0")/common.sh"

if ! POCL_DEVICES="pthread basic" "$TPLAN" devices --quiet 2> /dev/null | grep -q '^opencl:1'; then
  n=$((n + 1)); echo "ok $n # SKIP no two OpenCL devices"
  finish; exit
fi
if [ "$(nproc)" -lt 2 ]; then
  n=$((n + 1)); echo "ok $n # SKIP one processor does one thing at a time"
  finish; exit
fi
POCL_DEVICES="pthread basic"; TPLAN_CALIBRATE_MOST=0.2; TPLAN_CALIBRATE_WAIT=0
export POCL_DEVICES TPLAN_CALIBRATE_MOST TPLAN_CALIBRATE_WAIT
model=$top_srcdir/examples/mlp.json

# measure DEVICES: and what it says is that of two devices
measure ()
{
  rm -f cost.db
  try 0 calibrate "$model" --devices "$1" --threads 1 --cost cost.db &&
    grep -q "^beside:  ${1%,*} and ${1#*,} at once: kernels at [01]\.[0-9]* and [01]\.[0-9]*" .out
  say $? "$1: how they slow each other is measured"
  cp cost.db before.db
  try 0 calibrate "$model" --devices "$1" --threads 1 --cost cost.db --format json && grep -q '"speeds"' .out &&
    "$TPLAN" cost export --cost before.db | grep '"speeds"' > before &&
    "$TPLAN" cost export --cost cost.db | grep '"speeds"' > after && cmp before after
  say $? "$1: once"
}

# plan DEVICES: half of it on either
plan ()
{
  try 0 optimize "$model" -f -o plan.json --devices "$1" --threads 1 --cost cost.db --objective makespan \
    --pin "fc2=${1#*,}" --pin "fc1=${1%,*}" && grep -q 'and slow each other' .out &&
    grep -q '"speeds": \[1000, ' plan.json && grep -q '"op_ends": ' plan.json
  say $? "$1: a plan says how fast engines are, and when all ends"
  try 0 check plan.json --cost cost.db; say $? "$1: which the table has"
  try 0 run plan.json --repeat 3 --check --trace trace.json -f; say $? "$1: it runs, and is right"
  rm -f other.db
  "$TPLAN" cost export --cost cost.db | sed "s/\"speeds\": \"${1%,*} \([0-9a-f]*\) 1000 [0-9]*/\"speeds\": \"${1%,*} \1 1000 7/" > other.json &&
    try 0 cost import other.json --cost other.db && try 1 check plan.json --cost other.db && grep -q 'speeds: the table has others' .out
  say $? "$1: a table of other speeds is another"
}

for devices in cpu,opencl:0 opencl:0,opencl:1; do
  measure $devices
  plan $devices
done

# Who plans for another objective need not know.
try 0 optimize "$model" -f -o sum.json --devices cpu,opencl:0 --threads 1 --cost cost.db && ! grep -q '"speeds"' sum.json
say $? "sums have none"
# All processors are the CPU's: nothing works at once.
rm -f cost.db
try 0 calibrate "$model" --devices cpu,opencl:0 --threads "$(nproc)" --cost cost.db && ! grep -q '^beside:' .out
say $? "one processor under two names is not measured beside itself"
finish
