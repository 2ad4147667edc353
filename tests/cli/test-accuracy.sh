#!/bin/sh
# --accuracy: kernels with larger errors are measured where that is asked for, and are in
# plans that ask for it, in no others, whatever the table was measured with.
. "$(dirname "$0")/common.sh"
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
"$TPLAN" devices 2>/dev/null | grep -q '^cpu ' || { echo "1..0 # SKIP no device cpu"; exit 0; }
TPLAN_SYSTEM_COST=$work/none.db
TPLAN_CALIBRATE_WAIT=0
export TPLAN_SYSTEM_COST TPLAN_CALIBRATE_WAIT
cat > conv.json <<'END'
{ "format": "tplan-graph/1", "name": "conv", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [1, 16, 14, 14]}],
  "outputs": ["y"],
  "initializers": [{"name": "v", "dtype": "float32", "shape": [32, 16, 1, 1], "random": {"seed": 1, "std": 0.25}},
                   {"name": "w", "dtype": "float32", "shape": [32, 32, 3, 3], "random": {"seed": 2, "std": 0.05}},
                   {"name": "u", "dtype": "float32", "shape": [16, 32, 1, 1], "random": {"seed": 3, "std": 0.2}}],
  "ops": [
    {"name": "a", "type": "Conv", "inputs": ["x", "v"], "outputs": ["p"]},
    {"name": "b", "type": "Conv", "inputs": ["p", "w"], "outputs": ["q"], "attrs": {"pads": [1, 1, 1, 1]}},
    {"name": "c", "type": "Relu", "inputs": ["q"], "outputs": ["r"]},
    {"name": "d", "type": "Conv", "inputs": ["r", "u"], "outputs": ["y"]} ] }
END
sql () # STATEMENT: what it gives, a row a line
{
  "$python" -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
for row in c.execute(sys.argv[2]):
    print(*row, sep="|")
c.commit()' cost.db "$1"
}
count () # CONDITION: rows of the table with larger errors
{
  sql "SELECT COUNT (*) FROM entry WHERE schedule LIKE '%winograd output=4 %' AND $1"
}
calibrate () # ARGUMENT...
{
  try 0 calibrate -q -d cpu --threads 1 "$@" conv.json
}
# As if measured in peace, and what has larger errors much faster than all else.
settle ()
{
  sql "UPDATE entry SET state = 0 WHERE state = 1"
  sql "UPDATE entry SET handover_ns = 100, crowding = 1000, contention = 600"
  sql "UPDATE entry SET min_ns = 500, median_ns = 500, mad_ns = 1, half_ns = 1
       WHERE state = 0 AND schedule LIKE '%winograd output=4 %'"
}
has_larger () { grep -q 'winograd output=4 ' "$1"; }

try 2 optimize -d cpu --accuracy=low conv.json && err_has "accuracy 'low' is neither full nor relaxed"; say $? "no such accuracy"
try 2 calibrate -d cpu --accuracy=low conv.json && err_has "neither full nor relaxed"; say $? "nor is there for calibrate"
calibrate && [ "$(count 1)" = 0 ]; say $? "nobody asked: none is measured"
try 0 optimize -d cpu --threads 1 --accuracy=relaxed conv.json && err_has 'no kernel with larger errors .*`tplan calibrate .*--accuracy relaxed'
say $? "who wants them in plans is told how to get them"
calibrate --accuracy=relaxed && [ "$(count 'state < 2')" -gt 0 ]; say $? "what was measured without gets them where they are asked for"
settle
try 0 calibrate -d cpu --threads 1 --format json --accuracy=relaxed conv.json && out_has '"samples": 0,'; say $? "once"
try 0 calibrate -d cpu --threads 1 --format json conv.json && out_has '"samples": 0,'; say $? "and nothing lacks without"

for level in none full; do
  [ $level = none ] && set -- || set -- --accuracy=full
  try 0 optimize -q -d cpu --threads 1 "$@" -f -o full.json conv.json && ! has_larger full.json && ! grep -q '"accuracy"' full.json
  say $? "a plan has none of them: accuracy $level"
done
try 0 optimize -d cpu --threads 1 --accuracy=relaxed conv.json && ! err_has 'no kernel with larger errors'; say $? "there are such"
try 0 optimize -q -d cpu --threads 1 --accuracy=relaxed -o relaxed.json conv.json && has_larger relaxed.json \
  && grep -q '^ "accuracy": "relaxed",$' relaxed.json; say $? "one that asks for them has them, and says so"
try 0 optimize -d cpu --threads 1 --accuracy=relaxed --level=measure -f -o relaxed.json conv.json && has_larger relaxed.json
say $? "with --level=measure, too"
for plan in full relaxed; do
  try 0 check $plan.json; say $? "$plan: check"
  try 0 check --cost cost.db $plan.json; say $? "$plan: its figures are those of the table"
  try 0 run -q --threads 1 -n 1 --check -f -o $plan $plan.json; say $? "$plan: results are right"
