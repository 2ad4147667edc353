#!/usr/bin/env python3
"""How much of `--objective makespan` is proved?  Plans each model for pairs of
made-up devices; prints when a run ends whose engines work at once, what it takes
one thing after the other at the least, before when no run ends and the gap, for
each case, and mean and worst of all.  Figures are simulated.

usage: makespan-gap.py TPLAN MODEL...

GAP_DIMS=N=8: values of named dimensions.  A case that is refused is printed with
the reason, and makes the exit status 1."""
import json
import os
import subprocess
import sys
import time

PAIRS = ["edge embedded", "laptop integrated", "desktop integrated", "laptop laptop",
         "desktop desktop", "server desktop", "server server"]


def plan(tplan, model, pair):
    """(what --json says, seconds)"""
    cpu, gpu = pair.split()
    dims = [it for dim in os.environ.get("GAP_DIMS", "").split() for it in ("--dim", dim)]
    start = time.monotonic()
    done = subprocess.run([tplan, "optimize", "--format", "json", "--objective", "makespan", "--devices",
                           f"sim:{cpu}-cpu,sim:{gpu}-gpu", *dims, model],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout), time.monotonic() - start


def main():
    tplan, *models = sys.argv[1:]
    gaps, refused = [], 0
    print(f"{'model':18} {'pair (simulated)':18} {'ops':>5} {'least cost':>12} {'makespan':>12} {'bound':>12}   gap %  time")
    for model in models:
        name = os.path.basename(model).rsplit(".", 1)[0]
        for pair in PAIRS:
            try:
                said, took = plan(tplan, model, pair)
            except RuntimeError as reason:
                print(f"{name:18} {pair:18} refused: {reason}", flush=True)
                refused += 1
                continue
            span = said["span"]
            gaps.append(100 * span["gap"])
            print(f"{name:18} {pair:18} {said['ops']:5} {said['bound_ns']:9} ns {span['span_ns']:9} ns "
                  f"{span['bound_ns']:9} ns {gaps[-1]:7.2f} {took:5.1f} s", flush=True)
    if gaps:
        print(f"{len(gaps)} cases, simulated: gap {sum(gaps) / len(gaps):.2f} % in the mean, "
              f"{max(gaps):.2f} % at worst")
    sys.exit(refused > 0)


if __name__ == "__main__":
    main()
