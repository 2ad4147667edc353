#!/usr/bin/env python3
"""Do plans cost what others say that the least is?  Traces models of torchvision, transformers and torch, which nobody
made for tplan, as inference and as steps of training, by ops and by layers (outside_traces.py), or reads PipeDream's
profiles (outside_profiles.py); draws for two devices or three what is not given, by seed; and compares what `tplan
optimize` plans with a mixed integer program and, of two devices, with another maximum flow (outside_oracle.py), to the
nanosecond.  `tplan check` and tests/check_plan.py look at each plan (of large trees the latter has no time).  What is
done is written to FOLDER, and not done again: remove done-*.jsonl when the planner changes.  Figures are simulated.
Needs scipy, and for traces torch 2, torchvision and transformers (tried: 1.17, 2.15, 0.29 and 5.24).

usage: outside.py TPLAN FOLDER [--pipedream PROFILES] [--only GLOB,...] [--seed N] [--seconds N]
       outside.py --list [--pipedream PROFILES]"""
import argparse
import fnmatch
import importlib
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

from outside_oracle import Problem
from outside_prices import DEVICES

TOP = pathlib.Path(__file__).resolve().parent.parent


def command(*words, seconds=None):
    """Whether it was done in that time."""
    try:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def compare(options, path, n_devices):
    """A record: what counts of a graph, its ops, seconds of planning, a line.  AssertionError: it is not the least."""
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
    solved = best is not None and least is not None and least > best - 0.5
    assert bound <= (math.inf if best is None else best), f"a bound of {bound}, and the MIP finds {best}"
    assert not solved or paid >= best, f"costs {paid}, and the MIP says {best} is least"
    assert n_devices > 2 or paid == bound == problem.flow(), f"{paid}, bound {bound}, flow {problem.flow()}"
    counted = {"plans": 1, "mixed": len(set(cheapest)) > 1, "ties": "tie_price_ns" in plan, "checked twice": is_twice,
               "solved": solved, "proved": paid == bound, "equal": paid == bound == best, "missed": solved and paid > best}
    line = (f"{len(plan['ops'])} ops, {n_devices} devices, {[cheapest.count(d) for d in range(n_devices)]}, least {paid} ns"
            f"{'' if paid == bound else f', bound {bound}'}{'' if solved else f', MIP from {least} to {best}'}"
            f"{', tie' * counted['ties']}; {seconds:.2f} s, MIP {time.perf_counter() - start:.1f}")
    return {"counted": counted, "ops": len(plan["ops"]), "seconds": seconds, "line": line}


def try_all(options, source, names):
    """Gives a record of each, which is said as well."""
    for subject, chosen in itertools.groupby(names, key=lambda it: it[1]):
        try:
            read = source.read(*subject)
        except Exception as reason:  # of any kind: it is torch's, or the model's
            why = (str(reason).strip() or "-").splitlines()[0]
            for name, *_ in chosen:
                yield {"name": name, "line": f"not read: {type(reason).__name__}: {why}"}
            continue
        for name, _, kind in chosen:
            path = pathlib.Path(options.folder) / f"{name}.json"
            graph, n_devices = source.make(read, kind, random.Random(f"{options.seed} {name}"))
            path.write_text(json.dumps(graph), encoding="utf-8")
            try:
                yield {"name": name, "limit": options.seconds, **compare(options, path, n_devices)}
                path.with_suffix(".plan.json").unlink()
            except (AssertionError, subprocess.CalledProcessError) as reason:
                yield {"name": name, "line": f"NOT SO: {reason} {getattr(reason, 'stderr', '')}"}


def run(options, source, names):
    """What is done in FOLDER is not done again, but what the MIP did not solve in less time than it may take now."""
    path, done = pathlib.Path(options.folder) / f"done-{options.seed}.jsonl", {}
    if path.exists():
        done = {it["name"]: it for it in map(json.loads, path.read_text(encoding="utf-8").splitlines())
                if it["counted"]["solved"] or it["limit"] >= options.seconds}
    records = [done[name] for name, *_ in names if name in done]
    with path.open("a", encoding="utf-8") as file:
        for record in try_all(options, source, [it for it in names if it[0] not in done]):
            print(f"{record['name']}: {record['line']}", flush=True)
            records.append(record)
            if "counted" in record:
                print(json.dumps(record), file=file, flush=True)
    total, failed = {}, [it["name"] for it in records if "counted" not in it]
    for key, value in ((key, value) for it in records if "counted" in it for key, value in it["counted"].items()):
        total[key] = total.get(key, 0) + value
    largest, slowest = (max((it.get(key, 0) for it in records), default=0) for key in ("ops", "seconds"))
    print(*(f"{value} {key}" for key, value in total.items()), f"largest {largest} ops, slowest {slowest:.2f} s",
          f"{len(failed)} not read or not so", *failed, sep=", ")
    return bool(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tplan", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--pipedream", metavar="PROFILES", help="graphs of PipeDream's profiles below this folder, not of torch")
    parser.add_argument("--list", action="store_true", help="the names of all graphs")
    parser.add_argument("--only", default="*", metavar="GLOB,...", help="graphs whose names match one of these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="that the MIP may take, and the checker in Python")
    options = parser.parse_args()
    source = importlib.import_module("outside_profiles" if options.pipedream else "outside_traces")
    names = [it for it in source.names(*([options.pipedream] if options.pipedream else []))
             if any(fnmatch.fnmatchcase(it[0], glob) for glob in options.only.split(","))]
    if options.list:
        print(*(name for name, *_ in names), sep="\n")
        return False
    if options.folder is None:
        parser.error("TPLAN and FOLDER are to be given")
    os.makedirs(options.folder, exist_ok=True)
    return run(options, source, names)


if __name__ == "__main__":
    sys.exit(main())
