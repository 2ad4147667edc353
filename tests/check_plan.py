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


class Bad(Exception):
    pass


def need(truth, *what):
    if not truth:
        raise Bad(" ".join(map(str, what)))


def no_twins(pairs):
    need(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


class Plan:
    def __init__(self, text):
        p = self.p = json.loads(text, object_pairs_hook=no_twins)
        need(p["format"] == "tplan-plan/2", "format", p["format"])
        body = text.rsplit(' "sha256": "', 1)[0]
        need(hashlib.sha256(body.encode()).hexdigest() == p["sha256"], "sha256")
        self.devices = p["devices"]
        self.place = {name: i for i, name in enumerate(self.devices)}
        need(len(self.place) == len(self.devices) <= 2, "devices")
        need(p["simulated"] == any(d.startswith("sim:") for d in self.devices),
             "simulated")
        need(p["objective"] == "time", "objective")
        self.host = HOST if p["host"] is None else self.place[p["host"]]
        self.place["host"] = HOST
        self.ops, self.tensors = p["ops"], p["tensors"]
        self.op = {o["op"]: i for i, o in enumerate(self.ops)}
        self.tensor = {t["tensor"]: i for i, t in enumerate(self.tensors)}
        need(len(self.op) == len(self.ops), "two ops of one name")
        self.makers = [NONE if t["producer"] is None else self.op[t["producer"]]
                       for t in self.tensors]
        self.readers = [[self.op[r] for r in t["readers"]] for t in self.tensors]
        self.moving = [i for i, t in enumerate(self.tensors)
                       if not t.get("constant")]
        self.outputs = [bool(t.get("output")) for t in self.tensors]
        self.groups = [[self.op[o] for o in g] for g in p["all_groups"]]
        self.group_of = {o: g for g, ops in enumerate(self.groups) for o in ops}
        need(len(self.group_of) == sum(map(len, self.groups)), "groups overlap")
        for rows, n in (("op_costs", len(self.ops)),
                        ("group_costs", len(self.groups)),
                        ("to_device_costs", len(self.tensors)),
                        ("to_host_costs", len(self.tensors))):
            need(len(p[rows]) == n, rows, "are not", n)
            need(all(len(r) == len(self.devices) for r in p[rows]), rows)
        self.gains = {(g, d): self.gain(g, d) for g in range(len(self.groups))
                      for d in range(len(self.devices))}

    def cost(self, i, d):
        """Of an op alone; NONE: may not be there."""
        figure, op = self.p["op_costs"][i][d], self.ops[i]
        name = self.devices[d]
        if name in op.get("given", {}):
            need(figure == [op["given"][name], 0], op["op"], "is not as given")
        if not isinstance(figure, list) or name not in op.get("pins", [name]):
            return NONE
        need(figure[0] >= 0 and figure[1] >= 0, op["op"], "costs less than 0")
        return figure[0]

    def gain(self, g, d):
        whole = self.p["group_costs"][g][d]
        alone = [self.cost(o, d) for o in self.groups[g]]
        if not isinstance(whole, list) or NONE in alone:
            return 0
        return max(0, sum(alone) - whole[0])

    def copy(self, t, start, end):
        ends = (("to_host_costs", start), ("to_device_costs", end))
        costs = [self.p[key][t][d][0] for key, d in ends
                 if d not in (HOST, self.host)]
        need(all(c >= 0 for c in costs), "a copy costs less than 0")
        return sum(costs)

    def fused(self, where):
        return [g for g, ops in enumerate(self.groups)
                if len({where[o] for o in ops}) == 1
                and self.gains[g, where[ops[0]]] > 0]

    def copies(self, where):
        for t in self.moving:
            home = self.host if self.makers[t] is NONE else where[self.makers[t]]
            ends = {where[r] for r in self.readers[t]}
            if self.outputs[t]:
                ends.add(self.host)
            for end in sorted(ends - {home}):
                yield t, home, end

    def figures(self, where):
        """(row, device, figure) of what a placement pays for kernels."""
        fused = self.fused(where)
        inside = {o for g in fused for o in self.groups[g]}
        for i in range(len(self.ops)):
            if i not in inside:
                yield i, where[i], self.p["op_costs"][i][where[i]]
        for g in fused:
            d = where[self.groups[g][0]]
            yield len(self.ops) + g, d, self.p["group_costs"][g][d]

    def total(self, where):
        need(all(self.cost(i, d) is not NONE for i, d in enumerate(where)),
             "an op may not be where it is")
        return (sum(f[0] for _, _, f in self.figures(where))
                + sum(self.copy(*c) for c in self.copies(where)))

    def check_parts(self):
        p = self.p
        self.where = [self.place[o["device"]] for o in self.ops]
        self.cheapest = [self.place[o.get("cheapest", o["device"])]
                         for o in self.ops]
        need(HOST not in self.where + self.cheapest, "an op on no device")
        need(p["cost_ns"] == self.total(self.where), "cost_ns")
        need(p["bound_ns"] == self.total(self.cheapest), "bound_ns")
        need(p["constant_ns"] == sum(self.gains.values()), "constant_ns")
        need(p["groups"] == [p["all_groups"][g] for g in self.fused(self.where)],
             "groups")
        said = [(self.tensor[t["tensor"]], self.place[t["from"]],
                 self.place[t["to"]], t["bytes"], t["time_ns"])
                for t in p["transfers"]]
        need(said == [(t, a, b, self.tensors[t]["bytes"], self.copy(t, a, b))
                      for t, a, b in self.copies(self.where)], "transfers")
        times, guessed = [[0, 0] for _ in self.ops], 0
        for row, _, figure in self.figures(self.where):
            group = [row] if row < len(self.ops) else \
                self.groups[row - len(self.ops)]
            times[group[0]] = figure[:2]
            guessed += len(group) * ("estimated" in figure)
        need([[o["time_ns"], o["spread_ns"]] for o in self.ops] == times, "times")
        need(p["estimated_ops"] == guessed, "estimated_ops")
        alone = [(self.total([d] * len(self.ops)), d)
                 for d in range(len(self.devices))
                 if all(self.cost(i, d) is not NONE for i in range(len(self.ops)))]
        ns, best = min(alone, default=(0, HOST))
        need(p["best_single_ns"] == ns and p["best_single"]
             == (None if best == HOST else self.devices[best]), "best_single")

    def deviation(self, *sides):
        """Of what placements cost, each with its sign."""
        terms = defaultdict(float)
        for where, sign in sides:
            for row, d, figure in self.figures(where):
                kernel = self.p.get("kernels", {}) and self.p["kernels"][row]
                terms["k" if kernel else "r", kernel or row, d] += sign * figure[1]
            for t, start, end in self.copies(where):
                for key, d in (("to_host_costs", start), ("to_device_costs", end)):
                    if d not in (HOST, self.host):
                        terms[key, d] += sign * self.p[key][t][d][1]
        return math.sqrt(sum(x * x for x in terms.values())) / 1.96

    def check_interval(self):
        p, n = self.p, len(self.devices)
        if not {"cost_low_ns", "cost_high_ns", "factors"} & p.keys():
            return
        cost, times = p["cost_ns"], [0] * n
        for _, d, figure in self.figures(self.where):
            times[d] += figure[0]
        sd = 0
        if cost:
            variance = (self.deviation((self.where, 1)) / cost) ** 2
            if "factors" in p:
                need(len(p["factors"]) == len(p["wholes"]) == n, "factors")
                need(len(p["covariances"]) == n * n, "covariances")
                variance += max(0, sum(
                    times[i] * times[k] * p["covariances"][i * n + k]
                    for i in range(n) for k in range(n)) / cost ** 2 / 1e9)
                variance += p["run_variance"] / 1e9
            sd = math.sqrt(variance)
        for key, sign in (("cost_low_ns", -1), ("cost_high_ns", 1)):
            want = min(cost * math.exp(sign * 1.645 * sd), 2.0 ** 62)
            need(abs(p[key] - want) <= 1 + 1e-9 * want, key, "is not", want)

    def check_tie(self):
        excess = self.p["cost_ns"] - self.p["bound_ns"]
        sd = self.deviation((self.where, 1), (self.cheapest, -1))
        need(0 <= excess <= sd * (1 + 1e-9), "more than noise above the least")
        need(self.p.get("tie_price_ns", 0) > 0 or self.where == self.cheapest,
             "another plan is the cheapest")

    def network(self):
        """{(from, to): (capacity, copies in it)}, as "The cut" has it."""
        arcs, named = {}, {v for a in self.p["arcs"] for v in a[:2]}

        def arc(start, end, capacity, copies=0):
            if capacity != 0:
                arcs[start, end] = capacity, copies

        made = defaultdict(list)
        for t in self.moving:
            made[self.makers[t]].append(t)
        for i in range(len(self.ops)):
            for d, ends in ((1, ("s", f"n{i}")), (0, (f"n{i}", "t"))):
                out = [self.copy(t, d, HOST) for t in made[i]
                       if self.outputs[t] and self.host == HOST]
                own = self.cost(i, d)
                arc(*ends, INFINITE if own is NONE else own + sum(out),
                    sum(c > 0 for c in out))
        for t in self.moving:
            maker, h, e = self.makers[t], f"h{t}", f"d{t}"
            plain = (maker is not NONE and len(self.readers[t]) == 1
                     and len(made[maker]) == 1 and not self.outputs[t]
                     and not named & {h, e})
            for d in (1, 0):
                cost = self.copy(t, HOST if maker is NONE else 1 - d, d)
                shared = self.outputs[t] and maker is not NONE and self.host == d
                if cost == 0 or not (self.readers[t] or shared):
                    continue
                start = ("t" if d == 0 else "s") if maker is NONE else f"n{maker}"
                mine = f"n{self.readers[t][0]}" if plain else (e, h)[d]
                arc(*((start, mine) if d == 1 else (mine, start)), cost, 1)
                for end in [] if plain else ([f"n{r}" for r in self.readers[t]]
                                             + ["st"[d]] * shared):
                    arc(*((mine, end) if d == 1 else (end, mine)), INFINITE)
        for (g, d), gain in self.gains.items():
            mine = f"g{g}{'cd'[d]}"
            arc(*(("s", mine) if d == 0 else (mine, "t")), gain)
            for o in self.groups[g] if gain else []:
                arc(*((mine, f"n{o}") if d == 0 else (f"n{o}", mine)), INFINITE)
        return arcs

    def check_flow(self, arcs, column, price, value):
        balance = defaultdict(int)
        for a in self.p["arcs"]:
            capacity, copies = arcs[a[0], a[1]]
            need(0 <= a[column], "flow below 0")
            need(capacity == INFINITE or a[column] <= capacity + price * copies,
                 "flow above capacity at", a[:2])
            balance[a[0]] -= a[column]
            balance[a[1]] += a[column]
        need(not any(x for v, x in balance.items() if v not in "st"), "flow leaks")
        need(-balance["s"] - self.p["constant_ns"] == value, "flow is not", value)

    def check_proof(self):
        p, price = self.p, self.p.get("tie_price_ns", 0)
        need(p["certificate"] == "min-cut", "certificate", p["certificate"])
        if len(self.devices) == 1:
            return need(not p["arcs"] and not price, "arcs of one device")
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
    except (Bad, KeyError, IndexError, TypeError, ValueError) as reason:
        return f"{path}: not valid: {type(reason).__name__}: {reason}"
    return f"{path}: valid"


if __name__ == "__main__":
    lines = [check(path) for path in sys.argv[1:]]
    print("\n".join(lines))
    sys.exit(any(not line.endswith(": valid") for line in lines))
