#!/bin/sh
# Steps of training, traced by torch (examples/training_step.py): planned on a CPU and a
# made-up GPU, checked twice, explained. Part of `make check-full`, if there is a
# Python with torch 2 and torchvision for it:
#
#   make check-full PYTHON_TORCH2=DIR/bin/python
set -u
python=${PYTHON_TORCH2:-/usr/bin/python3}
if ! "$python" -c 'import torch.func, torchvision; from torch.utils.flop_counter import flop_registry' > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no torch 2.2 and torchvision"; exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
export TPLAN_COST XDG_CONFIG_HOME
n=0
say ()
{
  n=$((n + 1))
  [ "$1" -eq 0 ] || { sed 's/^/# /' "$work/out"; printf 'not '; }
  echo "ok $n - $2"
}

# What updates a weight is where it is read.
cat > "$work/together.py" <<'PY'
import json, sys
with open(sys.argv[1]) as file:
    plan = json.load(file)
where = {op["op"]: op["device"] for op in plan["ops"]}
states = {}
for it in plan["tensors"]:
    if "state" in it:
        ops = it["readers"] + [it["producer"]] * (it["producer"] is not None)
        states.setdefault(it["state"], set()).update(where[op] for op in ops)
assert len(states) >= 8 and all(len(places) == 1 for places in states.values()), states
assert not {it["tensor"] for it in plan["transfers"]} & {it["tensor"] for it in plan["tensors"] if "state" in it}
PY

# Of a CPU by a guess, so that plans hang on no clock; slow and fast GPUs.
for model in mlp resnet18; do
  for gflops in 50 20000; do
    "$python" -B "$top_srcdir/examples/training_step.py" $model -o "$work/step.json" --batch 2 --repeats 1 \
      --cpu sim:desktop-cpu --gpu sim:desktop-gpu --gflops $gflops > "$work/out" 2>&1 &&
      "$TPLAN" optimize "$work/step.json" --devices sim:desktop-cpu,sim:desktop-gpu -f -o "$work/plan.json" > "$work/out" 2>&1
    say $? "$model, $gflops GFLOPS: planned"
    "$TPLAN" check "$work/plan.json" > "$work/out" 2>&1; say $? "tplan check takes it"
    "$python" "$top_srcdir/tests/check_plan.py" "$work/plan.json" > "$work/out" 2>&1; say $? "so does the other checker"
    "$TPLAN" explain "$work/plan.json" > "$work/out" 2>&1; say $? "explained"
    "$python" "$work/together.py" "$work/plan.json" > "$work/out" 2>&1; say $? "state is in one place, and never copied"
  done

  # on a GPU that has room for half of it
  room=$("$python" -c 'import json, sys
plan = json.load(open(sys.argv[1]))
print(sum(plan[key][1] for key in ("peak_bytes", "weight_bytes")) // 2)' "$work/plan.json")
  "$TPLAN" optimize "$work/step.json" --devices sim:desktop-cpu,sim:desktop-gpu --mem-limit "sim:desktop-gpu=$room" -f \
    -o "$work/plan.json" > "$work/out" 2>&1; say $? "$model: within half of the memory"
  "$TPLAN" check "$work/plan.json" > "$work/out" 2>&1; say $? "tplan check takes it"
  "$python" "$top_srcdir/tests/check_memory.py" "$work/plan.json" > "$work/out" 2>&1; say $? "so does the other checker"
  "$python" "$work/together.py" "$work/plan.json" > "$work/out" 2>&1; say $? "state is in one place there, too"

  # or on two of them that have as much each
  "$python" -B "$top_srcdir/examples/training_step.py" $model -o "$work/step.json" --batch 2 --repeats 1 \
    --cpu sim:desktop-cpu --gpu sim:desktop-gpu,sim:laptop-gpu --gflops 20000 > "$work/out" 2>&1 &&
    "$TPLAN" optimize "$work/step.json" --devices sim:desktop-cpu,sim:desktop-gpu,sim:laptop-gpu --mem-limit "sim:desktop-gpu=$room" \
      --mem-limit "sim:laptop-gpu=$room" -f -o "$work/plan.json" > "$work/out" 2>&1; say $? "$model: on two such GPUs"
  "$TPLAN" check "$work/plan.json" > "$work/out" 2>&1; say $? "tplan check takes it"
  "$python" "$top_srcdir/tests/check_plan.py" "$work/plan.json" > "$work/out" 2>&1; say $? "so does the other checker"
  "$python" "$work/together.py" "$work/plan.json" > "$work/out" 2>&1; say $? "state is in one place with three devices"
done

# By another optimizer; and with a roofline of both devices, for which nothing is run.
for step in "mlp --optimizer adam --repeats 1" "resnet18 --batch 64 --cpu-gflops 1000"; do
  "$python" -B "$top_srcdir/examples/training_step.py" $step -o "$work/step.json" --cpu sim:desktop-cpu > "$work/out" 2>&1 &&
    "$TPLAN" optimize "$work/step.json" --devices sim:desktop-cpu,sim:desktop-gpu -f -o "$work/plan.json" > "$work/out" 2>&1
  say $? "$step: planned"
  "$TPLAN" check "$work/plan.json" > "$work/out" 2>&1; say $? "tplan check takes it"
  "$python" "$work/together.py" "$work/plan.json" > "$work/out" 2>&1; say $? "state is in one place, and never copied"
done
echo "1..$n"
