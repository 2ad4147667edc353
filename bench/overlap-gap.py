#!/usr/bin/env python3
"""What could fusion groups that overlap gain?  Finds, of each model on each made-up
machine, what a run costs at the least with the groups that the planner offers, with the
best choice of all that its rules list (parts, chains, wholes), and with the best of all
that they could make if they joined otherwise (overlap-groups.c), no op in two; and what
it is not below where an op may be in parts of several (the bound that prices on ops
prove).  A MIP, by HiGHS; exits with 1 if the first is not what tplan says, or a model is
refused.

usage: overlap-gap.py TPLAN OVERLAP-GROUPS MACHINES MODEL...
       overlap-gap.py --try SEED COUNT    draws small problems, solves them by trying
                                          everything, too, and says if the two differ

MACHINES: such as sim:laptop-cpu+sim:laptop-cpu,sim:laptop-gpu; of real devices TPLAN_COST
has the figures.  GAP_DIMS="N=8 L=16": values of named dimensions.  Wants scipy."""
import itertools
import json
import os
import random
import subprocess
import sys

try:
    import numpy
    import scipy.sparse
    from scipy.optimize import Bounds, LinearConstraint, milp
except ImportError:
    print("overlap-gap.py: no scipy")
    sys.exit(77)

RULES, OFFERED = 1, 2


class Problem:
    """What ops take, what tensors cost to copy, and what groups save; up to two devices.
    tensors: (producer or -1, caller reads it, to the second, to the first, readers)
    groups: (set, gain on each device, ops)"""

    def __init__(self, host=0):
        self.host, self.types, self.nodes, self.tensors, self.together, self.groups = host, [], [], [], [], []

    @staticmethod
    def read(text):
        problem = Problem()
        for line in text.splitlines():
            kind, *rest = line.split()
            if kind == "node":
                problem.types.append(rest.pop(0))
            it = [int(word) for word in rest]
            n = len(problem.nodes[0]) if problem.nodes else 0
            if kind == "graph":
                problem.host = it[3]
            elif kind == "node":
                problem.nodes.append(it)
            elif kind == "tensor":
                problem.tensors.append((it[0], bool(it[1]), it[2], it[3], it[5:]))
            elif kind == "together":
                problem.together.append(it[1:])
            else:
                problem.groups.append((it[0], it[1:1 + n], it[2 + n:]))
        return problem

    def take(self, least):
        """The groups of this set, and those above."""
        return [it for it in self.groups if it[0] >= least]

    def copies(self):
        """(tensor, device that it is copied to, cost)"""
        for index, (producer, is_output, there, back, readers) in enumerate(self.tensors):
            for device, cost in ((1, there), (0, back)):
                if producer < 0 and device == self.host:
                    continue
                if cost > 0 and (readers or (is_output and device == self.host)):
                    yield index, device, cost

    def cost(self, places, chosen):
        """What a placement with these groups, as (group, device), costs."""
        total = sum(self.nodes[i][d] for i, d in enumerate(places))
        for index, device, cost in self.copies():
            producer, is_output, _, _, readers = self.tensors[index]
            wanted = any(places[it] == device for it in readers) or (
                is_output and producer >= 0 and device == self.host)
            total += cost * (wanted and (producer < 0 or places[producer] != device))
        return total - sum(group[1][device] for group, device in chosen)


class Rows:
    """Rows of a MIP: what is added up lies between two numbers."""

    def __init__(self):
        self.data, self.row, self.column, self.low, self.high = [], [], [], [], []

    def add(self, terms, low, high):
        for column, factor in terms:
            self.data.append(factor)
            self.row.append(len(self.low))
            self.column.append(column)
        self.low.append(low)
        self.high.append(high)


