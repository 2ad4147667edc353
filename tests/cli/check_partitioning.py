#!/usr/bin/env python3
"""Graphs in the format of dnn-partitioning, drawn by seed: what tplan plans costs
what the cheapest of all placements does, by the words of the benchmark's README.

usage: check_partitioning.py TPLAN FOLDER CHECKER [ROUNDS]"""
import itertools
import json
import random
import subprocess
import sys

CPU, FPGA = "sim:server-cpu", "sim:server-gpu"


def draw(rng):
    n = rng.randint(1, 10)
    ids = rng.sample(range(100), n)
    training = rng.random() < 0.5
    nodes = []
    for i, name in enumerate(ids):
        node = {"id": name, "supportedOnFpga": rng.choice([True, 1, 1, 1, 0]), "isBackwardNode": int(training and 2 * i > n),
                "cpuLatency": rng.randint(0, 40) / 8, "fpgaLatency": rng.randint(0, 20) / 8,
                "size": float(rng.choice([0, 1024, 4096]))}
        if rng.random() < 0.4:
            node["colorClass"] = rng.randint(1, 3)
        if rng.random() < 0.5:
            node["name"] = "node"
        nodes.append(node)
    costs = {name: rng.randint(0, 16) / 8 for name in ids}
    edges = [{"sourceId": a, "destId": b, "cost": costs[a], "size": 256.0}
             for a, b in itertools.combinations(ids, 2) if rng.random() < 0.35]
    rng.shuffle(edges)
    if rng.random() < 0.3:
        rng.shuffle(nodes)  # edges may come before what they lead to
    return {"maxSizePerFPGA": 1e9, "maxFPGAs": 1, "maxCPUs": 1, "nodes": nodes, "edges": edges}


def price(graph, where):
    """In milliseconds; None: not allowed."""
    colours, total, copied = {}, 0, {}
    for node in graph["nodes"]:
        place = where[node["id"]]
        if place and not node["supportedOnFpga"]:
            return None
        if colours.setdefault(node.get("colorClass", ("own", node["id"])), place) != place:
            return None
        total += node["fpgaLatency" if place else "cpuLatency"]
    for edge in graph["edges"]:
        if where[edge["sourceId"]] != where[edge["destId"]]:
            copied[edge["sourceId"]] = edge["cost"]
    return total + sum(copied.values())


def main(tplan, folder, checker, rounds=60):
    plans = []
    for seed in range(int(rounds)):
        graph = draw(random.Random(seed))
        ids = [node["id"] for node in graph["nodes"]]
        prices = [price(graph, dict(zip(ids, where))) for where in itertools.product((0, 1), repeat=len(ids))]
        least = min(it for it in prices if it is not None)
        path, plan = f"{folder}/part{seed}.json", f"{folder}/plan{seed}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        subprocess.run([tplan, "optimize", path, "--devices", f"{CPU},{FPGA}", "-o", plan], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([tplan, "check", plan], check=True, stdout=subprocess.DEVNULL)
        with open(plan, encoding="utf-8") as file:
            cost = json.load(file)["cost_ns"]
        assert cost == round(least * 1e6), (seed, cost, least)
        plans.append(plan)
    subprocess.run([sys.executable, checker, *plans], check=True)


main(*sys.argv[1:])
