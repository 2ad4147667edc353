"""embed.py: plan a model for this machine and run it, from Python, as embed.c does.

    python3 embed.py model.onnx [DEVICE...] [NAME=N...]

NAME=N gives a dimension that the model leaves open its value, as in N=8.
"""
import sys

import numpy
import tplan


def plan_and_run(model, words):
    devices = [word for word in words if "=" not in word or ":" in word]
    dims = dict(word.split("=", 1) for word in words if word not in devices)
    graph = tplan.Graph(model, {name: int(value) for name, value in dims.items()})
    plan = graph.optimize(devices=devices or None)
    for device, n_ops in plan.devices.items():
        print(f"{device}: {n_ops} ops")
    print(f"predicted: {plan.cost_ns / 1e6:.3f} ms")
    inputs = {it.name: numpy.zeros(it.shape, it.dtype) for it in plan.inputs}
    with tplan.Session(plan) as session:
        for i in range(5):
            session.run(inputs)
            print(f"run {i}: {session.time_ns / 1e6:.3f} ms")


def main(program, *arguments):
    if not arguments:
        return f"usage: {program} MODEL [DEVICE...] [NAME=N...]"
    try:
        plan_and_run(arguments[0], arguments[1:])
    except tplan.Error as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main(*sys.argv))
