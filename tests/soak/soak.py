#!/usr/bin/env python3
"""Random graphs (random_graph.py) on every device, against the references in
double and, where Python has it, against onnxruntime.

  soak.py [--seconds N] [--first SEED] [--graphs N] [--keep DIR]

$TPLAN is the program. Speaks TAP: a line for each graph that fails, with its
seed and how to repeat it, and one in the end."""
import argparse
import importlib.util
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

import random_graph

TOLERANCE = "1e-3"
ROUNDING = 2e-6               # values are about 1: what cancels keeps their error
RULES = ("epilogue", "prologue", "pointwise")
PASSES = ("scatter", "quantized", "integer", "identity", "transpose", "recognise", "precompute", "fold-norm", "norm", "layout", "permute")
REWRITTEN = ("Resize", "com.microsoft.MatMulNBits")   # no kernels, and not rewritten if given a cost
LIMIT = 600                   # seconds for a command


class Failure(Exception):
    pass


class Shell:
    """Runs tplan in a folder, and remembers what to type to have it again."""

    def __init__(self, folder):
        self.folder, self.lines = folder, []

    def tplan(self, *arguments):
        self.lines.append("tplan " + shlex.join(arguments))
        try:
            done = subprocess.run([os.environ["TPLAN"], *arguments], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end within {LIMIT} s") from None
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise Failure(f"status {done.returncode}: {said[-1] if said else 'nothing said'}")
        return done.stdout

    def save(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)


def find_devices():
    text = Shell(".").tplan("devices", "--format=csv")
    rows = [line.split(",") for line in text.splitlines()]
    return [row[0] for row in rows if row[1] == "ready" and row[0] != "ref"]


def give_costs(graph, devices, draw):
    """The graph with made-up times, so that copies pay or do not."""
    longest = draw.choice((10_000, 1_000_000, 100_000_000))
    for op in graph["ops"]:
        if op["type"] not in REWRITTEN and draw.randrange(8) != 0:
            op["cost"] = {device: draw.randrange(longest) for device in devices}
    return graph


def choose_options(draw):
    options = ["--threads", str(draw.randint(1, 2))]
    if draw.randrange(2) == 0:
        options += [f"--no-fuse={rule}" for rule in RULES]
    if draw.randrange(4) == 0:
        options.append(f"--no-pass={draw.choice(PASSES)}")
    return options


def make_variants(devices, draw):
    """(devices, file, options) of plans that should all give the same; devices
    in a list are for the ops of the plan before to be pinned to."""
    first, options = draw.choice(devices), choose_options(draw)
    yield first, "graph.json", options
    if len(devices) < 2:
        return
    pair = draw.sample(devices, 2)
    kind = draw.randrange(3)
    if kind == 0:
        yield ",".join(pair), "costs.json", choose_options(draw)
    elif kind == 1:
        yield pair, "graph.json", options
    else:
        yield ",".join(pair), "graph.json", choose_options(draw) + [f"--pin=*={pair[1]}"]


def pin_ops(shell, pair, draw):
    with open(os.path.join(shell.folder, "plan.json"), encoding="utf-8") as file:
        names = [op["op"] for op in json.load(file)["ops"]]
    return ["--devices", ",".join(pair), *(f"--pin={name}={draw.choice(pair)}" for name in names)]


def try_plan(shell, draw, devices, file, options):
    is_list = isinstance(devices, list)
    where = pin_ops(shell, devices, draw) if is_list else ["--devices", devices]
    shell.lines = []
    shell.tplan("optimize", "-q", "-f", *where, *options, file, "-o", "plan.json")
    shell.tplan("check", "-q", "plan.json")
    try:
        shell.tplan("run", "-q", "--check", "--tolerance", TOLERANCE, "--warmup", "0", "--repeat", "2",
                    "plan.json")
    except Failure as failure:
        said = re.search("WRONG: .* absolute ([0-9.e+-]+),", str(failure))
        if said is None or not float(said[1]) <= ROUNDING:
            raise


def try_peer(shell, graph):
    """The last plan that was made, against onnxruntime; None, or why not."""
    import peer
    shell.lines = []
    shell.tplan("convert", "-q", "-f", "graph.json", "-o", "graph.onnx")
    try:
        inputs, wanted = peer.run(shell.folder, graph)
    except peer.Unsupported as reason:
        return str(reason)
    shell.tplan("run", "-q", "-f", "--warmup", "0", "--repeat", "1", *inputs, "-o", "out", "plan.json")
    error = peer.compare(shell.folder, wanted, float(TOLERANCE), ROUNDING)
    if error:
        raise Failure(error)
    return None


class Soak:
    def __init__(self, devices, has_peer):
        self.devices, self.has_peer = devices, has_peer
        self.n_graphs = self.n_plans = self.n_peers = self.n_failed = 0
        self.unsupported = set()

    def try_graph(self, seed, folder):
        shell = Shell(folder)
        graph = random_graph.make(seed)
        draw = random.Random(seed)
        shell.save("graph.json", graph)
        shell.save("costs.json", give_costs(random_graph.make(seed), self.devices, draw))
        what = "references"
        try:
            for variant in make_variants(self.devices, draw):
                try_plan(shell, draw, *variant)
                self.n_plans += 1
            if self.has_peer:
                what = "onnxruntime"
                reason = try_peer(shell, graph)
                self.n_peers += reason is None
                self.unsupported.update([reason] if reason else [])
        except Failure as failure:
            self.tell(seed, what, str(failure), shell.lines)
        self.n_graphs += 1

    def tell(self, seed, what, failure, lines):
        self.n_failed += 1
        for line in [failure, f"python3 soak.py --first {seed} --graphs 1 --keep DIR; cd DIR; then", *lines]:
            print("#", line)
        print(f"not ok {self.n_failed} - seed {seed}, against {what}", flush=True)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, help="seed of the first graph; drawn if left out")
    parser.add_argument("--graphs", type=int, default=1 << 30)
    parser.add_argument("--keep", help="leave the files of the last graph there")
    return parser.parse_args()


def main():
    options = parse()
    first = random.randrange(1 << 30) if options.first is None else options.first
    has_peer = all(importlib.util.find_spec(name) for name in ("onnxruntime", "numpy"))
    soak = Soak(find_devices(), has_peer)
    if not soak.devices:
        print("1..0 # SKIP no device but ref")
        return
    print(f"# seeds from {first}, devices {' '.join(soak.devices)}", flush=True)
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as work:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        while time.monotonic() < end and soak.n_graphs < options.graphs:
            soak.try_graph(first + soak.n_graphs, options.keep or work)
    for reason in sorted(soak.unsupported):
        print("# not by onnxruntime:", reason)
    good = "not ok" if soak.n_failed else "ok"
    print(f"{good} {soak.n_failed + 1} - {soak.n_graphs} graphs, {soak.n_plans} plans")
    n = soak.n_failed + 2
    if has_peer:
        print(f"ok {n} - {soak.n_peers} graphs against onnxruntime")
    else:
        print(f"ok {n} - against onnxruntime # SKIP Python has no onnxruntime")
    print(f"1..{n}")


if __name__ == "__main__":
    sys.exit(main())
