"""Ends of trees of limits of memory that are swept op after op: for check_tree.py,
after docs/planner.md ("Memory limits")."""
from collections import defaultdict

from check_common import HOST, NONE, need

INFINITE = 1 << 100


def most(prices, room, shared):
    """What prices on bytes come to at most, of those that two devices may have: so many
    each, and so many together."""
    return max(prices[d] * min(room[d], shared)
               + prices[1 - d] * min(room[1 - d], max(shared - room[d], 0)) for d in (0, 1))


class Sweep:
    """All placements of ops that may be on the devices @where has for each, from the last
    op to the first. A state is the facts that matter to what is left, each a bit: that
    any of some ops is on any of some devices."""

    def __init__(self, plan, where):
        self.n, self.k, self.facts, self.index = len(plan.ops), len(plan.devices), [], {}
        self.limits, self.pool = plan.limits, plan.pool
        total = sum(max(t["bytes"], 1) for t in plan.tensors)
        self.limited = [d for d in range(self.k)
                        if 0 < plan.limits[d] < total or 0 < self.pool < 2 * total]
        # what facts mean: paid once they hold, bytes likewise; of an op paid where it is not
        self.cost, self.weights, self.paid = defaultdict(int), {}, defaultdict(list)
        self.own = [[0] * self.k for _ in plan.ops]
        self.own_weights = [[0] * self.k for _ in plan.ops]
        self.rows, self.made = defaultdict(list), defaultdict(int)
        self.away = defaultdict(int)    # of an op: facts with which it may not be there
        self.add_costs(plan)
        self.add_together(plan)
        self.add_held(plan)
        self.add_layers(plan, where)

    def fact(self, ops, devices, low):
        key = tuple(ops), tuple(devices)
        if key not in self.index:
            self.index[key] = len(self.facts)
            self.facts.append([*key, low])
        it = self.facts[self.index[key]]
        it[2] = min(it[2], low)
        return self.index[key]

    def others(self, d):
        return [e for e in range(self.k) if e != d]

    def add_copies(self, plan, t):
        """Of tensor t to each device that reads it, paid by its maker, or by who reads it
        first."""
        ops, maker = plan.readers[t], plan.makers[t]
        for d in range(self.k):
            if maker is not NONE and plan.shown[t] and d == plan.host or not ops:
                continue
            prices = [(e, plan.copy(t, e, d)) for e in self.others(d)]
            if maker is not NONE and any(price for _, price in prices):
                for e, price in prices:
                    self.paid[maker, e].append((self.fact(ops, [d], maker), price))
            if maker is NONE and plan.copy(t, HOST, d):
                self.cost[self.fact(ops, [d], ops[0])] += plan.copy(t, HOST, d)
        for d in range(self.k) if plan.shown[t] else ():
            self.own[maker][d] += plan.copy(t, d, plan.host)

    def add_costs(self, plan):
        for t in plan.moving:
            self.add_copies(plan, t)
        for (row, d), gain in plan.gains.items():
            if gain:
                self.cost[self.fact(plan.units[row], self.others(d), plan.units[row][0])] += gain
        for i, devices in enumerate(plan.may):
            for d in devices:
                self.own[i][d] += plan.cost(i, d)

    def add_together(self, plan):
        for ops in plan.together:
            for d in range(self.k):
                fact = self.fact(ops, [d], ops[0])
                for o in ops:
                    for e in self.others(d):
                        self.away[o, e] |= 1 << fact

    def add_held(self, plan):
        for d in self.limited:
            for i in range(self.n):
                for t, size, ops in plan.held(d, i):
                    it, maker, users = plan.tensors[t], plan.makers[t], plan.users.get(t, [])
                    if it.get("constant") or "state" in it:
                        if i == 0 and len(ops) == 1:
                            self.own_weights[ops[0]][d] += size
                        elif i == 0 and ops:
                            fact = self.fact(ops, [d], ops[0])
                            at, bytes_ = self.weights.get(fact, (d, 0))
                            self.weights[fact] = at, bytes_ + size
                    elif maker == i or ops == [i] and plan.holding.is_unordered:
                        self.made[i, d] += size
                    elif plan.holding.is_unordered:
                        need(not ops, "held by others")
                    elif ops and ops == [o for o in users if o >= i]:
                        low = -1 if maker is NONE else maker
                        self.rows[i, d].append((self.fact(users, [d], low), size))

    def step(self, i, d, before, after):
        """(cost, constants, held) of op i on device d."""
        cost, weights = self.own[i][d], [0] * self.k
        weights[d] = self.own_weights[i][d]
        fresh = after & ~before
        while fresh:
            fact = (fresh & -fresh).bit_length() - 1
            cost += self.cost.get(fact, 0)
            at, size = self.weights.get(fact, (0, 0))
            weights[at] += size
            fresh &= fresh - 1
        cost += sum(price for fact, price in self.paid.get((i, d), ()) if after >> fact & 1)
        held = [0] * self.k
        for at in self.limited:
            held[at] = (self.made.get((i, at), 0) if at == d else 0) + sum(
                size for fact, size in self.rows.get((i, at), ()) if after >> fact & 1)
        return cost, weights, held

    def add_layers(self, plan, where):
        ups, gone = defaultdict(int), defaultdict(int)
        for bit, (ops, devices, low) in enumerate(self.facts):
            gone[max(low, 0)] |= 1 << bit
            for o in ops:
                for d in devices:
                    ups[o, d] |= 1 << bit
        self.layers, states = [], {0: 0}
        for i in reversed(range(self.n)):
            after, steps = {}, []
            for state, at in states.items():
                for d in set(where[i]) & set(plan.may[i]):
                    if state & self.away[i, d]:
                        continue
                    now = state | ups[i, d]
                    cost, weights, held = self.step(i, d, state, now)
                    if all(weights[x] + held[x] <= self.limits[x] for x in self.limited) and (
                            not self.pool or sum(weights) + sum(held) <= self.pool):
                        to = after.setdefault(now & ~gone[i], len(after))
                        steps.append((at, to, cost, weights, held))
            self.layers.append((len(states), steps))
            states = after
        self.n_last = len(states)

    def least(self, high, prices):
        """For each layer and state what is to come at least, constants having a price."""
        tables = [[0] * self.n_last]
        for n_states, steps in reversed(self.layers):
            table = [INFINITE] * n_states
            for at, to, cost, weights, held in steps:
                if all(held[d] <= high[d] for d in self.limited):
                    value = cost + sum(p * w >> 30 for p, w in zip(prices, weights)) + tables[-1][to]
                    table[at] = min(table[at], value)
            tables.append(table)
        return tables[::-1]

    def is_proved(self, low, high, prices, target):
        """Whether nothing costs less whose peaks but for constants are between these."""
        scaled = [prices, [p // 4 for p in prices], [p * 4 for p in prices]]
        tables = [(p, self.least(high, p)) for p in scaled]
        room = [self.limits[d] - low[d] if d in self.limited else 0 for d in range(self.k)]
        shared = self.pool - sum(low)
        ways = {0: [(0,) * (self.k + 1)]}
        for k, (_, steps) in enumerate(self.layers):
            after = defaultdict(list)
            for at, to, cost, weights, held in steps:
                if any(held[d] > high[d] for d in self.limited):
                    continue
                for *used, paid in ways.get(at, ()):
                    used = [x + w for x, w in zip(used, weights)]
                    left = [room[d] - used[d] if d in self.limited else 0 for d in range(self.k)]
                    rest = shared - sum(used) if self.pool else sum(left)
                    if min(left + [rest]) >= 0 and all(
                            paid + cost + table[k + 1][to] - 2
                            - self.pay(price, left, rest) < target for price, table in tables):
                        after[to].append((*used, paid + cost))
            ways = {to: self.thin(them) for to, them in after.items()}
        return all(way[-1] >= target for them in ways.values() for way in them)

    def pay(self, prices, left, rest):
        return (most(prices, left, rest) >> 30 if self.pool
                else sum(p * x >> 30 for p, x in zip(prices, left)))

    @staticmethod
    def thin(ways):
        kept = []
        for way in sorted(ways):
            if not any(all(x <= y for x, y in zip(it, way)) for it in kept[-32:]):
                kept.append(way)
        return kept
