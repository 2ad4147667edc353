#!/usr/bin/env python3
"""How wrong are the predictions?  Calibrates, plans and runs the example
networks all on one device, and compares predicted with measured time.

usage: predict.py TPLAN NETWORKS-DIR WORK-DIR [NETWORK ...]

Also prints the ratio of opencl:0 to cpu, and the time of a warm `optimize`.
The plans of all devices are run in turn, round by round; figures are medians
of at least nine rounds.  Python is used here only to drive the tplan program.
"""
import json
import os
import statistics
import subprocess
import sys
import time

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))
BATCHES = [int(b) for b in os.environ.get("BENCH_BATCHES", "1 4").split()]
DEVICES = os.environ.get("BENCH_DEVICES", "cpu opencl:0").split()
NAMES = ["squeezenet1_1", "mobilenet_v2", "resnet50", "densenet121"]


def call(*args):
    out = subprocess.run(args, check=True, stdout=subprocess.PIPE)
    return out.stdout


def main():
    tplan, networks, work = sys.argv[1:4]
    names = sys.argv[4:] or NAMES
    with open("/proc/cpuinfo") as info:
        cpu = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    print("machine: %d x %s, load %.2f, %d rounds" % (
        len(cpu), cpu[0] if cpu else "unknown CPU", os.getloadavg()[0], ROUNDS))
    errors, ratios = [], {}
    for name in names:
        for batch in BATCHES:
            model = os.path.join(networks, name + ".json")
            dim = "N=%d" % batch
            call(tplan, "calibrate", "-q", "--dim", dim, model)
            plans = {}
            for device in DEVICES:
                plans[device] = os.path.join(work, "%s-%d-%s.plan.json" % (name, batch, device.replace(":", "")))
                pins = [] if device == "cpu" else ["--pin", "*=" + device]
                devices = "cpu" if device == "cpu" else "cpu," + device
                call(tplan, "optimize", "-q", "-f", "--dim", dim, "--devices", devices, *pins, model,
                     "-o", plans[device])
            runs = {device: [] for device in DEVICES}
            for _ in range(ROUNDS):
                for device in DEVICES:
                    runs[device].append(json.loads(call(
                        tplan, "run", "-q", "--warmup", "5", "--repeat", "15", "--format", "json", plans[device])))
            for device in DEVICES:
                measured = statistics.median(run["median_ns"] for run in runs[device])
                predicted = runs[device][0]["predicted_ns"]
                error = predicted / measured - 1
                errors.append(abs(error))
                ratios[name, batch, device] = measured
                print("%-14s batch %d %-9s predicted %9.2f ms  measured %9.2f ms  error %+6.1f %%" % (
                    name, batch, device, predicted / 1e6, measured / 1e6, 100 * error))
    print("mean absolute error of %d predictions: %.1f %% (limit 15 %%)" % (
        len(errors), 100 * statistics.mean(errors)))
    if len(DEVICES) > 1:
        for name in names:
            print("%-14s batch 1: %s takes %.2f x the time of %s" % (
                name, DEVICES[1], ratios[name, BATCHES[0], DEVICES[1]] / ratios[name, BATCHES[0], DEVICES[0]],
                DEVICES[0]))
    warm = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call(tplan, "optimize", "-q", "-f", os.path.join(networks, names[-1] + ".json"),
             "-o", os.path.join(work, "warm.plan.json"))
        warm.append(time.perf_counter() - start)
    print("warm optimize of %s: %.3f s, median of %d" % (names[-1], statistics.median(warm), ROUNDS))
    return 0 if statistics.mean(errors) <= 0.15 else 1


if __name__ == "__main__":
    sys.exit(main())
