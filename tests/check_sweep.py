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
    any of some ops is on any of some devices. Whether a group is one kernel is settled at
    its end, where it runs: all its facts are true then, and it may not be parted any more;
    or it is apart on that device, which is a fact as well, and loses its gain."""

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
        self.apart = {}                 # of an op in a group that may be one kernel: a fact
        self.kernels = {op: plan.units[row] for (row, _), gain in plan.gains.items()
                        if gain and tuple(plan.units[row]) not in plan.claimed
                        and not plan.holding.is_unordered for op in plan.units[row]}
        self.add_costs(plan)
        self.add_together(plan)
        self.add_held(plan)
        self.add_layers(plan, where)

    def fact(self, ops, devices, low, is_apart=False):
        key = tuple(ops), tuple(devices), is_apart
        if key not in self.index:
            self.index[key] = len(self.facts)
            self.facts.append([*key[:2], low])
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
                ops = plan.units[row]
                fact = self.fact(ops, self.others(d), ops[0], ops[0] in self.kernels)
                self.cost[fact] += gain
                self.apart.update({(op, d): fact for op in ops if op in self.kernels})
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
        constants = {t for t, it in enumerate(plan.tensors) if it.get("constant") or "state" in it}
        for d in self.limited:
            self.add_constants(plan, d, constants)
            for t in set(range(len(plan.tensors))) - constants if not plan.holding.is_unordered else ():
                if plan.holding.root[t] == t:
                    self.add_tensor(plan, t, d)
            for i in range(self.n) if plan.holding.is_unordered else ():
                for t, size, ops in plan.held(d, i):
                    if t not in constants and ops:
                        need(ops == [i], "held by others")
                        self.made[i, d] += size

    def add_constants(self, plan, d, constants):
        for t, size, users in plan.held(d, 0):
            if t in constants and len(users) == 1:
                self.own_weights[users[0]][d] += size
            elif t in constants and users:
                fact = self.fact(users, [d], users[0])
                self.weights[fact] = d, self.weights.get(fact, (d, 0))[1] + size

    def add_tensor(self, plan, t, d):
        """From when it is made to when it is read last, if nobody keeps it to himself."""
        it, maker, users = plan.tensors[t], plan.makers[t], plan.users.get(t, [])
        size, first = max(it["bytes"], 1), 0
        if it.get("streamed") and d == plan.host:
            return
        if maker is not NONE:
            self.made[maker, d] += size
            first = maker + 1
        if users:
            fact = self.fact(users, [d], first - 1)
            inner = maker is not NONE and self.kernels.get(maker, [maker])[-1] != maker
            apart = self.apart.get((maker, d)) if inner else None
            for i in range(first, max(self.kernels.get(o, [o])[-1] for o in users) + 1):
                self.rows[i, d].append((1 << fact | (0 if apart is None else 1 << apart), size))

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
            held[at] = sum(size for facts, size in self.rows.get((i, at), ()) if after & facts == facts)
        if d in self.limited and not self.is_inside(i, d, after):
            held[d] += self.made.get((i, d), 0)
        return cost, weights, held

    def is_inside(self, i, d, facts):
        return (i, d) in self.apart and self.kernels[i][-1] != i and not facts >> self.apart[i, d] & 1

    def manners(self, i, d, state, ups):
        """The facts after op i on device d, for each way it may run there."""
        now, inner = state | ups[i, d], self.kernels.get(i, [i])[-1] != i
        if inner and any((i, e) in self.apart and not state >> self.apart[i, e] & 1 for e in self.others(d)):
            return
        if inner or (i, d) not in self.apart:
            yield now
            return
        yield now | 1 << self.apart[i, d]
        for op in self.kernels[i]:
            now |= ups[op, d]
        yield now

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
                    for now in self.manners(i, d, state, ups):
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
