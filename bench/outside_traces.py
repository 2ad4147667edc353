"""Graphs of models of torch, traced as inference and as steps of training, by ops and by layers, with times and copies of
drawn machines.  For outside.py."""
import bisect
import itertools
import math
import pathlib
import sys
import types
import warnings

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import outside_models  # noqa: E402
import training_step  # noqa: E402
from outside_prices import DEVICES, price, size_of  # noqa: E402

BATCH = 2
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


def names():
    """[(name, what is read, what is made of it)]."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    return [(f"{model}-{optimizer}-{kind}", (model, optimizer), kind) for i, model in enumerate(outside_models.names())
            for optimizer in ("inference", ("sgd", "adam")[i % 2]) for kind in KINDS]


def read(model, optimizer):
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
    """(the graph, of how many devices)."""
    (graph, layers, labels), (by_layer, n_devices, is_nodes) = traced, KINDS[kind]
    graph = {**graph, "ops": [dict(op) for op in graph["ops"]]}
    times = draw_times(graph, rng, n_devices)
    if by_layer:
        graph, times, labels = join(graph, times, layers)
    colour(graph, labels)
    price(graph, times, rng)
    return as_nodes(graph) if is_nodes else graph, n_devices
