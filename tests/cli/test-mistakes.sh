#!/bin/sh
# Ordinary mistakes and what is said of them; and every command suggested, pasted
# as it stands, works.
. "$(dirname "$0")/common.sh"

cp mlp.json 'a model.json'
sed 's/"Relu"/"relu"/' mlp.json > relu.json
try 0 optimize mlp.json --devices $sims -o plan.json; say $? "a plan"
head -c 200 plan.json > cut.json
sed 's/"margin_ns": -1/"margin_ns": 7/' plan.json > changed.json

# What depends neither on the run nor on how tplan was built.
normalise ()
{
  tail -n 1 .err | sed "s/[0-9a-f]\{64\}/SHA256/g
    s/there are '[^:]*opencl[^ ]*'sim:PROFILE'/there are KINDS/
    s/there are '.*'sim:PROFILE'/there are KINDS/"
}

# Each "`tplan ...`" of .err, one a line.
collect ()
{
  grep -o '`tplan [^`]*`' .err | tr -d '`'
}

: > hints
while read -r line; do
  case $line in ''|'#'*) continue ;; esac
  read -r wanted
  eval "set -- $line"
  "$TPLAN" "$@" > .out 2> .err
  code=$?
  [ "$code $(normalise)" = "$wanted" ] && [ ! -s .out ]
  status=$?
  [ "$status" -eq 0 ] || echo "wanted: $wanted" >> .err
  say "$status" "tplan $line"
  collect >> hints
done < "$top_srcdir/tests/cli/mistakes.list"

# Notes suggest too.
note ()
{
  "$TPLAN" "$@" > .out 2> .err
  cat .out >> .err
  collect | tee -a hints | grep -q . ; say $? "suggests a command: tplan $*"
}
note optimize 'a model.json' --devices ref --dim N=2 --threads 1 --cost 'new costs.db'
note explain mlp.json --devices ref,sim:laptop-gpu --no-pass norm --limit nodes=100
note optimize mlp.json --devices sim:laptop-cpu,ref --pin fc1=sim:laptop-cpu --pin fc2=sim:laptop-cpu
note cost show --cost 'new costs.db'
note cost show ref --cost 'new costs.db'
sed 's/"format": "tplan-plan\/[0-9]"/"format": "tplan-plan\/99"/' plan.json > 'of the future.json'
note run 'of the future.json' --threads 2

# Each where nothing was done before it, on the device that needs least to be
# measured where none is named. Ends with 0; with 4 where figures are
# measured, for these are never settled within their time.
mkdir bin
ln -s "$TPLAN" bin/tplan
sort -u hints > all
while read -r hint; do
  mkdir try
  for file in *.json; do cp "$file" try/; done
  (cd try && PATH=$work/bin:$PATH XDG_STATE_HOME=$work/try/state TPLAN_COST=$work/try/cost.db TPLAN_DEVICES=ref \
    sh -c "$hint") > .out 2> .err < /dev/null
  code=$?
  case "$code $hint" in 0*|4*calibrate*) true ;; *) false ;; esac
  say $? "$hint"
  rm -rf try
done < all
[ "$(wc -l < all)" -ge 20 ]; say $? "commands suggested: $(wc -l < all)"
finish
