#!/bin/sh
# Help, usage errors, configuration, environment.
. "$(dirname "$0")/common.sh"

try 0 --help; say $? "help"
commands=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' .out)
[ "$(echo "$commands" | wc -l)" -ge 8 ]; say $? "help lists commands"
for command in $commands; do
  try 0 "$command" --help && [ "$(wc -l < .out)" -le 24 ] \
    && [ "$(wc -L < .out)" -le 80 ] && [ ! -s .err ]
  say $? "$command --help fits 24x80"
  try 0 help "$command"; say $? "help $command"
  try 2 "$command" --no-such-option && err_has no-such-option
  say $? "$command refuses an unknown option"
done
try 0 --version && out_has '^tplan [0-9]'; say $? "version"
try 2; say $? "no command"
try 2 frobnicate && err_has 'no command'; say $? "unknown command"
try 2 help frobnicate; say $? "help for an unknown command"
try 2 optimize; say $? "too few arguments"
try 2 view a b; say $? "too many arguments"
try 2 ops --format xml && err_has xml; say $? "unknown format"
try 2 optimize mlp.json --dim N; say $? "dim without a value"
try 2 optimize mlp.json --dim N=0; say $? "dim of zero"
try 2 info mlp.json --dim N=1,2; say $? "several values where one is meant"
try 2 optimize mlp.json --devices $sims --pin fc9=cpu && err_has fc9
say $? "pin that matches nothing"
try 2 optimize mlp.json --devices cpu,cpu; say $? "device twice"
try 2 optimize mlp.json --devices sim:no-such-machine; say $? "unknown machine"
try 2 optimize mlp.json --devices $sims -o plan.txt && err_has suffix
say $? "unknown suffix"
try 2 optimize mlp.json --devices $sims --level often; say $? "unknown level"
try 2 optimize mlp.json --devices $sims --no-fuse pointwise --no-fuse frob && err_has "'frob': there are epilogue, prologue, pointwise"
say $? "unknown fusion rule"
try 0 optimize mlp.json --devices $sims --no-fuse pointwise --no-fuse epilogue; say $? "known fusion rules"
try 2 run mlp.json --repeat 0; say $? "no runs"

# The value of a short option right behind it, as elsewhere; what is no option is left alone.
try 0 optimize mlp.json -d$sims --dim N=2 -qoshort.json && [ -s short.json ]; say $? "-dLIST, -qoFILE"
try 0 run mlp.json -dref -n1 --warmup 0 --format csv && out_has 'ref'; say $? "-dref -n1"
try 2 run mlp.json -dref -nx && err_has 'x.* for -n'; say $? "-nx"
cp mlp.json -- -d1.json && try 0 optimize -q -d $sims -o -p1.json -- -d1.json && [ -s ./-p1.json ]
say $? "-o -p1.json -- -d1.json: values and names that look so"
try 2 run mlp.json -n && err_has 'for -n'; say $? "-n without a value"

# Help says of those that take "-" that they do, and of no others.
for command in "try mlp.json" "sweep mlp.json --dim N=1,2" "pareto mlp.json --watts sim:desktop-cpu=9" "convert mlp.json" \
    "optimize mlp.json" "view mlp.json" "report short.json" "cost export"; do
  verb=${command%% *}
  case $verb in cost | report | convert) devices= ;; *) devices="--devices $sims" ;; esac
  # shellcheck disable=SC2086
  "$TPLAN" $command $devices -o - > .out 2> .err
  code=$?
  "$TPLAN" "$verb" --help | grep -q -e '--output.*- is stdout' && wanted=0 || wanted=2
  [ $code -eq $wanted ] && { [ $code -eq 2 ] || [ -s .out ]; }; say $? "$verb -o -: as help has it"
done

# Limits: 1 exists, 2 does not; suffixes are powers of 1024.
try 5 optimize mlp.json --devices $sims --limit nodes=3 && err_has '^tplan: mlp.json: ops.3.: more than 3 ops: .*--limit nodes$'
say $? "limit on ops"
try 0 optimize mlp.json --devices $sims --limit nodes=4; say $? "limit on ops that suffices"
try 5 optimize mlp.json --devices $sims --limit generated=3K; say $? "limit with a suffix"
try 0 optimize mlp.json --devices $sims --limit generated=4K; say $? "limit with a suffix that suffices"
try 0 optimize mlp.json --devices $sims -o plan.json
try 5 check plan.json --limit nodes=3 && err_has 'mlp.json: ops.3.: more than 3 ops'; say $? "limit on the graph of a plan"
for bad in nodes nodes= nodes=x nodes=-1 nodes=4Q nodes=4KK nodes=0 rank=9 nodes=99999999999999999999T frogs=3; do
  try 2 optimize mlp.json --devices $sims --limit $bad; say $? "limit $bad"
done
try 2 optimize mlp.json --devices $sims --timeout soon; say $? "timeout that is no time"
try 0 optimize mlp.json --devices $sims --timeout 1h; say $? "timeout that suffices"
try 5 run mlp.json --devices ref --repeat 1000000 --timeout 300ms && [ ! -s .out ] && err_has '^tplan: not done in time: raise --timeout$'
say $? "timeout"

# What shapes a plan says nothing to one that is made: told, not ignored.
for flag in "--devices ref" "--dim N=4" "--no-pass norm" "--cost $work/other.db" "--threads 2"; do
  for verb in "explain plan.json" "view plan.json"; do
    try 2 $verb $flag && err_has "plan.json is a plan" && err_has -- "${flag% *}" && err_has 'tplan optimize'
    say $? "${verb% *} refuses $flag for a plan"
  done
