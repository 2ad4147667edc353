#!/bin/sh
# `tplan try`: all steps at once, five lines, and what it writes over.
. "$(dirname "$0")/common.sh"
sed 's/ "dims": {"N": 4},//' mlp.json > sym.json

# five NAME...: .out has these lines, and no others.
five () { [ "$(sed 's/ .*//' .out | tr '\n' ' ')" = "chosen time against calibration plan " ]; }

try 0 try mlp.json --devices $sims && five; say $? "simulated devices"
out_has '^chosen .*4 ops on sim:desktop-cpu.* (simulated): proved least'; say $? "what was chosen"
out_has '^time .*predicted 3.* us, +0.0 %'; say $? "measured and predicted"
out_has '^against .*all on sim:laptop-gpu takes .* times as long'; say $? "against the other device"
out_has '^calibration *nothing to measure: simulated'; say $? "calibration"
out_has '^plan *mlp.plan.json: run it with `tplan run mlp.plan.json`; mlp.report.html shows it$'; say $? "where the plan is"
grep -q '"measured":{' mlp.report.html; say $? "its page, with its steps as they ran"
try 0 check mlp.plan.json && try 0 run mlp.plan.json --repeat 1; say $? "the plan is one"

# Again: over its own plan, and over nothing else.
try 0 try mlp.json --devices $sims && out_has 'mlp.plan.json, replaced: '; say $? "its own plan is replaced, and that is said"
echo precious > mlp.report.html
try 2 try mlp.json --devices $sims && grep -qx precious mlp.report.html; say $? "no page that is none of ours"
rm mlp.report.html
try 2 try sym.json --devices $sims -o mlp.plan.json && err_has "exists: give -f"; say $? "not that of another model"
echo precious > sym.plan.json
try 2 try sym.json --devices $sims && err_has "'sym.plan.json' exists" && grep -qx precious sym.plan.json; say $? "nor any other file"
try 1 try sym.json --devices cpu,ref -o none/p.json && [ "$(cat .err)" = 'tplan: none/p.json: cannot be written: No such file or directory' ]
say $? "where no file can be made nothing is measured first"
try 0 try sym.json --devices $sims -f && err_has "taken as 1" && five; say $? "but with -f; dimensions without a value are 1"
try 0 try sym.json --devices $sims --dim N=3 -o three.json -q && [ ! -s .err ] && grep -q '"dims": {"N": 3}' three.json
say $? "-o, --dim and --quiet"
try 2 try mlp.json --devices $sims -o plan.svg && err_has 'suffix'; say $? "a picture is no plan"
try 2 try mlp.json --time-limit soon; say $? "a time that is none"
try 3 try mlp.plan.json && err_has 'is a plan, and try takes models'; say $? "a plan is no model"
mkdir sub && cp mlp.json sub/a.b.json
try 0 try sub/a.b.json --devices $sims && [ -f sub/a.b.plan.json ]; say $? "beside the model"

# A real device: what is missing is measured, and only that.
try 0 try mlp.json --devices ref --time-limit 10m --bench-limit 200ms -o ref.json && err_has '^measuring: ' && five
say $? "measures what the table lacks"
out_has '^against *no other device can run it all; this is all on ref$'; say $? "one device is against nothing"
out_has '^calibration *grade [A-D], times within '; say $? "grade"
try 0 try mlp.json --devices ref --time-limit 10m --bench-limit 200ms --format json -f -o ref.json && out_has '"tplan-try/1"' \
  && out_has '"contestants"' && [ "$(json chosen)" = plan ]
say $? "json"
finish
