"""What engines carry, and that no busiest engine carries less: for check_plan.py, after
docs/planner.md ("Throughput")."""
import copy

from check_common import NONE, need


class Loads:
    """All figures by the weight of the engine that they keep busy; the rest is as for the sum."""

    def __init__(self, checker):
        self.plan, self.p, n = checker, checker.p, len(checker.devices)
        self.loads, self.weights = self.p["loads"], self.p["load_weights"]
        need(len(self.loads) == len(self.weights) == 3 * n, "engines")
        need(n <= 2 and min(self.weights) >= 0 < max(self.weights), "weights")
        self.ways = {"to_device_costs": n, "to_host_costs": 2 * n}
        self.is_one = bool(self.p.get("same_silicon"))
        need(not self.is_one or len(set(self.weights)) == 1, "weights of one engine")

    def check_loads(self):
        loads, plan = [0] * len(self.loads), self.plan
        for row, d in plan.rows(plan.where):
            loads[d] += plan.figure[row][d][0]
        for t, start, end in plan.copies(plan.where):
            for (way, d), figure in plan.legs(t, start, end):
                loads[self.ways[way] + d] += figure[0]
        if self.is_one:
            loads = [sum(loads)] + [0] * (len(loads) - 1)
        plan.expect({"loads": loads, "load_ns": max(loads)})

    def weigh(self):
        """The same plan, of other figures."""
        plan, weights, n = self.plan, self.weights, len(self.plan.devices)
        weighed = copy.copy(plan)
        weighed.cost = lambda i, d: (NONE if plan.cost(i, d) is NONE
                                     else plan.cost(i, d) * weights[d])
        weighed.copy = lambda t, start, end: sum(
            figure[0] * weights[self.ways[way] + d]
            for (way, d), figure in plan.legs(t, start, end))
        weighed.gains = {(row, d): gain * weights[d] for (row, d), gain in plan.gains.items()}
        weighed.p = {**self.p, "arcs": self.p["load_arcs"],
                     "constant_ns": sum(weighed.gains.values())}
        need(n == 2 or not self.p["load_arcs"], "arcs of one device")
        return weighed

    def check(self):
        self.check_loads()
        weighed = self.weigh()
        if len(self.plan.devices) == 1:
            value = sum(w * load for w, load in zip(self.weights, self.loads))
        else:
            arcs = weighed.p["arcs"]
            value = (sum(a[3] for a in arcs if a[0] == "s") - sum(a[3] for a in arcs if a[1] == "s")
                     - weighed.p["constant_ns"])
            need(len({(a[0], a[1]) for a in arcs}) == len(arcs), "an arc stands twice")
            weighed.check_flow(0, 0, value)
        total = self.weights[0] if self.is_one else sum(self.weights)
        self.plan.expect({"load_bound_ns": -(-value // total)})
        need(self.p["load_bound_ns"] <= self.p["load_ns"], "less than the bound")
