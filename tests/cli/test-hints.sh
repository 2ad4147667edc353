#!/bin/sh
# Every command suggested anywhere, pasted as it stands, works; and there is none in the
# sources that is not suggested here.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/mistakes.sh"
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }

# ask ARGUMENT...: what is said is kept.
ask () { "$TPLAN" "$@" > .out 2> .err; cat .out .err >> said; }
# note WORDS ARGUMENT...: as ask, and WORDS are said in a line that suggests a command.
note ()
{
  words=$1; shift
  ask "$@"
  cat .out >> .err
  grep -e "$words" .err | grep -q '`tplan [^`]*`'; say $? "suggests a command: tplan $*"
}

: > said
while read -r line; do
  case $line in ''|'#'*) continue ;; esac
  read -r _
  eval "ask $line"
done < "$top_srcdir/tests/cli/mistakes.list"

# Where nothing was measured, and where there is more than can be used.
note 'its times are estimates' optimize 'a model.json' --devices ref --dim N=2 --threads 1 --cost 'new costs.db'
note 'was never measured' explain mlp.json --devices ref,sim:laptop-gpu --no-pass norm --limit nodes=100
note 'trust estimates' explain mlp.json --devices ref,cpu --cost 'new costs.db'
note 'plan for all with' optimize mlp.json --devices $sims --objective weighted
note 'it may have none of' optimize mlp.json --devices sim:laptop-cpu,ref --pin fc1=sim:laptop-cpu --pin fc2=sim:laptop-cpu
note 'have it counted' optimize mlp.json --devices ref --objective energy
note 'no kernel with larger errors' optimize mlp.json --devices ref --accuracy relaxed
note 'no figures yet' cost show --cost 'new costs.db'
note 'no figures of' cost show ref --cost 'new costs.db'
note 'no kernel was tuned' cost tune 'a model.json' --devices cpu --dim N=2 --threads 1 --cost 'new costs.db'
note 'never measured' machine show --cost 'new costs.db'
note 'nothing measured' machine export --cost 'new costs.db'
note 'was never measured' optimize mlp.json --devices ref --stale fail --cost 'new costs.db'

# What is measured, and then is not as it was.
try 0 calibrate mlp.json -q --devices ref; say $? "a measured device"
note 'times are estimates, such as' optimize wider.json --devices ref --stale fail
# spoil FILE SQL: a cost table, changed.
spoil ()
{
  cp "$TPLAN_COST" "$1"
  "$python" -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()' "$@"
}
spoil device.db 'UPDATE device SET peak_gflops = -5'
note 'peak_gflops is -5' optimize mlp.json --devices ref --cost device.db
spoil entry.db 'UPDATE entry SET median_ns = -5'
note 'median_ns is -5' optimize mlp.json --devices ref --cost entry.db
spoil whole.db "INSERT INTO whole SELECT id, 'x', 1, 'y', 'mlp', 1, 1, 1, 1, -5, 1, 1 FROM device"
note 'median_ns is -5' optimize mlp.json --devices ref --cost whole.db
spoil stale.db "UPDATE device SET facts = facts || 'other=1'"
note 'are stale' optimize mlp.json --devices ref --cost stale.db
spoil noisy.db 'UPDATE entry SET state = 0, half_ns = median_ns'
note 'on a quieter machine' calibrate mlp.json --devices ref --cost noisy.db

# Machines in files.
"$TPLAN" machine export -o machine.json 2> .err; say $? "a file of this machine"
# change FILE TEXT: what Python makes of the machine.
change ()
{
  "$python" -c 'import json, sys; it = json.load(open("machine.json")); exec(sys.argv[2]); json.dump(it, open(sys.argv[1], "w"))' "$@"
}
change nobody.json 'it["devices"] = []'
note "it has no 'devices'" optimize mlp.json --machine nobody.json
change twice.json 'it["devices"] *= 2'
note 'stands there twice' optimize mlp.json --machine twice.json
change two.json 'd = it["devices"]; d.append(dict(d[0], name="cpu", facts=d[0]["facts"].replace("threads=", "threads=9")))'
note 'of different machines' optimize mlp.json --machine two.json
echo nothing > text.json
note 'not a machine file' optimize mlp.json --machine text.json
change other.json 'for d in it["devices"]: d["facts"] = d["facts"].replace("cpu=", "cpu=other ")'
ask optimize mlp.json -q --machine other.json -o elsewhere.json
note 'for another machine' run elsewhere.json
note 'the other' machine show mlp.json

