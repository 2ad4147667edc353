#!/bin/sh
# `tplan calibrate --level tune`: what was tried stays known, and a plan runs the
# schedules it names, whatever the table prefers by then.
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
"$TPLAN" devices 2>/dev/null | grep -q '^cpu ' \
  || { echo "1..0 # SKIP no device cpu"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
TPLAN_SYSTEM_COST=$work/none.db
TPLAN_CALIBRATE_WAIT=0
XDG_CONFIG_HOME=$work
XDG_CACHE_HOME=$work
export TPLAN_COST TPLAN_SYSTEM_COST TPLAN_CALIBRATE_WAIT XDG_CONFIG_HOME XDG_CACHE_HOME
cd "$work" || exit 99
cat > tiny.json <<'END'
{ "format": "tplan-graph/1", "name": "tiny", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [64, 96]}],
  "outputs": ["y"],
  "initializers": [{"name": "w", "dtype": "float32", "shape": [96, 80],
                    "random": {"seed": 1, "std": 0.5}}],
  "ops": [
    {"name": "a", "type": "MatMul", "inputs": ["x", "w"], "outputs": ["h"]},
    {"name": "b", "type": "Relu", "inputs": ["h"], "outputs": ["y"]} ] }
END

n=0
result () # STATUS NAME
{
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
    sed 's/^/# /' out err
    echo "not ok $n - $2"
  fi
}
run () # NAME COMMAND...: output in out and err
{
  name=$1; shift
  "$@" > out 2> err
  result $? "$name"
}
sql () # STATEMENT: what it gives, a row a line
{
  "$python" -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
for row in c.execute(sys.argv[2]):
    print(*row, sep="|")
c.commit()' cost.db "$1"
}

"$TPLAN" calibrate -q -d cpu --threads 1 --level fast tiny.json > out 2> err
test $? -eq 2 && grep -q "neither measure nor tune" err
result $? "no such level"
run "what would be timed" "$TPLAN" cost tune --all -d cpu --threads 1 --format json tiny.json
cp out ahead
run "tune" "$TPLAN" calibrate -q -d cpu --threads 1 --level tune tiny.json
test "$(sql 'SELECT COUNT (*) > 2 FROM entry WHERE state = 3')" = 1
result $? "schedules were tried"
test -z "$(sql 'SELECT digest FROM entry WHERE state = 3 AND digest NOT IN
                (SELECT digest FROM entry WHERE state < 2)')"
result $? "of each kernel that was tuned one is used"
"$python" - cost.db ahead > err 2>&1 <<'END'
import json, sqlite3, sys
ahead = json.load(open(sys.argv[2]))
timed = {}
for digest, schedule, state in sqlite3.connect(sys.argv[1]).execute("SELECT digest, schedule, state FROM entry"):
    timed.setdefault(digest, {})[schedule] = state
tuned = {digest: set(its) for digest, its in timed.items() if 3 in its.values()}
listed = {}
for row in ahead["choices"]:
    assert row["n"] == 0 and row["median_ns"] is None and not row["used"], row
    listed.setdefault(row["digest"], []).append(row)
assert tuned and set(tuned) <= set(listed), (set(tuned), set(listed))
for digest, schedules in tuned.items():
    assert {row["schedule"] for row in listed[digest]} == schedules, (listed[digest], schedules)
for kernel in ahead["kernels"]:
    its = listed[kernel["digest"]]
    assert not kernel["tuned"] and kernel["schedules"] == 0 and kernel["correlation"] is None, kernel
    assert len({row["schedule"] for row in its}) == len(its) <= kernel["space"], kernel
    assert [row["rank"] for row in its] == list(range(1, len(its) + 1)), its
    regrets = [row["regret"] for row in its]
    assert regrets[0] == 0 and regrets == sorted(regrets), regrets
assert ahead["devices"][0]["kernels"] == 0 and ahead["devices"][0]["untuned"] == len(ahead["kernels"])
END
result $? "... was timed, and nothing else"
tried='SELECT digest, schedule FROM entry ORDER BY digest, schedule'
sql "$tried" > before
run "tune again" "$TPLAN" calibrate -q -d cpu --threads 1 --level tune tiny.json
sql "$tried" | cmp -s - before
result $? "nothing new was tried"

run "what came of it" "$TPLAN" cost tune -d cpu --threads 1 --format csv tiny.json
"$python" - cost.db out > err 2>&1 <<'END'
import csv, sqlite3, sys
table = sqlite3.connect(sys.argv[1])
tuned = {row[0] for row in table.execute("SELECT digest FROM entry WHERE state = 3")}
have = [row for row in table.execute("SELECT digest, schedule, median_ns, half_ns, state FROM entry WHERE state != 2")
        if row[0] in tuned]