def solve(problem, groups, is_whole=True):
    """The least cost; not is_whole: where all may be there by halves.  Columns: for each
    op whether it is on the second device, for each copy whether it is made, for each
    group and device whether it is in effect."""
    n_devices = len(problem.nodes[0])
    costs, lows, highs, rows, fixed = [], [], [], Rows(), 0
    for times in problem.nodes:
        on_second = n_devices == 2 and times[1] >= 0
        fixed += times[0] if times[0] >= 0 else times[1]
        costs.append(times[1] - times[0] if on_second and times[0] >= 0 else 0)
        lows.append(int(times[0] < 0))
        highs.append(int(on_second))
    n_placed = len(costs)
    where = [(0, 1), (1, -1)]  # of a device: what x is to be added to, and its sign
    for index, device, cost in problem.copies() if n_devices == 2 else ():
        producer, is_output, _, _, readers = problem.tensors[index]
        column = len(costs)
        costs.append(cost)
        kept = is_output and producer >= 0 and device == problem.host
        sign = 1 if device == 1 else -1
        away = 0 if device == 1 else 1  # "x is on device" is away + sign * x
        for reader in readers:
            terms = [(column, 1), (reader, -sign)] + ([(producer, sign)] if producer >= 0 else [])
            rows.add(terms, away if producer < 0 else 0, numpy.inf)
        if kept:
            rows.add([(column, 1), (producer, sign)], 1 - away, numpy.inf)
        lows.append(0)
        highs.append(1)
    of_node = {}
    for _, gains, nodes in groups:
        for device in range(n_devices):
            if gains[device] <= 0:
                continue
            column = len(costs)
            costs.append(-gains[device])
            lows.append(0)
            highs.append(1)
            for node in nodes:
                of_node.setdefault((node, device), []).append(column)
    # all groups that an op has on a device are no more than it is there
    for (node, device), columns in of_node.items():
        terms = [(it, 1) for it in columns]
        if device == 1:
            rows.add(terms + [(node, -1)], -numpy.inf, 0)
        else:
            rows.add(terms + [(node, 1)], -numpy.inf, 1)
    for nodes in problem.together:
        for other in nodes[1:]:
            rows.add([(nodes[0], 1), (other, -1)], 0, 0)
    integral = numpy.zeros(len(costs))
    if is_whole:
        integral[:n_placed] = 1
        integral[len(costs) - sum(1 for _, gains, _ in groups for g in gains if g > 0):] = 1
    scale = max([1] + [abs(it) for it in costs])
    matrix = scipy.sparse.csr_array((rows.data, (rows.row, rows.column)), shape=(len(rows.low), len(costs)))
    done = milp(numpy.array(costs) / scale, integrality=integral, bounds=Bounds(lows, highs),
                constraints=LinearConstraint(matrix, rows.low, rows.high) if rows.low else (),
                options={"mip_rel_gap": 1e-7, "time_limit": 300})
    if done.x is None:
        raise RuntimeError(done.message)
    return fixed + done.fun * scale, done.x


# ---- by trying everything ---------------------------------------------------


def draw(rng):
    n = rng.randint(2, 6)
    problem = Problem()
    n_devices = rng.randint(1, 2)
    for _ in range(n):
        times = [rng.randint(1, 20) for _ in range(n_devices)]
        if n_devices == 2 and rng.random() < 0.2:
            times[rng.randint(0, 1)] = -1
        problem.nodes.append(times)
    for producer in range(-1, n):
        later = [it for it in range(producer + 1, n) if rng.random() < 0.4]
        problem.tensors.append((producer, rng.random() < 0.3, rng.randint(0, 9), rng.randint(0, 9), later))
    for _ in range(rng.randint(0, 5)):
        nodes = sorted(rng.sample(range(n), rng.randint(2, n)))
        gains = []
        for device in range(n_devices):
            times = [problem.nodes[it][device] for it in nodes]
            gains.append(0 if min(times) < 0 else rng.randint(0, sum(times)))
        problem.groups.append((rng.choice((0, RULES, OFFERED)), gains, nodes))
    if n_devices == 2 and rng.random() < 0.2:
        pair = rng.sample(range(n), 2)
        if all(-1 not in problem.nodes[it] for it in pair):
            problem.together.append(pair)
    return problem


