#!/usr/bin/env python3
"""Turns a step of training in torch (forward, backward, SGD with momentum) into a graph for tplan.

    python3 training_step.py resnet18 -o step.json
    tplan optimize step.json -d cpu,sim:desktop-gpu -o plan.json
    tplan check plan.json && tplan explain plan.json
    tplan optimize step.json -d cpu,sim:desktop-gpu --mem-limit sim:desktop-gpu=120M -o tight.json

The step is traced by make_fx, so its ops are those that torch runs (aten). Parameters, sums of momentum and what layers
keep (running means) are state: they stay on a device, and what updates them is there. Views cost nothing and are left
out. Every op has two costs: of CPU, measured by torch on this one, and of GPU, from its arithmetic and its bytes (a
roofline); the graph is planned, not run. Needs torch 2, and torchvision for its models."""
import argparse
import itertools
import json
import statistics
import time

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

REPEATS = 7
DTYPES = {torch.float32: "float32", torch.float64: "float64", torch.int64: "int64", torch.int32: "int32",
          torch.uint8: "uint8", torch.bool: "bool"}


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))

    def forward(self, x):
        return self.layers(x)


def find_model(name, batch):
    """(module, example input, classes)."""
    if name == "mlp":
        return Mlp(), torch.rand(batch, 784), 10
    import torchvision
    return getattr(torchvision.models, name)(), torch.rand(batch, 3, 224, 224), 1000


def trace(module, x, n_classes, rate, momentum):
    """The step as a torch.fx graph; its arguments; what each is called, and which of its results is its next value."""
    params, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    names, kept = list(params), list(buffers)

    def step(weights, sums, keeps, x, y):
        state = {**dict(zip(names, weights)), **dict(zip(kept, keeps))}
        loss = torch.nn.functional.cross_entropy(torch.func.functional_call(module, state, (x,)), y)
        grads = torch.autograd.grad(loss, weights)
        new_sums = [momentum * s + g for s, g in zip(sums, grads)]
        return loss, [w - rate * s for w, s in zip(weights, new_sums)], new_sums

    weights = [p.detach().requires_grad_() for p in params.values()]
    sums = [torch.zeros_like(w) for w in weights]
    args = (weights, sums, [b.clone() for b in buffers.values()], x, torch.randint(n_classes, (len(x),)))
    traced = make_fx(step)(*args)
    n = len(names)
    return (traced.graph, traced, list(itertools.chain(weights, sums, args[2], args[3:])),
            names + [f"{name}.momentum" for name in names] + kept + ["x", "y"],
            {i: 1 + i for i in range(2 * n)}, 2 * n + len(kept))


def is_view(node, value):
    """Whether its result has bytes of its first argument."""
    first = node.args[0] if node.args and isinstance(node.args[0], torch.fx.Node) else None
    return (isinstance(value, torch.Tensor) and first is not None and isinstance(first.meta["value"], torch.Tensor)
            and not node.target._schema.is_mutable
            and value.untyped_storage().data_ptr() == first.meta["value"].untyped_storage().data_ptr())


def tensors_of(value):
    return [it for it in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(it, torch.Tensor)]


