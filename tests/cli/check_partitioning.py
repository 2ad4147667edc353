#!/usr/bin/env python3
"""Graphs in the format of dnn-partitioning, drawn by seed: what tplan plans costs
what the cheapest of all placements does, by the words of the benchmark's README, and
what it plans for throughput has the least load of the busiest engine.

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


def carry(graph, where):
    """What CPU, FPGA, the way to it and the way back carry, in milliseconds; None: not allowed."""
    colours, carried, copied = {}, [0, 0, 0, 0], {}
    for node in graph["nodes"]:
        place = where[node["id"]]
        if place and not node["supportedOnFpga"]:
            return None
        if colours.setdefault(node.get("colorClass", ("own", node["id"])), place) != place:
            return None
        carried[place] += node["fpgaLatency" if place else "cpuLatency"]
    for edge in graph["edges"]:
        if where[edge["sourceId"]] != where[edge["destId"]]:
            copied[edge["sourceId"]] = edge["cost"]
    for source, cost in copied.items():
        carried[2 + where[source]] += cost
    return carried


def check(tplan, path, objective, key, least):
    plan = path.replace(".json", f".{objective}.json")
    subprocess.run([tplan, "optimize", path, "--devices", f"{CPU},{FPGA}", "--objective", objective, "-o", plan],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tplan, "check", plan], check=True, stdout=subprocess.DEVNULL)
    with open(plan, encoding="utf-8") as file:
        found = json.load(file)[key]
    assert found == round(least * 1e6), (path, objective, found, least)
    return plan


def main(tplan, folder, checker, rounds=60):
    plans = []
    for seed in range(int(rounds)):
        graph = draw(random.Random(seed))
        ids = [node["id"] for node in graph["nodes"]]
        all_carried = [carry(graph, dict(zip(ids, where))) for where in itertools.product((0, 1), repeat=len(ids))]
        allowed = [it for it in all_carried if it is not None]
        path = f"{folder}/part{seed}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        plans.append(check(tplan, path, "time", "cost_ns", min(map(sum, allowed))))
        plans.append(check(tplan, path, "throughput", "load_ns", min(map(max, allowed))))
    subprocess.run([sys.executable, checker, *plans], check=True)


main(*sys.argv[1:])
