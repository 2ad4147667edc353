"""Placements that keep to limits of memory, and trees of choices that prove what they cost:
for check_plan.py and check_memory.py, after docs/planner.md ("Memory limits")."""
from check_common import NONE, Plan, need
from check_held import Held
from check_sweep import Sweep

MOST_DEVICES = 4    # of which all placements are swept


class Tree(Plan):
    """Of two devices and more. Ops are chosen for, and all ends but sweeps are, of two."""

    def prepare(self):
        p, k = self.p, len(self.devices)
        shared, self.least = p["memory_limits"][k:], p["memory_bound_ns"]
        need(2 <= k <= MOST_DEVICES, "devices of a sweep")
        most = k * sum(max(t["bytes"], 1) for t in self.tensors)
        need(k == 2 or all(limit == 0 or limit >= most for limit in shared), "sweeps, and devices that share memory")
        need(k == 2 or not p["memory_bounds"], "bounds, of more than two devices")
        self.pool = sum(shared) if k == 2 else 0
        self.limits = [self.limit(d) for d in range(k)]
        self.holding = Held(self)
        self.held, self.users = self.holding.at, self.holding.users
        self.may = [[d for d in range(k) if self.cost(i, d) is not NONE]
                    for i in range(len(self.ops))]

    def check_end(self, entry, where):
        kind, *prices = entry
        need(kind == "sweep" and len(prices) == len(self.devices) and min(prices) >= 0, "an end")
        if where != self.swept:
            self.swept, self.sweep = [list(at) for at in where], Sweep(self, where)
        return self.sweep.is_proved(self.low, self.high, prices, self.least + self.p["constant_ns"])

    def put(self, op, devices, where):
        for i in {op}.union(self.bound.get(op, [])):
            where[i] = list(devices)

    def enter(self, kind, which, *rest, where):
        """A choice, and what undoes it."""
        if kind == "op":
            need(len(self.devices) == 2 == len(where[which]), "op", which, "is not free")
            self.put(which, [0], where)
            return "op", which
        bytes_, = rest
        need(0 <= which < len(self.devices) and self.limits[which] > 0
             and self.low[which] <= bytes_ < self.high[which], "a peak")
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
        where, path, done = [list(m) for m in self.may], [], False
        self.low, self.high, self.swept = [0] * len(self.limits), list(self.limits), None
        for entry in self.p["memory_tree"]:
            need(not done, "more ends than the tree has")
            if entry[0] in ("op", "peak"):
                path.append(self.enter(*entry, where=where))
                continue
            need(self.check_end(entry, where), "nothing is proved by", entry)
            done = not self.turn(path, where)
        need(done, "an end without a proof")
