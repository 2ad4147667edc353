#!/usr/bin/env python3
"""Do plans cost what others say that the least is?  Traces models of torchvision, transformers and torch, which nobody
made for tplan, as inference and as steps of training, by ops and by layers; draws times of two devices or three for
them (rooflines of made-up machines, with noise, by seed); and compares what `tplan optimize` plans with a mixed integer
program and, of two devices, with another maximum flow (outside_oracle.py), to the nanosecond.  `tplan check` and
tests/check_plan.py look at each plan (of large trees the latter has no time).  Figures are
simulated.  Needs torch 2, torchvision, transformers and scipy (tried: 2.15, 0.29, 5.24 and 1.17).

usage: outside.py TPLAN FOLDER [--only GLOB,...] [--seed N] [--seconds N]
       outside.py --list"""
import argparse
import bisect
import fnmatch
import itertools
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time
import types
import warnings

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "examples"))
import outside_models  # noqa: E402
import training_step  # noqa: E402
from outside_oracle import Problem  # noqa: E402

BATCH = 2
DEVICES = ["sim:server-cpu", "sim:server-gpu", "sim:server-gpu:1"]
SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4}
# What is made of each trace: whether a layer is one op, how many devices, whether in the form of dnn-partitioning.
KINDS = {"ops": (False, 2, False), "layers": (True, 2, True), "layers-three": (True, 3, False)}


class Layers:
    """Which layer (torch.nn.Module without parts) an op of a trace belongs to, forward, backward and update."""

    def __init__(self, module):
        self.starts, self.names = [-1], [None]
        for name, part in module.named_modules():
            if not any(True for _ in part.children()):
                part.register_forward_pre_hook(lambda _, __, name=name: self.note(name))
                part.register_forward_hook(lambda _, __, ___: self.note(None))

    def note(self, name):
        """What autograd numbers from here on belongs to that."""
        self.starts.append(torch.autograd._get_sequence_nr())
        self.names.append(name)

    def note_update(self, parameter):
        self.note(parameter.rpartition(".")[0])

    def of(self, node):
        return self.names[bisect.bisect_right(self.starts, node.meta.get("seq_nr", -1)) - 1]


def trace(model, optimizer):
    """(graph whose costs are [operations, bytes]; of each op its layer; and what it shares with its backward ops)."""
    options = types.SimpleNamespace(optimizer=optimizer, rate=0.1, momentum=0.9)
    torch.manual_seed(0)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        module, inputs = outside_models.make(model, BATCH, mode)
        module.train(optimizer != "inference")
        layers = Layers(module)
        traced = training_step.trace(module, inputs, {}, options, layers.note_update)
        graph, nodes = training_step.write(traced, model, lambda node, *work: work)
    if optimizer == "inference":  # weights are constants
        kept = [it for it in graph["state"] if "next" in it]
        graph["initializers"] += [{**it, "fill": 0} for it in graph["state"] if it not in kept]
        graph["state"] = kept
    return graph, [layers.of(node) for node in nodes], [node.meta.get("seq_nr") for node in nodes]


def draw_times(graph, rng, n_devices):
    """Of each op its time on each device: a roofline of a machine that is drawn, and noise."""
    gflops, gbps = math.exp(rng.uniform(5, 8)), rng.uniform(30, 200)
    machines = [(gflops, gbps, 0)]
    for _ in range(n_devices - 1):
        faster = math.exp(rng.uniform(-0.5, 3))
        machines.append((gflops * faster, gbps * faster ** rng.uniform(0.3, 1.2), math.exp(rng.uniform(-3, 2))))
    noise, missing = rng.choice([0.2, 0.5, 1]), [{}, *({} for _ in machines[1:])]
    times = []
    for op in graph["ops"]:
        times.append([None if d and missing[d].setdefault(op["type"], rng.random() < 0.03) else
                      int(training_step.roofline(*op["cost"], *machine) * math.exp(rng.gauss(0, noise)))
                      for d, machine in enumerate(machines)])
    return times


def join(graph, times, layers):
    """A layer is one op, forward; and each run of its ops in the backward pass and the update."""
    ops, joined = graph["ops"], []
    runs = [[i for i, _ in run] for _, run in itertools.groupby(enumerate(layers), key=lambda it: it[1])]
    home = {it: k for k, run in enumerate(runs) for i in run for it in ops[i]["outputs"]}
    wanted = {*graph["outputs"], *(it["next"] for it in graph["state"] if "next" in it)}
    wanted.update(it for k, run in enumerate(runs) for i in run for it in ops[i]["inputs"] if home.get(it) != k)
    for k, run in enumerate(runs):
        made = {it: spec for i in run for it, *spec in zip(*(ops[i][key] for key in ("outputs", "shapes", "dtypes")))
                if it in wanted}
        if not made:
            continue
        rows = [times[i] for i in run]
        joined.append(({"name": f"{layers[run[0]] or 'between'}#{k}", "type": "Layer",
                        "inputs": list(dict.fromkeys(it for i in run for it in ops[i]["inputs"] if home.get(it) != k)),
                        "outputs": list(made), "shapes": [shape for shape, _ in made.values()],
                        "dtypes": [dtype for _, dtype in made.values()]},
                       [None if None in column else sum(column) for column in zip(*rows)], layers[run[0]]))
    ops, times, layers = map(list, zip(*joined))
    return {**graph, "ops": ops}, times, layers


