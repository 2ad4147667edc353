#!/bin/sh
# Groups within groups: what a Concat puts together is written there by who makes it.
. "$(dirname "$0")/common.sh"
cp "$top_srcdir/tests/plans/joined.json" . || exit 99

try 0 optimize joined.json --devices sim:laptop-cpu --format json -o whole.json && [ "$(json groups)" = 2 ]
say $? "a Concat and what it reads are one group"
cost=$(json cost_ns)
try 0 optimize joined.json --devices sim:laptop-cpu --no-fuse concat --format json -o chains.json && [ "$(json groups)" = 4 ] && [ "$(json cost_ns)" -gt "$cost" ]
say $? "without the rule its chains are, which takes longer"
try 0 check whole.json && try 0 check chains.json; say $? "both are proved"
try 0 explain whole.json pool && out_has '^group *that of one$'; say $? "explained"
try 0 view whole.json && out_has pool; say $? "drawn"

# A plan of the chains that does not say that it was asked for them.
sed '/"no_fuse"/d' chains.json | head -n -2 > body
{ cat body; tail -n 2 chains.json | sed "s/\"[0-9a-f]*\"\$/\"$(sha256sum body | cut -d ' ' -f 1)\"/"; } > lie.json
try 1 check lie.json && out_has 'by their times others are offered'; say $? "a choice that its times do not make is refused"

# Two devices that are as fast: parts of the Concat on both at once end before a whole on one.
for name in a b; do
  printf '[machine]\ngflops=20\ngbps=60\nlaunch=1us\n' > $name.conf
done
echo 'link=60GB/s+1us' >> b.conf
two="--devices sim:a.conf,sim:b.conf"
try 0 optimize joined.json $two --format json -o time.json && [ "$(json groups)" = 2 ] && ! grep -q no_fuse time.json
say $? "one after the other a whole takes least"
try 0 optimize joined.json $two --objective makespan --format json -o span.json && [ "$(json span_ns)" -lt "$(sed -n 's/^ "cost_ns": \([0-9]*\),*$/\1/p' time.json)" ] \
  && grep -q '"no_fuse": \["concat"\]' span.json && try 0 check span.json
say $? "at once its parts on both end first, and the plan says how it was made"

# On devices that are there: each choice is right, whatever comes of measuring.
for device in ref cpu opencl:0; do
  if "$TPLAN" devices --format csv 2> /dev/null | grep -q "^$device,"; then
    try 0 optimize joined.json --devices $device --trust-estimates -f -o plan.json && try 0 check plan.json && try 0 run plan.json --check --repeat 1
    say $? "$device: right before it is measured"
    try 0 calibrate joined.json --devices $device && try 0 optimize joined.json --devices $device -f -o plan.json && try 0 check plan.json --cost cost.db \
      && try 0 run plan.json --check --repeat 1
    say $? "$device: right once it is, and from the table"
  else
    n=$((n + 2)); echo "ok $((n - 1)) - $device # SKIP not here"; echo "ok $n - $device # SKIP not here"
  fi
done

# Narrow reals: parts are rounded where they are stored, as they would be.
if "$TPLAN" devices --format csv 2> /dev/null | grep -q '^cpu,'; then
  sed 's/float32/float16/' joined.json > half.json
  try 0 optimize half.json --devices cpu --trust-estimates -o half-plan.json && try 0 run half-plan.json --check --repeat 1; say $? "float16"
else
  n=$((n + 1)); echo "ok $n - float16 # SKIP no cpu device"
fi
finish
