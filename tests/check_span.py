"""When what of a run begins whose engines work at once, and that no run ends sooner: for
check_plan.py, after docs/planner.md ("Makespan")."""
from collections import defaultdict

from check_common import HOST, NONE, need
from check_interval import Schedule
from check_stages import Stages

INFINITY = float("inf")


def check_speeds(speeds, n):
    need(len(speeds) == n * n and all(isinstance(s, int) and 1 <= s <= 1000 for s in speeds)
         and all(speeds[e * n + e] == 1000 for e in range(n)), "speeds")


def find_paces(speeds, n, at_work):
    """Thousandths of a ns alone, in a ns, of each engine at work."""
    paces = {}
    for e in at_work:
        pace = 1000
        for other in sorted(at_work):
            pace = pace * speeds[e * n + other] // 1000 if other != e else pace
        paces[e] = max(pace, 1)
    total = sum(paces.values())
    return {e: -(-pace * 1000 // total) for e, pace in paces.items()} if total < 1000 else paces


def check_pace(busy, speeds, n_devices):
    """Between two moments at which anything begins or ends all goes on at one pace."""
    ways = [0, "to_device_costs", "to_host_costs"]
    moments = sorted((at, is_start, ways.index(way) * n_devices + d, alone)
                     for (way, d), some in busy.items() for start, end, alone in some if alone > 0
                     for at, is_start in ((start, 1), (end, 0)))
    left, paces, now = {}, {}, 0
    for at, is_start, engine, alone in moments:
        if at > now:
            paces = find_paces(speeds, 3 * n_devices, left)
            left = {e: rest - paces[e] * (at - now) for e, rest in left.items()}
            now = at
        if is_start:
            left[engine] = 1000 * alone
        else:
            need(left[engine] < 1000 <= left[engine] + paces[engine], "not done when it ends, or before")
            del left[engine]


class Span:
    def __init__(self, checker):
        self.plan, self.p = checker, checker.p
        self.n = len(checker.devices)
        self.inputs = [[] for _ in checker.ops]
        for t, readers in enumerate(checker.readers):
            for reader in readers:
                self.inputs[reader].append(t)
        self.moving = set(checker.moving)
        self.group = {o: row for row in range(len(checker.ops), len(checker.units))
                      for o in checker.units[row]}

    # ---- the schedule

    def is_one(self):
        return self.p.get("same_silicon") and not self.p.get("own_processors")

    def has_ends(self):
        p, keys = self.p, ("op_ends", "fetch_ends", "feed_ends")
        is_slowed = "speeds" in p and not self.is_one()
        need(all((key in p) == is_slowed for key in keys), "ends")
        if is_slowed:
            check_speeds(p["speeds"], 3 * self.n)
            need([len(p[key]) for key in keys] == [len(self.plan.ops)] + 2 * [len(p["fetch_starts"])], "ends")
        return is_slowed

    def check_schedule(self):
        plan, p, starts = self.plan, self.p, self.p["op_starts"]
        need(len(starts) == len(plan.ops), "op_starts")
        is_slowed = self.has_ends()
        busy, ends, unit = defaultdict(list), {}, {}
        for row, d in plan.rows(plan.where):
            ops = plan.units[row]
            need(len({starts[o] for o in ops}) == 1, "a group begins more than once")
            alone = plan.figure[row][d][0]
            end = p["op_ends"][ops[0]] if is_slowed else starts[ops[0]] + alone
            need(not is_slowed or len({p["op_ends"][o] for o in ops}) == 1, "a group ends more than once")
            busy[0, d].append((starts[ops[0]], end, alone))
            for o in ops:
                ends[o], unit[o] = end, row
        there = self.check_copies(busy, ends)
        for op, tensors in enumerate(self.inputs):
            for t in tensors:
                maker, d = plan.makers[t], plan.where[op]
                if maker is not NONE and plan.where[maker] == d:
                    ready = 0 if unit[maker] == unit[op] else ends[maker]
                elif t not in self.moving or (maker is NONE and d == plan.host):
                    ready = 0
                else:
                    ready = there[t, d]
                need(0 <= ready <= starts[op], "op", op, "begins before what it reads is there")
        if self.is_one():
            busy = {0: [it for some in busy.values() for it in some]}
        for some in busy.values():
            need(all(end >= start and (end > start) == (alone > 0) for start, end, alone in some), "an end")
            some = sorted(it for it in some if it[1] > it[0])
            need(all(a[1] <= b[0] for a, b in zip(some, some[1:])), "an engine does two things at once")
        if is_slowed:
            check_pace(busy, p["speeds"], self.n)
        last = max([end for some in busy.values() for _, end, _ in some] + list(ends.values()), default=0)
        self.plan.expect({"span_ns": last})

    def check_copies(self, busy, ends):
        plan, p, there = self.plan, self.p, {}
        copies = list(plan.copies(plan.where))
        need(len(copies) == len(p["fetch_starts"]) == len(p["feed_starts"]), "starts of copies")
        told = [p[key] if key in p else [None] * len(copies) for key in ("fetch_ends", "feed_ends")]
        for (t, start, to), fetch, feed, *ended in zip(copies, p["fetch_starts"], p["feed_starts"], *told):
            now = 0 if plan.makers[t] is NONE else ends[plan.makers[t]]
            begins = {"to_host_costs": fetch, "to_device_costs": feed}
            stops = dict(zip(begins, ended))
            need(all(stops[way] in (-1, None) for way in begins if begins[way] == -1), "ends of a copy")
            legs = plan.legs(t, start, to)
            need([way for way in begins if begins[way] != -1] == [way for (way, _), _ in legs],
                 "ways of a copy")
            for (way, d), figure in legs:
                need(begins[way] >= now, "a copy begins before what it copies is there")
                now = begins[way] + figure[0] if stops[way] is None else stops[way]
                busy[way, d].append((begins[way], now, figure[0]))
            there[t, to] = now
        return there

    # ---- the longest way

    def arrive(self, ends, t, to):
        plan, maker = self.plan, self.plan.makers[t]
        if maker is NONE:
            return plan.copy(t, HOST, to) if t in self.moving else 0
        return min(ends[maker][d] + (plan.copy(t, d, to) if t in self.moving and d != to else 0)
                   for d in range(self.n))

    def ready(self, ends, ops, d, row):
        return max([self.arrive(ends, t, d) for o in ops for t in self.inputs[o]
                    if self.plan.makers[t] is NONE or row is None
                    or self.group.get(self.plan.makers[t]) != row], default=0)

    def find_path(self):
        plan, ends = self.plan, []
        for op in range(len(plan.ops)):
            row = self.group.get(op)
            is_last = row is None or plan.units[row][-1] == op
            ends.append([])
            for d in range(self.n):
                cost = plan.cost(op, d)
                ends[op].append(INFINITY if cost is NONE else cost + self.ready(ends, [op], d, None))
                if row is not None and is_last and plan.gains[row, d] > 0:
                    whole = self.ready(ends, plan.units[row], d, row) + plan.figure[row][d][0]
                    for each in plan.units[row]:
                        ends[each][d] = min(ends[each][d], whole)
        longest = max(map(min, ends), default=0)
        for t, is_shown in enumerate(plan.shown):
            if is_shown and t in self.moving and plan.makers[t] is not NONE:
                longest = max(longest, self.arrive(ends, t, HOST))
        return longest

    def check(self):
        self.check_schedule()
        self.plan.expect({"span_bound_ns": max(self.p["load_bound_ns"], self.find_path(), Stages(self).find(),
                                               self.p.get("span_room", {}).get("span_ns", 0))})
        need(self.p["span_ns"] <= self.p["cost_ns"], "longer than one after the other")
        need(not {"load_low_ns", "load_high_ns"} & self.p.keys(), "between what engines carry")
        Schedule(self).check()