# what was measured again in company is beside the one that tuning chose: the faster is used
least = {d: min(m for x, _, m, _, state in have if x == d and state != 3) for d in tuned}
want = {(d, s, str(m), str(h), "true" if state != 3 and m == least[d] else "false") for d, s, m, h, state in have}
rows = list(csv.DictReader(open(sys.argv[2])))
got = {(r["digest"], r["schedule"], r["median_ns"], r["half_interval_ns"], r["used"]) for r in rows}
assert got == want and len(rows) == len(want), (got, want)
ranks = [int(r["rank"]) for r in rows]
assert ranks == sorted(ranks) and len(set(ranks)) == len(ranks) and ranks[0] == 1, ranks
END
result $? "... are the rows of the table, ranked"
first=$("$python" -c 'import csv, sys; print(next(csv.DictReader(open(sys.argv[1])))["schedule"])' out)
TPLAN_COST=$work/plain.db "$TPLAN" calibrate -q -d cpu --threads 1 tiny.json
TPLAN_COST=$work/plain.db "$TPLAN" cost show --threads 1 --format csv > out 2> err
grep -F "MatMul+Relu 64x80" out | grep -qF "$first"
result $? "... and the first is what the model has without tuning"
run "all of it" "$TPLAN" cost tune --all -d cpu --threads 1 --format json tiny.json
cp out all
good=1
for name in $("$python" -c 'import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    print(k["kernel"].replace(" ", "?"), k["digest"][:8], k["digest"])' all); do
  "$TPLAN" cost tune -d cpu --threads 1 --format json --kernel "$name" tiny.json > one 2> err
  "$python" - one all "$name" > err 2>&1 <<'END'
import fnmatch, json, sys
one, all = (json.load(open(path)) for path in sys.argv[1:3])
name = sys.argv[3]
names = lambda k: fnmatch.fnmatch(k["kernel"], name) or k["digest"].startswith(name)
for what in "kernels", "choices":
    assert one[what] and one[what] == [it for it in all[what] if names(it)], (name, one[what])
END
  good=$?
  [ $good = 0 ] || break
done
result $good "a kernel by its name, or by its digest, is all there is of it"
"$TPLAN" cost tune -d cpu --threads 1 --kernel 1234567 tiny.json > out 2> err
test $? -eq 2 && grep -q "no kernel is named '1234567'.*\`tplan cost tune --all tiny.json" err
result $? "no such kernel"
"$TPLAN" cost tune -d cpu --threads 1 --format json tiny.json > out 2> err
"$python" - out all > err 2>&1 <<'END'
import json, sys
some, all = (json.load(open(path)) for path in sys.argv[1:])
names = ["gain", "correlation", "kernels"]
assert [{n: d[n] for n in names} for d in some["devices"]] == [{n: d[n] for n in names} for d in all["devices"]]
assert some["families"] == all["families"]
(family,), tuned = some["families"], [k for k in some["kernels"] if k["tuned"]]
assert family["kernels"] == len(tuned) and family["schedules"] == sum(k["schedules"] for k in tuned)
assert {k["family"] for k in tuned} == {family["family"]} == {"contract"}, tuned
least = min(tuned, key=lambda k: k["correlation"])
assert (family["least_correlation"], family["least_kernel"]) == (least["correlation"], least["kernel"]), family
assert some["devices"][0]["untuned"] == 0 and some["kernels"] and all["choices"]
for row in some["choices"]:
    assert row in all["choices"], row
END
result $? "... has what was tuned, as it is without"
"$TPLAN" cost tune -d cpu --threads 1 --format json tiny.json tiny.json > twice 2> err
"$python" - out twice > err 2>&1 <<'END'
import json, sys
once, twice = (json.load(open(path)) for path in sys.argv[1:])
assert twice["families"] == once["families"] and len(twice["kernels"]) == 2 * len(once["kernels"])
END
result $? "a kernel of two models counts once"
"$TPLAN" cost tune -d cpu --threads 1 tiny.json > out 2> err
grep -q '^cpu, contract: 1 kernel tuned, [0-9]* schedules timed; gain .*; ranks and times correlate by .*, least .* (MatMul+Relu 64x80)$' err
result $? "by family of schedules, in words"
run "nothing was tuned there" "$TPLAN" cost tune -d ref --format json tiny.json

# as if measured where nothing else runs: what is in company, or did not settle in
# it, is measured again
sql "UPDATE entry SET handover_ns = 100, crowding = 1000, contention = 600"
sql "UPDATE entry SET state = 0 WHERE state = 1"
run "tune what is known" "$TPLAN" calibrate -d cpu --threads 1 --level tune --format json tiny.json
grep -q '"samples": 0,' out
result $? "nothing was timed"

"$TPLAN" cost diff --all --format json cost.db cost.db > diff
# A kernel may have another schedule in use beside what was tuned: one that could not be
# timed again, in much company.
test "$(grep -c '"what"' diff)" = "$(sql 'SELECT COUNT (DISTINCT digest) FROM entry WHERE state != 3')"
result $? "what was only tried is not compared"
# Another table prefers another schedule of a kernel: it is one kernel all the same.
"$python" - <<'PY' > pair
import shutil, sqlite3
for name in ("swapped.db", "both.db"):
    shutil.copy("cost.db", name)
