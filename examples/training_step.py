#!/usr/bin/env python3
"""Turns a step of training in torch (forward, backward, optimizer) into a graph for tplan.

    python3 training_step.py resnet18 -o step.json
    tplan optimize step.json -d cpu,sim:desktop-gpu -o plan.json
    tplan check plan.json && tplan explain plan.json
    tplan optimize step.json -d cpu,sim:desktop-gpu --mem-limit sim:desktop-gpu=120M -o tight.json
    python3 training_step.py Bert -o large.json --optimizer adam --cpu-gflops 1000 --cpu-gbps 50

The step is traced by make_fx, so its ops are those that torch runs (aten). Parameters, sums of the optimizer and what
layers keep (running means) are state: they stay on a device, and what updates them is there. Views cost nothing and are
left out. Every op has two costs: of CPU, measured by torch on this one, and of GPU, from its arithmetic and its bytes (a
roofline). With --cpu-gflops that of CPU is a roofline as well: nothing is run then, and no memory taken, so models of
any size go. The graph is planned, not run. Needs torch 2.2, and torchvision or transformers for their models."""
import argparse
import collections
import contextlib
import json
import operator
import statistics
import time

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import traceback
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

REPEATS = 7
N_TOKENS = 128
DTYPES = {torch.float32: "float32", torch.float64: "float64", torch.int64: "int64", torch.int32: "int32",
          torch.uint8: "uint8", torch.bool: "bool"}


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))

    def forward(self, x):
        return self.layers(x)


def find_transformer(name, batch):
    """By the name of its configuration, with the sizes that this has: Bert, GPT2, ViT."""
    import transformers
    config = getattr(transformers, f"{name}Config")()
    module = transformers.AutoModel.from_config(config)
    if module.main_input_name == "pixel_values":
        size = [config.image_size] * 2 if isinstance(config.image_size, int) else config.image_size
        return module, {"pixel_values": torch.rand(batch, config.num_channels, *size)}, {}
    words = torch.randint(config.vocab_size, (batch, N_TOKENS))
    more = {"decoder_input_ids": words.clone()} if config.is_encoder_decoder else {}
    return module, {module.main_input_name: words, **more}, {}


def find_model(name, batch):
    """(module, example inputs by name, labels by name, which only classifiers have)."""
    if name == "mlp":
        return Mlp(), {"x": torch.rand(batch, 784)}, {"y": torch.randint(10, (batch,))}
    import torchvision
    if name in dir(torchvision.models):
        labels = {"y": torch.randint(1000, (batch,))}
        return getattr(torchvision.models, name)(), {"x": torch.rand(batch, 3, 224, 224)}, labels
    return find_transformer(name, batch)


def sgd(weight, gradient, sums, options):
    total = options.momentum * sums[0] + gradient
    return weight - options.rate * total, [total]


def adam(weight, gradient, sums, options):
    count, mean, square = sums[0] + 1, sums[1] * 0.9 + gradient * 0.1, sums[2] * 0.999 + gradient * gradient * 0.001
    unbiased = (square / (1 - 0.999 ** count)).sqrt()
    return weight - options.rate / (1 - 0.9 ** count) * mean / (unbiased + 1e-8), [count, mean, square]


# What each sums up: beside the function, the name of every sum, and whether it is one number.
OPTIMIZERS = {"sgd": (sgd, {"momentum": False}), "adam": (adam, {"count": True, "mean": False, "square": False})}


def loss_of(result, labels):
    if labels:
        return torch.nn.functional.cross_entropy(result, *labels.values())
    return sum(it.float().pow(2).mean() for it in tree_leaves(result)
               if isinstance(it, torch.Tensor) and it.requires_grad)


# The graph, its arguments and what each is called, how many of these are state, and
# {argument: the result that is its next value}.
Trace = collections.namedtuple("Trace", "module arguments names n_states nexts")


def hook_backward(loss):
    """Has torch note on every op of the backward pass which forward op it belongs to ("seq_nr")."""
    with contextlib.suppress(ImportError):  # it is torch's own affair where this lies
        from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
        setup_stacktrace_preservation_hooks([loss.grad_fn])


