#!/usr/bin/env python3
"""How much is proved within limits of memory?  Draws graphs by seed in the form of the
benchmark dnn-partitioning: layers and operators of recurrent translators, encoders,
residual and branching networks, whose sizes and times vary as theirs do. Plans each
without limits, and with 25, 50 and 75 % of what that takes on the second device;
prints what the plan costs, below what none is, and how long planning took; lets
`tplan check` look at each.  Figures are simulated.

usage: memory-gap.py TPLAN FOLDER"""
import json
import os
import random
import subprocess
import sys
import time

CPU, DEVICE = "sim:server-cpu", "sim:server-gpu"


class Graph:
    def __init__(self, seed):
        self.rng, self.nodes, self.edges = random.Random(seed), [], []

    def add(self, readers_of, flops, weights, result):
        """A node that reads what these made: milliseconds on the device, bytes."""
        name = len(self.nodes) + 1
        device = round(flops * self.rng.uniform(0.8, 1.25), 3)
        self.nodes.append({"name": f"node{name}", "id": name, "supportedOnFpga": 1, "isBackwardNode": False,
                           "cpuLatency": 10 * device, "fpgaLatency": device, "colorClass": name,
                           "size": float(int(weights)), "made": result})
        self.edges += [(it, name) for it in readers_of]
        return name

    def write(self, path):
        made = {it["id"]: it.pop("made") for it in self.nodes}
        edges = [{"sourceId": a, "destId": b, "size": float(made[a]), "cost": round(made[a] / 12e6, 3)}
                 for a, b in self.edges]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"maxSizePerFPGA": 6e8, "maxFPGAs": 1, "maxCPUs": 1, "nodes": self.nodes, "edges": edges}, file)


def translator(graph, n_layers):
    last = graph.add([], 0.14, 145e6, 13e6)
    for side in range(2):
        start = last
        for layer in range(n_layers):
            drop = graph.add([last], 0.12, 13e6, 13e6)
            lstm = graph.add([drop] + ([start] if side else []), 7 + 4 * side, 48e6 + 16e6 * side, 13e6)
            last = graph.add([lstm, drop] if layer else [lstm], 0.05, 0, 13e6)
    graph.add([last], 24, 132e6, 4e6)


def encoder(graph, n_layers, is_fine):
    last = graph.add([], 0.2, 94e6, 2e6)
    for _ in range(n_layers):
        if not is_fine:
            attention = graph.add([last], 3.1, 17e6, 2e6)
            last = graph.add([graph.add([attention, last], 0.2, 0, 2e6)], 5.9, 34e6, 2e6)
            continue
        parts = [graph.add([graph.add([last], 0.25, 2.4e6, 2e6)], 0.02, 3e3, 2e6) for _ in range(3)]
        scores = graph.add(parts[:2], 0.15, 0, 6e6)
        soft = graph.add([graph.add([scores], 0.05, 0, 6e6)], 0.11, 0, 6e6)
        out = graph.add([graph.add([soft, parts[2]], 0.14, 0, 2e6)], 0.25, 2.4e6, 2e6)
        norm = graph.add([graph.add([out, last], 0.02, 0, 2e6)], 0.06, 6e3, 2e6)
        up = graph.add([graph.add([norm], 0.95, 9.4e6, 8e6)], 0.1, 0, 8e6)
        down = graph.add([up], 0.93, 9.4e6, 2e6)
        last = graph.add([graph.add([down, norm], 0.02, 0, 2e6)], 0.06, 6e3, 2e6)
    graph.add([last], 0.3, 2e6, 1e4)


def residual(graph, n_blocks, is_fine):
    last = graph.add([], 1.2, 4e4, 26e6)
    for block in range(n_blocks):
        stage = 4 * block // n_blocks
        made, weights = 26e6 / 2 ** stage, 6e4 * 4 ** stage
        path = last
        for k in range(3):
            path = graph.add([path], 0.7, weights, made)
            for _ in range(2 if is_fine else 0):
                path = graph.add([path], 0.05 / 2 ** stage, 1e3, made)
            path = graph.add([path], 0.08 / 2 ** stage, 0, made) if k < 2 else path
        short = graph.add([last], 0.4, 2 * weights, made) if block % 4 == 0 else last
        last = graph.add([path, short], 0.1 / 2 ** stage, 0, made)
    graph.add([graph.add([last], 0.03, 0, 8e3)], 0.1, 8.2e6, 4e3)


def branches(graph, n_blocks, n_branches):
    last = graph.add([], 1.5, 5e4, 10e6)
    for block in range(n_blocks):
        made, ends = 10e6 / 1.2 ** block, []
        for branch in range(n_branches):
            path = last
            for _ in range(1 + branch):
                path = graph.add([path], 0.3, 2e5 * 1.35 ** block, made / n_branches)
                path = graph.add([path], 0.02, 1e3, made / n_branches)
            ends.append(path)
        last = graph.add(ends, 0.05, 0, made)
    graph.add([last], 0.1, 8.2e6, 4e3)


CASES = [("translator", translator, 8), ("translator-4", translator, 4), ("translator-16", translator, 16),
         ("encoder24", encoder, 24, False), ("encoder12", encoder, 12, False), ("encoder48", encoder, 48, False),
         ("encoder3-ops", encoder, 3, True), ("encoder6-ops", encoder, 6, True), ("encoder12-ops", encoder, 12, True),
         ("residual16", residual, 16, False), ("residual8", residual, 8, False), ("residual32", residual, 32, False),
         ("residual16-ops", residual, 16, True), ("residual8-ops", residual, 8, True),
         ("branches11", branches, 11, 4), ("branches6", branches, 6, 4), ("branches11-wide", branches, 11, 6)]


def plan(tplan, path, limit):
    made = path + ".plan.json"
    more = [] if limit is None else ["--mem-limit", f"{DEVICE}={limit}", "-f", "-o", made]
    start = time.monotonic()
    done = subprocess.run([tplan, "optimize", "--format", "json", "-q", "--devices", f"{CPU},{DEVICE}", *more, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    took = time.monotonic() - start
    if limit is not None:
        subprocess.run([tplan, "check", made], stdout=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout), took


def main(tplan, folder):
    gaps, slowest, n_refused = [], 0, 0
    print(f"{'case':16} {'nodes':>5} {'limit':>6} {'cost':>13} {'bound':>13}   gap %  time")
    for seed, (name, draw, *size) in enumerate(CASES):
        path = os.path.join(folder, f"{name}.json")
        graph = Graph(seed)
        draw(graph, *size)
        graph.write(path)
        free = plan(tplan, path, None)[0]
        takes = free["peak_bytes"][DEVICE] + free["weight_bytes"][DEVICE]
        for part in (25, 50, 75):
            try:
                said, took = plan(tplan, path, takes * part // 100)
            except RuntimeError as reason:
                print(f"{name:16} {len(graph.nodes):5} {part:4} % refused: {reason}", flush=True)
                n_refused += 1
                continue
            bound = said["bound_ns"]
            gaps.append(100 * said["gap"])
            slowest = max(slowest, took)
            print(f"{name:16} {len(graph.nodes):5} {part:4} % {said['cost_ns']:10} ns {bound:10} ns {gaps[-1]:7.3f} "
                  f"{took:5.2f} s", flush=True)
    print(f"{len(gaps)} cases, simulated: gap {sum(gaps) / max(len(gaps), 1):.3f} % in the mean, {max(gaps, default=0):.3f} % "
          f"at worst, {slowest:.1f} s at most")
    sys.exit(n_refused > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