first = sqlite3.connect("cost.db")
digest, used = first.execute("""SELECT digest, schedule FROM entry WHERE state < 2 AND digest IN
    (SELECT digest FROM entry WHERE state = 3) ORDER BY digest, median_ns""").fetchone()
(tried,) = first.execute("SELECT schedule FROM entry WHERE state = 3 AND digest = ? LIMIT 1", (digest,)).fetchone()
swapped = sqlite3.connect("swapped.db")
swapped.execute("UPDATE entry SET state = 3 WHERE digest = ? AND state < 2", (digest,))
swapped.execute("UPDATE entry SET state = 0 WHERE digest = ? AND schedule = ?", (digest, tried))
swapped.commit()
both = sqlite3.connect("both.db")
both.execute("UPDATE entry SET state = 0 WHERE digest = ?", (digest,))
both.commit()
(least,) = both.execute("SELECT MIN (median_ns) FROM entry WHERE digest = ?", (digest,)).fetchone()
print(used, tried, least, sep="\n")
PY
"$TPLAN" cost diff --all --format json cost.db swapped.db > swapped 2> err
"$TPLAN" cost diff --all --format json both.db cost.db > both 2>> err
"$python" - > out 2>> err <<'PY'
import json
used, tried, least = open("pair").read().split("\n")[:3]
swapped, both = json.load(open("swapped")), json.load(open("both"))
for it in swapped, both:
    assert it["only_a"] == it["only_b"] == 0, it
other = [(row["a_schedule"], row["b_schedule"]) for row in swapped["figures"] if row["a_schedule"] != row["b_schedule"]]
assert other == [(used, tried)], other
assert int(least) in [row["a_ns"] for row in both["figures"] if row["b_schedule"] == used], both
PY
result $? "a kernel is compared across schedules, by what is used"
"$TPLAN" cost diff --all cost.db swapped.db > out 2> err && grep -qF -e "$(sed -n 1p pair) -> $(sed -n 2p pair)" out
result $? "both schedules are named"

run "a plan" "$TPLAN" optimize -q -d cpu --threads 1 -o plan.json tiny.json
used=$(sql "SELECT schedule FROM entry WHERE state < 2 AND digest IN
            (SELECT digest FROM entry WHERE state = 3) ORDER BY median_ns LIMIT 1")
grep -qF "$used" plan.json
result $? "the plan names what is used"
run "it runs" "$TPLAN" run -q --threads 1 -n 1 -o first plan.json
# as another tuning might have ended: with another tile
other=$(sql "SELECT rowid FROM entry WHERE state = 3 AND schedule LIKE '%tile=%'
             ORDER BY median_ns LIMIT 1")
sql "UPDATE entry SET state = 3 WHERE digest IN (SELECT digest FROM entry WHERE state = 3)"
sql "UPDATE entry SET state = 0, min_ns = 2000, median_ns = 2000
     WHERE rowid = $other"
run "a later plan" "$TPLAN" optimize -q -d cpu --threads 1 -o later.json tiny.json
! grep -qF "$used" later.json \
  && grep -qF "$(sql "SELECT schedule FROM entry WHERE rowid = $other")" later.json
result $? "the later plan names the other"
run "the first plan runs" "$TPLAN" run -q --threads 1 -n 1 -o second plan.json
cmp -s first/y.npy second/y.npy
result $? "... with the same bits"
run "the later plan runs, and is right" "$TPLAN" run -q --threads 1 -n 1 --check later.json
# On OpenCL the same, by the schedules of GPUs.
TPLAN_OPENCL_LOCAL_SIZE=16
export TPLAN_OPENCL_LOCAL_SIZE
if "$TPLAN" devices 2>/dev/null | grep -q '^opencl:0 '; then
  rm cost.db
  run "tune opencl:0" "$TPLAN" calibrate -q -d opencl:0 --level tune tiny.json
  test "$(sql "SELECT COUNT (DISTINCT schedule) > 4 FROM entry
               WHERE state IN (0, 3) AND schedule LIKE 'contract-tiles %'")" = 1
  result $? "tiles, work-groups and depths were tried"
  run "what came of it" "$TPLAN" cost tune -d opencl:0 tiny.json
  run "a plan for opencl:0" "$TPLAN" optimize -q -d opencl:0 -o gpu.json tiny.json
  run "it runs" "$TPLAN" run -q -n 1 --check -o third gpu.json
  sql "UPDATE entry SET state = 3 - state WHERE state IN (0, 3)"
  run "the plan runs when the table prefers others" "$TPLAN" run -q -n 1 -o fourth gpu.json
  cmp -s third/y.npy fourth/y.npy
  result $? "... with the same bits"
else
  n=$((n + 1))
  echo "ok $n - opencl:0 # SKIP no such device"
fi
echo "1..$n"