def trace(module, inputs, labels, options, note=lambda name: None):
    """@note is called before each parameter is updated, with its name. No optimizer: the forward pass alone."""
    params, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    update, kinds = OPTIMIZERS.get(options.optimizer, (None, {}))

    def step(weights, sums, kept, values, labels):
        result = torch.func.functional_call(module, {**weights, **kept}, (), values)
        if update is None:
            return [it for it in tree_leaves(result) if isinstance(it, torch.Tensor)]
        loss = loss_of(result, labels)
        hook_backward(loss)
        nexts, new_sums = [], []
        gradients = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
        for (name, weight), of, gradient in zip(weights.items(), sums, gradients):
            note(name)
            weight, of = (weight, of) if gradient is None else update(weight, gradient, of, options)
            nexts.append(weight)
            new_sums += of
        return [loss, *nexts, *new_sums]

    weights = {name: it.detach().requires_grad_() for name, it in params.items()}
    sums = [[torch.zeros([] if is_one else it.shape) for is_one in kinds.values()] for it in weights.values()]
    kept = {name: it.detach().clone() for name, it in buffers.items()}
    with traceback.preserve_node_meta():
        traced = make_fx(step, tracing_mode="fake")(weights, sums, kept, inputs, labels)
    names = [*weights, *(f"{name}.{kind}" for name in weights for kind in kinds), *kept]
    n_nexts = len(weights) * (1 + len(kinds)) if update else 0
    arguments = [it.detach() for it in tree_leaves([weights, sums, kept, inputs, labels])]
    return Trace(traced, arguments, names + [*inputs, *labels], len(names), {i: 1 + i for i in range(n_nexts)})


def tensors_of(value):
    return [it for it in tree_leaves(value) if isinstance(it, torch.Tensor)]


class Writer:
    """Writes the ops of a trace down.  @price: (node, operations, bytes) -> its "cost"."""

    def __init__(self, names, price):
        self.names, self.price = iter(names), price
        self.ops, self.nodes, self.constants, self.inputs = [], [], [], []
        self.base = {}  # node -> that whose memory its result lies in: another one's, if it is a view
        self.held = {}  # such a node -> what its tensor is called now

    def hold(self, node, name, value):
        shape, dtype = [max(extent, 1) for extent in value.shape], DTYPES.get(value.dtype)
        if dtype is None:  # as many bytes
            shape, dtype = shape + [value.element_size()], "uint8"
        self.base.setdefault(node, node)
        self.held[node] = name
        return {"name": name, "shape": shape, "dtype": dtype}

    def name_of(self, node):
        return self.held[self.base[node]]

    def add(self, node):
        value = node.meta.get("val")
        if node.op == "placeholder":
            self.inputs.append((node, self.hold(node, next(self.names), value)))
        elif node.op == "get_attr":
            value = node.meta["val"] = operator.attrgetter(node.target)(node.graph.owning_module)
            self.constants.append({**self.hold(node, node.name, value), "fill": 0})
        elif node.target is operator.getitem:
            source, which = node.args
            if source in self.base:  # of a list of views
                self.base[node] = self.base[source]
            elif isinstance(value, torch.Tensor):
                self.hold(node, f"{source.name}.{which}", value)
        elif node.op == "call_function":
            self.add_op(node, value)

    def is_view(self, node, value):
        """Whether its results have bytes of its first argument."""
        first = node.args[0].meta["val"] if node.args and isinstance(node.args[0], torch.fx.Node) else None
        if node.target._schema.is_mutable or not isinstance(first, torch.Tensor) or not tensors_of(value):
            return False
        memory = first.untyped_storage()._cdata
        return all(it.untyped_storage()._cdata == memory for it in tensors_of(value))

    def add_op(self, node, value):
        if self.is_view(node, value):
            self.base[node] = self.base[node.args[0]]
            return
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda it: it.meta["val"])
        count = flop_registry.get(node.target.overloadpacket, lambda *_, **__: 0)
        moved = sum(it.numel() * it.element_size() for it in tensors_of([args, kwargs, value]))
        cost = self.price(node, count(*args, **kwargs, out_val=value), moved)
        read = dict.fromkeys(self.name_of(it) for it in node.all_input_nodes if it in self.base)
        changed = [node.args[i] for i, it in enumerate(node.target._schema.arguments[:len(node.args)])
                   if it.alias_info and it.alias_info.is_write and isinstance(node.args[i], torch.fx.Node)]
        if changed:  # what lies there has a new name from here on
            made = [self.hold(self.base[it], f"{node.name}.{i}", self.base[it].meta["val"])
                    for i, it in enumerate(changed)]
            self.base[node] = self.base[changed[0]]
        elif isinstance(value, torch.Tensor):
            made = [self.hold(node, node.name, value)]
        else:
            made = [self.hold((node, i), f"{node.name}.{i}", it) for i, it in enumerate(value or ())
                    if isinstance(it, torch.Tensor)]
        if made:
            self.nodes.append(node)
            self.ops.append({"name": node.name, "type": str(node.target), "inputs": list(read),
                             "outputs": [it["name"] for it in made], "shapes": [it["shape"] for it in made],
                             "dtypes": [it["dtype"] for it in made], "cost": cost})