done
for flag in "--devices ref" "--dim N=4" "--no-pass norm" "--cost $work/other.db" "--pin fc1=cpu"; do
  try 2 run plan.json --repeat 1 $flag && err_has -- "${flag% *}"; say $? "run refuses $flag for a plan"
done
for flag in "--pin fc1=cpu" "--no-fuse epilogue" "--level estimate" "--stale warn" "--objective time"; do
  try 2 explain plan.json $flag && err_has -- "${flag% *}"; say $? "explain refuses $flag for a plan"
done
try 0 run plan.json --repeat 1 --threads 2; say $? "threads are of a run"
try 0 optimize mlp.json -fqo one.json --devices ref --threads 1
try 0 run one.json --repeat 1 --format json && [ "$(json threads)" = 1 ]; say $? "unless given they are the plan's"
try 0 run one.json --repeat 1 --threads 2 --format json && [ "$(json threads)" = 2 ] \
  && err_has 'on 2 threads; what is foretold is for 1' && try 0 optimize mlp.json -fqo two.json --devices ref --threads 2 \
  && try 0 run two.json --repeat 1 --threads 1 && err_has 'on 1 thread; what is foretold is for 2'; say $? "others are said"
TPLAN_DEVICES=ref TPLAN_THREADS=2 try 0 explain plan.json; say $? "what is configured is for models"
try 2 run mlp.json --devices $sims --graph mlp.json && err_has -- --graph; say $? "run refuses --graph for a model"

mkdir -p config/tplan
printf '[tplan]\ndevices=sim:edge-cpu\nformat=json\n' > config/tplan/tplan.conf
try 0 optimize mlp.json && out_has sim:edge-cpu; say $? "configured devices"
TPLAN_DEVICES=sim:server-cpu try 0 optimize mlp.json && out_has sim:server-cpu
say $? "environment beats configuration"
TPLAN_DEVICES=sim:server-cpu try 0 optimize mlp.json --devices sim:laptop-cpu \
  && out_has sim:laptop-cpu
say $? "flag beats environment"
printf '[tplan]\ndevice=ref\nspeed=9\n[other]\nthreads=1\n' > config/tplan/tplan.conf
try 0 ops && err_has "warning: tplan.conf: .tplan. has no key 'device' (did you mean 'devices'?): .tplan. has devices, " \
  && err_has "no key 'speed': " && err_has ".other. has no key 'threads': "
say $? "unknown keys of the configuration are told"
keys=$(sed -n "s/.*'speed': .*\] has //p" .err | tr -d ',')
[ "$(echo $keys | wc -w)" -gt 5 ]; say $? "with those that there are"
for key in $keys; do
  sed 's/\\-/-/g' "$top_srcdir/docs/man/tplan.1.in" | grep -q "^\.B $key="
  say $? "key '$key' of the configuration is in tplan(1)"
done
for threads in abc 2x 99999999999 5000 -3; do
  try 2 ops --threads=$threads; say $? "--threads=$threads"
  TPLAN_THREADS=$threads try 2 ops && err_has "TPLAN_THREADS: $threads threads: give 1 to 1024, or 0 for all"
  say $? "TPLAN_THREADS='$threads'"
  printf '[tplan]\nthreads=%s\n' $threads > config/tplan/tplan.conf
  try 2 ops && err_has "tplan.conf: $threads threads: give 1 to 1024, or 0 for all"; say $? "configured threads '$threads'"
  TPLAN_THREADS=2 try 0 ops; say $? "but not where the environment has others"
done
for key in devices=ref,ref format=yaml driver-timeout=soon color=red; do
  printf '[tplan]\n%s\n' $key > config/tplan/tplan.conf
  try 2 ops && err_has "tplan.conf: .*${key#*=}"; say $? "configured $key"
  flag=${key%%=*}
  [ $flag = devices ] || [ $flag = driver-timeout ] || continue
  TPLAN_DEVICES=ref,ref TPLAN_DRIVER_TIMEOUT=soon try 2 ops && err_has '^tplan: TPLAN_D[A-Z_]*: '
  say $? "$flag of the environment"
done
rm config/tplan/tplan.conf
for seconds in soon 1s -1 nan; do
  TPLAN_CALIBRATE_MOST=$seconds try 2 ops && err_has "TPLAN_CALIBRATE_MOST: '$seconds' is no time: give seconds"
  say $? "TPLAN_CALIBRATE_MOST='$seconds'"
done
echo 'threads=1' > config/tplan/tplan.conf
try 3 ops && err_has 'tplan.conf: .*\[tplan\]'; say $? "a configuration without its group"
echo 'not a key file' > config/tplan/tplan.conf
try 3 ops && err_has tplan.conf; say $? "broken configuration"
rm config/tplan/tplan.conf

try 0 ops --color always && out_has "$(printf '\033')"; say $? "colour asked for"
try 0 ops; ! out_has "$(printf '\033')"; say $? "no colour in a pipe"
try 0 ops --format csv && out_has '^name,' && out_has '^Relu,'; say $? "csv"
[ "$("$TPLAN" ops --format json | head -c 1)" = '{' ]; say $? "json"
try 0 devices && out_has '^sim:server-gpu'; say $? "devices"
try 0 devices --format json && out_has '"tplan-devices/1"'; say $? "devices as json"
if [ -c /dev/full ]; then
  ! "$TPLAN" ops > /dev/full 2> .err; say $? "full disk is an error"
fi
try 2 ops --quiet=no && err_has "quiet takes no value"; say $? "an option without a value given one"
try 0 ops --format=csv -q -- && out_has "^Relu,"; say $? "one with a value"
finish
