"""Graphs of PipeDream's profiles (Narayanan et al., SOSP 2019; msr-fiddle/pipedream: profiler/*/profiles/*/graph.txt):
what it measured of each node on a GPU, forward and backward, and the bytes that it makes.  The host's times, those of a
second GPU and the copies are drawn.  For outside.py.

What nothing precedes is what the caller feeds, whatever it took (PipeDream counts the loading of data there).  A backward
op reads what the forward op read and the gradients of what that made, or, where nobody reads that, the result itself; it
makes gradients of what was computed and the next value of the parameters.  Those are state in training, constants in
inference; forward and backward op of a node with parameters have one colour."""
import math
import pathlib
import re
from collections import defaultdict

from outside_prices import price

NODE = re.compile(r"(\S+) -- (.+) -- forward_compute_time=([\d.]+), backward_compute_time=([\d.]+), "
                  r"activation_size=(\[[\d.; ]+\]|[\d.]+), parameter_size=([\d.]+)(?: -- .*)?")
EDGE = re.compile(r"\t(\S+) -- (\S+)")
ITEM = re.compile(r"__getitem__\((\d+)\)")
VARIANTS = 10
# What is made of each profile: whether it is a step of training, how many devices.
KINDS = {f"{step}-{word}-{i}": (step == "training", n_devices) for step in ("inference", "training")
         for word, n_devices in (("two", 2), ("three", 3)) for i in range(1, VARIANTS + 1)}
US = 1000       # profiles are in microseconds, and what is drawn is as well


def names(folder):
    """[(name, what is read, what is made of it)]."""
    paths = sorted(pathlib.Path(folder).rglob("graph.txt"), key=lambda it: it.parent.name)
    profiles = [path.parent.name for path in paths]
    if not profiles or len(set(profiles)) < len(profiles):
        what = "two profiles have one name" if profiles else "no graph.txt below"
        raise SystemExit(f"{folder}: {what}; name the folder of a set of profiles, like profiler/image_classification/profiles")
    return [(f"{path.parent.name}-{kind}", (path,), kind) for path in paths for kind in KINDS]


class Node:
    """description; times forward and backward, in nanoseconds; bytes of each result and of parameters; its readers."""

    def __init__(self, found):
        self.name, self.description = found[1], found[2]
        self.times = [round(1e6 * float(it)) for it in found.group(3, 4)]
        sizes = [float(it) for it in found[5].strip("[]").split(";")]
        self.tensors = {f"{self.name}.{i}" if len(sizes) > 1 else self.name: shape_of(it) for i, it in enumerate(sizes)}
        self.weight = shape_of(float(found[6])) if float(found[6]) else None
        self.before, self.after = [], []

    def type(self, way):
        return f"{re.match('[A-Za-z_]+[A-Za-z_0-9]*', self.description)[0]}.{way}"


def shape_of(n_bytes):
    """As float32."""
    return [max(1, int(n_bytes) // 4)]


def parse(path):
    nodes = {}
    for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        node, edge = NODE.fullmatch(line), EDGE.fullmatch(line)
        if node:
            nodes[node[1]] = Node(node)
        elif edge and edge[1] in nodes and edge[2] in nodes:
            nodes[edge[1]].after.append(nodes[edge[2]])
            nodes[edge[2]].before.append(nodes[edge[1]])
        elif line.strip():
            raise ValueError(f"{path}:{i}: neither a node nor an edge between nodes above")
    return sort(list(nodes.values()), path)


def sort(nodes, path):
    """What a node reads is before it."""
    waits, ready = {it: len(it.before) for it in nodes}, [it for it in nodes if not it.before]
    for node in ready:
        for after in node.after:
            waits[after] -= 1
            if not waits[after]:
                ready.append(after)
    if len(ready) < len(nodes):
        raise ValueError(f"{path}: nodes read one another")
    return ready


def inputs_of(node):
    """{tensor: who makes it}.  An item reads one of several results."""
    item, found = ITEM.fullmatch(node.description), {}
    for before in node.before:
        chosen = list(before.tensors)
        if item and len(chosen) > 1:
            chosen = [chosen[int(item[1])]]
        found.update(dict.fromkeys(chosen, before))
    return found


def read(path):
    """The parts of graphs: ops of the steps forward and backward, each with its time on the GPU, and what they read."""
    nodes = parse(path)
    readers, ops = defaultdict(list), [it for it in nodes if it.before]
    for node in ops:
        for it in inputs_of(node):
            readers[it].append(node)
    forward = [(op_of(node, "forward", [*inputs_of(node)], node.tensors), node.times[0]) for node in ops]
    backward = [(op, node.times[1]) for node in reversed(ops) for op in [backward_of(node, readers)] if op["outputs"]]
    return {"name": path.parent.name, "forward": forward, "backward": backward,
            "inputs": [{"name": it, "shape": shape, "dtype": "float32"} for node in nodes if not node.before
                       for it, shape in node.tensors.items() if readers[it]],
            "outputs": [it for node in ops for it in node.tensors if not any(map(readers.get, node.tensors))],
            "weights": [{"name": f"{node.name}.weight", "shape": node.weight, "dtype": "float32"} for node in ops if node.weight]}


def op_of(node, way, inputs, outputs):
    op = {"name": f"{node.name}.{way}", "type": node.type(way), "inputs": inputs, "outputs": list(outputs),
          "shapes": list(outputs.values()), "dtypes": ["float32"] * len(outputs)}
    if node.weight:
        op["inputs"] = [*inputs, f"{node.name}.weight"]
        op["colocation"] = node.name
    return op


def backward_of(node, readers):
    gradients = [f"{it}.from.{reader.name}" for it in node.tensors for reader in readers[it]]
    made = {f"{it}.from.{node.name}": maker.tensors[it] for it, maker in inputs_of(node).items() if maker.before}
    if node.weight:
        made[f"{node.name}.weight.next"] = node.weight
    return op_of(node, "backward", [*(gradients or node.tensors), *inputs_of(node)], made)


def draw_times(types, given, rng, n_devices):
    """Of each op its time on each device: the host's is slower, mostly, and a GPU lacks some types."""
    noise = rng.choice([0.2, 0.5, 1])
    faster = [math.exp(rng.uniform(-0.5, 2.5)), 1, math.exp(rng.uniform(-1, 1))]
    missing, times = [{}, {}, {}], []
    for kind, time in zip(types, given):
        row = [int(time * ratio * math.exp(rng.gauss(0, noise) if d != 1 else 0)) // US * US
               for d, ratio in enumerate(faster[:n_devices])]
        times.append([None if d and missing[d].setdefault(kind, rng.random() < 0.05) else it for d, it in enumerate(row)])
    return times


def draw_rate(rng):
    """From a slow PCI Express to a fast link of GPUs."""
    return math.exp(rng.uniform(math.log(4), math.log(400)))


def make(profile, kind, rng):
    """(the graph, of how many devices)."""
    is_training, n_devices = KINDS[kind]
    timed = profile["forward"] + profile["backward"] * is_training
    ops, given = [dict(op) for op, _ in timed], [time for _, time in timed]
    weights = [{**it, "next": f"{it['name']}.next"} if is_training else {**it, "fill": 0} for it in profile["weights"]]
    graph = {"format": "tplan-graph/1", "name": profile["name"], "inputs": profile["inputs"], "outputs": profile["outputs"],
             "initializers": [] if is_training else weights, "state": weights if is_training else [], "ops": ops}
    price(graph, draw_times([op["type"] for op in ops], given, rng, n_devices), rng, draw_rate, US)
    return graph, n_devices
