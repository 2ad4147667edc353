"""What ops hold in memory: for check_tree.py and check_share.py, after docs/planner.md
("Memory limits")."""
from collections import defaultdict

from check_common import NONE


class Held:
    def __init__(self, plan):
        self.plan, self.is_unordered = plan, "span_ns" in plan.p
        self.root = list(range(len(plan.tensors)))
        for _, start, end in plan.p["memory_views"]:
            self.root[end] = self.root[start]
        views = {op for op, _, _ in plan.p["memory_views"]}
        self.users = defaultdict(list)
        for t, readers in enumerate(plan.readers):
            self.users[self.root[t]] += [o for o in readers if o not in views]
        self.users = {t: sorted(set(ops)) for t, ops in self.users.items()}
        self.within = {(o, d): plan.units[row] for (row, d), gain in plan.gains.items()
                       if gain and tuple(plan.units[row]) not in plan.claimed for o in plan.units[row][:-1]}

    def at(self, d, step):
        """(tensor, bytes, ops any of which holds it) on device d when op step begins."""
        plan = self.plan
        group = self.within.get((step, d), [step])
        made = [t for t, maker in enumerate(plan.makers) if maker == step]
        last = sum(max(it["bytes"], 1) for it, maker in zip(plan.tensors, plan.makers)
                   if maker == group[-1] and "state" not in it)
        for t, it in enumerate(plan.tensors):
            maker, users = plan.makers[t], self.users.get(t, [])
            if self.root[t] != t or (it.get("streamed") and d == plan.host):
                continue
            if it.get("constant") or "state" in it:
                yield t, it["bytes"] * (it.get("state", it["tensor"]) == it["tensor"]), users
            elif maker == step and group[-1] == step:
                yield t, max(it["bytes"], 1), [maker]
            elif maker == step and t == made[0]:
                yield t, min(max(it["bytes"], 1), last), [maker]
            elif maker is NONE or (maker < step and (maker, d) not in self.within):
                yield (t, max(it["bytes"], 1), [o for o in users if o == step] if self.is_unordered else
                       [o for o in users if o >= step and (o in group or o >= group[-1])])
