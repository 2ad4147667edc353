#!/bin/sh
# The same plan every time, to the byte: whatever the seed that names are hashed with,
# which differs from process to process, and however many threads there are to be. A
# plan says how many, and its digest is of that too: these two lines are left out.
# `make check`: 4 runs of each; `make check-full`: 100.
. "$(dirname "$0")/common.sh"
runs=${TPLAN_TEST_FULL:+100}
examples=$(cd "$top_builddir" && pwd)/examples
pair=sim:laptop-cpu,sim:laptop-gpu

# same NAME MODEL OPTION...
same ()
{
  name=$1; model=$examples/$2.json; shift 2
  i=0
  : > digests
  while [ $((i += 1)) -le "${runs:-4}" ]; do
    "$TPLAN" optimize -q -f -o plan.json --threads $((i % 4 / 2 + 1)) "$@" "$model" > .out 2> .err || { cat .err >> digests; break; }
    sed '/^ "threads": /d; /^ "sha256": /d' plan.json | cksum >> digests
  done
  sort -u digests > .out
  [ "$(wc -l < digests)" -eq "${runs:-4}" ] && [ "$(wc -l < .out)" -eq 1 ]
  say $? "$name: $model"
}

same "least time" bert_mini --devices $pair
same "margins of all ops" lstm_lm --devices $pair,sim:desktop-gpu
same "within memory" lstm_lm --devices $pair --mem-limit sim:laptop-gpu=20M
same "throughput" bert_mini --devices $pair --objective throughput
same "makespan" bert_mini --devices $pair --objective makespan
same "energy" bert_mini --devices $pair --objective energy --watts sim:laptop-cpu=30:5 --watts sim:laptop-gpu=60:8
same "price" bert_mini --devices $pair --objective price --price sim:laptop-cpu=1/h --price sim:laptop-gpu=3/h
trio=$pair,sim:desktop-gpu
same "throughput of three devices" lstm_lm --devices $trio --objective throughput
same "makespan of three devices" bert_mini --devices $trio --objective makespan
same "price of three devices" bert_mini --devices $trio --objective price --price sim:laptop-cpu=1/h --price sim:laptop-gpu=3/h --price sim:desktop-gpu=5/h
same "three devices within memory" lstm_lm --devices $trio --mem-limit sim:laptop-gpu=5M --mem-limit sim:desktop-gpu=5M
finish
