#!/bin/sh
# --mem-reserve: a plan that a run refuses for what kernels take beside it runs within the same limit
# once so much is reserved as the refusal says; plans, checkers and what is printed know of it.
. "$(dirname "$0")/common.sh"
# Made-up devices work as references do, which want scratch: without it nothing is to be reserved.
TPLAN_MODULE_DIR=$work/none
export TPLAN_MODULE_DIR
python=$(command -v python3)

. "$top_srcdir/tests/cli/wide.sh"
plan () { code=$1; shift; try "$code" optimize wide.json -f --devices "$devices" "$@"; }
# bytes KEY: of the fast device, as a run says.
bytes () { sed -n "/\"$1\"/,/}/s/.*fast.conf\": \([0-9]*\).*/\1/p" .out; }
# count PLAN: what a run of it takes there.
count ()
{
  try 0 run "$1" --repeat 1 --format json || return 1
  foretold=$(($(bytes peak_bytes) + $(bytes weight_bytes)))
  scratch=$(bytes workspace_bytes)
  taken=$((foretold + scratch))
}
# remedy: the options that a refusal says.
remedy () { sed -n 's/.*(\(--mem-[^()]*\))$/\1/p' .err; }
# valid PLAN...: both checkers say so; the other one has a part for each kind of proof.
valid ()
{
  for it; do
    kind=plan
    ! grep -q '"memory_bound_ns"' "$it" || kind=memory
    try 0 check "$it" || return 1
    [ -z "$python" ] || "$python" -B "$top_srcdir/tests/check_$kind.py" "$it" > .out 2> .err || return 1
  done
}

plan 0 -o free.json && count free.json && [ "$scratch" -gt 1000000 ]; say $? "kernels take more than the plan says"

# The limit has room for all of the plan, and for some of what kernels take.
limit=$((foretold + scratch * 7 / 10)) short=$((scratch - scratch * 7 / 10))
plan 0 --mem-limit "$fast=$limit" -o tight.json && out_has 'keeps to' && ! grep -q memory_reserves tight.json; say $? "a limit that the plan keeps to"
try 5 run tight.json && err_has "takes $taken bytes with weights packed for kernels and their scratch, $short more than the plan's limit: plan again with a reserve of $scratch bytes (--mem-reserve=$fast=$scratch)$"
say $? "but not its run, which says what to reserve"
plan 0 --mem-limit "$fast=$limit" "$(remedy)" -o kept.json && out_has " on $fast (beside 2.50 MiB for kernels)"; say $? "so planned"
grep -q "^ \"memory_limits\": \[0, $((limit - scratch))\],$" kept.json && grep -A1 '"memory_limits"' kept.json | grep -q "^ \"memory_reserves\": \[0, $scratch\],$"
say $? "the plan has the limit less the reserve, and the reserve"
try 0 run kept.json --repeat 1 --check && out_has '^check *good'; say $? "it runs, and is right"
count kept.json && [ "$foretold" -le $((limit - scratch)) ] && [ "$taken" -le "$limit" ] && [ "$taken" -gt $((limit - scratch)) ]
say $? "within the limit, and above what is left of it"
valid kept.json tight.json; say $? "both checkers accept it"
plan 0 --mem-limit "$fast=$limit" --mem-reserve "$fast=$short" -o less.json && try 5 run less.json \
  && err_has "$short more than the plan's limit and reserve: plan again with a reserve of $scratch bytes "
say $? "what is missing alone is too little to reserve"
plan 0 --mem-limit "$fast=1500K" -o small.json && try 5 run small.json && remedy > said && read -r first second < said \
  && plan 0 "$first" "$second" -o small.json && try 0 run small.json --repeat 1 --check; say $? "where kernels alone take more, a higher limit helps"

# Told.
try 0 explain kept.json --format json && out_has '"reserves": {' && out_has "fast.conf\": $scratch"; say $? "explain tells programs of it"
try 0 explain kept.json && err_has "beside 2.50 MiB for kernels"; say $? "and people"
try 0 explain tight.json --format json && ! out_has reserves; say $? "where there is one"
try 0 report kept.json -o kept.html && grep -q "\"reserve\": *$scratch" kept.html; say $? "so does a page"
plan 5 --mem-limit "$slow=1M" --mem-limit "$fast=3M" --mem-reserve "$fast=2M" -o none.json && err_has 'more than the limit of 1048576'; say $? "nothing fits into what is left"
note=$(sed -n 's/^note: with more memory.*: `tplan \(optimize [^`]*\)`$/\1/p' .err)
case $note in *" --mem-reserve $fast=2M"*) ;; *) false ;; esac; say $? "the remedy has the reserve"
eval "try 0 $note" && try 0 check none.json; say $? "and is one"

# The same in other words.
plan 0 --mem-limit "$fast=$limit" --mem-reserve "$fast=1K" --mem-reserve "$fast=$scratch" -o again.json && cmp -s kept.json again.json
say $? "of two the later one is taken"
{ cat fast.conf; echo "memory=$limit"; } > known.conf
known=sim:$work/known.conf
try 0 optimize wide.json --devices "$slow,$known" --mem-reserve "$known=$scratch" -o known.json && try 0 check known.json \
  && grep -q "\"memory_limits\": \[[0-9]*, $((limit - scratch))\]" known.json && try 0 run known.json --repeat 1 --check; say $? "of what a device is known to have"