def colour(graph, labels):
    """What has a label, and reads what stays on a device, is with all others that have it."""
    kept = {it["name"] for it in graph["state"] + graph["initializers"]}
    coloured = {label for op, label in zip(graph["ops"], labels) if label is not None and kept.intersection(op["inputs"])}
    for op, label in zip(graph["ops"], labels):
        if label in coloured:
            op["colocation"] = str(label)


def size_of(spec):
    return math.prod(spec["shape"]) * SIZES.get(spec["dtype"], 1)


def price(graph, times, rng):
    """Writes times and copies down, half of all graphs with spreads."""
    spread = rng.choice([0, 0.05])

    def figure(time):
        return [time, int(time * rng.random() * spread)] if spread else time
    devices = DEVICES[:len(times[0])]
    for op, row in zip(graph["ops"], times):
        op["cost"] = {device: figure(time) for device, time in zip(devices, row) if time is not None}
    ways = [(rng.uniform(3, 50), math.exp(rng.uniform(-3, 2))) for _ in range(2 * len(devices))]
    graph["copies"] = {}
    state = {it for spec in graph["state"] for it in (spec["name"], spec.get("next"))}
    specs = graph["inputs"] + [{"name": it, "shape": shape, "dtype": dtype} for op in graph["ops"]
                               for it, shape, dtype in zip(op["outputs"], op["shapes"], op["dtypes"])]
    for spec in (it for it in specs if it["name"] not in state):
        prices = [figure(int(size_of(spec) / gbps + 1e3 * us)) for gbps, us in ways]
        graph["copies"][spec["name"]] = {device: {"to": prices[2 * d], "from": prices[2 * d + 1]}
                                         for d, device in enumerate(devices) if d}


def as_nodes(graph):
    """The graph in the form of dnn-partitioning: of each node one result, whose copies cost the same both ways."""
    colours, made, sizes = {}, {}, {it["name"]: size_of(it) for it in graph["state"] + graph["initializers"]}
    nodes, edges, leaving = [], {}, {}
    for i, op in enumerate(graph["ops"]):
        cpu, gpu = (op["cost"].get(device) for device in DEVICES[:2])
        cpu, gpu = (it[0] if isinstance(it, list) else it for it in (cpu, gpu))
        node = {"id": i, "name": op["name"], "cpuLatency": cpu / 1e6, "supportedOnFpga": int(gpu is not None),
                "fpgaLatency": (gpu or 0) / 1e6, "size": float(sum(sizes.pop(it, 0) for it in op["inputs"])),
                "isBackwardNode": int(op.get("colocation") in colours)}
        if "colocation" in op:
            node["colorClass"] = colours.setdefault(op["colocation"], len(colours))
        nodes.append(node)
        made.update({it: (i, shape, dtype) for it, shape, dtype in zip(op["outputs"], op["shapes"], op["dtypes"])})
        for it in op["inputs"]:
            if it in made:
                maker, shape, dtype = made[it]
                size = size_of({"shape": shape, "dtype": dtype})
                edges.setdefault((maker, i), {})[it] = leaving.setdefault(maker, {})[it] = size
    copies = graph["copies"]
    price = {maker: sum(time if isinstance(time, int) else time[0] for time in
                        (copies[it][DEVICES[1]]["to"] for it in tensors if it in copies)) for maker, tensors in leaving.items()}
    return {"maxSizePerFPGA": 1e11, "maxFPGAs": 1, "maxCPUs": 1, "nodes": nodes,
            "edges": [{"sourceId": a, "destId": b, "cost": price[a] / 1e6, "size": float(sum(tensors.values()))}
                      for (a, b), tensors in edges.items()]}


def make(traced, kind, rng):
    (graph, layers, labels), (by_layer, n_devices, is_nodes) = traced, KINDS[kind]
    graph = {**graph, "ops": [dict(op) for op in graph["ops"]]}
    times = draw_times(graph, rng, n_devices)
    if by_layer:
        graph, times, labels = join(graph, times, layers)
    colour(graph, labels)
    price(graph, times, rng)
    return as_nodes(graph) if is_nodes else graph