def try_all(problem, groups):
    n_devices, least = len(problem.nodes[0]), None
    for places in itertools.product(range(n_devices), repeat=len(problem.nodes)):
        if any(problem.nodes[i][d] < 0 for i, d in enumerate(places)) or any(
                places[it[0]] != places[other] for it in problem.together for other in it):
            continue
        there = [(it, places[it[2][0]]) for it in groups if len({places[k] for k in it[2]}) == 1]
        for size in range(len(there) + 1):
            for chosen in itertools.combinations(there, size):
                nodes = [k for group, _ in chosen for k in group[2]]
                if len(nodes) == len(set(nodes)):
                    cost = problem.cost(places, chosen)
                    least = cost if least is None else min(least, cost)
    return least


def try_some(seed, count):
    rng = random.Random(seed)
    for index in range(count):
        problem = draw(rng)
        for least in (OFFERED, RULES, 0):
            groups = problem.take(least)
            found, tried = solve(problem, groups)[0], try_all(problem, groups)
            bound = solve(problem, groups, False)[0]
            if abs(found - tried) > 1e-3 or bound > found + 1e-3:
                print(f"problem {index} of seed {seed}: {found} by MIP, {tried} by trying all, bound {bound}")
                return 1
    print(f"{count} problems of seed {seed}: MIP and trying all agree")
    return 0


# ---- models -----------------------------------------------------------------


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"{command[0]} failed")
    return done.stdout


def look_at(tplan, helper, devices, model):
    problem = Problem.read(run(helper, devices, model))
    sets = [problem.take(OFFERED), problem.take(RULES), problem.groups]
    offered, rules, free = (solve(problem, it)[0] for it in sets)
    bound = solve(problem, sets[2], False)[0]
    dims = [it for dim in os.environ.get("GAP_DIMS", "").split() for it in ("--dim", dim)]
    said = json.loads(run(tplan, "optimize", "-q", "--format", "json", "--devices", devices, *dims, model))["bound_ns"]
    return problem, said, offered, rules, free, bound


def report(tplan, helper, machines, models):
    n_refused, n_others, gains = 0, 0, []
    print(f"{'model':22} {'machine':34} {'ops':>4} {'groups':>6} {'more':>5} {'offered, ns':>12} "
          f"{'rules %':>8} {'overlap %':>9} {'bound %':>8}")
    for model in models:
        name = os.path.basename(model)
        name = os.path.basename(os.path.dirname(model)) if name == "model.onnx" else name.rsplit(".", 1)[0]
        for devices in machines.split("+"):
            try:
                problem, said, offered, rules, free, bound = look_at(tplan, helper, devices, model)
            except RuntimeError as reason:
                print(f"{name:22} {devices:34} refused: {reason}", flush=True)
                n_refused += 1
                continue
            n_rules = len(problem.take(RULES))
            percent = [100 * (offered - it) / offered for it in (rules, free, bound)]
            gains.append(percent[1])
            # what was measured is drawn to what others of its kind have, of which there are more here
            is_measured = any(not it.startswith("sim:") for it in devices.split(","))
            is_same = abs(said - offered) <= 1 + (1e-3 if is_measured else 1e-6) * offered
            n_others += not is_same
            print(f"{name:22} {devices:34} {len(problem.nodes):4} {n_rules:6} {len(problem.groups) - n_rules:5} "
                  f"{offered:12.0f} {percent[0]:8.3f} {percent[1]:9.3f} {percent[2]:8.3f}"
                  + ("" if is_same else f"  tplan says {said}"), flush=True)
    if gains:
        print(f"{len(gains)} cases: groups that overlap gain {sum(gains) / len(gains):.3f} % in the mean, "
              f"{max(gains):.3f} % at most")
    return int(n_refused + n_others > 0)


def main(words):
    if len(words) == 3 and words[0] == "--try":
        return try_some(int(words[1]), int(words[2]))
    if len(words) < 4:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    return report(words[0], words[1], words[2], words[3:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
