#!/bin/sh
# `tplan view`: every example is a picture that fits a screen and can be read;
# --full draws every op.
. "$(dirname "$0")/common.sh"

# fits FILE: at most 1600 x 1200 pixels (4/3 of a point), and not shrunk so far
# that nobody reads it.
fits ()
{
  sed -n '/<svg /,/>/p; /scale(/{p;q;}' "$1" | tr '\n' ' ' | awk '
    { match ($0, /width="[0-9]+pt"/); width = substr ($0, RSTART + 7) + 0
      match ($0, /height="[0-9]+pt"/); height = substr ($0, RSTART + 8) + 0
      match ($0, /scale\([0-9.]+/); scale = substr ($0, RSTART + 6) + 0
      print "# " width " x " height " pt, scale " scale
      exit !(width > 0 && width <= 1200 && height > 0 && height <= 900 && scale >= 0.75) }'
}

for model in "$top_srcdir"/examples/*.json "$top_builddir"/examples/*.json; do
  grep -q tplan-graph "$model" || continue
  name=$(basename "$model" .json)
  [ $name != smollm_135m ] || continue # of 30 layers of ops by turns on two devices no picture can be read
  for devices in sim:desktop-cpu,sim:integrated-gpu sim:laptop-cpu,sim:laptop-gpu; do
    try 0 optimize -q -f -d $devices "$model" -o $name.svg && fits $name.svg
    say $? "$name on $devices fits a screen"
  done
done

try 0 optimize -q -f -d $sims mlp.json -o plan.json
try 0 view plan.json && cp .out fit.dot; say $? "DOT"
try 0 view plan.json -o - && cmp .out fit.dot; say $? "DOT to -"
for bad in -1 0; do try 2 view plan.json --max-nodes=$bad && err_has 'above zero'; say $? "--max-nodes=$bad"; done
try 0 view plan.json --full && cmp -s .out fit.dot || [ "$(grep -c 'shape=' .out)" -gt 4 ]; say $? "all ops"
model=$top_builddir/examples/resnet50.json
if [ -f "$model" ]; then
  try 0 optimize -q -d $sims "$model" -o large.json
  try 0 view large.json; blocks=$(grep -c 'v[0-9]*.*\[' .out)
  try 0 view large.json --full && [ "$(grep -c 'v[0-9]*.*\[' .out)" -gt "$blocks" ]; say $? "--full draws more than fits"
  try 0 view large.json --max-nodes 3 && [ "$(grep -c 'v[0-9]*.*\[' .out)" -lt "$blocks" ]; say $? "--max-nodes draws less"
fi
try 2 view plan.json --full --max-nodes 3 && err_has 'leave out --max-nodes'; say $? "not both"
try 2 view plan.json --max-nodes 0; say $? "view of no nodes"
# The legend has what the plan is the least of.
for aim in "makespan:when engines work at once" "throughput:busiest engine, a run"; do
  try 0 optimize mlp.json --devices $sims --objective "${aim%%:*}" -o "aim-${aim%%:*}.json" \
    && try 0 view "aim-${aim%%:*}.json" -o "aim-${aim%%:*}.dot" && grep -q "${aim#*:}" "aim-${aim%%:*}.dot" || break
done
say $? "an objective of its own is in the legend"
# A blank that begins a text is no blank in SVG.
try 0 view -f "$top_srcdir/examples/mlp.json" --devices $sims -o blanks.svg && ! grep 'text-anchor="start"[^>]*> ' blanks.svg > .out; say $? "no blank is lost"
finish
