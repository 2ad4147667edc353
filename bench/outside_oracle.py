"""What a graph with costs of its own costs at least, by docs/graph-format.md and docs/planner.md alone: as a mixed
integer program (HiGHS, by scipy) and, on two devices, as a maximum flow (scipy).  For outside.py."""
import json
import math
from collections import defaultdict

import numpy
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

HOST = 0        # the device that works in host memory; it makes what the caller feeds
MOST = 2**31 - 1


def time_of(figure):
    return figure[0] if isinstance(figure, list) else figure


class Problem:
    """names of ops; times[op][device], None: not there; tensors (maker or None, readers, is shown, [price to and from]
    of each device); together, lists of ops that are on one device."""

    def __init__(self, path, devices):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        self.devices, self.names, self.times, self.tensors = devices, [], [], []
        together = defaultdict(list)
        (self.read_graph if "format" in graph else self.read_nodes)(graph, together)
        self.together = [ops for ops in together.values() if len(ops) > 1]

    def read_graph(self, graph, together):
        state = {it["name"]: it for it in graph.get("state", [])}
        of_state = {**{it["next"]: name for name, it in state.items() if "next" in it}, **{it: it for it in state}}
        wanted, ops = {*graph["outputs"], *of_state}, []
        for op in reversed(graph["ops"]):  # what nobody needs is not planned
            if wanted.intersection(op["outputs"]):
                wanted.update(op["inputs"])
                ops.append(op)
        ops.reverse()
        made, readers = {it: i for i, op in enumerate(ops) for it in op["outputs"]}, defaultdict(list)
        for i, op in enumerate(ops):
            self.names.append(op["name"])
            self.times.append([time_of(op["cost"].get(device)) for device in self.devices])
            if "colocation" in op:
                together["colour", op["colocation"]].append(i)
            for it in op["inputs"]:
                readers[it].append(i)
            for it in {of_state[it] for it in op["inputs"] + op["outputs"] if it in of_state}:
                together["state", it].append(i)
        for it in [*(spec["name"] for spec in graph["inputs"]), *made]:
            prices = [graph["copies"][it].get(device, 0) for device in self.devices] if it not in of_state else []
            prices = [{"to": it, "from": it} if not isinstance(it, dict) else it for it in prices]
            if prices and (readers[it] or it in graph["outputs"]):
                self.tensors.append((made.get(it), readers[it], it in graph["outputs"],
                                     [(time_of(it["to"]), time_of(it["from"])) for it in prices]))

    def read_nodes(self, graph, together):
        """The form of dnn-partitioning: times in milliseconds."""
        index, costs, readers = {}, {}, defaultdict(list)
        for i, node in enumerate(graph["nodes"]):
            index[node["id"]] = i
            self.names.append(f"{node['name']}:{node['id']}")
            self.times.append([round(1e6 * node["cpuLatency"]),
                               round(1e6 * node["fpgaLatency"]) if node["supportedOnFpga"] else None])
            if "colorClass" in node:
                together[node["colorClass"]].append(i)
        for edge in graph["edges"]:
            costs[edge["sourceId"]] = round(1e6 * edge["cost"])
            readers[edge["sourceId"]].append(index[edge["destId"]])
        self.tensors = [(index[it], readers[it], False, [(0, 0), (cost, cost)]) for it, cost in costs.items()]

    def copy(self, prices, start, end):
        """By host memory; the host's own are free."""
        return ((prices[start][1] if start != HOST else 0) + (prices[end][0] if end != HOST else 0)) * (start != end)

    def pay(self, where):
        """What a placement costs, None: it is none."""
        times = [self.times[i][d] for i, d in enumerate(where)]
        if None in times or any(len({where[i] for i in ops}) > 1 for ops in self.together):
            return None
        total = sum(times)
        for maker, readers, is_shown, prices in self.tensors:
            home = HOST if maker is None else where[maker]
            total += sum(self.copy(prices, home, end) for end in {*(where[i] for i in readers), *[HOST] * is_shown})
        return total

    def solve(self, seconds):
        """(what the best placement found costs, what HiGHS says that none is below)."""
        program, k = Program(), len(self.devices)
        at = [[program.add(time or 0, 0 if time is None else 1, True) for time in times] for times in self.times]
        for row in at:
            program.need([(it, 1) for it in row], 1, 1)
        for first, *others in self.together:
            for other, d in ((it, d) for it in others for d in range(k)):
                program.need([(at[first][d], 1), (at[other][d], -1)], 0, 0)
        for maker, readers, is_shown, prices in self.tensors:
            for d in range(k):
                if not readers and not (is_shown and d == HOST):
                    continue
                starts = [e for e in ([HOST] if maker is None else range(k)) if e != d]
                copies = {e: program.add(self.copy(prices, e, d), 1, False) for e in starts}
                # there is one where it is read and was not made, from where it was
                there = [(it, 1) for it in copies.values()] + ([(at[maker][d], 1)] if maker is not None else [])
                is_here = int(maker is None and d == HOST)
                for reader in set(readers):
                    program.need(there + [(at[reader][d], -1)], -is_here, None)
                if is_shown and d == HOST:
                    program.need(there, 1 - is_here, None)
                for e, copy in copies.items() if maker is not None and k > 2 else ():
                    program.need([(at[maker][e], 1), (copy, -1)], 0, None)
        found, least = program.solve(seconds)
        return (None if found is None else self.pay([int(numpy.argmax(found[row])) for row in at])), least

    def flow(self):
        """The least cost on two devices, as a maximum flow.  Ops that are to be together are one vertex, and so is
        each end with the ops that have no other choice."""
        ends = len(self.names), len(self.names) + 1
        root = list(range(len(self.names) + 2))

        def find(i):
            while root[i] != i:
                root[i] = i = root[root[i]]
            return i
        for first, *others in self.together:
            for other in others:
                root[find(other)] = find(first)
        for i, times in enumerate(self.times):
            for d in (0, 1):
                if times[1 - d] is None:
                    root[find(i)] = find(ends[d])
        arcs, n = defaultdict(int), len(root)

        def add(a, b, price):
            a, b = (find(it) if it < len(root) else it for it in (a, b))
            if a != b:
                arcs[a, b] += price
        base = 0
        for i, times in enumerate(self.times):
            if find(i) in map(find, ends):
                base += times[0 if find(i) == find(ends[0]) else 1]
                continue
            add(ends[0], i, times[1])
            add(i, ends[1], times[0])
        for maker, readers, is_shown, prices in self.tensors:
            home, there, back = ends[0] if maker is None else maker, *prices[1]
            wanted = [*readers, *[ends[0]] * is_shown]
            add(home, n, there)
            add(n + 1, home, back)
            for reader in wanted:
                add(n, reader, there)
                add(reader, n + 1, back)
            n += 2
        unit = math.gcd(*arcs.values()) or 1  # what is in whole microseconds may take longer
        assert max(arcs.values()) <= MOST * unit, "scipy takes no such capacities"
        rows, columns = numpy.array(list(arcs)).T
        values = numpy.array([it // unit for it in arcs.values()], dtype=numpy.int32)
        capacities = coo_array((values, (rows, columns)), shape=(n, n))
        return base + unit * int(maximum_flow(capacities.tocsr(), find(ends[0]), find(ends[1])).flow_value)


class Program:
    """A mixed integer program: the least of costs, in nanoseconds."""

    def __init__(self):
        self.costs, self.most, self.is_whole, self.entries, self.limits = [], [], [], [], []

    def add(self, cost, most, is_whole):
        self.costs.append(cost)
        self.most.append(most)
        self.is_whole.append(is_whole)
        return len(self.costs) - 1

    def need(self, terms, low, high):
        self.entries += [(len(self.limits), *term) for term in terms]
        self.limits.append((low, numpy.inf if high is None else high))

    def solve(self, seconds):
        rows, columns, values = zip(*self.entries)
        lows, highs = zip(*self.limits)
        matrix = coo_array((values, (rows, columns)), shape=(len(self.limits), len(self.costs)))
        unit = max(self.costs) or 1
        found = milp([cost / unit for cost in self.costs], integrality=self.is_whole, bounds=Bounds(0, self.most),
                     constraints=LinearConstraint(matrix.tocsc(), lows, highs),
                     options={"mip_rel_gap": 0, "time_limit": seconds})
        return found.x, None if found.mip_dual_bound is None else found.mip_dual_bound * unit
