#!/usr/bin/env python3
"""How much of `--objective throughput` is proved?  Plans each model for pairs of
made-up devices; prints the gap between what the busiest engine carries and what
none goes below, for each case, and mean and worst of all.  Figures are simulated.

usage: throughput-gap.py TPLAN MODEL...

GAP_DIMS=N=8: values of named dimensions.  GAP_NPU=npu.conf: of three sets of four
devices instead, one of which is that made-up machine (docs/planner.md).  A case that is refused is printed with
the reason, and makes the exit status 1."""
import json
import os
import subprocess
import sys
import time

PAIRS = ["edge embedded", "laptop integrated", "desktop integrated", "laptop laptop",
         "desktop desktop", "server desktop", "server server"]
FOURS = ["desktop laptop desktop", "laptop integrated laptop", "server desktop server"]
NPU = os.environ.get("GAP_NPU")


def plan(tplan, model, pair):
    """(what --json says, seconds)"""
    cpu, *gpus = pair.split()
    devices = ",".join([f"sim:{cpu}-cpu", *(f"sim:{it}-gpu" for it in gpus), *([f"sim:{NPU}"] if NPU else [])])
    dims = [it for dim in os.environ.get("GAP_DIMS", "").split() for it in ("--dim", dim)]
    start = time.monotonic()
    done = subprocess.run([tplan, "optimize", "--format", "json", "--objective", "throughput", "--devices",
                           devices, *dims, model],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout), time.monotonic() - start


def main():
    tplan, *models = sys.argv[1:]
    gaps, refused = [], 0
    print(f"{'model':24} {'devices (simulated)':24} {'ops':>6} {'busiest':>12} {'bound':>12}   gap %  time")
    for model in models:
        name = os.path.basename(model).rsplit(".", 1)[0]
        for pair in FOURS if NPU else PAIRS:
            try:
                said, took = plan(tplan, model, pair)
            except RuntimeError as reason:
                print(f"{name:24} {pair:24} refused: {reason}", flush=True)
                refused += 1
                continue
            load, n_ops = said["load"], said["ops"]
            gaps.append(100 * load["gap"])
            print(f"{name:24} {pair:24} {n_ops:6} {load['load_ns']:9} ns {load['bound_ns']:9} ns "
                  f"{gaps[-1]:7.2f} {took:5.1f} s", flush=True)
    if gaps:
        print(f"{len(gaps)} cases, simulated: gap {sum(gaps) / len(gaps):.2f} % in the mean, "
              f"{max(gaps):.2f} % at worst")
    sys.exit(refused > 0)


if __name__ == "__main__":
    main()
