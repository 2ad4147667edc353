#!/usr/bin/env python3
"""Checks plans, and those of several graphs, from their files alone: docs/plan-format.md,
docs/planner.md.

usage: check_plan.py PLAN...   one line for each; exit status 1: one is not valid

That figures and groups are what they should be is for `tplan check`; this shows
that for these figures the plan costs what it says, and that none is cheaper."""
import gzip
import itertools
import math
import re
import sys
from collections import Counter, defaultdict

from check_bytes import Bytes
from check_common import HOST, NONE, need
from check_digest import of_figures
from check_load import Loads
from check_mix import Mix, is_mix
from check_rates import Rates
from check_span import Span
from check_share import Shares
from check_tree import Tree

INFINITE = -1
LARGER = re.compile(r"\bwinograd output=([3-9]|\d{2})")  # a schedule with larger errors


class Checker(Tree):
    def check_parts(self):
        rows, places, n = self.rows(self.where), [*self.devices, "host"], len(self.ops)
        self.paid, self.paid_least = self.pay(self.where), self.pay(self.cheapest)
        singles = [(pays[0], self.devices[d]) for d in range(len(self.devices))
                   for pays in [self.pay([d] * n)] if pays is not NONE]
        least, best = min(singles, key=lambda single: single[0], default=(0, None))
        times = {self.units[row][0]: self.figure[row][d][:2] for row, d in rows}
        transfers = [{"tensor": self.tensors[t]["tensor"], "from": places[a], "to": places[b],
                      "bytes": self.tensors[t]["bytes"], "time_ns": self.copy(t, a, b)}
                     for t, a, b in self.copies(self.where)]
        self.is_shared = (self.p["certificate"] in ("share-tree", "weighted-shares", "rated-shares")
                          or (self.p["certificate"] == "schedule" and "load_shares" in self.p))
        self.expect({
            "cost_ns": self.paid[0], "transfers": transfers,
            "constant_ns": sum(self.gains.values()), "best_single_ns": least, "best_single": best,
            "groups": [self.p["all_groups"][row - n] for row, _ in rows if row >= n],
            "estimated_ops": sum(len(self.units[row]) for row, d in rows
                                 if "estimated" in self.figure[row][d])})
        need([[o["time_ns"], o["spread_ns"]] for o in self.ops]
             == [times.get(i, [0, 0]) for i in range(n)], "times")
        relaxed = [o["op"] for o in self.ops if LARGER.search(o.get("schedule", ""))]
        need(self.p.get("accuracy", "relaxed") == "relaxed" and ("accuracy" in self.p or not relaxed),
             "larger errors that the plan does not own up to:", *relaxed)

    def check_interval(self):
        p, cost, n = self.p, self.p["cost_ns"], len(self.devices)
        if not {"cost_low_ns", "cost_high_ns", "factors"} & p.keys():
            return
        variance = (math.hypot(*self.paid[2].values()) / 1.96 / cost) ** 2 if cost else 0
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

    def arcs(self):
        """(from, to, capacity, copies in it) of all that there could be, in the order of flows;
        capacity 0: there is none."""
        made, fetched = Counter(self.makers), defaultdict(list)
        for t in self.moving if self.host == HOST else ():
            fetched[self.makers[t]] += [t] * self.shown[t]

        def arc(d, start, end, *rest):
            return (start, end, *rest) if d else (end, start, *rest)

        for i, d in itertools.product(range(len(self.ops)), (1, 0)):
            fetches = [self.copy(t, d, HOST) for t in fetched[i]]
            own = INFINITE if self.cost(i, d) is NONE else self.cost(i, d) + sum(fetches)
            yield arc(d, "ts"[d], f"n{i}", own, sum(cost > 0 for cost in fetches))
        for t in self.moving:
            maker, readers = self.makers[t], self.readers[t]
            for d in (1, 0):
                start, calls = "ts"[d] if maker is NONE else f"n{maker}", self.shown[t] and d == self.host
                price = self.copy(t, HOST if maker is NONE else 1 - d, d) if readers or calls else 0
                if maker is not NONE and made[maker] == 1 and len(readers) == 1 and not self.shown[t]:
                    yield arc(d, start, f"n{readers[0]}", price, int(price > 0))
                    continue
                vertex, most = f"{'dh'[d]}{t}", INFINITE if price else 0
                yield arc(d, start, vertex, price, int(price > 0))
                if self.shown[t]:
                    yield arc(d, vertex, "st"[d], most if calls else 0, 0)
                yield from (arc(d, vertex, f"n{o}", most, 0) for o in readers)
        for row, d in itertools.product(range(len(self.ops), len(self.units)), (1, 0)):
            gain, vertex = self.gains[row, d], f"g{row}{'cd'[d]}"
            yield arc(1 - d, "st"[d], vertex, gain, 0)
            yield from (arc(1 - d, vertex, f"n{o}", INFINITE if gain else 0, 0) for o in self.units[row])
        for k, ops in enumerate(self.together):
            for i, d in itertools.product(ops, (1, 0)):
                yield arc(d, f"n{i}", f"k{k}", INFINITE, 0)

    def prove_flow(self, flows, price=0):
        """What a flow proves."""
        arcs, balance = list(self.arcs()), defaultdict(int)
        need(len(flows) == len(arcs), "as many flows as arcs")
        for (a, b, capacity, copies), flow in zip(arcs, flows):
            most = math.inf if capacity == INFINITE else capacity + price * copies
            need(0 <= flow <= most, "a flow that does not fit from", a, "to", b)
            balance[a] -= flow
            balance[b] += flow
        need(not any(x for v, x in balance.items() if v not in "st"), "flow leaks")
        return -balance["s"] - self.p["constant_ns"]

    def check_tie(self, price):
        (cost, copies, spreads), (least, most, others) = self.paid, self.paid_least
        if self.is_shared and "memory_limits" in self.p:
            return need(self.p["bound_ns"] <= least <= cost, "the cheapest plan is none")
        sd = math.hypot(*(spreads[m] - others[m] for m in {*spreads, *others})) / 1.96
        sds = 3 if self.p.get("same_silicon") else 1
        need(0 <= cost - least <= sds * sd * (1 + 1e-9), "more than noise above the least",
             *["(where limits bind: check_memory.py)"] * ("memory_tree" in self.p))
        need(copies < most if price else self.where == self.cheapest,
             "another plan is the cheapest")
        if self.is_shared and price:
            need(price == max(-(-(cost - least) // (most - copies)), 1), "what a copy that is saved costs")

    def check_proof(self):
        p, price = self.p, self.p.get("tie_price_ns", 0)
        other = {"weighted-cut": [Loads], "weighted-shares": [Loads], "schedule": [Loads, Span],
                 "rated-cut": [Rates], "rated-shares": [Rates]}.get(p["certificate"])
        if other:
            need(price == 0 and all(o["margin_ns"] == -1 for o in self.ops), "a tie or a margin")
            for kind in other:
                kind(self).check()
        else:
            self.check_tie(price)
            self.expect({"certificate": "share-tree" if self.is_shared else "min-cut"})
        if self.is_shared:
            need(p["bound_ns"] <= self.paid_least[0] and p["bound_ns"] <= p["cost_ns"], "bounds")
            Shares(self).check()
            return self.check_sweeps(price)
        self.expect({"bound_ns": self.paid_least[0]})
        need(len(self.devices) <= 2, "devices")
        if len(self.devices) == 1:
            return need(not p["flows"] and "tie_flows" not in p and not price, "flows of one device")
        need(self.prove_flow(p["flows"]) == p["bound_ns"], "the flow is of another bound")
        need(("tie_flows" in p) == (price > 0), "tie_flows")
        if price:
            need(self.prove_flow(p["tie_flows"], price) == p["cost_ns"] + price * self.paid[1],
                 "the flow of the tie is of another bound")

    def check_sweeps(self, price):
        """Of three devices and more: that what fits costs no less."""
        p = self.p
        if not {"memory_bound_ns", "memory_tree"} & p.keys():
            return
        need(p["certificate"] == "share-tree" and price == 0
             and p["bound_ns"] <= p["memory_bound_ns"] <= p["cost_ns"], "bounds of what fits")
        self.prepare()
        self.need_apart()
        self.check_tree()

    def check_all(self):
        p = self.p
        self.check_parts()
        if "memory_limits" in p:
            self.check_limits(p["memory_limits"],
                              [sum(pair) for pair in zip(p["peak_bytes"], p["weight_bytes"])])
        self.check_interval()
        self.check_proof()
        Bytes(self).check()
        self.expect({"costs_sha256": of_figures(p)})


def main(kind):
    is_good = True
    for path in sys.argv[1:]:
        try:
            with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
                text = file.read()
            (Mix(text, kind) if is_mix(text) else kind(text)).check_all()
            print(f"{path}: valid")
        except (KeyError, IndexError, TypeError, ValueError) as reason:
            print(f"{path}: not valid: {type(reason).__name__}: {reason}")
            is_good = False
    sys.exit(not is_good)


if __name__ == "__main__":
    main(Checker)
