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
from pathlib import Path

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
        need(p["objective"] == "time", "objective")
        self.devices, self.ops, self.tensors = p["devices"], p["ops"], p["tensors"]
        need(len(self.devices) <= 2, "devices")
        need(p["simulated"] == any(d.startswith("sim:") for d in self.devices), "simulated")
        place, op = number(self.devices), number([o["op"] for o in self.ops])
        number([t["tensor"] for t in self.tensors])
        self.host = HOST if p["host"] is None else place[p["host"]]
        self.makers = [NONE if t["producer"] is None else op[t["producer"]] for t in self.tensors]
        self.readers = [[op[reader] for reader in t["readers"]] for t in self.tensors]
        self.moving = [i for i, t in enumerate(self.tensors) if not t.get("constant")]
        self.outputs = [bool(t.get("output")) for t in self.tensors]
        number([o for ops in p["all_groups"] for o in ops])
        self.units = [[i] for i in range(len(self.ops))]
        self.units += [[op[o] for o in ops] for ops in p["all_groups"]]
        self.figure = p["op_costs"] + p["group_costs"]
        for rows, of in ((p["op_costs"], self.ops), (self.figure, self.units),
                         (p["to_device_costs"], self.tensors), (p["to_host_costs"], self.tensors)):
            need([len(row) for row in rows] == [len(self.devices)] * len(of), "rows of figures")
        self.gains = {(row, d): self.gain(row, d) for row in range(len(self.ops), len(self.units))
                      for d in range(len(self.devices))}
        self.where = [place[o["device"]] for o in self.ops]
        self.cheapest = [place[o.get("cheapest", o["device"])] for o in self.ops]

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

    def rows(self, where):
        """(row of figures, device) of the kernels of a placement."""
        fused = [row for row in range(len(self.ops), len(self.units))
                 if len({where[o] for o in self.units[row]}) == 1
                 and self.gains[row, where[self.units[row][0]]] > 0]
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
        if any(self.cost(i, d) is NONE for i, d in enumerate(where)):
            return NONE
        return sum(figure[0] for _, figure in self.paid(where))

    def check_parts(self):
        p, names, rows = self.p, [*self.devices, "host"], self.rows(self.where)
        singles = [(self.total([d] * len(self.ops)), d) for d in range(len(self.devices))]
        least, best = min((s for s in singles if s[0] is not NONE), default=(0, NONE))
        transfers = [[self.tensors[t]["tensor"], names[a], names[b], self.tensors[t]["bytes"],
                      self.copy(t, a, b)] for t, a, b in self.copies(self.where)]
        fields = "tensor", "from", "to", "bytes", "time_ns"
        for key, value in (
                ("cost_ns", self.total(self.where)), ("bound_ns", self.total(self.cheapest)),
                ("constant_ns", sum(self.gains.values())), ("best_single_ns", least),
                ("best_single", None if best is NONE else self.devices[best]),
                ("transfers", [dict(zip(fields, values)) for values in transfers]),
                ("groups", [p["all_groups"][row - len(self.ops)] for row, _ in rows
                            if row >= len(self.ops)]),
                ("estimated_ops", sum(len(self.units[row]) for row, d in rows
                                      if "estimated" in self.figure[row][d]))):
            need(p[key] == value, key)
        times = {self.units[row][0]: self.figure[row][d][:2] for row, d in rows}
        need([[o["time_ns"], o["spread_ns"]] for o in self.ops]
             == [times.get(i, [0, 0]) for i in range(len(self.ops))], "times")

    def deviation(self, *sides):
        """Of what placements cost, each with its sign."""
        terms = defaultdict(float)
        for where, sign in sides:
            for measurement, figure in self.paid(where):
                terms[measurement] += sign * figure[1]
        return math.sqrt(sum(x * x for x in terms.values())) / 1.96

    def check_interval(self):
        p, cost, n = self.p, self.p["cost_ns"], len(self.devices)
        if not {"cost_low_ns", "cost_high_ns", "factors"} & p.keys():
            return
        variance = (self.deviation((self.where, 1)) / cost) ** 2 if cost else 0
        if cost and "factors" in p:
            need(len(p["factors"]) == len(p["wholes"]) == n, "factors")
            need(len(p["covariances"]) == n * n, "covariances")
            times = [sum(self.figure[row][on][0] for row, on in self.rows(self.where) if on == d)
                     for d in range(n)]
            common = sum(times[i // n] * times[i % n] * c for i, c in enumerate(p["covariances"]))
            variance += (max(0, common / cost ** 2) + p["run_variance"]) / 1e9
        for key, sign in (("cost_low_ns", -1), ("cost_high_ns", 1)):
            want = min(cost * math.exp(sign * 1.645 * math.sqrt(variance)), 2.0 ** 62)
            need(abs(p[key] - want) <= 1 + 1e-9 * want, key, "is not", want)

    def network(self):
        """(device, from, to, capacity, copies in it), as "The cut" has it for the second device;
        for the first, from and to are the other way round."""
        made = defaultdict(list)
        for t in self.moving:
            made[self.makers[t]].append(t)
        for d in range(len(self.devices)):
            for i in range(len(self.ops)):
                out = [self.copy(t, d, HOST) for t in made[i]
                       if self.outputs[t] and self.host == HOST]
                own = INFINITE if self.cost(i, d) is NONE else self.cost(i, d) + sum(out)
                yield d, "ts"[d], f"n{i}", own, sum(c > 0 for c in out)
            for t in self.moving:
                yield from self.copy_arcs(d, t, len(made[self.makers[t]]) == 1)
            for row, ops in enumerate(self.units[len(self.ops):], len(self.ops)):
                mine = f"g{row - len(self.ops)}{'cd'[d]}"
                yield d, mine, "st"[d], self.gains[row, d], 0
                yield from ((d, f"n{o}", mine, INFINITE, 0) for o in ops if self.gains[row, d])

    def copy_arcs(self, d, t, is_only):
        """To device d: past a vertex of its own, but for an only reader of an only output."""
        maker, readers, mine = self.makers[t], [f"n{r}" for r in self.readers[t]], f"{'dh'[d]}{t}"
        start, home = ("ts"[d], HOST) if maker is NONE else (f"n{maker}", 1 - d)
        ends = readers + ["st"[d]] * (self.outputs[t] and maker is not NONE and self.host == d)
        cost = self.copy(t, home, d)
        if (maker is not NONE and is_only and len(readers) == 1 and not self.outputs[t]
                and not self.named & {f"h{t}", f"d{t}"}):
            yield d, start, readers[0], cost, 1
        elif cost and ends:
            yield d, start, mine, cost, 1
            yield from ((d, mine, end, INFINITE, 0) for end in ends)

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

    def check_tie(self, price):
        excess = self.p["cost_ns"] - self.p["bound_ns"]
        sd = self.deviation((self.where, 1), (self.cheapest, -1))
        sds = 3 if self.p.get("same_silicon") else 1
        need(0 <= excess <= sds * sd * (1 + 1e-9), "more than noise above the least")
        need(price > 0 or self.where == self.cheapest, "another plan is the cheapest")

    def check_proof(self):
        p, price = self.p, self.p.get("tie_price_ns", 0)
        self.check_tie(price)
        need(p["certificate"] == "min-cut", "certificate", p["certificate"])
        if len(self.devices) == 1:
            return need(not p["arcs"] and not price, "arcs of one device")
        self.named = {v for a in p["arcs"] for v in a[:2]}
        arcs = {(start, end) if d == 1 else (end, start): (capacity, copies)
                for d, start, end, capacity, copies in self.network() if capacity != 0}
        said = {(a[0], a[1]): a[2] for a in p["arcs"]}
        need(len(said) == len(p["arcs"]), "an arc stands twice")
        need(all(arcs[ends][0] == c for ends, c in said.items()), "arcs")
        self.check_flow(arcs, 3, 0, p["bound_ns"])
        if price:
            n = sum(self.copy(*c) > 0 for c in self.copies(self.where))
            self.check_flow(arcs, 4, price, p["cost_ns"] + price * n)


def check(path):
    try:
        plan = Plan(Path(path).read_text(encoding="utf-8"))
        plan.check_parts()
        plan.check_interval()
        plan.check_proof()
    except (KeyError, IndexError, TypeError, ValueError) as reason:
        return f"{path}: not valid: {type(reason).__name__}: {reason}"
    return f"{path}: valid"


if __name__ == "__main__":
    results = [check(path) for path in sys.argv[1:]]
    print("\n".join(results))
    sys.exit(not all(result.endswith(": valid") for result in results))
