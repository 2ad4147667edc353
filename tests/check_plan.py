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
        digest = hashlib.sha256(text.rsplit(' "sha256": "', 1)[0].encode()).hexdigest()
        simulated = any(d.startswith("sim:") for d in p["devices"])
        self.expect({"format": "tplan-plan/2", "objective": "time", "simulated": simulated,
                     "sha256": digest})
        self.devices, self.ops, self.tensors = p["devices"], p["ops"], p["tensors"]
        need(len(self.devices) <= 2, "devices")
        place, op = number(self.devices), number([o["op"] for o in self.ops])
        number([t["tensor"] for t in self.tensors])
        number([o for ops in p["all_groups"] for o in ops])
        self.host = HOST if p["host"] is None else place[p["host"]]
        self.makers = [NONE if t["producer"] is None else op[t["producer"]] for t in self.tensors]
        self.readers = [[op[reader] for reader in t["readers"]] for t in self.tensors]
        self.moving = [i for i, t in enumerate(self.tensors) if not t.get("constant")]
        self.outputs = [bool(t.get("output")) for t in self.tensors]
        self.units = [[i] for i in op.values()] + [[op[o] for o in ops] for ops in p["all_groups"]]
        self.figure = p["op_costs"] + p["group_costs"]
        for rows, of in ((p["op_costs"], self.ops), (self.figure, self.units),
                         (p["to_device_costs"], self.tensors), (p["to_host_costs"], self.tensors)):
            need([len(row) for row in rows] == [len(self.devices)] * len(of), "rows of figures")
        self.gains = {(row, d): self.gain(row, d) for row in range(len(self.ops), len(self.units))
                      for d in range(len(self.devices))}
        self.where = [place[o["device"]] for o in self.ops]
        self.cheapest = [place[o.get("cheapest", o["device"])] for o in self.ops]

    def expect(self, values):
        for key, value in values.items():
            need(self.p[key] == value, key, "is not", value)

    def cost(self, i, d):
        """Of an op alone; NONE: may not be there."""
        figure, op, name = self.figure[i][d], self.ops[i], self.devices[d]
        if name in op.get("given", {}):
            need(figure == [op["given"][name], 0], op["op"], "is not as given")
        if not isinstance(figure, list) or name not in op.get("pins", [name]):
            return NONE
        need(figure[0] >= 0 and figure[1] >= 0, op["op"], "costs less than 0")
        return figure[0]

    def gain(self, row, d):
        whole, alone = self.figure[row][d], [self.cost(o, d) for o in self.units[row]]
        possible = isinstance(whole, list) and NONE not in alone
        return max(0, sum(alone) - whole[0]) if possible else 0

    def legs(self, t, start, end):
        """((way, device), figure) of what a copy pays for: nothing at the host."""
        for way, d in (("to_host_costs", start), ("to_device_costs", end)):
            if d not in (HOST, self.host):
                need(self.p[way][t][d][0] >= 0, "a copy costs less than 0")
                yield (way, d), self.p[way][t][d]

    def copy(self, t, start, end):
        return sum(figure[0] for _, figure in self.legs(t, start, end))

    def copies(self, where):
        for t in self.moving:
            home = self.host if self.makers[t] is NONE else where[self.makers[t]]
            ends = {where[r] for r in self.readers[t]} | set([self.host] * self.outputs[t])
            yield from ((t, home, end) for end in sorted(ends - {home}))

    def count_copies(self, where):
        return sum(self.copy(*copy) > 0 for copy in self.copies(where))

    def rows(self, where):
        """(row of figures, device) of the kernels of a placement."""
        fused = [row for (row, d), gain in self.gains.items()
                 if gain > 0 and {where[o] for o in self.units[row]} == {d}]
        inside = {o for row in fused for o in self.units[row]}
        alone = [i for i in range(len(self.ops)) if i not in inside]
        return [(row, where[self.units[row][0]]) for row in alone + fused]

    def paid(self, where):
        """(measurement, figure) of all that a placement pays for."""
        for row, d in self.rows(where):
            kernel = self.p["kernels"][row] if "kernels" in self.p else 0
            yield (("kernel", kernel) if kernel else ("row", row), d), self.figure[row][d]
        for copy in self.copies(where):
            yield from self.legs(*copy)

    def total(self, where):
        """NONE: an op may not be where it is."""
        possible = NONE not in [self.cost(i, d) for i, d in enumerate(where)]
        return sum(figure[0] for _, figure in self.paid(where)) if possible else NONE

    def deviation(self, *sides):
        """Of what placements cost, each with its sign."""
        terms = defaultdict(float)
        for where, sign in sides:
            for measurement, figure in self.paid(where):
                terms[measurement] += sign * figure[1]
        return math.hypot(*terms.values()) / 1.96

    def check_parts(self):
        rows, places, n = self.rows(self.where), [*self.devices, "host"], len(self.ops)
        singles = [(self.total([d] * n), d) for d in range(len(self.devices))]
        least, best = min((s for s in singles if s[0] is not NONE), default=(0, NONE))
        transfers = [{"tensor": self.tensors[t]["tensor"], "from": places[a], "to": places[b],
                      "bytes": self.tensors[t]["bytes"], "time_ns": self.copy(t, a, b)}
                     for t, a, b in self.copies(self.where)]
        self.expect({
            "cost_ns": self.total(self.where), "bound_ns": self.total(self.cheapest),
            "constant_ns": sum(self.gains.values()), "best_single_ns": least,
            "best_single": None if best is NONE else self.devices[best], "transfers": transfers,
            "groups": [self.p["all_groups"][row - n] for row, _ in rows if row >= n],
            "estimated_ops": sum(len(self.units[row]) for row, d in rows
                                 if "estimated" in self.figure[row][d])})
        times = {self.units[row][0]: self.figure[row][d][:2] for row, d in rows}
        need([[o["time_ns"], o["spread_ns"]] for o in self.ops]
             == [times.get(i, [0, 0]) for i in range(n)], "times")

    def check_interval(self):
        p, cost, n = self.p, self.p["cost_ns"], len(self.devices)
        if not {"cost_low_ns", "cost_high_ns", "factors"} & p.keys():
            return
        variance = (self.deviation((self.where, 1)) / cost) ** 2 if cost else 0
        if cost and "factors" in p:
            need([len(p[key]) for key in ("factors", "wholes", "covariances")] == [n, n, n * n],
                 "errors of devices")
            times = [sum(self.figure[row][on][0] for row, on in self.rows(self.where) if on == d)
                     for d in range(n)]
            common = sum(times[i // n] * times[i % n] * c for i, c in enumerate(p["covariances"]))
            variance += (max(0, common / cost ** 2) + p["run_variance"]) / 1e9
        for key, sign in (("cost_low_ns", -1), ("cost_high_ns", 1)):
            want = min(cost * math.exp(sign * 1.645 * math.sqrt(variance)), 2.0 ** 62)
            need(abs(p[key] - want) <= 1 + 1e-9 * want, key, "is not", want)

    def network(self):
        """{(from, to): (capacity, copies in it)}, as "The cut" has it."""
        arcs, made, used = {}, defaultdict(list), {v for a in self.p["arcs"] for v in a[:2]}

        def pay(vertex, d, maker, ends, price, copies):
            """Where the maker, if any, is not on d and an end is; without a vertex, directly."""
            start = "ts"[d] if maker is NONE else f"n{maker}"
            shares = [(vertex, end, INFINITE, 0) for end in ends if vertex]
            for a, b, *arc in [(start, vertex or ends[0], price, copies)] + shares:
                if price and ends:
                    arcs[(a, b) if d else (b, a)] = arc

        for t in self.moving:
            made[self.makers[t]].append(t)
        for d in range(len(self.devices)):
            for i in range(len(self.ops)):
                own, out = self.cost(i, d), [self.copy(t, d, HOST) for t in made[i]
                                             if self.outputs[t] and self.host == HOST]
                own = INFINITE if own is NONE else own + sum(out)
                pay(None, d, NONE, [f"n{i}"], own, sum(cost > 0 for cost in out))
            for t in self.moving:
                maker, vertex = self.makers[t], f"{'dh'[d]}{t}"
                ends = [f"n{reader}" for reader in self.readers[t]]
                is_only = maker is not NONE and len(made[maker]) == len(ends) == 1
                if is_only and not self.outputs[t] and vertex not in used:
                    vertex = None
                if self.outputs[t] and maker is not NONE and self.host == d:
                    ends.append("st"[d])
                pay(vertex, d, maker, ends, self.copy(t, HOST if maker is NONE else 1 - d, d), 1)
        for (row, d), gain in self.gains.items():
            ends = [f"n{o}" for o in self.units[row]]
            pay(f"g{row - len(self.ops)}{'cd'[d]}", 1 - d, NONE, ends, gain, 0)
        return arcs

    def check_flow(self, column, price, value):
        network, balance = self.network(), defaultdict(int)
        for a, b, capacity, *flows in self.p["arcs"]:
            most, copies = network[a, b]
            need(capacity == most, "the capacity from", a, "to", b)
            most = math.inf if capacity == INFINITE else capacity + price * copies
            need(0 <= flows[column] <= most, "a flow that does not fit from", a, "to", b)
            balance[a] -= flows[column]
            balance[b] += flows[column]
        need(not any(x for v, x in balance.items() if v not in "st"), "flow leaks")
        need(-balance["s"] - self.p["constant_ns"] == value, "flow is not", value)

    def check_tie(self, price):
        excess = self.p["cost_ns"] - self.p["bound_ns"]
        sd = self.deviation((self.where, 1), (self.cheapest, -1))
        sds = 3 if self.p.get("same_silicon") else 1
        need(0 <= excess <= sds * sd * (1 + 1e-9), "more than noise above the least")
        need(self.count_copies(self.where) < self.count_copies(self.cheapest) if price
             else self.where == self.cheapest, "another plan is the cheapest")

    def check_proof(self):
        p, price = self.p, self.p.get("tie_price_ns", 0)
        self.check_tie(price)
        self.expect({"certificate": "min-cut"})
        number([(a, b) for a, b, *_ in p["arcs"]])
        if len(self.devices) == 1:
            return need(not p["arcs"] and not price, "arcs of one device")
        self.check_flow(0, 0, p["bound_ns"])
        if price:
            self.check_flow(1, price, p["cost_ns"] + price * self.count_copies(self.where))

    def check_all(self):
        self.check_parts()
        self.check_interval()
        self.check_proof()


def main(kind):
    is_good = True
    for path in sys.argv[1:]:
        try:
            with open(path, encoding="utf-8") as file:
                kind(file.read()).check_all()
            print(f"{path}: valid")
        except (KeyError, IndexError, TypeError, ValueError) as reason:
            print(f"{path}: not valid: {type(reason).__name__}: {reason}")
            is_good = False
    sys.exit(not is_good)


if __name__ == "__main__":
    main(Plan)
