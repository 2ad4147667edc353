"""How long a run takes at least, stage by stage: for check_span.py, after docs/planner.md
("Stages")."""
from collections import defaultdict

from check_common import HOST, NONE, need

MANY, MOST_WEIGHTS, WEIGHT_PARTS = 64, 32, 1 << 40


class Stages:
    def __init__(self, span):
        self.span, self.plan, self.inputs, self.group = span, span.plan, span.inputs, span.group
        self.moving, self.host = span.moving, span.plan.host
        self.outputs = [[] for _ in self.plan.ops]
        for t, maker in enumerate(self.plan.makers):
            if maker is not NONE:
                self.outputs[maker].append(t)
        self.costs = [[self.plan.cost(o, d) for d in range(span.n)] for o in range(len(self.plan.ops))]
        self.allowed = [{d for d, cost in enumerate(costs) if cost is not NONE} for costs in self.costs]

    def copy(self, t, start, end):
        return 0 if start == end or t not in self.moving else self.plan.copy(t, start, end)

    # ---- one stage, with ops at those devices

    def fused(self, at, row):
        """{device: time} of the group as one kernel, and whether it is one for sure."""
        if row is None:
            return {}, False
        ops = self.plan.units[row]
        times = {d: self.plan.figure[row][d][0] for d in range(self.span.n)
                 if self.plan.gains[row, d] > 0 and all(d in at[o] for o in ops)}
        return times, bool(times) and all(len(at[o]) == 1 for o in ops)

    def arrive(self, at, t, d):
        maker = self.plan.makers[t]
        if maker is NONE and self.start is NONE:
            return self.copy(t, HOST, d)
        if maker != self.start and maker not in self.ops:
            return 0
        return min((0 if maker == self.start else self.ends[maker, here]) + self.copy(t, here, d)
                   for here in at[maker])

    def wait(self, at, ops, d, but_of):
        return max([self.arrive(at, t, d) for o in ops for t in self.inputs[o]
                    if but_of is None or self.group.get(self.plan.makers[t]) != but_of], default=0)

    def go_front(self, at):
        self.begins, self.ends = {}, {}
        for o in self.ops:
            row = self.group.get(o)
            times, is_fused = self.units[row]
            for d in at[o]:
                begin = self.begins[o, d] = self.wait(at, [o], d, None)
                end = begin + self.costs[o][d]
                if d in times and self.plan.units[row][-1] == o:
                    whole = self.wait(at, self.plan.units[row], d, row) + times[d]
                    end = whole if is_fused else min(end, whole)
                self.ends[o, d] = end

    def through(self, o, d, row):
        """From the begin of an op to the end, where an op of that group made what it reads."""
        alone, own = self.costs[o][d] + self.rests[o, d], self.group.get(o)
        times, is_fused = self.units[own]
        if d not in times or (row is not None and own == row):
            return alone
        whole = times[d] + self.rests[self.plan.units[own][-1], d]
        return whole if is_fused else min(alone, whole)

    def go_back(self, at):
        self.rests = {}
        for o in reversed(self.ops):
            for d in at[o]:
                self.rests[o, d] = max([min(self.copy(t, d, to) + self.through(r, to, self.group.get(o))
                                            for to in at[r])
                                        for t in self.outputs[o] for r in self.plan.readers[t]
                                        if r in self.ops]
                                       + [self.copy(t, d, HOST) for t in self.outputs[o]
                                          if self.is_last and self.plan.shown[t]], default=0)

    def list_jobs(self, at):
        """{engine: [(before, time, after)]}"""
        jobs = defaultdict(list)
        for o in self.ops:
            row, (d, *others) = self.group.get(o), at[o]
            times, is_fused = self.units[row]
            if is_fused and self.plan.units[row][-1] == o:
                jobs[d].append((self.ends[o, d] - times[d], times[d], self.rests[o, d]))
            elif not times and not others:
                jobs[d].append((self.begins[o, d], self.costs[o][d], self.rests[o, d]))
        for t in self.moving:
            maker = self.plan.makers[t]
            if maker is NONE and self.start is NONE:
                self.list_copies(jobs, at, t, self.host, 0)
            elif maker is not NONE and (maker == self.start or maker in self.ops) and len(at[maker]) == 1:
                d, = at[maker]
                self.list_copies(jobs, at, t, d, 0 if maker == self.start else self.ends[maker, d])
        return {engine: [job for job in some if job[1] > 0] for engine, some in jobs.items()}

    def list_copies(self, jobs, at, t, start, done):
        row = self.group.get(self.plan.makers[t])
        for to in {HOST, *range(self.span.n)} - {start}:
            after = [self.through(r, to, row) for r in self.plan.readers[t]
                     if r in self.ops and at[r] == {to}]
            if self.is_last and self.plan.shown[t] and to == self.host:
                after.append(0)
            legs = self.plan.legs(t, start, to) if after else []
            times = [figure[0] for _, figure in legs]
            for i, (engine, _) in enumerate(legs):
                jobs[engine].append((done + sum(times[:i]), times[i], sum(times[i + 1:]) + max(after)))

    def busy(self, jobs):
        heads = {before for before, _, _ in jobs} if len(jobs) <= MANY else {min(jobs)[0]}
        most, jobs = 0, sorted(jobs, key=lambda job: -job[2])
        for head in heads:
            total = head
            for before, time, after in jobs:
                if before >= head:
                    total += time
                    most = max(most, total + after)
        return most

    def mean(self, at, idle, weights):
        total = sum(w * i for w, i in zip(weights, idle))

        def weigh(o):
            return min(weights[d] * self.costs[o][d] for d in at[o])

        for o in self.ops:
            row = self.group.get(o)
            times, is_fused = self.units[row]
            if not times:
                total += weigh(o)
            elif self.plan.units[row][-1] == o:
                whole = min(weights[d] * time for d, time in times.items())
                total += whole if is_fused else min(whole, sum(map(weigh, self.plan.units[row])))
        return -(-total // sum(weights))

    def least(self, at):
        self.units = {row: self.fused(at, row) for row in {self.group.get(o) for o in self.ops}}
        self.go_front(at)
        self.go_back(at)
        jobs, idle = self.list_jobs(at), [0] * self.span.n
        for d in range(self.span.n):
            some = [o for o in self.ops if d in at[o] and (o in self.group or self.costs[o][d])]
            if jobs.get(d):
                idle[d] = min(self.begins[o, d] for o in some) + min(self.rests[o, d] for o in some)
        weights = [[-(-WEIGHT_PARTS * min(own) // cost) for cost in own]
                   for own in (self.costs[o] for o in self.ops) if all(own)][:MOST_WEIGHTS]
        ways = [min(self.ends[o, d] + self.rests[o, d] for d in at[o]) for o in self.ops
                if o not in self.group or self.plan.units[self.group[o]][-1] == o]
        return max(ways + [self.busy(some) for some in jobs.values() if some]
                   + [self.mean(at, idle, row) for row in [[1] * self.span.n, *weights]])

    # ---- all of them

    def enter(self, start, end):
        self.start, self.is_last = start, end is NONE
        self.ops = range(0 if start is NONE else start + 1, len(self.plan.ops) if end is NONE else end + 1)
        for o in self.ops:
            makers = {self.plan.makers[t] for t in self.inputs[o]} - {NONE}
            readers = [r for t in self.outputs[o] for r in self.plan.readers[t]]
            need(start is NONE or any(m == start or m in self.ops for m in makers), "op", o, "comes before")
            need(o == end or end is NONE or any(r in self.ops for r in readers), "op", o, "comes after")
            need(o not in self.group or all(i in self.ops for i in self.plan.units[self.group[o]]),
                 "a group in two stages")

    def tree(self, entries, at):
        path, least = [], float("inf")
        for o in entries:
            if o >= 0:
                need(o in self.ops and len(at[o]) > 1, "op", o, "is not free")
                at[o] = {min(at[o])}
                path.append(o)
                continue
            need(o == -1, "neither op nor end")
            least = min(least, self.least(at))
            while path and at[path[-1]] == {max(self.allowed[path[-1]])}:
                o = path.pop()
                at[o] = self.allowed[o]
            if not path:
                return least
            at[path[-1]] = {min(d for d in self.allowed[path[-1]] if d > min(at[path[-1]]))}
        raise ValueError("too few entries of span_tree")

    def find(self):
        p = self.span.p
        waists, entries = p.get("span_waists", []), iter(p.get("span_tree", []))
        if not {"span_waists", "span_tree"} & p.keys():
            return 0
        is_one = p.get("same_silicon") and not p.get("own_processors")
        need(self.span.n > 1 and not is_one and waists == sorted(set(waists)), "waists")
        need(all(0 <= waist < len(self.plan.ops) for waist in waists), "waists")
        need(all(maker == self.plan.units[self.group[maker]][-1]
                 or (not self.plan.shown[t] and all(self.group.get(r) == self.group[maker] for r in self.plan.readers[t]))
                 for t, maker in enumerate(self.plan.makers) if maker in self.group), "stages of groups with several results")
        reach, marks = {0: 0}, [NONE, *waists, NONE]
        for start, end in zip(marks, marks[1:]):
            self.enter(start, end)
            nexts = {}
            for here in [0] if start is NONE else sorted(self.allowed[start]):
                for to in [0] if end is NONE else sorted(self.allowed[end]):
                    at = dict(enumerate(self.allowed))
                    at.update({o: {d} for o, d in ((start, here), (end, to)) if o is not NONE})
                    took = self.tree(entries, at)
                    if here in reach:
                        nexts[to] = min(nexts.get(to, float("inf")), reach[here] + took)
            reach = nexts
        need(next(entries, None) is None, "too many entries of span_tree")
        return reach[0]