class Writer(torch.fx.Interpreter):
    """Runs the step op by op, and writes each down."""

    def __init__(self, module, names, options):
        super().__init__(module)
        self.names, self.options = iter(names), options
        self.ops, self.constants, self.inputs = [], [], []
        self.held = {}  # node -> what its tensor is called now

    def spec(self, name, value):
        dtype = DTYPES.get(value.dtype)
        shape = [max(extent, 1) for extent in value.shape]
        if dtype is None:  # as many bytes
            shape, dtype = shape + [value.element_size()], "uint8"
        return {"name": name, "shape": shape, "dtype": dtype}

    def measure(self, node, args, kwargs):
        def once():
            start = time.perf_counter_ns()
            node.target(*args, **kwargs)
            return time.perf_counter_ns() - start
        once()
        times = [once() for _ in range(self.options.repeats)]
        half = 1.96 * statistics.stdev(times) / len(times) ** 0.5 if len(times) > 1 else 0
        return [int(statistics.median(times)), int(half)]

    def guess(self, node, args, kwargs, results):
        with FlopCounterMode(display=False) as counter:
            node.target(*args, **kwargs)
        operands = [it for arg in args for it in tensors_of(arg)] + tensors_of(results)
        moved = sum(it.numel() * it.element_size() for it in operands)
        work = max(counter.get_total_flops() / (self.options.gflops * 1e9), moved / (self.options.gbps * 1e9))
        return int(1e9 * work + 1e3 * self.options.launch_us)

    def run_node(self, node):
        if node.op == "placeholder":
            value = super().run_node(node)
            self.held[node] = next(self.names)
            self.inputs.append((node, value))
        elif node.op == "get_attr":
            value = super().run_node(node)
            self.held[node] = node.name
            self.constants.append({**self.spec(node.name, value), "fill": 0})
        elif node.op == "call_function" and node.target.__name__ == "getitem":
            value = super().run_node(node)
            self.held[node] = f"{node.args[0].name}.{node.args[1]}"
        elif node.op == "call_function":
            value = self.run_op(node)
        else:
            value = super().run_node(node)
        node.meta["value"] = value
        return value

    def run_op(self, node):
        args, kwargs = self.fetch_args_kwargs_from_env(node)
        costs = {}
        if not node.target._schema.is_mutable:
            costs[self.options.cpu] = self.measure(node, args, kwargs)
        value = node.target(*args, **kwargs)
        if is_view(node, value):
            self.held[node] = self.held[node.args[0]]
            return value
        if node.target._schema.is_mutable:  # done again it would do something else
            costs[self.options.cpu] = [1000 * int(self.options.launch_us), 0]
        for gpu in self.options.gpu.split(","):
            costs[gpu] = self.guess(node, args, kwargs, value)
        results = list(value) if isinstance(value, (tuple, list)) else [value]
        outputs = [f"{node.name}.{i}" for i in range(len(results))] if len(results) > 1 else [node.name]
        made = [(name, it) for name, it in zip(outputs, results) if isinstance(it, torch.Tensor)]
        specs = [self.spec(name, it) for name, it in made]
        read = dict.fromkeys(self.held[it] for it in node.all_input_nodes)
        self.ops.append({"name": node.name, "type": str(node.target), "inputs": list(read),
                         "outputs": [it["name"] for it in specs], "shapes": [it["shape"] for it in specs],
                         "dtypes": [it["dtype"] for it in specs], "cost": costs})
        self.held[node] = outputs[0]
        if node.target._schema.is_mutable:
            self.held[node.args[0]] = outputs[0]
        return value


def convert(options):
    torch.manual_seed(0)
    module, x, n_classes = find_model(options.model, options.batch)
    graph, traced, args, names, nexts, n_state = trace(module, x, n_classes, options.rate, options.momentum)
    writer = Writer(traced, names, options)
    leaves = [arg.detach() for arg in args]
    with torch.no_grad():
        writer.run(*leaves)
    returned = [it for node in graph.nodes if node.op == "output" for it in torch.utils._pytree.tree_leaves(node.args)]
    states, inputs = [], []
    for i, (node, value) in enumerate(writer.inputs):
        spec = writer.spec(names[i], value)
        if i >= n_state:
            inputs.append(spec)
            continue
        last = writer.held[returned[nexts[i]]] if i in nexts else writer.held[node]
        states.append({**spec, "next": last} if last != names[i] else spec)
    read = {name for op in writer.ops for name in op["inputs"]}
    return {"format": "tplan-graph/1", "name": f"{options.model} step, batch {options.batch}", "inputs": inputs,
            "outputs": [writer.held[returned[0]]], "initializers": writer.constants,
            "state": [it for it in states if it["name"] in read], "ops": writer.ops}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="mlp, or a classifier of torchvision: resnet18")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="runs of each op that is measured")
    parser.add_argument("--cpu", default="cpu", help="the device that measured times are given for")
    parser.add_argument("--gpu", default="sim:desktop-gpu", help="the devices, by commas, that the roofline is given for")
    parser.add_argument("--gflops", type=float, default=20000, help="of its arithmetic")
    parser.add_argument("--gbps", type=float, default=400, help="of its memory")
    parser.add_argument("--launch-us", type=float, default=5, help="before anything happens there")
    options = parser.parse_args()
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(convert(options), file, indent=1)


if __name__ == "__main__":
    main()
