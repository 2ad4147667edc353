#!/usr/bin/env python3
"""Is a plan worth running?  Calibrates each network and has `tplan bench` run
its plan and all on each single device in turns; prints the time of the plan
over that of the best single device, with its 95 % interval.

usage: bench-plans.py TPLAN NETWORKS-DIR WORK-DIR [NETWORK ...]

Exit status 1: a plan is more than 1 % slower than the best single device, even
at the near end of its interval.  BENCH_BUSY=1: calibrated in company.
BENCH_VERIFY=1: the plan of `tplan optimize --verify` runs too, on a line of its
own.  What WORK-DIR has the result of is told and not measured again, so that it
may be stopped and go on.  Python is used here only to drive the tplan program.
"""
import contextlib
import json
import os
import subprocess
import sys

BATCHES = [int(b) for b in os.environ.get("BENCH_BATCHES", "1").split()]
DEVICES = os.environ.get("BENCH_DEVICES", "")  # empty: those tplan chooses
BUSY = bool(os.environ.get("BENCH_BUSY"))  # while calibrating
VERIFY = bool(os.environ.get("BENCH_VERIFY"))
THREADS = os.environ.get("BENCH_THREADS", "")  # empty: as many as processors
LIMIT = os.environ.get("BENCH_LIMIT", "30s")
NAMES = ["squeezenet1_1", "mobilenet_v2", "bert_mini", "gpt2_mini", "vit_ti_16", "gru_tagger"]
SLOWER = 1.01


def call(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE).stdout


def find_model(networks, name):
    """NAME.json or NAME.onnx"""
    path = os.path.join(networks, name + ".json")
    return path if os.path.exists(path) else os.path.join(networks, name + ".onnx")


@contextlib.contextmanager
def company():
    """With BENCH_BUSY: two processes that spin and one that streams memory."""
    commands = [["sh", "-c", "while :; do :; done"]] * 2 + [["dd", "if=/dev/zero", "of=/dev/null", "bs=64M"]]
    others = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands] if BUSY else []
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(tplan, model, options, work):
    """JSON text of `tplan bench`."""
    with company():
        call(tplan, "calibrate", "-q", *options, model)
    if not VERIFY:
        return call(tplan, "bench", "-q", *options, "--time-limit", LIMIT, "--format", "json", model)
    plan = os.path.join(work, "verified.plan.json")
    call(tplan, "optimize", "-q", "-f", "--verify", *options, model, "-o", plan)
    return call(tplan, "bench", "-q", *options, "--time-limit", LIMIT, "--format", "json", model, plan)


def recall(tplan, model, options, work, name):
    """What WORK-DIR has, or what is measured and kept there."""
    path = os.path.join(work, name + ".bench.json")
    if not os.path.exists(path):
        text = measure(tplan, model, options, work)
        with open(path + "~", "wb") as file:
            file.write(text)
        os.rename(path + "~", path)
    with open(path, "rb") as file:
        return json.load(file)


def find_plans(result):
    """The plan, and the verified one; a plan that is all on one device is that device's contestant."""
    by_name = {os.path.basename(it["name"]): it for it in result["contestants"]}
    return [by_name[name] for name in ("plan", "verified.plan.json") if name in by_name]


def describe(name, batch, result, plan):
    """Prints a line; returns whether the plan is slower."""
    base = next(it for it in result["contestants"] if it["name"] == result["baseline"])
    where = " + ".join("%d %s" % (n, device) for device, n in plan["devices"].items() if n > 0)
    is_told = plan["high"] is not None
    is_slower = is_told and plan["low"] > SLOWER
    print("%-18s %5d %10.3f %-10s %10.3f %7.3f %-16s %6d %s%s%s%s%s" % (
        name, batch, plan["median_ns"] / 1e6, base["device"] or base["name"], base["median_ns"] / 1e6,
        plan["ratio"], "%.3f to %.3f" % (plan["low"], plan["high"]) if is_told else "-", result["rounds"],
        where, " (simulated)" if result["simulated"] else "", " BUSY" if result["busy"] else "",
        " verified" if plan["name"] != "plan" else "", " SLOWER" if is_slower else ""), flush=True)
    return is_slower


def main():
    tplan, networks, work = sys.argv[1:4]
    names = sys.argv[4:] or NAMES
    options = (["--devices", DEVICES] if DEVICES else []) + (["--threads", THREADS] if THREADS else [])
    with open("/proc/cpuinfo") as info:
        cpu = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    print("machine: %d x %s, load %.2f, at most %s each%s%s" % (
        len(cpu), cpu[0] if cpu else "unknown CPU", os.getloadavg()[0], LIMIT,
        ", calibrated in company" if BUSY else "", ", --verify" if VERIFY else ""))
    print("%-18s %5s %10s %-10s %10s %7s %-16s %6s %s" % (
        "network", "batch", "plan ms", "best", "best ms", "ratio", "95 %", "rounds", "placement"))
    n_slower = n_plans = 0
    for name in names:
        for batch in BATCHES:
            model = find_model(networks, name)
            dims = ["--dim", "N=%d" % batch] if batch > 1 else []
            result = recall(tplan, model, dims + options, work, "%s-%d" % (name, batch))
            for plan in find_plans(result):
                n_slower += describe(name, batch, result, plan)
                n_plans += 1
    print("%d of %d plans are more than 1 %% slower than the best single device" % (
        n_slower, n_plans))
    return n_slower > 0


sys.exit(main())
