#!/bin/sh
# `tplan machine`: what is shown, taken along and planned with elsewhere.
. "$(dirname "$0")/common.sh"

# Nothing measured.
try 0 machine && out_has ' processors, .* of memory' && out_has '^  ref$' && out_has 'never measured: '; say $? "a machine never measured"
try 7 machine export && err_has 'nothing measured holds'; say $? "nothing to take along"
try 2 machine shew && err_has "did you mean 'show'"; say $? "no such verb"
try 2 machine export here there; say $? "one argument too many"
try 2 machine show -o machine.html && err_has "must be .dot, .svg or .png"; say $? "no such picture"
err_has 'tplan machine --help' && ! err_has 'export -o machine.html'; say $? "and a picture's name is not suggested for data"
try 0 machine show sim:gflops=2000,gbps=200 && out_has '2000 GFLOP/s, 200 GB/s, a launch 0 ns' && out_has 'works in host memory'
say $? "what a made-up machine leaves out"
try 0 machine show sim:laptop-gpu && out_has 'to device: 12 GB/s + 12.0 us, a line' && out_has ' GB/s ########################$'
say $? "a profile and its link"
# In the picture columns are of one width, and the machine stands left of what hangs on nothing.
try 0 machine show sim:laptop-gpu -o sim.svg && [ "$(sed -n 's/.*>\([^<]* GB\/s\)<.*/\1/p' sim.svg | grep -v '^to ' | sed 's/&#160;/ /g' | awk '{ print length }' | sort -u | wc -l)" -eq 1 ]
say $? "columns stay columns in the picture"
try 0 machine show -o bare.dot && [ "$(grep -c 'style=invis' bare.dot)" -ge 1 ]; say $? "a device without figures stands beside the machine"

# Measured, on a device that is everywhere.
try 0 calibrate mlp.json --devices ref --threads 1; say $? "calibrated"
try 0 machine --threads 1 && out_has 'holds; measured ' && out_has 'kernels: \([1-9]\|0 settled, [1-9]\).*, 0 failed' && out_has 'grade [A-D]: times within'; say $? "what holds, since when, how good"
try 0 machine --threads 2 && out_has "stale: threads was '1', is '2'"; say $? "what is stale, and why"
try 0 machine show --threads 1 --format json && [ "$(json state)" = holds ] && out_has '"format": "tplan-machine/1"'; say $? "as JSON"
try 0 machine show --threads 1 -o machine.svg && grep -q '<svg' machine.svg && grep -q '>ref<' machine.svg; say $? "drawn"
try 0 machine export --threads 1 -o here.json && grep -q '"machine": {' here.json; say $? "taken along"
try 2 machine export --threads 1 -o here.json && err_has 'exists'; say $? "nothing is overwritten"
try 0 machine show here.json && out_has '^  threads: 1$' && out_has '^  ref$'; say $? "looked at from its file"

# The same machine: the plan is that of the table, but for its name, and runs.
try 0 optimize mlp.json --devices ref --threads 1 -o own.json; say $? "planned with the table"
try 0 optimize mlp.json --machine here.json -o same.json && err_has 'by the figures of another machine'; say $? "planned with the file"
grep -q '"machine": ' same.json && [ "$(grep '"costs_sha256"' own.json)" = "$(grep '"costs_sha256"' same.json)" ]; say $? "with the same figures"
try 0 check same.json --cost here.json; say $? "which are looked up again in the file"
try 0 check same.json --cost "$TPLAN_COST"; say $? "or in the table"
try 0 run same.json --repeat 1; say $? "and it runs where it is for"
try 0 sweep mlp.json --machine here.json --dim N=1,2 && try 0 explain mlp.json --machine here.json; say $? "swept, explained"

# Another machine: twice as fast, with other processors.
sed 's/"cpu": "/"cpu": "Other /; s/\(cpu=\)/\1Other /' here.json > other.json
try 0 optimize mlp.json --machine other.json -o other-plan.json && grep -q '"machine": "Other ' other-plan.json; say $? "planned for another machine"
try 0 check other-plan.json && try 0 check other-plan.json --cost other.json; say $? "it is checked"
try 1 check other-plan.json --cost "$TPLAN_COST" && out_has "device 'ref' is another now: cpu was 'Other "; say $? "not by the table of this one"
try 7 run other-plan.json && err_has "the plan is for another machine, 'Other " && err_has "cpu was 'Other "; say $? "it does not run here"
try 7 bench other-plan.json mlp.json --devices ref; say $? "nor is it timed here"

