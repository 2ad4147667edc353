"""Plans of several graphs on one machine, and that no busiest engine of it carries less: for
check_plan.py, after docs/planner.md ("Several graphs") and docs/plan-format.md."""
import hashlib
import itertools
import json
import math
import re
from fractions import Fraction

import check_interval
from check_common import need, number, to_dict
from check_ends import Ends
from check_load import Loads

KEYS = {"format", "parts", "memory_limits", "memory_reserves", "load_ns", "load_low_ns", "load_high_ns",
        "load_bound_ns",
        "loads", "load_tree", "load_weights", "load_flows", "load_share_units", "load_shares", "load_room",
        "plans", "sha256"}


def is_mix(text):
    return text.startswith('{\n "format": "tplan-mix/1"')


class Mix:
    def __init__(self, text, kind):
        m = self.m = json.loads(text, object_pairs_hook=to_dict)
        digest = hashlib.sha256(text.rsplit(' "sha256": "', 1)[0].encode()).hexdigest()
        need(m["sha256"] == digest and set(m) <= KEYS, "sha256, or a key")
        self.parts = m["parts"]
        number([part["name"] for part in self.parts])
        need(all(set(part) == {"name", "runs", "span_ns", "in_round"} for part in self.parts),
             "a key of a part")
        # each plan is text as in a file of its own
        texts = re.findall(r"^\{\n \"format\": \"tplan-plan/.*?^\}\n", text, re.M | re.S)
        need(len(texts) == len(self.parts) > 0
             and [json.loads(plan) for plan in texts] == m["plans"], "not a plan for each part")
        self.plans = [kind(plan) for plan in texts]
        self.runs = [part["in_round"] for part in self.parts]
        self.count = [len(plan.ops) for plan in self.plans]
        self.engines = 3 * len(self.plans[0].devices)

    def check_parts(self):
        first = self.plans[0].p
        for plan in self.plans:
            plan.check_all()
            need(plan.p["objective"] == "throughput", "an objective")
            for key in ("devices", "host", "same_silicon", "own_processors", "memory_pools", "facts",
                        "machine", "threads"):
                need(plan.p.get(key) == first.get(key), "plans of two machines:", key)
        taken = [sum(plan.p["peak_bytes"][d] + plan.p["weight_bytes"][d] for plan in self.plans)
                 for d in range(len(first["devices"]))]
        if "memory_limits" in self.m:
            self.plans[0].check_limits(self.m["memory_limits"], taken)

    def check_round(self):
        """Runs are as the rates, no round is shorter, and the busiest engine has the time."""
        spans = set()
        for part, runs in zip(self.parts, self.runs):
            need(0 < part["runs"] <= 2 ** 31 and 0 < part["span_ns"] < 2 ** 62
                 and math.gcd(part["runs"], part["span_ns"]) == 1, "a rate")
            need(0 < runs <= 2 ** 20, "runs in a round")
            spans.add(Fraction(runs * part["span_ns"], part["runs"]))
        need(len(spans) == 1 and math.gcd(*self.runs) == 1, "a round is none of the rates")
        need(self.m["load_ns"] <= spans.pop(), "the rates cannot be kept")

    def check_loads(self):
        loads = [sum(runs * plan.p["loads"][e] for plan, runs in zip(self.plans, self.runs))
                 for e in range(self.engines)]
        need(self.m["loads"] == loads and self.m["load_ns"] == max(loads), "loads")
        check_interval.check_loads(self.m, self.plans, self.runs, Loads(self.plans[0]).is_one)

    def least(self, weights, flows, at):
        """What an end proves; flows: [part]."""
        is_one = Loads(self.plans[0]).is_one
        need(min(weights) >= 0 < max(weights), "weights")
        need(not is_one or len(set(weights)) == 1, "weights of one engine")
        value = 0
        for plan, runs, own in zip(self.plans, self.runs, flows):
            weighed = Loads(plan).weigh([w * runs for w in weights], at[:len(plan.ops)])
            at = at[len(plan.ops):]
            if len(plan.devices) == 2:
                value += weighed.prove_flow(own)
        if self.engines == 3:
            value = sum(w * load for w, load in zip(weights, self.m["loads"]))
        return -(-value // (weights[0] if is_one else sum(weights)))

    def least_of_shares(self, weights, end, at):
        """The same of three devices and more; end: unit, and rows of each part."""
        is_one, (unit, parts), value = Loads(self.plans[0]).is_one, end, 0
        need(min(weights) >= 0 < max(weights), "weights")
        need(not is_one or len(set(weights)) == 1, "weights of one engine")
        for plan, runs, rows in zip(self.plans, self.runs, parts):
            value += Loads(plan).least_of_shares([w * runs for w in weights], unit, rows, at[:len(plan.ops)])
            at = at[len(plan.ops):]
        return max(-(-value // ((weights[0] if is_one else sum(weights)) * unit)), 0)

    def ends(self):
        weights, flows, n = self.m["load_weights"], self.m["load_flows"], len(self.parts)
        steps, count = [Loads(plan).count_flows() for plan in self.plans], len(weights) // self.engines
        need(len(weights) == self.engines * count and len(flows) == sum(steps) * count, "as many flows as arcs")
        if self.engines > 6:
            units, rows = self.m["load_share_units"], self.m["load_shares"]
            need(len(rows) == n * count and len(units) == count and not flows, "load_shares")
            for i, unit in enumerate(units):
                yield weights[self.engines * i:self.engines * (i + 1)], (unit, rows[n * i:n * (i + 1)])
            return
        flows = iter(flows)
        for i in range(count):
            yield (weights[self.engines * i:self.engines * (i + 1)],
                   [list(itertools.islice(flows, step)) for step in steps])

    def check_tree(self):
        devices = range(self.engines // 3)
        need((self.engines > 6) == ("load_shares" in self.m), "load_shares")
        allowed = [[d for d in devices if plan.cost(o, d) is not None]
                   for plan in self.plans for o in range(len(plan.ops))]
        at, path, done = list(allowed), [], False
        bound, ends = self.m["load_ns"], self.ends()
        for op in self.m["load_tree"]:
            need(not done, "more ends than the tree has")
            if op >= 0:
                need(len(at[op]) > 1, "op", op, "is not free")
                at[op] = at[op][:1]
                path.append(op)
                continue
            need(op == -1, "neither op nor end")
            weights, proof = next(ends, ([0], []))
            bound = min(bound, (self.least_of_shares if self.engines > 6 else self.least)(weights, proof, at))
            while path and at[path[-1]] == allowed[path[-1]][-1:]:
                o = path.pop()
                at[o] = allowed[o]
            done = not path
            if path:
                o = path[-1]
                at[o] = [d for d in allowed[o] if d > at[o][0]][:1]
        need(done and next(ends, None) is None, "an end without a proof")
        need(self.m["load_bound_ns"] == bound, "bound")

    def check_all(self):
        self.check_parts()
        self.check_round()
        self.check_loads()
        self.check_tree()
        if "load_room" in self.m:
            need("memory_limits" in self.m, "what fits, without limits")
            Ends(self.plans, self.runs, self.m["load_room"], self.m["memory_limits"]).check(self.m["load_ns"])
