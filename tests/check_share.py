"""The proof of plans for three devices and more: for check_plan.py, after
docs/plan-format.md and docs/planner.md ("More devices")."""
from check_common import NONE, need
from check_held import Held


class Shares:
    """Rows: what an op answers for of a tensor that it reads, or of its group; the first
    of those that are to be together for all of them, but of no tensor that it makes."""

    def __init__(self, plan):
        self.plan, p, k = plan, plan.p, len(plan.devices)
        self.unit, n = p["share_unit"], len(plan.ops)
        self.may = [[d for d in range(k) if plan.cost(i, d) is not NONE] for i in range(n)]
        self.sets = [[d for d in range(k) if s >> d & 1] for s in range(1 << k)]
        self.lead = [min(plan.bound.get(i, [i])) for i in range(n)]
        self.makers = [maker if maker is NONE else self.lead[maker] for maker in plan.makers]
        self.readers = [self.leads(ops) for ops in plan.readers]
        for maker, ops in zip(self.makers, self.readers):
            ops[:] = [o for o in ops if o != maker]
        self.groups = [self.leads(ops) for ops in plan.units[n:]]
        self.rows = [("t", t, o) for t in plan.moving for o in self.readers[t]]
        self.rows += [("g", g, o) for g, ops in enumerate(self.groups) for o in ops]
        need(1 <= self.unit <= 1 << 20 and not p["flows"] and "tie_flows" not in p, "unit, or flows")
        zeros = dict.fromkeys(self.rows, [0] * k)
        self.bounds = [self.read(zeros, p["share_bounds"][0])]
        self.bounds += [self.read(self.bounds[0], rows) for rows in p["share_bounds"][1:]]
        self.held = []

    def leads(self, ops):
        return sorted({self.lead[o] for o in ops})

    def read(self, base, rows):
        keys = [tuple(row[:-len(self.plan.devices)]) for row in rows]
        order = {row: i for i, row in enumerate(base)}
        order = [order[key] for key in keys]
        need(order == sorted(set(order)), "rows are out of order")
        for (*_, op), row in zip(keys, rows):
            amounts = dict(enumerate(row[-len(self.plan.devices):]))
            need(len(amounts) == len(self.plan.devices), "amounts of a row")
            need(min(amounts[d] for d in self.may[op]) == 0 == min(amounts.values()), "least")
            need(not any(a for d, a in amounts.items() if d not in self.may[op]), "nowhere")
        return {**base, **{key: row[len(key):] for key, row in zip(keys, rows)}}

    def most(self, bound, term, ops, at, within):
        """What rows come to at most with their ops within some devices; NONE: they cannot."""
        sums = [max((bound[*term, o][d] for d in at[o] if d in within), default=NONE) for o in ops]
        return NONE if NONE in sums else sum(sums)

    def price(self, t, start, within):
        ends = set(within) | ({self.plan.host} if self.plan.shown[t] else set())
        return self.unit * sum(self.plan.copy(t, start, end) for end in ends - {start})

    def least(self, bound, at):
        """What no placement with ops at those devices is below, in units."""
        plan, n = self.plan, len(self.plan.ops)
        levels, total = [dict.fromkeys(devices, 0) for devices in at], 0
        for i, lead in enumerate(self.lead):
            for d in at[lead]:
                levels[lead][d] += self.unit * plan.cost(i, d)
        for (*_, o), amounts in bound.items():
            for d in at[o]:
                levels[o][d] += amounts[d]
        for t in plan.moving:
            maker = self.makers[t]
            sums = [(within, most) for within in self.sets if within or not self.readers[t]
                    for most in [self.most(bound, ("t", t), self.readers[t], at, within)]
                    if most is not NONE]
            for d in [plan.host] if maker is NONE else at[maker]:
                back = max(most - self.price(t, d, within) for within, most in sums)
                if maker is NONE:
                    total -= back
                else:
                    levels[maker][d] -= back
        for g, ops in enumerate(self.groups):
            whole = [(self.most(bound, ("g", g), ops, at, [d]), plan.gains[n + g, d])
                     for d in range(len(plan.devices))]
            apart = self.most(bound, ("g", g), ops, at, range(len(plan.devices)))
            total -= max([apart] + [most + self.unit * gain
                                    for most, gain in whole if most is not NONE])
        for key, price, d, ops in self.held:
            sums = [most - self.unit * price * (d in within) for within in self.sets if within
                    for most in [self.most(bound, key, ops, at, within)] if most is not NONE]
            total -= max(sums)
        return total + sum(min(level.values()) for level in levels)

    def check(self):
        at, path, done = [list(devices) for devices in self.may], [], False
        least = self.plan.p["bound_ns"]
        for kind, index in self.plan.p["share_tree"]:
            need(not done and index >= 0, "more ends than the tree has")
            if kind == "op":
                need(len(at[index]) > 1, "op", index, "is not free")
                path.append((index, at[index][1:]))
                at[index] = at[index][:1]
                continue
            need(kind == "bound" and (self.least(self.bounds[index], at) > self.unit * (least - 1)
                                      or least == 0), "nothing is proved by", index)
            while path and not path[-1][1]:
                op, _ = path.pop()
                at[op] = list(self.may[op])
            done = not path
            if path:
                op, left = path.pop()
                at[op] = left[:1]
                path.append((op, left[1:]))
        need(done, "an end without a proof")
        if "share_room" in self.plan.p:
            self.check_room()

    def check_room(self):
        """With prices on what is held, what fits pays no more than for the limits."""
        plan, p, least = self.plan, self.plan.p, self.plan.p["share_room_ns"]
        most = self.priced(p["share_prices"], p["share_room"])
        names, pools = plan.memory_pools()
        shared = [sum(price for at, _, price in p["share_prices"] if at == d) if pools.get(names[d]) else 0
                  for d in range(len(plan.devices))]
        most -= self.unit * (plan.most_for_memory(shared) >> 30)
        most -= self.unit * sum(price * plan.limit(d) >> 30 for d, _, price in p["share_prices"]
                                if not pools.get(names[d]))
        need(least <= p["cost_ns"] and (most > self.unit * (least - 1) or least <= 0), "what fits is not proved")

    def priced(self, prices, rows):
        """What no placement is below, in units, where what is held has prices."""
        plan = self.plan
        plan.need_apart()
        held, room = Held(plan), dict.fromkeys(self.rows, [0] * len(plan.devices))
        for i, (d, step, price) in enumerate(prices):
            need(price >= 0 and d >= 0 <= step < len(plan.ops) and plan.limit(d) > 0, "price")
            for t, size, ops in held.at(d, step):
                ops = self.leads(ops)
                if ops:
                    self.held.append((("m", i, t), price * size >> 30, d, ops))
                room.update({("m", i, t, o): [0] * len(plan.devices) for o in ops})
        return self.least(self.read(room, rows), self.may)