done
try 0 explain relaxed.json && err_has 'Accuracy: relaxed: [1-9][0-9]* kernel'; say $? "explain tells"
try 0 explain full.json && ! err_has 'Accuracy:'; say $? "of the other there is nothing to tell"
"$python" - relaxed.json denied.json <<'END'
import hashlib, sys
text = open(sys.argv[1]).read().rsplit(' "sha256": "', 1)[0].replace(' "accuracy": "relaxed",\n', "")
open(sys.argv[2], "w").write(text + ' "sha256": "' + hashlib.sha256(text.encode()).hexdigest() + '"\n}\n')
END
try 1 check denied.json && out_has "schedule 'winograd output=4 .*' has larger errors"; say $? "a plan that does not own up to them is refused"
"$python" "$top_srcdir/tests/check_plan.py" relaxed.json > .out && ! "$python" "$top_srcdir/tests/check_plan.py" denied.json > .out && out_has 'does not own up to: b'
say $? "by the other checker, too"
try 2 explain relaxed.json --accuracy=full && err_has 'is a plan, which --accuracy cannot change'; say $? "a plan stays as it is"
"$python" - full/y.npy relaxed/y.npy > .out 2> .err <<'END'
import array, sys
def read(path):
    data = open(path, "rb").read()
    start = 10 + int.from_bytes(data[8:10], "little")
    return array.array("f", data[start:])
a, b = map(read, sys.argv[1:])
scale = (sum(x * x for x in a) / len(a)) ** 0.5
worst = max(abs(x - y) for x, y in zip(a, b)) / scale
assert len(a) == len(b) and 0 < worst < 1e-4, worst
END
say $? "the two differ, by little"
sql "UPDATE entry SET state = 3 WHERE schedule LIKE '%winograd output=4 %'"
try 0 run -q --threads 1 -n 1 -f -o again relaxed.json && cmp -s relaxed/y.npy again/y.npy
say $? "the same plan gives the same bits, whatever the table prefers by then"

rm cost.db
calibrate --level tune && [ "$(count 1)" = 0 ]; say $? "nobody asked: none is tuned"
calibrate --level tune --accuracy=relaxed && [ "$(count 1)" -gt 1 ]; say $? "what was tuned without is tuned again where they are asked for"
settle
[ -z "$(sql "SELECT digest FROM entry WHERE state = 3 AND digest NOT IN
             (SELECT digest FROM entry WHERE state < 2 AND schedule NOT LIKE '%winograd output=4 %')")" ]
say $? "of each kernel tuned one is used without larger errors"
try 0 optimize -q -d cpu --threads 1 -f -o full.json conv.json && ! has_larger full.json; say $? "nor does a tuned table give them unasked"
try 0 calibrate -d cpu --threads 1 --level tune --format json --accuracy=relaxed conv.json && out_has '"samples": 0,'
say $? "nothing is tuned twice"
# What tuning found: the star, and what would be timed.
tuned () # ARGUMENT...: schedules of the kernel that has such, with larger errors or without
{
  "$TPLAN" cost tune --cost "$@" -d cpu --threads 1 --format csv conv.json > .out 2> .err || return 1
  "$python" -c 'import csv, sys
rows = list(csv.DictReader(open(".out")))
larger = [row for row in rows if "winograd output=4 " in row["schedule"]]
kernels = {row["digest"] for row in larger}
stars = ["winograd output=4 " in row["schedule"] for row in rows if row["used"] == "true" and row["digest"] in kernels]
print("larger" if larger else "none", "star" if True in stars else "else" if stars else "no star")'
}
sql "UPDATE entry SET state = 0 WHERE schedule LIKE '%winograd output=4 %'"
settle
[ "$(tuned cost.db)" = "larger else" ] && [ "$(tuned cost.db --accuracy=full)" = "larger else" ]
say $? "cost tune: the star is where plans have it that do not ask for them"
[ "$(tuned cost.db --accuracy=relaxed)" = "larger star" ]; say $? "and where those have it that do"
# Two tables that differ in what has larger errors alone.
cp cost.db other.db
sql "UPDATE entry SET min_ns = 700, median_ns = 700 WHERE state = 0 AND schedule LIKE '%winograd output=4 %'"
try 0 cost diff cost.db other.db -d cpu --threads 1 --accuracy=relaxed conv.json && out_has '700 ns .*500 ns' && mv .out relaxed.out
say $? "cost diff: figures that plans have that ask for them"
try 0 cost diff cost.db other.db -d cpu --threads 1 conv.json && ! out_has '700 ns' && ! cmp -s .out relaxed.out; say $? "and others have not"
try 0 optimize -q -d cpu --threads 1 -f -o full.json conv.json && try 2 cost diff cost.db other.db full.json --accuracy=relaxed && err_has 'full.json is a plan, which says itself'; say $? "a plan says itself"
try 2 cost diff cost.db other.db --accuracy=low && err_has 'neither full nor relaxed'; say $? "nor is there such an accuracy"
cp other.db cost.db
[ "$(tuned new.db --all)" = "none no star" ] && [ "$(tuned new.db --all --accuracy=relaxed)" = "larger no star" ]
say $? "what would be timed is what calibrate would time with the same option"
try 0 cost tune --cost new.db -d cpu --threads 1 --accuracy=relaxed conv.json \
  && err_has 'no kernel was tuned on cpu: `tplan calibrate .*--level tune .*--accuracy relaxed'
say $? "who asks for them is told how to get them"
finish
