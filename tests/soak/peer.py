"""graph.onnx by onnxruntime, over random inputs."""
import os

import numpy
import onnxruntime

FLOOR = 0.01                  # of the largest value: as `tplan run --check` has it


class Unsupported(Exception):
    pass


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as problem:     # its own classes have no common one
        if "NOT_IMPLEMENTED" in str(problem) or "does not support" in str(problem):
            raise Unsupported(str(problem).split(":")[-1].strip()) from None
        raise


def run(folder, graph):
    """Options that give tplan the inputs, and the outputs by name."""
    session = open_session(os.path.join(folder, "graph.onnx"))
    draw = numpy.random.default_rng(0)
    given, options = {}, []
    for x in graph["inputs"]:
        given[x["name"]] = draw.uniform(-1, 1, x["shape"]).astype(x["dtype"])
        path = os.path.join(folder, x["name"] + ".npy")
        numpy.save(path, given[x["name"]])
        options += ["--input", f"{x['name']}={path}"]
    names = [output.name for output in session.get_outputs()]
    try:
        return options, dict(zip(names, session.run(names, given)))
    except Exception as problem:     # what it cannot do it says as late as this
        raise Unsupported(str(problem).split("Status Message:")[-1].strip()) from None


def compare(folder, wanted, tolerance, rounding):
    """None, or which output is how far off; what is within rounding is not."""
    for name, want in wanted.items():
        got = numpy.load(os.path.join(folder, "out", name + ".npy"))
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"output '{name}' is {got.dtype} {got.shape}, not {want.dtype} {want.shape}"
        if got.dtype.kind != "f":
            if not (got == want).all():
                return f"output '{name}' differs in {(got != want).sum()} of {got.size} elements"
            continue
        scale = numpy.maximum(abs(want), FLOOR * abs(want).max(initial=0))
        far = numpy.where(abs(got - want) <= rounding, 0, abs(got - want))
        error = (far / numpy.maximum(scale, 1e-30)).max(initial=0)
        if not error <= tolerance:
            return f"output '{name}' is {error:.3g} off"
    return None