# What was planned.
try 0 optimize mlp.json --devices ref -q -o measured.json; say $? "a plan by what was measured"
note 'is graph' run plan.json --graph wider.json
note 'is pinned, and --verify' optimize mlp.json --devices ref --pin fc1=ref --verify
note 'make the plan anew' run plan.json --dim N=9
"$TPLAN" run -q measured.json --repeat 1 --format json > run.json 2> .err
note 'a run of none' report plan.json --run run.json -o x.html
note 'says how to write one' report plan.json --run text.json -o x.html
note 'its format is' report plan.json --run plan.json -o x.html
note 'how to make a page' view plan.json -o x.html
note 'suffix' machine show -o x.json
sed 's/"format": "tplan-plan\/[0-9]"/"format": "tplan-plan\/99"/' plan.json > 'of the future.json'
note 'make the plan again' run 'of the future.json' --threads 2
sed 's/"plans": \[/"plans": [7,/' tiers.json > 'cut tiers.json'
note 'make the file again' run 'cut tiers.json' --dim N=2
note 'none for 9 or more' run tiers.json --dim N=9
note 'draws one of them' optimize sym.json --devices $sims --dim N=2,4 -o tiers.svg
note 'draw it with' try mlp.json --devices ref -o a.json -o b.svg
note 'nothing was to be measured' calibrate mlp.json --devices sim:laptop-gpu
note 'run it with' try mlp.json --devices ref -o tried.json
spoil rough.db 'UPDATE entry SET half_ns = median_ns'
note 'measured in brief' try mlp.json --devices ref --cost rough.db -o rough.json
sed 's/"Relu"/"Odd", "shapes": [[4, 32]], "cost": {"ref": 5, "cpu": 5}/' mlp.json > odd.json
note 'with more memory' optimize sym.json --devices sim:desktop-cpu --dim N=512 --mem-limit sim:desktop-cpu=60K
grep -q 'with N=[0-9]* it fits, .* for [0-9]* runs' .err; say $? "and half the batch"
# Four tensors side by side that could come and go one by one.
{
  echo '{"format": "tplan-graph/1", "name": "broad", "opset": 17, "outputs": ["y"],'
  echo ' "inputs": [{"name": "x", "dtype": "float32", "shape": [16, 1024]}],'
  echo ' "initializers": [{"name": "axis", "dtype": "int64", "shape": [1], "data": [1]}], "ops": ['
  for i in 1 2 3 4; do echo "{\"type\": \"Softmax\", \"inputs\": [\"x\"], \"outputs\": [\"w$i\"]},"; done
  for i in 1 2 3 4; do echo "{\"type\": \"ReduceSum\", \"inputs\": [\"w$i\", \"axis\"], \"outputs\": [\"s$i\"]},"; done
  echo '{"type": "Sum", "inputs": ["s1", "s2", "s3", "s4"], "outputs": ["y"]}]}'
} > broad.json
note 'in another order' optimize broad.json --devices sim:desktop-cpu --mem-limit sim:desktop-cpu=160K
. "$top_srcdir/tests/cli/tall.sh"
note 'in micro-batches' optimize tall.json --dim N=16 --devices "$devices" --pin "*=$fast" --mem-limit "$fast=600K"
# Two weights of 1 MiB, where the device of the host has no part.
cat > heavy.json <<'JSON'
{ "format": "tplan-graph/1", "name": "heavy", "outputs": ["z"], "inputs": [{"name": "x", "shape": [8, 512]}],
  "initializers": [{"name": "u", "shape": [512, 512], "fill": 0.1}, {"name": "v", "shape": [512, 512], "fill": 0.1}],
  "ops": [{"type": "MatMul", "inputs": ["x", "u"], "outputs": ["y"]}, {"type": "MatMul", "inputs": ["y", "v"], "outputs": ["z"]}] }
JSON
note 'with weights sent from host memory' optimize heavy.json --devices $sims --pin "*=sim:laptop-gpu" --mem-limit sim:laptop-gpu=1500K
# Over a slow link weights are not streamed, which nobody measured.
printf '[machine]\ngflops=1000\ngbps=100\nlaunch=1us\nlink=100MB/s+1us\n' > far.conf
try 0 calibrate heavy.json -q --devices ref; say $? "a measured device, and one that is far"
note 'of micro-batches are not measured' optimize heavy.json --devices "ref,sim:$work/far.conf" --mem-limit "sim:$work/far.conf=1500K" --micro-batches=auto
note 'read streamed weights are not measured' optimize heavy.json --devices "ref,sim:$work/far.conf" --mem-limit "sim:$work/far.conf=1500K" --stream-weights
try 0 optimize heavy.json --devices "ref,sim:$work/far.conf" --mem-limit "sim:$work/far.conf=1500K" --stream-weights --stale fail \
  && err_has 'read streamed weights are not measured'
