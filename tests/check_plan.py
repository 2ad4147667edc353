#!/usr/bin/env python3
"""Checks plans from their files alone: docs/plan-format.md, docs/planner.md.

usage: check_plan.py PLAN...   one line for each; exit status 1: one is not valid

That figures and groups are what they should be is for `tplan check`; this shows
that for these figures the plan costs what it says, and that none is cheaper."""
import hashlib
import json
import math
import sys
from collections import defaultdict

HOST, NONE, INFINITE = -1, None, -1


def need(truth, *what):
    if not truth:
        raise ValueError(" ".join(map(str, what)))


def to_dict(pairs):
    need(len(dict(pairs)) == len(pairs), "something stands twice")
    return dict(pairs)


def number(names):
    return to_dict([(name, i) for i, name in enumerate(names)])


class Plan:
    def __init__(self, text):
        p = self.p = json.loads(text, object_pairs_hook=to_dict)
        need(p["format"] == "tplan-plan/2", "format", p["format"])
        digest = hashlib.sha256(text.rsplit(' "sha256": "', 1)[0].encode())
        need(digest.hexdigest() == p["sha256"], "sha256")
        self.devices, self.ops, self.tensors = p["devices"], p["ops"], p["tensors"]
        self.place = number(self.devices)
        need(len(self.devices) <= 2, "devices")
        need(p["simulated"] == any(d.startswith("sim:") for d in self.devices), "simulated")
        need(p["objective"] == "time", "objective")
        self.price = p.get("tie_price_ns", 0)
        self.host = HOST if p["host"] is None else self.place[p["host"]]
        self.names = dict(enumerate(self.devices)) | {HOST: "host"}
        number([t["tensor"] for t in self.tensors])
        op = number([o["op"] for o in self.ops])
        self.makers = [NONE if t["producer"] is None else op[t["producer"]] for t in self.tensors]
        self.readers = [[op[reader] for reader in t["readers"]] for t in self.tensors]
        self.moving = [i for i, t in enumerate(self.tensors) if not t.get("constant")]
        self.outputs = [bool(t.get("output")) for t in self.tensors]
        self.groups = [[op[o] for o in g] for g in p["all_groups"]]
        number([o for ops in self.groups for o in ops])
        self.units = [[i] for i in range(len(self.ops))] + self.groups
        self.figure = p["op_costs"] + p["group_costs"]
        for rows, of in ((p["op_costs"], self.ops), (self.figure, self.units),
                         (p["to_device_costs"], self.tensors), (p["to_host_costs"], self.tensors)):
            need([len(row) for row in rows] == [len(self.devices)] * len(of), "rows of figures")
        self.gains = {(g, d): self.gain(g, d) for g in range(len(self.groups))
                      for d in range(len(self.devices))}
        self.where = [self.place[o["device"]] for o in self.ops]
        self.cheapest = [self.place[o.get("cheapest", o["device"])] for o in self.ops]

    def cost(self, i, d):
        """Of an op alone; NONE: may not be there."""
        figure, op, name = self.figure[i][d], self.ops[i], self.devices[d]
        if name in op.get("given", {}):
            need(figure == [op["given"][name], 0], op["op"], "is not as given")
        if not isinstance(figure, list) or name not in op.get("pins", [name]):
            return NONE
        need(figure[0] >= 0 and figure[1] >= 0, op["op"], "costs less than 0")
        return figure[0]

    def gain(self, g, d):
        whole, alone = self.p["group_costs"][g][d], [self.cost(o, d) for o in self.groups[g]]
        possible = isinstance(whole, list) and NONE not in alone
        return max(0, sum(alone) - whole[0]) if possible else 0

    def copy(self, t, start, end):
        costs = [figure[0] for _, figure in self.legs(t, start, end)]
        need(all(c >= 0 for c in costs), "a copy costs less than 0")
        return sum(costs)

    def legs(self, t, start, end):
        """((way, device), figure) of what a copy pays for: nothing at the host."""
        return [((way, d), self.p[way][t][d])
                for way, d in (("to_host_costs", start), ("to_device_costs", end))
                if d not in (HOST, self.host)]

    def copies(self, where):
        for t in self.moving:
            home = self.host if self.makers[t] is NONE else where[self.makers[t]]
            ends = {where[r] for r in self.readers[t]} | set([self.host] * self.outputs[t])
            yield from ((t, home, end) for end in sorted(ends - {home}))

    def fused(self, where):
        return [g for g, ops in enumerate(self.groups)
                if len({where[o] for o in ops}) == 1 and self.gains[g, where[ops[0]]] > 0]

    def figures(self, where):
        """((row, device), figure) of what a placement pays for kernels."""
        fused = self.fused(where)
        alone = set(range(len(self.ops))) - {o for g in fused for o in self.groups[g]}
        rows = sorted(alone) + [len(self.ops) + g for g in fused]
        paid = [(row, where[self.units[row][0]]) for row in rows]
        return [((row, d), self.figure[row][d]) for row, d in paid]

    def may_be(self, where):
        return all(self.cost(i, d) is not NONE for i, d in enumerate(where))

    def total(self, where):
        need(self.may_be(where), "an op may not be where it is")
        return (sum(figure[0] for _, figure in self.figures(where))
                + sum(self.copy(*c) for c in self.copies(where)))

    def check_parts(self):
        p, figures = self.p, self.figures(self.where)
        transfers = [{"tensor": self.tensors[t]["tensor"], "from": self.names[a],
                      "to": self.names[b], "bytes": self.tensors[t]["bytes"],
                      "time_ns": self.copy(t, a, b)} for t, a, b in self.copies(self.where)]
        singles = [[d] * len(self.ops) for d in range(len(self.devices))]
        alone = [(self.total(where), d) for d, where in enumerate(singles) if self.may_be(where)]
        least, best = min(alone, default=(0, NONE))
        for key, value in (
                ("cost_ns", self.total(self.where)), ("bound_ns", self.total(self.cheapest)),
                ("constant_ns", sum(self.gains.values())), ("transfers", transfers),
                ("groups", [p["all_groups"][g] for g in self.fused(self.where)]),
                ("estimated_ops", sum(len(self.units[row]) for (row, _), figure in figures
                                      if "estimated" in figure)),
                ("best_single", None if best is NONE else self.devices[best]),
                ("best_single_ns", least)):
            need(p[key] == value, key)
        times = {self.units[row][0]: figure[:2] for (row, _), figure in figures}
        need([[o["time_ns"], o["spread_ns"]] for o in self.ops]
             == [times.get(i, [0, 0]) for i in range(len(self.ops))], "times")

    def deviation(self, *sides):
        """Of what placements cost, each with its sign."""
        terms = defaultdict(float)
        for where, sign in sides:
            for (row, d), figure in self.figures(where):
                kernel = self.p.get("kernels", {}) and self.p["kernels"][row]
                terms["k" if kernel else "r", kernel or row, d] += sign * figure[1]
            for copy in self.copies(where):
                for leg, figure in self.legs(*copy):
                    terms[leg] += sign * figure[1]
        return math.sqrt(sum(x * x for x in terms.values())) / 1.96

    def check_interval(self):
        p, cost, n = self.p, self.p["cost_ns"], len(self.devices)
        if not {"cost_low_ns", "cost_high_ns", "factors"} & p.keys():
            return
        times, sd = [0] * n, 0
        for (_, d), figure in self.figures(self.where):
            times[d] += figure[0]
        if cost:
            variance = (self.deviation((self.where, 1)) / cost) ** 2
            if "factors" in p:
                need(len(p["factors"]) == len(p["wholes"]) == n, "factors")
                need(len(p["covariances"]) == n * n, "covariances")
                common = sum(times[i] * times[k] * p["covariances"][i * n + k]
                             for i in range(n) for k in range(n))
                variance += max(0, common / cost ** 2 / 1e9) + p["run_variance"] / 1e9
            sd = math.sqrt(variance)
        for key, sign in (("cost_low_ns", -1), ("cost_high_ns", 1)):
            want = min(cost * math.exp(sign * 1.645 * sd), 2.0 ** 62)
            need(abs(p[key] - want) <= 1 + 1e-9 * want, key, "is not", want)

    def check_tie(self):
        excess = self.p["cost_ns"] - self.p["bound_ns"]
        sd = self.deviation((self.where, 1), (self.cheapest, -1))
        need(0 <= excess <= sd * (1 + 1e-9), "more than noise above the least")
        need(self.price > 0 or self.where == self.cheapest, "another plan is the cheapest")

    def network(self):
        """{(from, to): (capacity, copies in it)}, as "The cut" has it."""
        arcs, made = {}, defaultdict(list)
        for t in self.moving:
            made[self.makers[t]].append(t)
        for i in range(len(self.ops)):
            for d, ends in ((1, ("s", f"n{i}")), (0, (f"n{i}", "t"))):
                out = [self.copy(t, d, HOST) for t in made[i]
                       if self.outputs[t] and self.host == HOST]
                own = self.cost(i, d)
                arcs[ends] = (INFINITE if own is NONE else own + sum(out), sum(c > 0 for c in out))
        for t in self.moving:
            for d in (1, 0):
                self.add_copy(arcs, t, d, made)
        for (g, d), gain in self.gains.items():
            mine = f"g{g}{'cd'[d]}"
            arcs["s" if d == 0 else mine, mine if d == 0 else "t"] = gain, 0
            for o in self.groups[g] if gain else []:
                arcs[(mine, f"n{o}") if d == 0 else (f"n{o}", mine)] = INFINITE, 0
        return {ends: arc for ends, arc in arcs.items() if arc[0] != 0}

    def add_copy(self, arcs, t, d, made):
        """To device d: past a vertex of its own, but for an only reader of an only output."""
        maker, readers = self.makers[t], [f"n{r}" for r in self.readers[t]]
        cost = self.copy(t, HOST if maker is NONE else 1 - d, d)
        shared = self.outputs[t] and maker is not NONE and self.host == d
        if cost == 0 or not (readers or shared):
            return
        plain = (maker is not NONE and len(readers) == 1 and len(made[maker]) == 1
                 and not self.outputs[t] and not self.named & {f"h{t}", f"d{t}"})
        start = "ts"[d] if maker is NONE else f"n{maker}"
        mine = readers[0] if plain else f"{'dh'[d]}{t}"
        arcs[(start, mine) if d == 1 else (mine, start)] = cost, 1
        for end in [] if plain else readers + ["st"[d]] * shared:
            arcs[(mine, end) if d == 1 else (end, mine)] = INFINITE, 0

    def check_flow(self, arcs, column, price, value):
        balance = defaultdict(int)
        for a in self.p["arcs"]:
            capacity, copies = arcs[a[0], a[1]]
            most = math.inf if capacity == INFINITE else capacity + price * copies
            need(0 <= a[column] <= most, "a flow that does not fit at", a[:2])
            balance[a[0]] -= a[column]
            balance[a[1]] += a[column]
        need(not any(x for v, x in balance.items() if v not in "st"), "flow leaks")
        need(-balance["s"] - self.p["constant_ns"] == value, "flow is not", value)

    def check_proof(self):
        p, price = self.p, self.price
        need(p["certificate"] == "min-cut", "certificate", p["certificate"])
        if len(self.devices) == 1:
            return need(not p["arcs"] and not price, "arcs of one device")
        self.named = {v for a in p["arcs"] for v in a[:2]}
        arcs, said = self.network(), {(a[0], a[1]): a[2] for a in p["arcs"]}
        need(len(said) == len(p["arcs"]), "an arc stands twice")
        need(said == {ends: c for ends, (c, _) in arcs.items()}, "arcs")
        self.check_flow(arcs, 3, 0, p["bound_ns"])
        if price:
            n = sum(self.copy(*c) > 0 for c in self.copies(self.where))
            self.check_flow(arcs, 4, price, p["cost_ns"] + price * n)


def check(path):
    try:
        with open(path, encoding="utf-8") as file:
            plan = Plan(file.read())
        plan.check_parts()
        plan.check_tie()
        plan.check_interval()
        plan.check_proof()
    except (KeyError, IndexError, TypeError, ValueError) as reason:
        return f"{path}: not valid: {type(reason).__name__}: {reason}"
    return f"{path}: valid"


if __name__ == "__main__":
    results = [check(path) for path in sys.argv[1:]]
    print("\n".join(results))
    sys.exit(not all(result.endswith(": valid") for result in results))