try 0 optimize wide.json --devices "$slow,$known" --mem-reserve "$known=1K" -o loose.json && out_has 'the cheapest plan keeps to' \
  && grep -q "\"memory_limits\": \[0, $((limit - 1024))\]" loose.json && try 0 check loose.json; say $? "where that does not bind"
try 0 optimize wide.json --devices "$slow,$known" --mem-limit "$known=1T" --mem-reserve "$known=1K" -f -o loose.json \
  && grep -q "\"memory_limits\": \[0, $((limit - 1024))\]" loose.json; say $? "and where the limit is above that"
for machine in slow fast; do { cat $machine.conf; echo pool=host; } > pool-$machine.conf; done
shared=sim:$work/pool-slow.conf,sim:$work/pool-fast.conf
try 0 optimize wide.json --devices "$shared" --mem-limit host=8M --mem-reserve host=1M -o pool.json && out_has '7.00 MiB together in memory host (beside 1.00 MiB for kernels)' \
  && grep -q '"memory_limits": \[0, 0, 7340032\]' pool.json && grep -q '"memory_reserves": \[0, 0, 1048576\]' pool.json && try 0 run pool.json --repeat 1 && valid pool.json
say $? "of what devices share"
try 0 optimize mlp.json wide.json --devices "$devices" --mem-limit "$fast=4M" --mem-reserve "$fast=3M" -o mix.json -q && valid mix.json \
  && grep -A1 '^ "memory_limits": \[0, 1048576\],$' mix.json | grep -q '^ "memory_reserves": \[0, 3145728\],$'; say $? "of several graphs"
try 5 optimize mlp.json wide.json --devices "$devices" --mem-limit "$slow=1M" --mem-limit "$fast=4M" --mem-reserve "$fast=3M" -f -o mix.json; say $? "which do not fit"

# Refused.
for bad in 1G nowhere=1G "$fast=" "$fast=-1" "$fast=1X" "$fast=0"; do
  plan 2 --mem-limit "$fast=1G" --mem-reserve "$bad" && err_has "reserve of memory '.*' is not DEVICE=SIZE"; say $? "reserve '$bad'"
done
plan 2 --mem-limit "$fast=4M" --mem-reserve "$fast=4M" && err_has "'$fast=4194304' leaves nothing of the limit of 4194304: reserve less$"; say $? "all of a limit"
plan 2 --mem-limit "$slow=4M" --mem-reserve "$fast=4M" && err_has "no limit: .* how much '$fast' has is not known: give a limit (--mem-limit=$fast=SIZE)$"
say $? "of nothing that is known"
try 2 optimize mlp.json wide.json --devices "$devices" --mem-reserve "$fast=1M" && err_has 'no limit: '; say $? "nor of several graphs"
try 2 run kept.json --mem-reserve "$fast=1M"; say $? "by a run"
try 2 explain kept.json --mem-reserve "$fast=1M" && err_has 'which --mem-reserve cannot change'; say $? "by what reads a plan"
try 0 pareto wide.json --devices "$slow,$known" --watts "$slow=9" --watts "$known=20" --mem-reserve "$known=1M" --plans points && valid points/point-1.json \
  && grep -q '"memory_reserves"' points/point-1.json; say $? "pareto keeps it"
try 2 sweep wide.json --scale copies=1..2 --devices "$slow,$known" --mem-reserve "$known=1M" && err_has 'leave out --mem-limit and --mem-reserve'; say $? "by sweep"
# edit SED FILE: signed anew; bad NAME MESSAGE SED FILE: is refused.
edit ()
{
  sed '$d' "$2" | sed "\$d; $1" > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d' ' -f1)"; } > bad.json
}
bad ()
{
  edit "$3" "$4"
  ! cmp -s bad.json "$4" && try 3 check bad.json && err_has "bad.json: memory_$2"; say $? "$1"
}
edit '' kept.json; cmp -s kept.json bad.json; say $? "a plan that is signed anew is the same"
most=4611686018427387904
edit "s/\"memory_limits\": .*/\"memory_limits\": [0, $most],/; s/\"memory_reserves\": .*/\"memory_reserves\": [0, $most],/" less.json
grep -q "$most" bad.json && try 0 check bad.json && try 0 run bad.json --repeat 1; say $? "more than can be added up is no limit"
try 0 optimize mlp.json wide.json --devices "$devices" --mem-limit "$fast=4M" --mem-reserve "$fast=3M" -f -o mix.json -q
for it in kept mix; do
  bad "$it: a reserve below 0" 'reserves: ' 's/\("memory_reserves": \[0, \)/\1-/' $it.json
  bad "$it: one too many" 'reserves: ' 's/"memory_reserves": \[0, /&0, /' $it.json
  bad "$it: of no limit" 'reserves: number 0 has no limit' 's/"memory_reserves": \[0, /"memory_reserves": [1, /' $it.json
  bad "$it: of no limits" 'reserves: number 1 has no limit' '/^ "memory_limits"/d' $it.json
  bad "$it: another name" 'reserve: ' 's/"memory_reserves"/"memory_reserve"/' $it.json
done
finish
