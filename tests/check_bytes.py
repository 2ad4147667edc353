"""What a run takes of memory, between what the tensors of a plan say: for check_plan.py, after
docs/plan-format.md. Offsets in arenas are tplan's own affair."""
from check_common import NONE, need

ALIGN = 4096
UNKNOWN = 2 ** 62  # of groups that nobody could fuse


class Bytes:
    def __init__(self, plan):
        self.plan, self.p = plan, plan.p
        self.streamed = set(self.p.get("streamed", {}).get("weights", []))
        self.inside = {o for row, _ in plan.rows(plan.where) if tuple(plan.units[row]) not in plan.claimed
                       for o in plan.units[row][:-1]}

    def own(self, t):
        """What a tensor takes that is there before a run: constants, states."""
        it = self.plan.tensors[t]
        is_kept = it.get("constant") or it.get("state") == it["tensor"]
        return it["bytes"] if is_kept else 0

    def read_on(self, d):
        return {t for t, readers in enumerate(self.plan.readers) if any(self.plan.where[o] == d for o in readers)}

    def looks(self, t):
        """Tensors that may be looks at that one: of as many bytes, made of it or of another."""
        tensors, found, left = self.plan.tensors, set(), [t]
        while left:
            readers = set(self.plan.readers[left.pop()])
            new = {i for i, maker in enumerate(self.plan.makers) if maker in readers
                   and tensors[i]["bytes"] == tensors[t]["bytes"]} - found
            found |= new
            left += new
        return found

    def may_look(self, t):
        """Whether what made it may have made nothing: a view of something it reads."""
        return any(self.plan.makers[t] in readers and self.plan.tensors[i]["bytes"] == self.plan.tensors[t]["bytes"]
                   for i, readers in enumerate(self.plan.readers))

    def used_on(self, d):
        """What an op there reads that makes more than looks: one that does not may need no values."""
        acting = {o for t, o in enumerate(self.plan.makers) if o is not NONE and not self.may_look(t)}
        return {t for t, readers in enumerate(self.plan.readers)
                if any(self.plan.where[o] == d and o in acting for o in readers)}

    def weights(self, d):
        """(least, most): the most where an op could look at what another device has."""
        read, used = self.read_on(d), self.used_on(d)
        kept = [t for t in range(len(self.plan.tensors)) if self.own(t)]
        least = sum(self.own(t) for t in kept
                    if t in used and self.plan.tensors[t]["tensor"] not in self.streamed)
        return least, least + sum(self.own(t) for t in kept if t not in used and (t in read or self.looks(t) & read)
                                  or self.plan.tensors[t]["tensor"] in self.streamed)

    def peak(self, d):
        """(least, most): the largest that has to be there; all that ever is, at once."""
        plan, moving = self.plan, set(self.plan.moving)
        made = {t for t in moving if plan.makers[t] is not NONE and plan.where[plan.makers[t]] == d}
        mapped = self.p.get("mapped", [])
        if True in mapped or d == plan.host:
            there = moving  # what passes through the memory of the host is the host's
        else:
            there = made | self.read_on(d) & moving
        whole = {t for t in made if plan.makers[t] not in self.inside and plan.readers[t] and not plan.shown[t]
                 and not self.may_look(t)}
        least = max((plan.tensors[t]["bytes"] for t in whole), default=0)
        return 0 if True in mapped else least, sum(-(-max(plan.tensors[t]["bytes"], 1) // ALIGN) * ALIGN for t in there)

    def check(self):
        for key, find in (("peak_bytes", self.peak), ("weight_bytes", self.weights)):
            if key in self.p:
                need(len(self.p[key]) == len(self.plan.devices), key)
            for d, told in enumerate(self.p.get(key, [])):
                least, most = find(d)
                need(least <= told <= most or told == UNKNOWN, key, told, "is not within", least, most)
