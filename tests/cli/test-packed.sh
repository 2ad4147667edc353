#!/bin/sh
# Plans packed by gzip: the same plan, and what is no such file is refused.
. "$(dirname "$0")/common.sh"
cp "$top_srcdir/examples/mlp.json" .
sims=sim:desktop-cpu,sim:laptop-gpu

try 0 optimize mlp.json --devices $sims -o plan.json; say $? "a plan"
try 0 optimize mlp.json --devices $sims -o plan.json.gz && gzip -dc plan.json.gz | cmp -s - plan.json; say $? "packed, it is the same bytes"
[ "$(wc -c < plan.json.gz)" -lt "$(wc -c < plan.json)" ]; say $? "but fewer of them"
cp plan.json.gz first.gz
try 0 optimize mlp.json --devices $sims -f -o plan.json.gz && cmp -s plan.json.gz first.gz; say $? "the same every time"
try 0 check plan.json.gz; say $? "check"
try 0 explain --format csv plan.json.gz && cp .out packed && try 0 explain --format csv plan.json && cmp -s .out packed; say $? "explain"
try 0 run -q -n 1 --check plan.json.gz; say $? "run"
try 0 view plan.json.gz -o plan.dot; say $? "view"
try 3 optimize plan.json.gz && err_has 'is a plan, and optimize takes models'; say $? "a plan is no model, packed or not"
cp .err packed; try 3 optimize plan.json; sed 's/plan.json.gz/plan.json/g' packed | cmp -s - .err; say $? "... and the hint is the same"

if command -v python3 > /dev/null; then
  python3 -B "$top_srcdir/tests/check_plan.py" plan.json.gz > .out 2> .err; say $? "the checker in Python reads it"
fi

# Whoever packed it, and however it is called.
gzip -9 -c plan.json > best.json && try 0 check best.json; say $? "packed by gzip, under another name"
gzip -1 -c plan.json > "$work/x" && try 0 run -q -n 1 "$work/x"; say $? "... and fast"

# bad NAME WORDS: the file $work/bad is refused.
bad () { try 3 check bad && err_has "^tplan: bad: packed by gzip: .*$2"; say $? "refused: $1"; }
size=$(wc -c < plan.json.gz)
head -c $((size / 2)) plan.json.gz > bad; bad "half of it" "cut short"
head -c $((size - 1)) plan.json.gz > bad; bad "all but a byte" "cut short"
{ cat plan.json.gz; echo; } > bad; bad "something behind it" "follows its end"
cat plan.json.gz plan.json.gz > bad; bad "two" "follows its end"
{ head -c $((size / 2)) plan.json.gz; printf '\377\0\377\0\377'; tail -c $((size / 2 - 5)) plan.json.gz; } > bad; bad "bytes changed" "damaged"
{ head -c $((size - 8)) plan.json.gz; printf '\0\0\0\0'; tail -c 4 plan.json.gz; } > bad; bad "a wrong sum" "damaged"
{ printf '{"format": "tplan-plan/3", "graph": "'; head -c 200000000 /dev/zero; } | gzip -1 > bad; bad "that grows without end" "if you trust the file, unpack it"
printf '\037\213\010' > bad; try 3 check bad; say $? "refused: three bytes"
finish