class Stopwatch(torch.fx.Interpreter):
    """Runs a trace op by op: times[node] = [nanoseconds, half of the interval]."""

    def __init__(self, module, options):
        super().__init__(module)
        self.options, self.times = options, {}

    def run_node(self, node):
        if node.op == "call_function" and node.target is not operator.getitem:
            if node.target._schema.is_mutable:  # done again it would do something else
                self.times[node] = [1000 * int(self.options.launch_us), 0]
            else:
                self.times[node] = self.measure(node, *self.fetch_args_kwargs_from_env(node))
        return super().run_node(node)

    def measure(self, node, args, kwargs):
        def once():
            start = time.perf_counter_ns()
            node.target(*args, **kwargs)
            return time.perf_counter_ns() - start
        once()
        times = [once() for _ in range(self.options.repeats)]
        half = 1.96 * statistics.stdev(times) / len(times) ** 0.5 if len(times) > 1 else 0
        return [int(statistics.median(times)), int(half)]


def write(traced, name, price):
    """(the graph, of each op its node in the trace)."""
    writer = Writer(traced.names, price)
    for node in traced.module.graph.nodes:
        writer.add(node)
    returned = [it for node in traced.module.graph.nodes if node.op == "output" for it in tree_leaves(node.args)]
    made = {it for op in writer.ops for it in op["outputs"]}
    read = {it for op in writer.ops for it in op["inputs"]}
    states, inputs, nexts = [], [], set()
    for i, (node, spec) in enumerate(writer.inputs):
        first = traced.names[i]
        last = writer.name_of(returned[traced.nexts[i]]) if i in traced.nexts else writer.name_of(node)
        if i >= traced.n_states:
            inputs.append({**spec, "name": first})
        elif first in read:
            is_next = last in made and last not in nexts
            states.append({**spec, "name": first, **({"next": last} if is_next else {})})
            nexts.add(last)
    outputs = returned[:1] if traced.nexts else returned
    outputs = dict.fromkeys(writer.name_of(it) for it in outputs if it in writer.base)
    return {"format": "tplan-graph/1", "name": name, "inputs": [it for it in inputs if it["name"] in read],
            "outputs": [it for it in outputs if it in made], "initializers": writer.constants,
            "state": states, "ops": writer.ops}, writer.nodes


def roofline(flops, moved, gflops, gbps, launch_us):
    return int(1e9 * max(flops / (gflops * 1e9), moved / (gbps * 1e9)) + 1e3 * launch_us)


def convert(options):
    def price(node, flops, moved):
        cpu = watch.times[node] if watch else roofline(flops, moved, options.cpu_gflops, options.cpu_gbps, 0)
        gpu = roofline(flops, moved, options.gflops, options.gbps, options.launch_us)
        return {options.cpu: cpu, **{name: gpu for name in options.gpu.split(",")}}

    torch.manual_seed(0)
    with FakeTensorMode(allow_non_fake_inputs=True) if options.cpu_gflops else contextlib.nullcontext():
        traced = trace(*find_model(options.model, options.batch), options)
    watch = None if options.cpu_gflops else Stopwatch(traced.module, options)
    if watch:
        with torch.no_grad():
            watch.run(*traced.arguments)
    return write(traced, f"{options.model} step, batch {options.batch}", price)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="mlp, a classifier of torchvision (resnet18), or a model of transformers (Bert)")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--optimizer", choices=list(OPTIMIZERS), default="sgd")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="runs of each op that is measured")
    parser.add_argument("--cpu", default="cpu", help="the device that measured times are given for")
    parser.add_argument("--cpu-gflops", type=float, default=0, help="of its arithmetic, and measure nothing")
    parser.add_argument("--cpu-gbps", type=float, default=50, help="of its memory, then")
    parser.add_argument("--gpu", default="sim:desktop-gpu", help="the devices, by commas, that the roofline is given for")
    parser.add_argument("--gflops", type=float, default=20000, help="of its arithmetic")
    parser.add_argument("--gbps", type=float, default=400, help="of its memory")
    parser.add_argument("--launch-us", type=float, default=5, help="before anything happens there")
    options = parser.parse_args()
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(convert(options), file, indent=1)


if __name__ == "__main__":
    main()
