#!/bin/sh
# The checker in Python knows the keys of docs/schema, and how tplan writes plans: one that
# is laid out anew is valid for both checkers, one with another key for neither.
. "$(dirname "$0")/common.sh"
command -v python3 > /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
checker=$top_srcdir/tests/check_plan.py
limits="--mem-limit sim:desktop-cpu=5K --mem-limit sim:laptop-gpu=4K"

# plan NAME ARGUMENT...: of two devices, or more.
plan () { name=$1; shift; try 0 optimize mlp.json -q -o "$name.json" "$@"; say $? "a plan, $name"; }
three=sim:desktop-cpu,sim:laptop-gpu,sim:server-gpu
for end in time throughput makespan energy; do
  plan "$end" --devices $sims --objective $end
  plan "$end-3" --devices $three --objective $end
  plan "$end-limited" --devices $sims --objective $end --mem-limit sim:desktop-cpu=5K
  plan "$end-3-limited" --devices $three --objective $end $limits
done
plan price --devices $sims --objective price --price sim:desktop-cpu=2/h --price sim:laptop-gpu=0.1/h:use
plan ref --devices ref --pin '*=ref' --no-fuse epilogue --no-pass layout

python3 -B - "$top_srcdir" <<'PY' > .said 2>&1
import glob, hashlib, json, subprocess, sys
sys.path.insert(0, sys.argv[1] + "/tests")
import check_text

with open(sys.argv[1] + "/docs/schema/plan.schema.json") as file:
    schema = json.load(file)
found = {}


def walk(node, under):
    """Keys of each object that may have no others."""
    if "properties" in node and node.get("additionalProperties") is False:
        found.setdefault(under, set()).update(node["properties"])
    for name, inner in node.get("properties", {}).items():
        walk(inner, name)
    if isinstance(node.get("items"), dict):
        walk(node["items"], under)


walk(schema, "")
print("keys", "same" if found == check_text.KEYS else {
    key: sorted(found.get(key, set()) ^ check_text.KEYS.get(key, set())) for key in {*found, *check_text.KEYS}})
for path in sorted(glob.glob("*.json")):
    with open(path) as file:
        text = file.read()
    if '"format": "tplan-plan/3"' not in text:
        continue
    values = json.loads(text)
    print("known", path, check_text.find_unknown(values))
    rest = {key: it for key, it in values.items() if key != "sha256"}
    print("written", path, "{\n" + check_text.write_keys(rest) + ",\n" == text.rsplit(' "sha256": "', 1)[0])
    with open(f"laid-out-{path}", "w") as file:
        json.dump(values, file, indent=3)
    # signed, but a byte of what it reads is missing
    rest["weight_bytes"] = [max(at - 1, 0) for at in rest["weight_bytes"]]
    laid_out = "{\n" + check_text.write_keys(rest) + ",\n"
    with open(f"light-{path}", "w") as file:
        file.write(laid_out + f' "sha256": "{hashlib.sha256(laid_out.encode()).hexdigest()}"\n}}\n')
    values["ops"][0]["colour"] = 1
    with open(f"spoilt-{path}", "w") as file:
        json.dump(values, file)
PY
grep -q '^keys same$' .said; say $? "the checker knows the keys of the schema"
[ "$(grep -c '^known .* None$' .said)" -eq 18 ]; say $? "  and all of these plans"
[ "$(grep -c '^written .* True$' .said)" -eq 18 ]; say $? "  and how they are written"
sed 's/^/# /' .said | grep -v -e 'None$' -e 'True$'
for end in time throughput makespan energy price time-3 throughput-3 makespan-3-limited energy-3-limited; do
  try 0 check "laid-out-$end.json" && python3 -B "$checker" "laid-out-$end.json" > .out 2> .err; say $? "laid out anew, $end"
  ! "$TPLAN" check "spoilt-$end.json" > .out 2> .err && err_has colour; say $? "  but for a key that no plan has"
  ! python3 -B "$checker" "spoilt-$end.json" > .out 2> .err && out_has colour; say $? "  nor for the checker in Python"
  ! "$TPLAN" check "light-$end.json" > .out 2> .err && out_has weight_bytes; say $? "  nor one that takes less than it reads"
  ! python3 -B "$checker" "light-$end.json" > .out 2> .err && out_has weight_bytes; say $? "  nor for that one"
done
finish