def command(*words, seconds=None):
    """Whether it was done in that time."""
    try:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def compare(options, path, n_devices):
    """(what counts of a graph, its ops, seconds of planning, its line).  AssertionError: it is not the least."""
    plan_path, devices = path.with_suffix(".plan.json"), DEVICES[:n_devices]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command(options.tplan, "optimize", str(path), "-f", "-d", ",".join(devices), "-o", str(plan_path))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    command(options.tplan, "check", str(plan_path))
    is_twice = command(sys.executable, str(TOP / "tests" / "check_plan.py"), str(plan_path), seconds=options.seconds)
    plan, problem = json.loads(plan_path.read_text(encoding="utf-8")), Problem(path, devices)
    assert [op["op"] for op in plan["ops"]] == problem.names, "other ops"
    where, cheapest = ([devices.index(op.get(key, op["device"])) for op in plan["ops"]] for key in ("device", "cheapest"))
    assert problem.pay(where) == plan["cost_ns"], f"costs {problem.pay(where)}, not {plan['cost_ns']}"
    paid = problem.pay(cheapest)
    bound, start = plan["bound_ns"], time.perf_counter()
    best, least = problem.solve(options.seconds)
    solved = best is not None and least > best - 0.5
    assert bound <= (math.inf if best is None else best), f"a bound of {bound}, and the MIP finds {best}"
    assert not solved or paid >= best, f"costs {paid}, and the MIP says {best} is least"
    assert n_devices > 2 or paid == bound == problem.flow(), f"{paid}, bound {bound}, flow {problem.flow()}"
    counted = {"plans": 1, "mixed": len(set(cheapest)) > 1, "ties": "tie_price_ns" in plan, "checked twice": is_twice,
               "solved": solved, "proved": paid == bound, "equal": paid == bound == best, "missed": solved and paid > best}
    return counted, len(plan["ops"]), seconds, (
        f"{len(plan['ops'])} ops, {n_devices} devices, {[cheapest.count(d) for d in range(n_devices)]}, least {paid} ns"
        f"{'' if paid == bound else f', bound {bound}'}{'' if solved else f', MIP from {least:.0f} to {best}'}"
        f"{', tie' * counted['ties']}; {seconds:.2f} s, MIP {time.perf_counter() - start:.1f}")


def run(options, names):
    total, largest, slowest, failed, untraced = {}, 0, 0, [], []
    for (model, optimizer), chosen in itertools.groupby(names, key=lambda it: it[:2]):
        try:
            traced = trace(model, optimizer)
        except Exception as reason:  # of any kind: it is torch's, or the model's
            untraced.append(f"{model}-{optimizer}")
            why = (str(reason).strip() or "-").splitlines()[0]
            print(f"{untraced[-1]}: not traced: {type(reason).__name__}: {why}", flush=True)
            continue
        for *_, kind in chosen:
            name = f"{model}-{optimizer}-{kind}"
            path = pathlib.Path(options.folder) / f"{name}.json"
            path.write_text(json.dumps(make(traced, kind, random.Random(f"{options.seed} {name}"))), encoding="utf-8")
            try:
                counted, n_ops, seconds, line = compare(options, path, KINDS[kind][1])
            except (AssertionError, subprocess.CalledProcessError) as reason:
                failed.append(name)
                print(f"{name}: NOT SO: {reason} {getattr(reason, 'stderr', '')}", flush=True)
                continue
            print(f"{name}: {line}", flush=True)
            total = {key: total.get(key, 0) + value for key, value in counted.items()}
            largest, slowest = max(largest, n_ops), max(slowest, seconds)
            path.with_suffix(".plan.json").unlink()
    print(*(f"{value} {key}" for key, value in total.items()), f"largest {largest} ops, slowest {slowest:.2f} s",
          f"{len(untraced)} not traced", f"{len(failed)} not so", *failed, sep=", ")
    return bool(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tplan", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--list", action="store_true", help="the names of all graphs")
    parser.add_argument("--only", default="*", metavar="GLOB,...", help="graphs whose names match one of these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="that the MIP may take, and the checker in Python")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    names = [(model, optimizer, kind) for i, model in enumerate(outside_models.names())
             for optimizer in ("inference", ("sgd", "adam")[i % 2]) for kind in KINDS]
    names = [it for it in names if any(fnmatch.fnmatchcase("-".join(it), glob) for glob in options.only.split(","))]
    if options.list:
        print(*("-".join(it) for it in names), sep="\n")
        return False
    if options.folder is None:
        parser.error("TPLAN and FOLDER are to be given")
    os.makedirs(options.folder, exist_ok=True)
    return run(options, names)


if __name__ == "__main__":
    sys.exit(main())
