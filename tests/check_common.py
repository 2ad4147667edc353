"""What the file of a plan says, and what placements cost by its figures: for
check_plan.py and check_memory.py, after docs/plan-format.md."""
import itertools
import json
from collections import defaultdict

from check_text import find_unknown, is_digest

HOST, NONE = -1, None


def need(truth, *what):
    if not truth:
        raise ValueError(" ".join(map(str, what)))


def to_dict(pairs):
    need(len(dict(pairs)) == len(pairs), "something stands twice")
    return dict(pairs)


def number(names):
    return to_dict([(name, i) for i, name in enumerate(names)])


class Plan:
    def __init__(self, text):
        p = self.p = json.loads(text, object_pairs_hook=to_dict)
        unknown = find_unknown(p)
        need(unknown is None, "no plan has a key", unknown)
        need(is_digest(text, p), "sha256")
        simulated = any(d.startswith("sim:") for d in p["devices"])
        self.expect({"format": "tplan-plan/3", "simulated": simulated})
        kind = {"throughput": "weighted-cut", "makespan": "schedule", "energy": "rated-cut",
                "price": "rated-cut", "weighted": "rated-cut"}.get(p["objective"])
        if kind in ("weighted-cut", "rated-cut") and len(p["devices"]) > 2:
            kind = kind.replace("cut", "shares")
        need(kind or p["objective"] == "time", "objective")
        need(kind == p["certificate"] or (not kind and p["certificate"] not in
             ("weighted-cut", "weighted-shares", "schedule", "rated-cut", "rated-shares")), "objective and certificate")
        need(("load_ns" in p) == (kind in ("weighted-cut", "weighted-shares", "schedule"))
             and ("span_ns" in p) == (kind == "schedule")
             and ("aims" in p) == (kind in ("rated-cut", "rated-shares")), "proofs")
        made_up = [d.startswith("sim:") for d in p["devices"]]
        need([fact == "" for fact in p.get("facts", [])] in (made_up, []), "facts of devices")
        self.devices, self.ops, self.tensors = p["devices"], p["ops"], p["tensors"]
        need(len(self.devices) <= 8, "devices")
        place, op = number(self.devices), number([o["op"] for o in self.ops])
        number([t["tensor"] for t in self.tensors])
        number([o for ops in p["all_groups"] for o in ops])
        self.host = HOST if p["host"] is None else place[p["host"]]
        self.makers = [NONE if t["producer"] is None else op[t["producer"]] for t in self.tensors]
        self.readers = [[op[reader] for reader in t["readers"]] for t in self.tensors]
        self.moving = [i for i, t in enumerate(self.tensors) if not {"constant", "state"} & t.keys()]
        self.shown = [t["producer"] is not None and bool(t.get("output")) for t in self.tensors]
        self.units = [[i] for i in op.values()] + [[op[o] for o in ops] for ops in p["all_groups"]]
        self.together = [[op[o] for o in ops] for ops in p.get("colocations", [])]
        self.bound = to_dict([(i, ops) for ops in self.together for i in ops])
        self.given = {tuple(op[o] for o in it["ops"]): it["given"] for it in p.get("given_groups", [])}
        self.claimed = {tuple(op[o] for o in ops) for ops in p.get("claimed_groups", [])}
        need(self.claimed <= {tuple(ops) for ops in self.units}, "claimed, and not offered")
        self.figure = p["op_costs"] + p["group_costs"]
        for rows, of in ((p["op_costs"], self.ops), (self.figure, self.units),
                         (p["to_device_costs"], self.tensors), (p["to_host_costs"], self.tensors)):
            need([len(row) for row in rows] == [len(self.devices)] * len(of), "rows of figures")
            need(all(figure[0] >= 0 and figure[1] >= 0 for row in rows for figure in row
                     if isinstance(figure, list)), "a figure is less than 0")
        self.check_given()
        self.gains = {(row, d): self.gain(row, d) for row in range(len(self.ops), len(self.units))
                      for d in range(len(self.devices))}
        self.where = [place[o["device"]] for o in self.ops]
        self.cheapest = [place[o.get("cheapest", o["device"])] for o in self.ops]
        for where, ops in itertools.product((self.where, self.cheapest), self.together):
            need(len({where[o] for o in ops}) == 1, "on two devices:", ops)

    def check_given(self):
        """Groups as one kernel, by the model: their figures, and what leaves them, and when."""
        rows, made = {tuple(ops): row for row, ops in enumerate(self.units)}, {}
        for t, maker in enumerate(self.makers):
            made.setdefault(maker, []).append(t)
        for ops, given in self.given.items():
            need(ops in rows and len(ops) > 1 and list(ops) == sorted(ops), "not offered:", ops)
            need(given and given.keys() <= set(self.devices), "given of", ops)
            for t in (t for o in ops[:-1] for t in made.get(o, [])):
                others = set(self.readers[t]) - set(ops)
                need(all(o > ops[-1] for o in others), "read amid a group:", self.tensors[t]["tensor"])
                need(ops in self.claimed or not others and not {"output", "state"} & self.tensors[t].keys(),
                     "leaves a group:", self.tensors[t]["tensor"])
            for d, name in enumerate(self.devices):
                whole, want = self.figure[rows[ops]][d], given.get(name)
                if want is not None:
                    want = want if isinstance(want, list) else [want, 0]
                    there = all(isinstance(self.figure[o][d], list) for o in ops)
                    need(whole == want if there else not isinstance(whole, list), "not as given:", ops)

    def need_apart(self):
        """Bounds of what fits have every tensor of a device in memory of its own."""
        need(True not in self.p.get("mapped", []), "mapped, and a proof that counts memory")

    def check_limits(self, limits, taken):
        """Limits of devices, then of what several share, in the order of the first that do."""
        names = self.p.get("memory_pools", [NONE] * len(self.devices))
        need(len(names) == len(self.devices), "memory_pools")
        pools = [name for name in dict.fromkeys(names) if name is not NONE]
        need(all(names.count(name) > 1 for name in pools), "a pool of one device")
        taken = taken + [sum(t for t, name in zip(taken, names) if name == pool) for pool in pools]
        need(len(limits) == len(taken), "as many limits as there are")
        need(all(limit == 0 or 0 <= t <= limit for limit, t in zip(limits, taken)), "limits")

    def memory_pools(self):
        """Of each device the name of what it shares with others, and what limits these have; 0: none."""
        names = self.p.get("memory_pools", [NONE] * len(self.devices))
        return names, dict(zip(dict.fromkeys(name for name in names if name is not NONE),
                               self.p["memory_limits"][len(names):]))

    def limit(self, d):
        """Of a device, and what it shares with others."""
        names, shared = self.memory_pools()
        return min([x for x in (self.p["memory_limits"][d], shared.get(names[d])) if x] or [0])

    def most_for_memory(self, prices):
        """What what fits pays for memory at most where a byte of each device costs so much, in 2^-30:
        of what is shared the dearest first."""
        names, pools = self.memory_pools()
        left, total = {name: size for name, size in pools.items() if size}, 0
        for d in sorted(range(len(prices)), key=lambda d: -prices[d]):
            size = min(self.limit(d), left.get(names[d], self.limit(d)))
            if names[d] in left:
                left[names[d]] -= size
            total += prices[d] * size
        return total

    def expect(self, values):
        for key, value in values.items():
            need(self.p[key] == value, key, "is not", value)

    def cost(self, i, d):
        """Of an op alone; NONE: it or one that is to be with it may not be there."""
        return NONE if NONE in [self.own(o, d) for o in self.bound.get(i, [])] else self.own(i, d)

    def own(self, i, d):
        figure, op, name = self.figure[i][d], self.ops[i], self.devices[d]
        if name in op.get("given", {}):
            given = op["given"][name]
            need(figure == (given if isinstance(given, list) else [given, 0]),
                 op["op"], "is not as given")
        return figure[0] if isinstance(figure, list) and name in op.get("pins", [name]) else NONE

    def gain(self, row, d):
        whole, alone = self.figure[row][d], [self.cost(o, d) for o in self.units[row]]
        possible = isinstance(whole, list) and NONE not in alone
        return max(0, sum(alone) - whole[0]) if possible else 0

    def legs(self, t, start, end):
        """[((way, device), figure)] of what a copy pays for: nothing at the host."""
        return [((way, d), self.p[way][t][d])
                for way, d in (("to_host_costs", start), ("to_device_costs", end))
                if d not in (HOST, self.host)]

    def copy(self, t, start, end):
        return sum(figure[0] for _, figure in self.legs(t, start, end))

    def copies(self, where):
        for t in self.moving:
            home = self.host if self.makers[t] is NONE else where[self.makers[t]]
            ends = {where[r] for r in self.readers[t]} | set([self.host] * self.shown[t])
            yield from ((t, home, end) for end in sorted(ends - {home}))

    def rows(self, where):
        """(row of figures, device) of the kernels of a placement."""
        fused = [row for (row, d), gain in self.gains.items()
                 if gain > 0 and {where[o] for o in self.units[row]} == {d}]
        inside = {o for row in fused for o in self.units[row]}
        alone = [i for i in range(len(self.ops)) if i not in inside]
        return [(row, where[self.units[row][0]]) for row in alone + fused]

    def pay(self, where):
        """(cost, copies that cost anything, {measurement: spread}) of a placement; NONE: an
        op may not be where it is."""
        if NONE in [self.cost(i, d) for i, d in enumerate(where)]:
            return NONE
        kernels = self.p.get("kernels", [0] * len(self.units))
        copies = [self.legs(*copy) for copy in self.copies(where)]
        paid = [((("kernel", kernels[row]) if kernels[row] else ("row", row), d),
                 self.figure[row][d]) for row, d in self.rows(where)]
        paid += [leg for legs in copies for leg in legs]
        spreads = defaultdict(float)
        for measurement, figure in paid:
            spreads[measurement] += figure[1]
        return (sum(figure[0] for _, figure in paid),
                sum(any(figure[0] for _, figure in legs) for legs in copies), spreads)

    def terms(self):
        """((kind, index), price, device, maker, ops): paid once where the maker, if any, is not
        on the device and any of the ops is; HOST of the ops is the caller, who reads there."""
        for t in self.moving:
            for d in range(len(self.devices)):
                ends = self.readers[t] + [HOST] * (self.shown[t] and d == self.host)
                start = HOST if self.makers[t] is NONE else 1 - d
                yield ("dh"[d], t), self.copy(t, start, d), d, self.makers[t], ends
        for (row, d), gain in self.gains.items():
            yield ("ce"[d], row - len(self.ops)), gain, 1 - d, NONE, self.units[row]
