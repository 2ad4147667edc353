#!/usr/bin/env python3
"""Checks plans that limits of memory made dearer, from their files alone:
docs/plan-format.md, docs/planner.md ("Memory limits").

usage: check_memory.py PLAN...   as check_plan.py, which sees to all other parts

How arenas are laid out is for `tplan check`: one placement that is said not to
fit, and the plan's own peaks, are believed."""
from check_common import HOST, NONE, need
from check_plan import Checker, main
from check_sweep import most


class Limited(Checker):
    last = None     # bound of the tree, whose sums are at hand

    def __init__(self, text):
        super().__init__(text)
        p = self.p
        need(p["certificate"] == "memory-tree" and len(self.devices) == 2, "certificate")
        p["certificate"] = "min-cut"
        self.prepare()

    def check_tie(self, price):
        p = self.p
        need(price == 0 and p["bound_ns"] <= self.least <= p["cost_ns"], "bounds")

    def priced(self, bound):
        """{(kind, index, row): (price, device, maker, readers)}, but for costs of
        ops: what each pays alone, on either device, comes second."""
        priced, own = {}, [[0, 0] for _ in self.ops]
        terms = [((*name, 0), *term) for name, *term in self.terms()] if bound["costs"] else []
        for row, (d, step, price) in enumerate(bound["prices"]):
            need(price >= 0 and d in (0, 1) and self.limits[d] > 0 and 0 <= step < len(self.ops), "price")
            terms += [(("m", t, row), price * size >> 30, d, NONE, ops)
                      for t, size, ops in self.held(d, step)]
        for key, price, d, maker, readers in terms:
            if maker is NONE and len(readers) == 1:
                own[readers[0]][d] += price
            elif HOST not in readers:
                priced[key] = price, d, maker, readers
        for i, devices in enumerate(self.may if bound["costs"] else []):
            for d in devices:
                own[i][d] += self.cost(i, d)
        for t in self.moving if bound["costs"] else []:
            for d in (0, 1) if self.shown[t] else ():
                own[self.makers[t]][d] += self.copy(t, d, self.host)
        return priced, own

    def levels(self, index):
        """(what no op answers for, what each does on either device)."""
        bound = self.p["memory_bounds"][index]
        terms, own = self.priced(bound)
        left = {key: term[0] for key, term in terms.items()}
        seen = set()
        for kind, t, row, op, amount in bound["shares"]:
            if kind == "k":
                need(t >= 0 and row == 0, "share")
                terms[kind, t, row] = 0, 1, NONE, self.together[t]
            _, d, maker, readers = terms[kind, t, row]
            need(op in readers and (amount >= 0 or kind == "k"), "share")
            need((kind, t, row, op) not in seen, "a share, twice")
            seen.add((kind, t, row, op))
            left.setdefault((kind, t, row), 0)
            left[kind, t, row] -= amount
            own[op][d] += amount
            if maker is not NONE:
                own[maker][d] -= amount
        need(all(rest == 0 if key[0] == "k" else rest >= 0 for key, rest in left.items()),
             "shares above the price, or of a colocation that do not add up to 0")
        return -self.p["constant_ns"] * bound["costs"], own

    def most_paid(self, bound):
        """For memory, by what fits, at most."""
        if self.pool:
            sums = [sum(price for at, _, price in bound["prices"] if at == d) for d in (0, 1)]
            return most(sums, self.limits, self.pool) >> 30
        return sum(price * self.limits[d] >> 30 for d, _, price in bound["prices"])

    def check_end(self, entry, where):
        kind, *rest = entry
        if kind == "bound":
            if rest != self.last:
                self.last, self.sums = rest, self.levels(rest[0])
            offset, own = self.sums
            least = offset - self.most_paid(self.p["memory_bounds"][rest[0]]) + sum(min(own[i][d] for d in at) for i, at in enumerate(where))
            return (least >= self.least if self.p["memory_bounds"][rest[0]]["costs"]
                    else least > 0)
        if kind == "full":
            d, step = rest
            return 0 < self.limits[d] < sum(size for _, size, ops in self.held(d, step)
                                            if any(where[o] == [d] for o in ops))
        if kind == "placed":
            return not rest and all(len(at) == 1 for at in where)
        return super().check_end(entry, where)

    def check_all(self):
        super().check_all()
        self.need_apart()
        self.check_tree()


if __name__ == "__main__":
    main(Limited)
