"""What engines carry, and that no busiest engine carries less: for check_plan.py, after
docs/planner.md ("Throughput")."""
import copy
import itertools
from collections import Counter

import check_interval
from check_common import NONE, need
from check_share import Shares


def limited(plan):
    """The same as a plan within limits."""
    from check_memory import Limited  # which knows of this
    plan.__class__ = Limited
    plan.prepare()
    return plan


class Loads:
    """All figures by the weight of the engine that they keep busy; the rest is as for the sum."""

    def __init__(self, checker):
        self.plan, self.p, n = checker, checker.p, len(checker.devices)
        self.loads, weights, flows = self.p["loads"], self.p["load_weights"], self.p["load_flows"]
        count, step = len(weights) // (3 * n), self.count_flows()
        need((n <= 2) == ("load_shares" not in self.p) and len(self.loads) == 3 * n, "engines")
        need(len(weights) == 3 * n * count and len(flows) == step * count, "as many flows as arcs")
        self.ends = [(weights[3 * n * i:3 * n * (i + 1)], flows[step * i:step * (i + 1)])
                     for i in range(count)]
        if n > 2:
            units, rows = self.p["load_share_units"], self.p["load_shares"]
            need(len(units) == len(rows) == count and not flows, "load_shares")
            self.ends = [(end[0], pair) for end, pair in zip(self.ends, zip(units, rows))]
        self.ways = {"to_device_costs": n, "to_host_costs": 2 * n}
        self.is_one = self.p.get("same_silicon", False) and not self.p.get("own_processors")

    def count_flows(self):
        """Of an end."""
        return sum(1 for _ in self.plan.arcs()) if len(self.plan.devices) == 2 else 0

    def check_loads(self):
        loads, plan = [0] * len(self.loads), self.plan
        for row, d in plan.rows(plan.where):
            loads[d] += plan.figure[row][d][0]
        for t, start, end in plan.copies(plan.where):
            for (way, d), figure in plan.legs(t, start, end):
                loads[self.ways[way] + d] += figure[0]
        if self.is_one:
            loads = [sum(loads)] + [0] * (len(loads) - 1)
        plan.expect({"loads": loads, "load_ns": max(loads)})

    def weigh(self, weights, at, passed=None):
        """The same plan, of other figures, and with ops at some devices only."""
        plan, n = self.plan, len(self.plan.devices)
        ops, rows, tensors = passed or (Counter(), Counter(), Counter())
        weighed = copy.copy(plan)
        weighed.cost = lambda i, d: (NONE if plan.cost(i, d) is NONE or d not in at[i]
                                     else plan.cost(i, d) * (weights[d] + ops[i]))
        weighed.copy = lambda t, start, end: sum(
            figure[0] * (weights[self.ways[way] + d] + tensors[t])
            for (way, d), figure in plan.legs(t, start, end))
        weighed.gains = {(row, d): gain * weights[d] + rows[row, d] for (row, d), gain in plan.gains.items()}
        weighed.p = {**self.p, "flows": [], "constant_ns": sum(weighed.gains.values())}
        return weighed

    def least(self, weights, proof, at):
        """What no placement with ops at those devices makes the busiest engine go below."""
        need(min(weights) >= 0 < max(weights), "weights")
        need(not self.is_one or len(set(weights)) == 1, "weights of one engine")
        total = weights[0] if self.is_one else sum(weights)
        if len(self.plan.devices) > 2:
            unit, rows = proof
            return max(-(-self.least_of_shares(weights, unit, rows, at) // (total * unit)), 0)
        if len(self.plan.devices) == 1:
            value = sum(w * load for w, load in zip(weights, self.loads))
        else:
            value = self.weigh(weights, at).prove_flow(proof)
        return -(-value // total)

    def least_of_shares(self, weights, unit, rows, at):
        """What no weighted sum of loads is below, in units."""
        weighed = self.weigh(weights, at)
        weighed.p |= {"share_unit": unit, "share_bounds": [rows]}
        shares = Shares(weighed)
        return shares.least(shares.bounds[0], [list(devices) for devices in shares.may])

    def count(self, paths):
        """How often paths pass ops and tensors that nobody else reads; what they save of groups."""
        plan, (ops, rows, tensors) = self.plan, [Counter() for _ in range(3)]
        group = {o: row for row in range(len(plan.ops), len(plan.units)) for o in plan.units[row]}
        moving = set(plan.moving)
        for weight, *path in paths:
            need(weight >= 1 and path and set(path[:-1]) <= moving, "a path")
            makers = [plan.makers[t] for t in path]
            need(all(maker in plan.readers[t] for t, maker in zip(path, makers[1:])), "no path")
            ops.update({maker: weight for maker in makers if maker is not NONE})
            for row, run in itertools.groupby(makers, group.get):
                for d in range(len(plan.devices)) if row is not None and (run := list(run)) else ():
                    if plan.gains[row, d]:
                        rows[row, d] += weight * min(plan.gains[row, d], sum(plan.cost(o, d) for o in run))
            for t in path[:-1] + [t for t in path[-1:] if plan.shown[t]]:
                if t in moving and len(plan.readers[t]) + plan.shown[t] == 1:
                    tensors[t] += weight
        return ops, rows, tensors

    def check_room(self, key, best):
        """What fits into limits of memory: as of a plan within limits, of weighted figures."""
        room, n = self.p[key + "_room"], len(self.plan.devices)
        if "ends" in room:
            from check_ends import Ends  # which knows of this
            need(key == "load" and "memory_limits" in self.p, "ends")
            return Ends([self.plan], [1], room, self.p["memory_limits"]).check(best)
        weights, paths = room["weights"], room["paths"] if key == "span" else []
        need(len(weights) == 3 * n and min(weights) >= 1 and "memory_limits" in self.p, key)
        need(not self.is_one or len(set(weights)) == 1, "weights of one engine")
        self.plan.need_apart()
        weighed = self.weigh(weights, [range(n)] * len(self.plan.ops), self.count(paths))
        weighed.p |= {**room, "cost_ns": float("inf"), "bound_ns": 0}
        if "share_room" in room:
            need(n > 2 and "memory_tree" not in room, "one proof of what fits")
            weighed.p |= {"share_bounds": [[]]}
            Shares(weighed).check_room()
        else:
            limited(weighed).check_tree()
        least = room["share_room_ns" if "share_room" in room else "memory_bound_ns"]
        total = (weights[0] if self.is_one else sum(weights)) + sum(path[0] for path in paths)
        need(least >= 0 and room[key + "_ns"] == min(-(-least // total), best), "the bound of what fits")

    def check(self):
        self.check_loads()
        if "span_ns" not in self.p:
            check_interval.check_loads(self.p, [self.plan], [1], self.is_one)
        for key in ("load", "span"):
            if key + "_room" in self.p:
                need(("span_ns" in self.p) == (key == "span"), "which room")
                self.check_room(key, self.p[key + "_ns"])
        allowed = [[d for d in range(len(self.plan.devices)) if self.plan.cost(o, d) is not NONE]
                   for o in range(len(self.plan.ops))]
        at, path, done, ends = list(allowed), [], False, iter(self.ends)
        bound = self.p["load_ns"]
        for op in self.p["load_tree"]:
            need(not done, "more ends than the tree has")
            if op >= 0:
                need(len(at[op]) > 1, "op", op, "is not free")
                at[op] = at[op][:1]
                path.append(op)
                continue
            need(op == -1, "neither op nor end")
            weights, proof = next(ends, ([0], []))
            bound = min(bound, self.least(weights, proof, at))
            while path and at[path[-1]] == allowed[path[-1]][-1:]:
                o = path.pop()
                at[o] = allowed[o]
            done = not path
            if path:
                o = path[-1]
                at[o] = [d for d in allowed[o] if d > at[o][0]][:1]
        need(done and next(ends, None) is None, "an end without a proof")
        self.plan.expect({"load_bound_ns": bound})
