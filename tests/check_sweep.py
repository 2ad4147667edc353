"""Ends of trees of limits of memory that are swept op after op: for check_memory.py,
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
    any of some ops is on a device."""

    def __init__(self, plan, where):
        self.n, self.limits, self.facts, self.index = len(plan.ops), plan.limits, [], {}
        total = sum(max(t["bytes"], 1) for t in plan.tensors)
        self.pool = plan.pool
        self.limited = [d for d in (0, 1)
                        if 0 < plan.limits[d] < total or 0 < self.pool < 2 * total]
        # what facts mean: paid once they hold, bytes likewise; of an op paid where it is not
        self.cost, self.weights, self.paid = defaultdict(int), defaultdict(int), defaultdict(list)
        self.own, self.own_weights = [[0, 0] for _ in plan.ops], [[0, 0] for _ in plan.ops]
        self.rows, self.made = defaultdict(list), defaultdict(int)
        self.away = defaultdict(int)    # of an op: facts with which it may not be there
        self.add_costs(plan)
        self.add_together(plan)
        self.add_held(plan)
        self.add_layers(plan, where)

    def fact(self, ops, d, low):
        key = tuple(ops), d
        if key not in self.index:
            self.index[key] = len(self.facts)
            self.facts.append([*key, low])
        it = self.facts[self.index[key]]
        it[2] = min(it[2], low)
        return self.index[key]

    def add_costs(self, plan):
        for _, price, d, maker, ops in plan.terms():
            if price and ops and HOST not in ops:
                if maker is not NONE:
                    self.paid[maker, 1 - d].append((self.fact(ops, d, maker), price))
                elif len(ops) == 1:
                    self.own[ops[0]][d] += price
                else:
                    self.cost[self.fact(ops, d, ops[0])] += price
        for i, devices in enumerate(plan.may):
            for d in devices:
                self.own[i][d] += plan.cost(i, d)
        for t in plan.moving:
            for d in (0, 1) if plan.shown[t] else ():
                self.own[plan.makers[t]][d] += plan.copy(t, d, plan.host)

    def add_together(self, plan):
        for ops in plan.together:
            for d in (0, 1):
                fact = self.fact(ops, d, ops[0])
                for o in ops:
                    self.away[o, 1 - d] |= 1 << fact

    def add_held(self, plan):
        for d in self.limited:
            for i in range(self.n):
                for t, size, ops in plan.held(d, i):
                    it, maker, users = plan.tensors[t], plan.makers[t], plan.users.get(t, [])
                    if it.get("constant") or "state" in it:
                        if i == 0 and len(ops) == 1:
                            self.own_weights[ops[0]][d] += size
                        elif i == 0 and ops:
                            self.weights[self.fact(ops, d, ops[0])] += size
                    elif maker == i or ops == [i] and plan.holding.is_unordered:
                        self.made[i, d] += size
                    elif plan.holding.is_unordered:
                        need(not ops, "held by others")
                    elif ops and ops == [o for o in users if o >= i]:
                        low = -1 if maker is NONE else maker
                        self.rows[i, d].append((self.fact(users, d, low), size))

    def step(self, i, d, before, after):
        """(cost, constants, held) of op i on device d."""
        cost, weights = self.own[i][d], list(self.own_weights[i])
        weights[1 - d] = 0
        fresh = after & ~before
        while fresh:
            fact = (fresh & -fresh).bit_length() - 1
            cost += self.cost.get(fact, 0)
            weights[self.facts[fact][1]] += self.weights.get(fact, 0)
            fresh &= fresh - 1
        cost += sum(price for fact, price in self.paid.get((i, d), ()) if after >> fact & 1)
        held = [0, 0]
        for at in self.limited:
            held[at] = (self.made.get((i, at), 0) if at == d else 0) + sum(
                size for fact, size in self.rows.get((i, at), ()) if after >> fact & 1)
        return cost, weights, held

    def add_layers(self, plan, where):
        ups, gone = defaultdict(int), defaultdict(int)
        for bit, (ops, d, low) in enumerate(self.facts):
            gone[max(low, 0)] |= 1 << bit
            for o in ops:
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
        room = [self.limits[d] - low[d] if d in self.limited else 0 for d in (0, 1)]
        shared = self.pool - low[0] - low[1]
        ways = {0: [(0, 0, 0)]}
        for k, (_, steps) in enumerate(self.layers):
            after = defaultdict(list)
            for at, to, cost, weights, held in steps:
                if any(held[d] > high[d] for d in self.limited):
                    continue
                for a, b, paid in ways.get(at, ()):
                    way = a + weights[0], b + weights[1], paid + cost
                    left = [room[d] - way[d] for d in (0, 1)] if self.limited else [0, 0]
                    left = [left[d] if d in self.limited else 0 for d in (0, 1)]
                    rest = shared - way[0] - way[1] if self.pool else sum(left)
                    if min(left + [rest]) >= 0 and all(
                            way[2] + table[k + 1][to] - 2
                            - self.pay(price, left, rest) < target for price, table in tables):
                        after[to].append(way)
            ways = {to: self.thin(them) for to, them in after.items()}
        return all(way[2] >= target for them in ways.values() for way in them)

    def pay(self, prices, left, rest):
        return (most(prices, left, rest) >> 30 if self.pool
                else sum(p * x >> 30 for p, x in zip(prices, left)))

    @staticmethod
    def thin(ways):
        kept = []
        for way in sorted(ways):
            if not any(it[1] <= way[1] and it[2] <= way[2] for it in kept[-32:]):
                kept.append(way)
        return kept