# What cannot be.
try 2 optimize mlp.json --machine here.json --cost "$TPLAN_COST" && err_has 'leave one out'; say $? "two tables"
try 2 optimize mlp.json --machine here.json --level=measure && err_has 'nothing can be measured'; say $? "measuring elsewhere"
try 2 optimize mlp.json --machine here.json --threads 3 && err_has 'measured with 1 threads, not 3'; say $? "other threads"
try 6 optimize mlp.json --machine here.json --devices rff && err_has "did you mean 'ref'"; say $? "a device it has not"
try 3 optimize mlp.json --machine mlp.json && err_has "mlp.json: neither a cost table nor a machine"; say $? "a model is no machine"
try 3 optimize mlp.json --machine "$TPLAN_COST" && err_has 'not a machine file'; say $? "nor is a table"
try 0 cost export -o table.json && try 3 optimize mlp.json --machine table.json && err_has "not of one machine: it has no 'machine'"; say $? "a table may be of many"
sed 's/"processors"/"procesors"/' here.json > bad.json
try 3 optimize mlp.json --machine bad.json && err_has "bad.json: machine: unknown key 'procesors' (did you mean 'processors'?)"; say $? "a key that is not known"
sed 's/threads=1//' here.json > bad.json
try 3 optimize mlp.json --machine bad.json && err_has 'no number of threads'; say $? "facts without threads"
printf '{ "format": "tplan-cost/3", "machine": { "cpu": "a\\u001b[31m", "processors": 1, "memory_bytes": 1, "caches": [] }, "devices": [] }' > bad.json
try 3 machine show bad.json && err_has "it has no 'devices'"; say $? "no devices"

# Made-up machines: what they leave out is said.
try 0 optimize mlp.json --devices sim:desktop-cpu,sim:gflops=2000,gbps=200 && err_has "has no link: it works in host memory, and a copy is read and written at its 200 GB/s"
say $? "no link, and what that means"
try 0 optimize mlp.json --devices sim:desktop-cpu,sim:gflops=2000,gbps=200,link=12GB/s+8us && ! err_has 'has no link'; say $? "a link, and nothing to say"
try 2 optimize mlp.json --devices sim:gflops=2000,gpbs=200 && err_has "unknown key 'gpbs' (did you mean 'gbps'?)"; say $? "a key that is none"
try 2 optimize mlp.json --devices sim:gflops=2000,gbps=200,gbps=3 && err_has "'gbps' stands twice"; say $? "a key twice"

# Two of one kind: a number behind the name, with the figures of that name.
try 0 optimize mlp.json --devices sim:server-cpu,sim:server-gpu --format json && one=$(json cost_ns) \
  && try 0 optimize mlp.json --devices sim:server-cpu,sim:server-gpu:1 --format json && [ "$(json cost_ns)" = "$one" ]
say $? "one of a kind by its number"
both=sim:laptop-cpu,sim:server-gpu,sim:server-gpu:1
try 0 optimize mlp.json --devices $both --objective throughput --pin fc1=sim:server-gpu --pin fc2=sim:server-gpu:1 -o two.json \
  && try 0 check two.json && try 0 run two.json --check && try 0 explain two.json && out_has 'fc2.*sim:server-gpu:1'
say $? "two of a kind in one plan, which is proved and runs"
try 2 optimize mlp.json --devices sim:laptop-gpu,sim:laptop-gpu && err_has 'stands twice: another one of the kind is .sim:laptop-gpu:1.$' \
  && try 2 optimize mlp.json --devices sim:laptop-gpu:1,sim:laptop-gpu:1 && err_has 'stands twice$'; say $? "how to ask for a second one"
for name in laptop-gpu: laptop-gpu:x laptop-gpu:1x laptop-gpu:1:1; do
  try 2 optimize mlp.json --devices "sim:$name" && err_has "no such profile"; say $? "no number: $name"
done
finish
