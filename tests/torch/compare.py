"""Runs an exported model through tplan, and says how far the answer is from
that of torch. $TPLAN is the program."""
import json
import os
import subprocess
import tempfile
import time

import numpy

TOLERANCE = 1e-3
FLOOR = 0.01                  # of the largest value: as `tplan run --check` has it


def call(*arguments):
    """Standard output of tplan; an error names what it said."""
    done = subprocess.run([os.environ["TPLAN"], *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def measure_error(got, want):
    if got.dtype != want.dtype or got.shape != want.shape:
        raise RuntimeError(f"gives {got.dtype} {got.shape}, not {want.dtype} {want.shape}")
    if not numpy.isfinite(got).all():
        raise RuntimeError("gives infinities or NaN")
    if not want.any():
        raise RuntimeError("is to be 0 everywhere: that tests nothing")
    scale = numpy.maximum(abs(want), FLOOR * abs(want).max())
    return float((abs(got - want) / scale).max())


def plan_options(devices, plan):
    """All on the last device; mixed: every second op of the plan on each."""
    if devices != "mixed":
        return ["--devices", "cpu" if devices == "cpu" else f"cpu,{devices}",
                "--pin", f"*={devices}"]
    with open(plan) as file:
        ops = [op["op"] for op in json.load(file)["ops"]]
    pins = [f"--pin={op}=opencl:0" for op in ops[::2]]
    return ["--devices", "cpu,opencl:0", "--pin", "*=cpu", *pins]


def run(folder, inputs, y, devices):
    """The largest relative error of model.onnx, which gives y for inputs."""
    plan = os.path.join(folder, "plan.json")
    out = os.path.join(folder, "out")
    given = []
    for name, x in inputs.items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, x)
        given += ["--input", f"{name}={path}"]
    call("optimize", "-q", "-f", *plan_options(devices, plan),
         os.path.join(folder, "model.onnx"), "-o", plan)
    os.makedirs(out, exist_ok=True)
    call("run", "-q", "-f", "--repeat", "1", *given, "--output", out, plan)
    return measure_error(numpy.load(os.path.join(out, "y.npy")), y)


class Tap:
    def __init__(self):
        self.n = 0

    def say(self, good, text):
        self.n += 1
        print(f"{'ok' if good else 'not ok'} {self.n} - {text}", flush=True)


def try_model(name, export, devices):
    """Whether every device agrees with torch; export(folder) makes model.onnx and
    returns inputs and output."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        inputs, y = export(folder)
        print(f"# {name}: exported in {time.monotonic() - start:.1f} s", flush=True)
        for device in devices:
            start = time.monotonic()
            try:
                error = run(folder, inputs, y, device)
                is_near = error <= TOLERANCE
                text = f"error {error:.2g}"
            except RuntimeError as problem:
                is_near, text = False, str(problem).replace("#", "no. ")
            text += f", {time.monotonic() - start:.1f} s"
            print(f"# {name} on {device}: {text}", flush=True)
            good = good and is_near
    return good