say $? "which fails nobody who wants no estimates"
note "'Odd' is not known" run odd.json --devices cpu
echo "fc1,ref" > some.csv
note 'no device is given' check --placement some.csv mlp.json --devices ref
echo "nobody,ref" > nobody.csv
note 'has no op' check --placement nobody.csv mlp.json --devices ref
# Another calibration has its turn for as long as this one may take.
exec 9> "$TPLAN_COST-turn"
"$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'; say $? "the turn of another"
note 'estimates still' try wider.json --devices ref --time-limit 1ms -o partly.json
exec 9>&-
rm "$TPLAN_COST-turn"

# sign OLD NEW EXPRESSION: a plan, changed and signed again.
sign ()
{
  "$python" - "$@" <<'PY'
import hashlib, re, sys
old, new, change = sys.argv[1:]
with open(old) as file:
    text = "\n".join(file.read().split("\n")[:-3]) + "\n"
text = eval(change)
with open(new, "w") as file:
    file.write(f'{text} "sha256": "{hashlib.sha256(text.encode()).hexdigest()}"\n}}\n')
PY
}
try 0 optimize -q mlp.json --devices cpu --cost 'new costs.db' -o cpu.json
sign cpu.json misfit.json 'text.replace("\"margin_ns\": -1}", "\"margin_ns\": -1, \"schedule\": \"window lanes=8\"}", 1)'
note 'of another kernel: make the plan again' run misfit.json

# Drivers of OpenCL, one of which ends whoever asks it for devices.
fake=$top_builddir/tests/device/.libs/fake-driver.so
good=$(ls "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd 2> /dev/null | head -n 1)
if [ -f "$good" ] && [ -f "$fake" ]; then
  mkdir vendors && cp "$good" vendors/ && echo "$fake" > vendors/fake.icd
  OCL_ICD_VENDORS=$work/vendors "$TPLAN" devices > .out 2> .err; say $? "drivers are met"
  TEST_DRIVER='exit devices'; export TEST_DRIVER
  OCL_ICD_VENDORS=$work/vendors note 'finds out which' optimize mlp.json --devices ref,opencl:0
  rm -rf "$XDG_CACHE_HOME" "$XDG_STATE_HOME"
  OCL_ICD_VENDORS=$work/vendors note 'is left out' optimize mlp.json --devices ref,opencl:0
  unset TEST_DRIVER
  drivers=yes
else
  drivers=
fi

# ---- all that was suggested --------------------------------------------------------

"$python" "$top_srcdir/tests/cli/check_hints.py" "$top_srcdir" said > sites
[ -n "$drivers" ] || sed -i '/^not ok.*driver/s/^not //' sites
! grep '^not ok' sites > .out; say $? "every command suggested in the sources is suggested here"
[ "$(grep -c '^ok' sites)" -ge 50 ]; say $? "they are $(grep -c '^ok' sites)"

# Each with the files and figures that there are, on the device that needs least to be
# measured where none is named. Ends with 0; with 4 where figures are measured, for
# these are never settled within their time; who measures for long is interrupted, and
# keeps what it has.
mkdir bin
ln -s "$TPLAN" bin/tplan
{ grep -o '`tplan [^`]*`' said | tr -d '`'; sed -n 's/^# try: //p' sites; } | sort -u > all
while read -r hint; do
  mkdir try
  for file in *.json *.db; do cp "$file" try/; done
  patience=60
  case $hint in *' calibrate'*) patience=3 ;; esac
  (cd try && PATH=$work/bin:$PATH XDG_STATE_HOME=$work/try/state TPLAN_COST=$work/try/cost.db TPLAN_DEVICES=ref \
    timeout --preserve-status -s INT $patience sh -c "exec $hint") > .out 2> .err < /dev/null
  code=$?
  case "$code $hint" in '0 '* | '4 '*calibrate* | '130 '*calibrate*) true ;; *) false ;; esac
  say $? "$hint"
  rm -rf try
done < all
[ "$(wc -l < all)" -ge 50 ]; say $? "commands suggested: $(wc -l < all)"
finish
