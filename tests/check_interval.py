"""Between what totals are of which several are at once: for check_plan.py, after docs/planner.md
("How sure a total is"): figures are wrong in as many ways as there are replicas."""
import math
from collections import defaultdict
from graphlib import TopologicalSorter

from check_common import NONE, need

MOST = 256
WAYS = {"to_device_costs": 1, "to_host_costs": 2}


class Replicas:
    def __init__(self, p, n):
        self.p, self.n, self.sources, self.sure = p, n, 3 * n, "factors" not in p
        self.root = [[0.0] * n for _ in range(n)]
        for i in range(0 if self.sure else n):
            for k in range(i + 1):
                left = p["covariances"][i * n + k] / 1e9 - sum(
                    self.root[i][j] * self.root[k][j] for j in range(k))
                pivot = self.root[k][k]
                self.root[i][k] = (math.sqrt(max(left, 0)) if i == k else
                                   left / pivot if pivot > 0 else 0)

    def figure(self, engine, time, spread):
        """(engine, time, sd, source); None: it takes no time."""
        if time == 0:
            return None
        self.sure = self.sure and spread == 0
        return engine, time, spread / 1.96, engine if spread else None

    def list(self, plan):
        """What the plan does: {(0, first op) or (way, index of a copy): figure}."""
        figures, known, n = {}, {}, self.n
        for row, d in sorted(plan.rows(plan.where), key=lambda it: plan.units[it[0]][0]):
            figure = self.figure(d, *plan.figure[row][d][:2])
            if figure and figure[3] is not None:
                number = plan.p["kernels"][row] if "kernels" in plan.p else 0
                if number == 0 or (number, d) not in known:
                    known[number, d] = self.sources
                    self.sources += 1
                figure = (*figure[:3], known[number, d])
            figures[0, plan.units[row][0]] = figure
        for i, copy in enumerate(plan.copies(plan.where)):
            for (way, d), figure in plan.legs(*copy):
                figures[WAYS[way], i] = self.figure(WAYS[way] * n + d, *figure[:2])
        return figures

    def each(self):
        """For each replica what a figure is in it."""
        count = 2
        while count < MOST and count <= 2 * self.sources:
            count *= 2
        for r in range(0 if self.sure else count):
            def sign(source, r=r):
                turn, row = divmod(source, count // 2)
                mixed = row * 2654435761 % 2 ** 32
                bits = [r & 2 * row + 1, mixed, turn & int(f"{mixed:032b}"[::-1], 2)]
                return (-1) ** sum(bin(it).count("1") for it in bits)

            shifts = [sum(self.root[d][k] * sign(k) for k in range(d + 1)) for d in range(self.n)]

            def value(figure, sign=sign, shifts=shifts):
                engine, time, sd, source = figure
                return max(0, time + (time * shifts[engine] if engine < self.n else 0)
                           + (sd * sign(source) if source is not None else 0))
            yield value

    def check(self, told, key, totals, total):
        """That told has between what the total is, as the totals of replicas have it."""
        keys = [key + "_low_ns", key + "_high_ns"]
        if not {*keys} & told.keys() and "factors" not in self.p:
            return
        mean = sum(totals) / len(totals) if totals else total
        variance = sum((it - mean) ** 2 for it in totals) / max(len(totals), 1)
        if mean > 0 and totals:
            variance = variance / mean ** 2 + self.p.get("run_variance", 0) / 1e9
        else:
            mean, variance = total, 0
        for name, sign in zip(keys, (-1, 1)):
            want = min(mean * math.exp(sign * 1.645 * math.sqrt(variance)), 2.0 ** 62)
            need(told.get(name, -1) >= 0 and abs(told[name] - want) <= 1 + 1e-8 * want, name, "is not", want)


def check_loads(told, plans, runs, is_one):
    """What the busiest engine carries, of plans that are run so often each."""
    n = len(plans[0].devices)
    replicas = Replicas(plans[0].p, n)
    figures = [(times, figure) for plan, times in zip(plans, runs)
               for figure in replicas.list(plan).values() if figure]
    totals = []
    for value in replicas.each():
        loads = defaultdict(float)
        for times, figure in figures:
            loads[0 if is_one else figure[0]] += times * value(figure)
        totals.append(max(loads.values(), default=0))
    replicas.check(told, "load", totals, told["load_ns"])


class Schedule:
    """What waits for what."""

    def __init__(self, span):
        self.span, self.plan, self.p = span, span.plan, span.p
        self.replicas = Replicas(self.p, span.n)
        self.figures = self.replicas.list(self.plan)
        self.unit = {o: (0, self.plan.units[row][0]) for row, _ in self.plan.rows(self.plan.where)
                     for o in self.plan.units[row]}
        keys = ["op", "feed", "fetch"]
        self.starts = {(way, i): self.p[keys[way] + "_starts"][i] for way, i in self.figures}
        self.ends = {(way, i): self.p[keys[way] + "_ends"][i] if keys[way] + "_ends" in self.p else
                     self.starts[way, i] + (figure[1] if figure else 0)
                     for (way, i), figure in self.figures.items()}
        self.before = {thing: set() for thing in self.figures}
        self.join()

    def join(self):
        plan, there = self.plan, {}
        for i, (t, _, to) in enumerate(plan.copies(plan.where)):
            last = self.unit[plan.makers[t]] if plan.makers[t] is not NONE else None
            for thing in ((2, i), (1, i)):
                if thing in self.figures:
                    self.before[thing] |= {last} - {None}
                    last = thing
            there[t, to] = last
        for op, tensors in enumerate(self.span.inputs):
            for t in tensors:
                maker, d = plan.makers[t], plan.where[op]
                at = self.unit[maker] if maker is not NONE and plan.where[maker] == d else there.get((t, d))
                self.before[self.unit[op]] |= {at} - {None, self.unit[op]}
        engines, is_one = defaultdict(list), self.span.is_one()
        for thing, figure in self.figures.items():
            if figure:
                engines[0 if is_one else figure[0]].append(thing)
        for things in engines.values():
            things.sort(key=self.starts.get)
            for first, second in zip(things, things[1:]):
                self.before[second].add(first)
        ending = {self.ends[thing]: thing for engine in sorted(engines, reverse=True)
                  for thing in engines[engine]}
        for thing, before in self.before.items():
            start = self.starts[thing]
            if start > max([self.ends[it] for it in before], default=0) and start in ending:
                before.add(ending[start])

    def check(self):
        totals, order = [], list(TopologicalSorter(self.before).static_order())
        for value in self.replicas.each():
            ends = {}
            for thing in order:
                figure = self.figures[thing]
                ends[thing] = max([ends[it] for it in self.before[thing]], default=0)
                ends[thing] = max(ends[thing], 0)
                if figure:
                    ends[thing] += value(figure) * (self.ends[thing] - self.starts[thing]) / figure[1]
            totals.append(max([*ends.values(), 0]))
        self.replicas.check(self.p, "span", totals, self.p["span_ns"])
