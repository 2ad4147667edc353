"""What a plan takes of energy and money, and that none takes less: for check_plan.py, after
docs/planner.md ("Energy and price")."""
import copy
import itertools

from check_common import HOST, NONE, need
from check_load import limited
from check_share import Shares

TIME, ENERGY, PRICE = range(3)
PART = {"rented", "without", "divisor"}
FREE = PART | {"share_unit", "share_bounds", "share_tree"}
SWEPT = PART | {"memory_bound_ns", "memory_bounds", "memory_tree"}
PRICED = PART | {"share_unit", "share_room_ns", "share_prices", "share_room"}
WANTED = {"energy": [0, 1, 0], "price": [0, 0, 1]}


class Rates:
    """All figures by what a nanosecond of their engine takes; the rest is as for the sum."""

    def __init__(self, checker):
        self.plan, self.p, self.n = checker, checker.p, len(checker.devices)
        self.rates, self.aims = self.p["rates"], self.p["aims"]
        need((self.n > 2) == ("aim_ends" in self.p) and len(self.rates) == self.n, "rates")
        need(all(len(rate) == 5 or (len(rate) == 6 and rate[5] == 1 and rate[0] >= 0) for rate in self.rates), "rates")
        for busy, idle, link, price, per_use in (rate[:5] for rate in self.rates):
            need(0 <= idle <= busy or (busy, idle, link) == (-1, 0, 0), "watts")
            need(max(busy, idle, link, price) <= 10 ** 9, "too much")
            need(link >= 0 and price >= -1 and per_use in (0, 1), "watts of copies, or a price")
            need(price >= 0 or not per_use, "a price per use of nothing")
        need(len(self.aims) == 3 and min(self.aims) >= 0 < max(self.aims), "aims")
        need(self.aims == WANTED.get(self.p["objective"], self.aims), "aims of the objective")
        self.known = [True] + [min(rate[part] for rate in self.rates) >= 0 for part in (0, 3)]
        need(not any(w and not known for w, known in zip(self.aims, self.known)), "not stated")

    def rate(self, aim, device, is_copy, used):
        """Of a nanosecond in which @device computes, or is copied to or from."""
        if aim == TIME:
            return 1
        if aim == ENERGY:
            return (sum(rate[1] for rate in self.rates)
                    + (self.rates[device][2] if is_copy
                       else self.rates[device][0] - self.rates[device][1]))
        return sum(rate[3] for d, rate in enumerate(self.rates)
                   if (d == device if rate[4] else d in used | {self.plan.host}))

    def weight(self, device, is_copy, used, aims):
        return sum(w * self.rate(aim, device, is_copy, used) for aim, w in enumerate(aims) if w)

    def take(self, where, aims):
        """What a placement takes; NONE: it is none."""
        plan, used = self.plan, set(where)
        if NONE in [plan.cost(i, d) for i, d in enumerate(where)]:
            return NONE
        kernels = sum(plan.figure[row][d][0] * self.weight(d, False, used, aims)
                      for row, d in plan.rows(where))
        return kernels + sum(figure[0] * self.weight(d, True, used, aims)
                             for c in plan.copies(where) for (_, d), figure in plan.legs(*c))

    def weigh(self, used, without=(), divisor=1, times=0):
        """The same plan, of other figures: those of placements that use these devices."""
        plan = self.plan
        weights, links = ([self.weight(d, is_copy, used, self.aims) // divisor for d in range(self.n)]
                          for is_copy in (False, True))
        if times:
            weights, links = ([w * times + 1 for w in some] for some in (weights, links))
        weighed = copy.copy(plan)
        weighed.cost = lambda i, d: (NONE if d in without or plan.cost(i, d) is NONE
                                     else plan.cost(i, d) * weights[d])
        weighed.copy = lambda t, start, end: sum(
            figure[0] * links[d] for (_, d), figure in plan.legs(t, start, end))
        weighed.gains = {(row, d): gain * weights[d] * (d not in without)
                         for (row, d), gain in plan.gains.items()}
        weighed.p = {**self.p, "flows": self.p["aim_flows"],
                     "constant_ns": sum(weighed.gains.values())}
        return weighed

    def bounds(self):
        """No placement takes less than the least of these."""
        for d in range(self.n):
            alone = self.take([d] * len(self.plan.ops), self.aims)
            if alone is not NONE:
                yield alone
        if self.n == 1:
            return need(not self.p["aim_flows"], "flows of one device")
        yield self.weigh(set(range(self.n))).prove_flow(self.p["aim_flows"])

    def has_places(self, devices):
        return all(any(self.plan.cost(i, d) is not NONE for d in devices)
                   for i in range(len(self.plan.ops)))

    def check_cover(self, ends):
        """Placements are divided by which devices have ops."""
        every = set(range(self.n))
        for used in (set(c) for k in range(self.n + 1) for c in itertools.combinations(sorted(every), k)):
            need(any(set(end["rented"]) <= used and not used & set(end["without"]) for end in ends)
                 or not self.has_places(used), "nothing is proved of", used)
        for end in ends:
            need(end["divisor"] >= 1 and end.get("times", 0) >= 0, "an end")
            need(set(end["rented"] + end["without"]) <= every, "devices of an end")
            need(self.has_places(every - set(end["without"])), "an end of nothing")

    def all_times(self):
        """What ops take anywhere, and copies to and from host memory."""
        devices = range(self.n)
        ops = [self.plan.cost(i, d) for i in range(len(self.plan.ops)) for d in devices]
        copies = [self.plan.copy(t, *way) for t in self.plan.moving for d in devices
                  for way in ((HOST, d), (d, HOST))]
        return sum(it for it in ops + copies if it is not NONE)

    def check_end(self, end, bound):
        """No placement of it, or none that fits, takes less than the bound."""
        times, claim = end.get("times", 0), -(-bound // end["divisor"])
        weighed = self.weigh(set(end["rented"]), set(end["without"]), end["divisor"], times)
        if times and claim > 0:
            claim = (claim - 1) * times + self.all_times() + 1
        weighed.p |= {**end, "bound_ns": claim}
        if "share_tree" in end:
            weighed.p.pop("share_room", None)
            return Shares(weighed).check()
        left = set(range(self.n)) - set(end["without"])
        need(times or all(self.weight(d, False, set(end["rented"]), self.aims) >= end["divisor"] for d in left),
             "kernels count nothing")
        weighed.p |= {"memory_views": self.p["aim_room"]["memory_views"], "cost_ns": float("inf"), "bound_ns": 0}
        if "share_room" in end:
            weighed.p["share_bounds"] = [[]]
            Shares(weighed).check_room()
        else:
            limited(weighed).check_tree()
        return need(end["share_room_ns" if "share_room" in end else "memory_bound_ns"] >= claim, "proves too little")

    def check_ends(self):
        """Of three devices and more."""
        self.check_cover(self.p["aim_ends"])
        for end in self.p["aim_ends"]:
            need(end.keys() == FREE, "an end")
            self.check_end(end, self.p["aim_bound"])
        need(0 <= self.p["aim_bound"] <= self.p["aim_cost"], "aim_bound")
        if "aim_room" in self.p:
            self.check_fitting(self.p["aim_room"])

    def check_fitting(self, room):
        need(room.keys() == {"memory_views", "ends", "aim_bound"} and "memory_limits" in self.p, "aim_room")
        self.plan.need_apart()
        self.check_cover(room["ends"])
        for end in room["ends"]:
            need(any(end.keys() == kind | {"times"} for kind in (FREE, SWEPT, PRICED)), "an end")
            self.check_end(end, room["aim_bound"])
        need(0 <= room["aim_bound"] <= self.p["aim_cost"], "the bound of what fits")

    def check(self):
        one = [[int(i == aim) for i in range(3)] for aim in range(3)]
        totals = [self.take(self.plan.where, one[aim]) if self.known[aim] else -1
                  for aim in range(3)]
        cost = sum(w * total for w, total in zip(self.aims, totals) if w)
        if self.n > 2:
            self.plan.expect({"aim_totals": totals, "aim_cost": cost})
            return self.check_ends()
        least = min(self.bounds())
        self.plan.expect({"aim_totals": totals, "aim_cost": cost, "aim_bound": least})
        need(cost == least or (cost > least and "memory_limits" in self.p),
             "another takes less, or none so little")
        if "aim_room" in self.p:
            self.check_room(cost)

    def check_room(self, cost):
        """What fits: as of a plan within limits, of weighted figures. What is said not to fit on
        one device is believed."""
        room, every = self.p["aim_room"], set(range(self.n))
        need(self.n == 2 and "memory_limits" in self.p and set(room["unfit"]) <= every, "aim_room")
        need(min(self.weight(d, False, every, self.aims) for d in every) >= 1, "kernels count nothing")
        self.plan.need_apart()
        weighed = self.weigh(every)
        weighed.p |= {**room, "cost_ns": float("inf"), "bound_ns": 0}
        limited(weighed).check_tree()
        alone = [self.take([d] * len(self.plan.ops), self.aims) for d in every - set(room["unfit"])]
        need(room["aim_bound"] == min([it for it in alone if it is not NONE]
                                      + [room["memory_bound_ns"], cost]), "the bound of what fits")
