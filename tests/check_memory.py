#!/usr/bin/env python3
"""Checks plans that limits of memory made dearer, from their files alone:
docs/plan-format.md, docs/planner.md ("Memory limits").

usage: check_memory.py PLAN...   as check_plan.py, which sees to all other parts

How arenas are laid out is for `tplan check`: one placement that is said not to
fit, and the plan's own peaks, are believed."""
from check_common import HOST, NONE, need
from check_held import Held
from check_plan import Checker, main
from check_sweep import Sweep, most


class Limited(Checker):
    def __init__(self, text):
        super().__init__(text)
        p = self.p
        need(p["certificate"] == "memory-tree" and len(self.devices) == 2, "certificate")
        p["certificate"] = "min-cut"
        self.prepare()

    def prepare(self):
        p = self.p
        shared, self.least = p["memory_limits"][2:], p["memory_bound_ns"]
        self.pool = shared[0] if shared else 0
        self.limits = [min([x for x in (limit, self.pool) if x] or [0])
                       for limit in p["memory_limits"][:2]]
        self.holding = Held(self)
        self.held, self.users = self.holding.at, self.holding.users
        self.may = [[d for d in (0, 1) if self.cost(i, d) is not NONE]
                    for i in range(len(self.ops))]

    def check_tie(self, price):
        p = self.p
        need(price == 0 and p["bound_ns"] <= self.least <= p["cost_ns"], "bounds")

    def priced(self, bound):
        """{(kind, index, row): (price, device, maker, readers)}, but for costs of
        ops: what each pays alone, on either device, comes second."""
        priced, own = {}, [[0, 0] for _ in self.ops]
        terms = [((*name, 0), *term) for name, *term in self.terms()] if bound["costs"] else []
        for row, (d, step, price) in enumerate(bound["prices"]):
            need(price >= 0 and self.limits[d] > 0 and step < len(self.ops), "price")
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
        offset = -sum(price * self.limits[d] >> 30 for d, _, price in bound["prices"])
        if self.pool:
            sums = [sum(price for at, _, price in bound["prices"] if at == d) for d in (0, 1)]
            offset = -(most(sums, self.limits, self.pool) >> 30)
        return offset - self.p["constant_ns"] * bound["costs"], own

    def check_end(self, entry, where):
        kind, *rest = entry
        if kind == "bound":
            if rest != self.last:
                self.last, self.sums = rest, self.levels(rest[0])
            offset, own = self.sums
            least = offset + sum(min(own[i][d] for d in at) for i, at in enumerate(where))
            return (least >= self.least if self.p["memory_bounds"][rest[0]]["costs"]
                    else least > 0)
        if kind == "full":
            d, step = rest
            return 0 < self.limits[d] < sum(size for _, size, ops in self.held(d, step)
                                            if any(where[o] == [d] for o in ops))
        if kind == "sweep":
            if where != self.swept:
                self.swept, self.sweep = [list(at) for at in where], Sweep(self, where)
            need(min(rest) >= 0 and len(rest) == 2, "prices of a sweep")
            return self.sweep.is_proved(self.low, self.high, rest, self.least + self.p["constant_ns"])
        return kind == "placed" and all(len(at) == 1 for at in where)

    def put(self, op, devices, where):
        for i in {op}.union(self.bound.get(op, [])):
            where[i] = list(devices)

    def enter(self, kind, which, *rest, where):
        """A choice, and what undoes it."""
        if kind == "op":
            need(len(where[which]) == 2, "op", which, "is not free")
            self.put(which, [0], where)
            return "op", which
        bytes_, = rest
        need(self.limits[which] > 0 and self.low[which] <= bytes_ < self.high[which], "a peak")
        kept = "peak", which, bytes_, self.low[which], self.high[which]
        self.high[which] = bytes_
        return kept

    def turn(self, path, where):
        """To the next end; False: there is none left."""
        while path:
            kind, which, *rest = path.pop()
            if kind == "op" and where[which] == [1]:
                self.put(which, [0, 1], where)
            elif kind == "op":
                self.put(which, [1], where)
                path.append((kind, which))
                return True
            elif len(rest) == 1:
                self.low[which] = rest[0]
            else:
                below, low, high = rest
                self.low[which], self.high[which] = below + 1, high
                path.append((kind, which, low))
                return True
        return False

    def check_tree(self):
        where, path, self.last, done = [list(m) for m in self.may], [], None, False
        self.low, self.high, self.swept = [0, 0], list(self.limits), None
        for entry in self.p["memory_tree"]:
            need(not done, "more ends than the tree has")
            if entry[0] in ("op", "peak"):
                path.append(self.enter(*entry, where=where))
                continue
            need(self.check_end(entry, where), "nothing is proved by", entry)
            done = not self.turn(path, where)
        need(done, "an end without a proof")

    def check_all(self):
        super().check_all()
        self.need_apart()
        self.check_tree()


if __name__ == "__main__":
    main(Limited)
