#!/bin/sh
# Watts and prices: energy and price as objectives, what is said, what is refused.
. "$(dirname "$0")/common.sh"
cp "$top_srcdir/tests/plans/residual.json" . || exit 99
cpu=sim:desktop-cpu gpu=sim:desktop-gpu
pair="--devices $cpu,$gpu"

try 0 optimize residual.json $pair --objective energy --watts $gpu=220:15:10 -o energy.json \
  && out_has '^energy .* a run, .* W on average, simulated; watts are stated, not measured; proved least' \
  && out_has '^cost .* where the least is'
say $? "energy is planned, and said to be stated"
try 0 check energy.json && out_has 'energy: .*proved least'; say $? "  is proved"
try 0 explain energy.json && err_has 'Energy: .*proved least'; say $? "  is explained"
try 0 report energy.json -o energy.html; say $? "  is shown"
try 0 optimize residual.json $pair --objective energy --watts $gpu=220:15:10 -o again.json && cmp -s energy.json again.json
say $? "  comes out the same again"
sed 's/\[220000, 15000, 10000,/[220000, 14000, 10000,/' energy.json > lower.json
try 3 check lower.json && err_has "costs_sha256"; say $? "  is not taken with other watts"

try 0 optimize mlp.json $pair --watts $cpu=65:10 --watts $gpu=200:20 -o time.json && out_has '^energy ' && ! out_has 'energy.*proved'
say $? "plans for time say what they take"
try 0 optimize mlp.json $pair -o plain.json && ! out_has '^energy' && ! grep -q '"rates"' plain.json
say $? "where nothing is stated nothing is said"

for it in $cpu $gpu; do : > ${it#sim:}.db; done
try 0 cost diff desktop-cpu.db desktop-gpu.db energy.json; say $? "a plan by two tables keeps its watts"

prices="--price $cpu=0.40/h --price $gpu=1.1/h"
try 0 optimize mlp.json $pair --objective price $prices -o price.json && out_has '^price .* for a million runs.*proved least'
say $? "price is planned"
try 0 check price.json; say $? "  is proved"
try 0 optimize mlp.json $pair --objective price --price $cpu=0.4/h --price $gpu=0.00001/h:use; say $? "price per use"

try 2 optimize mlp.json --devices ref,$gpu --objective energy && err_has "'ref'.*--watts ref=BUSY"; say $? "watts that lack"
try 2 optimize mlp.json $pair --objective price && err_has -- "--price $cpu="; say $? "prices that lack"
for bad in "$cpu" "$cpu=" "$cpu=-1" "$cpu=65:" "$cpu=65:70" "$cpu=1:1:1:1" "$cpu=65W" "$cpu=inf" "$cpu=0.0001" "gpu=65" "$cpu=9e9"; do
  try 2 optimize mlp.json $pair --watts "$bad" && err_has 'is not DEVICE=BUSY'; say $? "no watts: $bad"
done
for bad in "$cpu=1" "$cpu=/h" "$cpu=-1/h" "$cpu=1/d" "$cpu=0.000001/h" "$cpu=1/h:" "$cpu=1/h:used" "gpu=1/h"; do
  try 2 optimize mlp.json $pair --price "$bad" && err_has 'is not DEVICE=AMOUNT/h'; say $? "no price: $bad"
done
try 2 explain energy.json --watts $cpu=3 && err_has 'is a plan, which --watts cannot change'; say $? "a plan keeps its watts"
try 2 optimize mlp.json $pair --objective weighted && err_has "ask for 'energy'"; say $? "weighted is not for this"
try 0 optimize mlp.json --devices sim:edge-cpu,sim:laptop-cpu,$gpu --objective energy --watts sim:edge-cpu=6 -f -o three.json \
  && out_has '^energy .*proved least' && try 0 check three.json
say $? "three devices"
printf '[machine]\ngflops=10\ngbps=10\nwatts=7:2\nprice=0.05/h\n' > box.conf
try 0 optimize mlp.json --devices sim:./box.conf --objective price && out_has 'million runs'; say $? "a made-up machine says its own"
try 2 optimize mlp.json --devices sim:gflops=1,gbps=1,watts=lots && err_has "watts=350:50"; say $? "  and is told how"

# In the file of a machine, by hand.
"$TPLAN" calibrate mlp.json -q --devices ref > /dev/null && "$TPLAN" machine export -q -o there.json && grep -q '"machine": *{' there.json
say $? "a machine is exported"
# rated RATES: with these in it
rated () { sed "s|\"machine\": *{|&\"rates\": $1, |" there.json > rated.json; }
rated '{"ref": {"watts": "12:3", "price": "0.3/h"}}'
try 0 optimize mlp.json --machine rated.json --objective energy && out_has ' 12 W on average'; say $? "watts of another machine"
try 0 optimize mlp.json --machine rated.json --objective energy --watts ref=24 && out_has ' 24 W on average'; say $? "  are overridden"
try 0 optimize mlp.json --machine rated.json --objective price && out_has 'million runs'; say $? "prices of another machine"
try 0 optimize mlp.json --machine rated.json && ! out_has '^energy'; say $? "  count where they are asked for"
for bad in '7' '{"ref": 7}' '{"ref": {"watts": 12}}' '{"ref": {"watts": "3:12"}}' '{"ref": {"price": "1"}}' '{"ref": {"volts": "1"}}'; do
  rated "$bad"
  try 3 optimize mlp.json --machine rated.json && err_has 'rated.json: machine'; say $? "no rates: $bad"
done
finish
