#!/bin/sh
# A plan that cannot be read any more is to be made again: by the command that is
# suggested, the very same comes out, whatever it was made with.
. "$(dirname "$0")/common.sh"
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
mkdir bin
ln -s "$TPLAN" bin/tplan

# again MODEL ARGUMENT...
again ()
{
  rm -f made.json hint
  try 0 optimize "$@" -q -f -o made.json; say $? "a plan: $*"
  cp made.json first.json
  sed -i 's/"format": "tplan-plan\/[0-9]"/"format": "tplan-plan\/99"/' made.json
  "$TPLAN" run made.json > .out 2> .err
  sed -n 's/.*`\(tplan optimize [^`]*\)`.*/\1/p' .err > hint
  PATH=$work/bin:$PATH sh -e hint > .out 2> .err && cmp made.json first.json
  say $? "made again: $(cat hint)"
}

again mlp.json --devices $sims
again mlp.json --devices $sims --objective energy
again mlp.json --devices $sims --objective energy --watts sim:laptop-gpu=220.5:15:0.125 --watts sim:desktop-cpu=30
again mlp.json --devices $sims --objective price --price sim:desktop-cpu=0.05/h --price sim:laptop-gpu=0.10001/h:use
again mlp.json --devices $sims --objective throughput
again mlp.json --devices $sims --objective makespan
again mlp.json --devices $sims --watts sim:desktop-cpu=30:2
again mlp.json --devices ref --exact
again mlp.json --devices ref --accuracy=relaxed
again mlp.json --devices ref --trust-estimates --watts ref=65:10 --price ref=3/h
again mlp.json --devices $sims --pin fc1=sim:laptop-gpu --no-fuse epilogue --mem-limit sim:laptop-gpu=1G --mem-reserve sim:laptop-gpu=1M
! grep -q watts hint; say $? "watts that the device's profile states are not said"

# What was typed anew holds.
try 0 optimize mlp.json --devices $sims --objective energy --watts sim:laptop-gpu=220 -q -f -o made.json; say $? "a plan"
sed -i 's/"format": "tplan-plan\/[0-9]"/"format": "tplan-plan\/99"/' made.json
"$TPLAN" explain made.json --objective price --exact > .out 2> .err
sed -n 's/.*`\(tplan optimize [^`]*\)`.*/\1/p' .err > hint
grep -q -e '--objective price' hint && ! grep -q -e '--objective energy' hint && [ "$(grep -o -e --exact hint | wc -l)" = 1 ]
say $? "what was typed stands once: $(cat hint)"
finish
