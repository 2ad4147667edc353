#!/usr/bin/env python3
"""What the commands take on large graphs.

usage: bench/scale.py TPLAN [OPS]... [--costs random|few] [--runs N] [--only WORD,...]

For each number of OPS (100,000 and 1,000,000 if none is given) a residual network is
drawn, the same each time: blocks of MatMul, Relu, MatMul, Relu and Mul with the input of the
block, each op with given times on two made-up devices; with "few", five times that
repeat. Then each command is run N times (3): of the wall clock, of the time of the
processor and of memory the median is printed, with the size of the file it wrote. All
times planned with are simulated; those printed here are measured.
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DEVICES = ["sim:desktop-cpu", "sim:laptop-gpu"]
# What is run, in this order: its words, and the file that it writes.
STAGES = {
    "info": (["info", "g.json"], None),
    "optimize": (["optimize", "g.json", "-q", "-f", "-d", ",".join(DEVICES), "-o", "p.json"], "p.json"),
    "packed": (["optimize", "g.json", "-q", "-f", "-d", ",".join(DEVICES), "-o", "p.json.gz"], "p.json.gz"),
    "check": (["check", "p.json"], None),
    "check-packed": (["check", "p.json.gz"], None),
    "explain": (["explain", "-q", "p.json"], None),
    "convert": (["convert", "-q", "-f", "g.json", "-o", "c.json"], "c.json"),
    "onnx": (["convert", "-q", "-f", "g.json", "-o", "c.onnx"], "c.onnx"),
}


def write_graph(path, n_ops, few):
    draw = random.Random(1)
    with open(path, "w") as out:
        out.write('{"format":"tplan-graph/1","opset":17,"inputs":[{"name":"x","shape":[64,64]}],')
        out.write('"initializers":[{"name":"w","shape":[64,64],"fill":0.5}],"outputs":["t%d"],"ops":[' % (n_ops - 1))
        before = "x"
        for i in range(n_ops):
            kind = i % 5
            inputs = [before]
            if kind == 4:
                inputs.append("t%d" % (i - 5) if i >= 5 else "x")
            elif kind % 2 == 0:
                inputs.append("w")
            op_type = "Mul" if kind == 4 else "Relu" if kind % 2 else "MatMul"
            base = 40000 if op_type == "MatMul" else 4000
            times = (base + kind * 10, base // 4 + kind) if few else (draw.randrange(base), draw.randrange(base))
            out.write('%s\n{"type":"%s","inputs":[%s],"outputs":["t%d"],"cost":{%s}}' % (
                "," if i else "", op_type, ",".join('"%s"' % name for name in inputs), i,
                ",".join('"%s":%d' % pair for pair in zip(DEVICES, times))))
            before = "t%d" % i
        out.write("]}\n")


def run(command, folder):
    """Wall and processor in seconds, memory in bytes."""
    begin = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen(command, cwd=folder, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("scale.py: `%s` ends with %d" % (" ".join(command), child.returncode))
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(tplan, n_ops, options):
    folder = tempfile.mkdtemp()
    os.environ["TPLAN_COST"] = os.path.join(folder, "cost.db")
    try:
        write_graph(os.path.join(folder, "g.json"), n_ops, options.costs == "few")
        print("%-13s %9s %9s %9s %9s   %d ops, %s costs, %.1f MB of JSON" % (
            "", "wall s", "cpu s", "peak MB", "file MB", n_ops, options.costs,
            os.path.getsize(os.path.join(folder, "g.json")) / 1e6))
        for name, (words, file) in STAGES.items():
            if options.only and name not in options.only.split(","):
                continue
            runs = [run([tplan] + words, folder) for _ in range(options.runs)]
            wall, cpu, peak = (statistics.median(column) for column in zip(*runs))
            size = "%9.1f" % (os.path.getsize(os.path.join(folder, file)) / 1e6) if file else ""
            print("%-13s %9.2f %9.2f %9.0f %s" % (name, wall, cpu, peak / 1e6, size), flush=True)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:], description=__doc__.split("\n")[0])
    parser.add_argument("tplan")
    parser.add_argument("ops", nargs="*", type=int)
    parser.add_argument("--costs", choices=["random", "few"], default="random")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only")
    options = parser.parse_args()
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    print("machine: %s, %d processors, load %.2f" % (model, os.cpu_count(), os.getloadavg()[0]))
    for n_ops in options.ops or [100000, 1000000]:
        measure(os.path.abspath(options.tplan), n_ops, options)


if __name__ == "__main__":
    main()
