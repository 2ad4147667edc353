"""check_keys.py TPLAN SCHEMA OBJECTIVE: plans a small graph within limits of memory on two and
three devices, and takes every key out that a plan may do without, at the top and in each
object of its proof; the rest is signed again. It is refused, or `tplan check` claims no more
than what is left in the file says, and the other checker takes it, too. What is wrong is
printed, and 1 the status."""
import copy
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, TESTS)
import check_text  # noqa: E402

tplan, schema, objective = sys.argv[1:]
REQUIRED = set(json.load(open(schema))["required"])
DEVICES = ["sim:desktop-cpu", "sim:desktop-gpu", "sim:laptop-gpu"]
N_OPS, LIMIT = 9, "90K"
faults, n_refused = [], 0


def make_graph(devices):
    """Ops that only have costs, some with a weight, on devices that they do not all fit on."""
    draw, ops, names, weights = random.Random(1), [], ["x"], []
    for i in range(N_OPS):
        inputs = sorted({draw.choice(names[-3:]), draw.choice(names)})
        if draw.random() < .7:
            weights.append({"name": f"w{i}", "shape": [draw.randrange(1, 9) * 1024], "fill": 1})
            inputs.append(f"w{i}")
        ops.append({"name": f"op{i}", "type": "Fancy", "inputs": inputs, "outputs": [f"t{i}"],
                    "shapes": [[draw.randrange(1, 9) * 1024]], "cost": {d: draw.randrange(100, 2000) for d in devices}})
        names.append(f"t{i}")
    read = {t for op in ops for t in op["inputs"]}
    return {"format": "tplan-graph/1", "inputs": [{"name": "x", "shape": [4096]}],
            "outputs": [t for t in names[1:] if t not in read], "initializers": weights,
            "copies": {t: {d: draw.randrange(1, 300) for d in devices[1:]} for t in names}, "ops": ops}


def make_plan(folder, devices):
    graph, path = f"{folder}/graph.json", f"{folder}/plan.json"
    with open(graph, "w") as out:
        json.dump(make_graph(devices), out)
    how = ["-d", ",".join(devices), "--objective", objective, "-q", "-f", "-o", path]
    for d, watts, price in zip(devices, (65, 200, 50), ("0.3/h", "1/h", "0.4/h")):
        how += [f"--watts={d}={watts}", f"--price={d}={price}"]
    for d in devices[1:]:
        how += [f"--mem-limit={d}={LIMIT}"]
    subprocess.run([tplan, "optimize", graph, *how], check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        return json.load(file)


def list_spots(plan):
    """What may lack: keys at the top, and in objects that are proofs of their own."""
    for key in plan.keys() - REQUIRED - {"sha256"}:
        yield key,
        if isinstance(plan[key], dict) and key.endswith("_room"):
            yield from ((key, inner) for inner in plan[key])


def take_out(plan, spot):
    rest = copy.deepcopy(plan)
    rest.pop("sha256")
    at = rest
    for key in spot[:-1]:
        at = at[key]
    del at[spot[-1]]
    return rest


def write(plan, path):
    body = "{\n" + check_text.write_keys(plan) + ",\n"
    with open(path, "w", newline="\n") as out:
        out.write(body + f' "sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n')


def check(path):
    """(what is said, what is told to programs), or None: it is refused."""
    said = subprocess.run([tplan, "check", path], capture_output=True, text=True)
    if said.returncode:
        return None
    told = subprocess.run([tplan, "check", "--format=json", path], capture_output=True, text=True)
    return said.stdout, json.loads(told.stdout)


def claims_no_more(plan, said, told):
    """Than the totals and bounds that are left; both checkers took these."""
    fits = max(plan["bound_ns"], plan.get("memory_bound_ns", 0), plan.get("share_room_ns", 0))
    aims, load = "aims" in plan, told["load"]
    is_least = "is cheaper" not in said or aims or plan["cost_ns"] <= fits or "tie_price_ns" in plan
    is_least = is_least and told["bound_ns"] <= fits and told["cost_ns"] == plan["cost_ns"]
    if load:
        bound = max(plan["load_bound_ns"], plan.get("load_room", {}).get("load_ns", 0))
        gap = (plan["load_ns"] - bound) / plan["load_ns"] if plan["load_ns"] else 0
        is_least = is_least and load["bound_ns"] <= bound and load["gap"] > gap - 1e-6
    if aims:
        bound = max(plan["aim_bound"], plan.get("aim_room", {}).get("aim_bound", 0))
        is_least = is_least and ("proved least" not in said or plan["aim_cost"] <= bound)
        is_least = is_least and (told["rates"]["proved_least"] is None or plan["aim_cost"] <= bound)
    return is_least


def try_all(folder, plan, what):
    """[(path, what lacks)] of those that `tplan check` takes."""
    global n_refused
    taken = []
    write({key: it for key, it in plan.items() if key != "sha256"}, f"{folder}/plan.json")
    if not check(f"{folder}/plan.json"):
        faults.append(f"{what}: refused as it is")
    for spot in sorted(list_spots(plan)):
        rest, path = take_out(plan, spot), f"{folder}/{len(taken)}.json"
        write(rest, path)
        found = check(path)
        if found is None:
            n_refused += 1
            continue
        taken.append((path, f"{what} without {'.'.join(spot)}"))
        if not claims_no_more(rest, *found):
            faults.append(f"{taken[-1][1]}: {found[0]}")
    return taken


def check_second(plan, taken):
    script = "check_memory.py" if plan["certificate"] == "memory-tree" else "check_plan.py"
    lines = subprocess.run([sys.executable, f"{TESTS}/{script}", *[path for path, _ in taken]],
                           capture_output=True, text=True).stdout.splitlines()
    if len(lines) != len(taken):
        faults.append(f"{script} told of {len(lines)} of {len(taken)}")
    for (path, what), line in zip(taken, lines):
        if not line.endswith(": valid"):
            faults.append(what + line[len(path):])


for n in (2, 3):
    with tempfile.TemporaryDirectory() as folder:
        plan = make_plan(folder, DEVICES[:n])
        check_second(plan, try_all(folder, plan, f"{n} devices"))
if n_refused < 10:
    faults.append(f"no more than {n_refused} were refused")
print("\n".join(faults))
sys.exit(bool(faults))
