"""What the busiest engine carries at least of what fits into limits of memory, of one plan or
of several side by side: for check_load.py and check_mix.py, after docs/planner.md
("Throughput", "Several graphs").

How arenas are laid out is for `tplan check`: an end that says that its ops do not fit is
believed if all of them are fixed."""

from check_common import need
from check_load import Loads, limited
from check_share import Shares


class Ends:
    """plans, runs: [part]; room: as the file has it; limits: of all together."""

    def __init__(self, plans, runs, room, limits):
        self.plans, self.runs, self.room, self.limits = plans, runs, room, limits
        need(set(room) == {"views", "tree", "ends", "load_ns"}, "keys of what fits")
        need(len(room["views"]) == len(plans) == len(runs), "views of each part")
        self.n = len(plans[0].devices)
        need(self.n > 1 and all(len(plan.devices) == self.n for plan in plans), "ends of one device")
        self.ends = iter(room["ends"])

    def levels(self, weights, bounds, at):
        """What parts have at least, less what they pay for limits at most."""
        value, prices = 0, [0] * self.n
        for plan, runs, bound, views in zip(self.plans, self.runs, bounds, self.room["views"]):
            own, at = at[:len(plan.ops)], at[len(plan.ops):]
            plan.need_apart()
            every = [range(self.n)] * len(plan.ops)
            weighed = Loads(plan).weigh([w * runs for w in weights], own if self.n > 2 else every)
            weighed.p |= {"memory_limits": self.limits, "memory_views": views}
            value += self.shared(weighed, bound) if self.n > 2 else self.apart(weighed, bound, own)
            sums = [sum(price for d, _, price in bound["prices"] if d == device) for device in range(self.n)]
            prices = [max(pair) for pair in zip(prices, sums)]
        return value - (weighed.most_for_memory(prices) >> 30)

    @staticmethod
    def apart(weighed, bound, own):
        """Of one part, on two devices."""
        weighed.p |= {"memory_bound_ns": 0, "memory_tree": [], "memory_bounds": [bound]}
        weighed = limited(weighed)
        need(bound["costs"] is True, "a bound of memory alone")
        offset, levels = weighed.levels(0)
        return offset + sum(min(level[d] for d in devices) for level, devices in zip(levels, own))

    @staticmethod
    def shared(weighed, bound):
        """Of one part, on more, rounded up."""
        need(set(bound) == {"unit", "prices", "shares"}, "a bound of shares")
        weighed.p |= {"share_unit": bound["unit"], "share_bounds": [[]]}
        return -(-Shares(weighed).priced(bound["prices"], bound["shares"]) // bound["unit"])

    def least(self, at):
        """What the next end proves."""
        end = next(self.ends, None)
        need(end is not None and set(end) == {"weights", "bounds"}, "an end without a proof")
        weights, is_one = end["weights"], Loads(self.plans[0]).is_one
        need(len(weights) == 3 * self.n and len(end["bounds"]) == len(self.plans), "weights, or a bound for each part")
        if not any(weights):
            need(all(len(devices) == 1 for devices in at), "what does not fit, and is not fixed")
            return float("inf")
        need(min(weights) >= 1 and sum(weights) < 2 ** 62 and (not is_one or len(set(weights)) == 1), "weights")
        value = self.levels(weights, end["bounds"], at)
        return max(-(-value // (weights[0] if is_one else sum(weights))), 0)

    def check(self, bound):
        """bound: what the plan carries."""
        first = [sum(len(plan.ops) for plan in self.plans[:i]) for i in range(len(self.plans))]
        units = [{base + other for other in {o} | set(plan.bound.get(o, []))}
                 for base, plan in zip(first, self.plans) for o in range(len(plan.ops))]
        free = [[d for d in range(self.n) if plan.cost(o, d) is not None]
                for plan in self.plans for o in range(len(plan.ops))]
        at, path, done = list(free), [], False
        for op in self.room["tree"]:
            need(not done, "more ends than the tree has")
            if op >= 0:
                need(len(at[op]) > 1, "op", op, "is not free")
                path.append((op, at[op]))
                at = [at[op][:1] if o in units[op] else devices for o, devices in enumerate(at)]
                continue
            need(op == -1, "neither op nor end")
            bound = min(bound, self.least(at))
            while path and len(path[-1][1]) == 1:
                op, _ = path.pop()
                at = [free[o] if o in units[op] else devices for o, devices in enumerate(at)]
            done = not path
            if path:
                op, (_, *left) = path.pop()
                path.append((op, left))
                at = [left[:1] if o in units[op] else devices for o, devices in enumerate(at)]
        need(done and next(self.ends, None) is None, "an end without a proof")
        need(self.room["load_ns"] == bound, "the bound of what fits")
