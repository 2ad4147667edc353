#!/usr/bin/env python3
"""Times tplan against python3-torch (frozen, oneDNN), side by side in one run.

usage: torch-run.py TPLAN NETWORKS-DIR WORK-DIR [NETWORK ...]

Rounds alternate: a few runs of torch, a few of tplan, and so on; the figure of
each is the median over rounds of the round's median.  One thread, pinned.
"""
import json
import os
import statistics
import subprocess
import sys
import time

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))
REPEATS = 3
CPU = "0"
LIMITS = {"resnet50": 2.0, "densenet121": 2.5, "mobilenet_v2": 2.5, "squeezenet1_1": 2.5,
          "bert_base": 2.0}


def torch_model(torch, name):
    if name == "bert_base":
        import torch_bert
        model, inputs = torch_bert.make()
    else:
        import torchvision
        model = getattr(torchvision.models, name)().eval()
        inputs = (torch.randn(1, 3, 224, 224),)
    with torch.no_grad():
        frozen = torch.jit.freeze(torch.jit.trace(model, inputs))
        frozen = torch.jit.optimize_for_inference(frozen)
        for _ in range(5):
            frozen(*inputs)
    return frozen, inputs


def torch_times(torch, frozen, inputs):
    times = []
    with torch.no_grad():
        for _ in range(REPEATS):
            start = time.perf_counter_ns()
            frozen(*inputs)
            times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def tplan_time(tplan, plan, cpus, threads):
    out = subprocess.run(
        ["taskset", "-c", cpus, tplan, "run", plan, "--threads", str(threads),
         "--warmup", "3", "--repeat", str(REPEATS), "--format", "json"],
        check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)["median_ns"]


def main():
    tplan, networks, work = sys.argv[1:4]
    names = sys.argv[4:] or list(LIMITS)
    os.sched_setaffinity(0, {int(CPU)})
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        import torch
    except ImportError:
        print("torch: skipped: python3-torch is not installed")
        return 0
    torch.set_num_threads(1)
    print("torch %s, 1 thread on CPU %s, batch 1, %d rounds of %d, load %.2f" % (
        torch.__version__, CPU, ROUNDS, REPEATS, os.getloadavg()[0]))
    failed = 0
    for name in names:
        plan = os.path.join(work, name + ".plan.json")
        subprocess.run(["taskset", "-c", CPU, tplan, "optimize", "-q", "-f", "--devices", "cpu", "--threads", "1",
                        os.path.join(networks, name + ".json"), "-o", plan],
                       check=True, stdout=subprocess.DEVNULL)
        frozen, inputs = torch_model(torch, name)
        theirs, ours, two = [], [], []
        for _ in range(ROUNDS):
            theirs.append(torch_times(torch, frozen, inputs))
            ours.append(tplan_time(tplan, plan, CPU, 1))
            if os.cpu_count() > 1:
                two.append(tplan_time(tplan, plan, "0,1", 2))
        them, us = statistics.median(theirs), statistics.median(ours)
        good = us <= LIMITS[name] * them
        failed += not good
        print("%-14s torch %8.2f ms  tplan %8.2f ms  ratio %.2f (limit %.1f)%s%s" % (
            name, them / 1e6, us / 1e6, us / them, LIMITS[name],
            "  two threads %.2f ms, %.2f x one" % (statistics.median(two) / 1e6, us / statistics.median(two))
            if two else "", "" if good else "  TOO SLOW"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
