#!/bin/sh
# `tplan check` without the planner, and what it refuses: plans that are signed anew.
. "$(dirname "$0")/common.sh"

# alone CODE PLAN [TABLE]
alone ()
{
  wanted=$1; shift
  "$builddir/check-alone" "$@" > .out 2> .err
  code=$?
  [ "$code" -eq "$wanted" ] || { echo "exit status $code, not $wanted" >> .err; return 1; }
}
# sign FILE: its digest is that of what is there now.
sign ()
{
  head -n -2 "$1" > .body
  { cat .body; printf '  "sha256": "%s"\n}\n' "$(sha256sum < .body | cut -d' ' -f1)"; } > "$1"
}
builddir=${G_TEST_BUILDDIR:?}
cp "$top_srcdir"/tests/plans/*.json .

for model in mlp joined residual dense; do
  for devices in sim:desktop-cpu sim:laptop-cpu,sim:integrated-gpu sim:laptop-cpu,sim:laptop-gpu,sim:desktop-gpu; do
    try 0 optimize -f "$model.json" --devices "$devices" --margins -o "$model.plan.json" && alone 0 "$model.plan.json"
    say $? "$model on $devices"
  done
done
for objective in throughput makespan energy; do
  try 0 optimize -f residual.json --devices sim:laptop-cpu,sim:laptop-gpu --objective $objective -o it.json && alone 0 it.json
  say $? "$objective"
done
try 0 optimize -f joined.json --devices sim:laptop-cpu,sim:laptop-gpu --no-fuse concat -o it.json && alone 0 it.json
say $? "a rule left out"
sed '/"no_fuse"/d' it.json > other.json && sign other.json
! cmp -s it.json other.json && alone 1 other.json && out_has "all_groups"; say $? "and not said"

try 0 optimize -f mlp.json --devices sim:laptop-cpu,sim:laptop-gpu --margins -o it.json && sign it.json && alone 0 it.json
say $? "signed anew"
sed 's/"margin_ns": \([0-9]*\)/"margin_ns": 1\1/' it.json > other.json && sign other.json
alone 1 other.json && out_has "margin"; say $? "a margin"
sed 's/"margin_ns": [1-9][0-9]*/"margin_ns": 0/' it.json > other.json && sign other.json
alone 1 other.json && out_has "margin"; say $? "no margin"
try 0 calibrate mlp.json --devices ref && try 0 optimize -f mlp.json --devices ref -o it.json && alone 0 it.json "$TPLAN_COST"
say $? "what was measured"
alone 2 it.json mlp.json; say $? "no table"
finish
