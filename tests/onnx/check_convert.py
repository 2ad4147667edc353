"""Models that `tplan convert` writes: onnx.checker accepts them, and onnxruntime
gets from them what tplan gets from what was converted. Devices in their metadata
are those that were given, and onnxruntime's assignment takes them.

  check_convert.py MODEL...

$TPLAN is the program. Speaks TAP, a line for each model."""
import csv
import os
import subprocess
import sys
import tempfile

import onnx
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "soak"))
import peer

TOLERANCE = 1e-3
ROUNDING = 1e-6


def tplan(*arguments):
    done = subprocess.run([os.environ["TPLAN"], *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"tplan {' '.join(arguments)}: status {done.returncode}: {done.stderr.strip()}")


def describe(model):
    """The inputs, as peer.run() wants them, and the options that give dimensions their values."""
    kept = {entry.key.rsplit(".", 1)[-1]: int(entry.value) for entry in model.metadata_props
            if entry.value.isdigit()}
    values, inputs = {}, []
    for x in model.graph.input:
        shape = []
        for dim in x.type.tensor_type.shape.dim:
            if dim.dim_param:
                values[dim.dim_param] = min(kept.get(dim.dim_param, 2), 64)
            shape.append(values[dim.dim_param] if dim.dim_param else dim.dim_value)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(x.type.tensor_type.elem_type)
        inputs.append({"name": x.name, "shape": shape, "dtype": dtype})
    return inputs, [f"--dim={name}={value}" for name, value in values.items()]


def check_outputs(model):
    for y in model.graph.output:
        if not y.type.tensor_type.HasField("shape"):
            raise RuntimeError(f"output '{y.name}' has no shape")


def try_model(path, folder, options):
    target = os.path.join(folder, "graph.onnx")
    tplan("convert", "-q", "-f", path, "-o", target, *options)
    onnx.checker.check_model(target, full_check=True)
    model = onnx.load(target, load_external_data=False)
    check_outputs(model)
    inputs, dims = describe(model)
    given, wanted = peer.run(folder, {"inputs": inputs})
    tplan("run", "-q", "-f", "--devices", "cpu", "--warmup", "0", "--repeat", "1", *dims, *given,
          "-o", os.path.join(folder, "out"), path)
    return peer.compare(folder, wanted, TOLERANCE, ROUNDING)


def open_session(target, setting):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.layer_assignment_settings", setting)
    return onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])


def try_placed(path, folder, _):
    """Ops on two devices in turn; what is folded away has a device too."""
    target, placement = os.path.join(folder, "graph.onnx"), os.path.join(folder, "ops.csv")
    done = subprocess.run([os.environ["TPLAN"], "explain", "-q", "--devices", "ref", "--trust-estimates", "--format", "csv",
                           path], capture_output=True, text=True, check=True)
    ops = [row["op"] for row in csv.DictReader(done.stdout.splitlines())]
    wanted = {op: ("cpu", "opencl:0")[i % 2] for i, op in enumerate(ops)}
    with open(placement, "w", newline="") as file:
        csv.writer(file).writerows([("op", "device"), *wanted.items()])
    tplan("convert", "-q", "-f", path, "--placement", placement, "-o", target)
    onnx.checker.check_model(target, full_check=True)
    model = onnx.load(target)
    for node in model.graph.node:
        found = {entry.key: entry.value for entry in node.metadata_props}
        device = found.get("tplan.device")
        if device is None or found.get("layer_ann") != device or wanted.get(node.name, device) != device:
            return f"node '{node.name}': {found}, wanted {wanted.get(node.name)}"
    open_session(target, "cpu(=cpu,=opencl:0)")
    try:
        open_session(target, "cpu(=cpu")
    except Exception:
        return None
    return "onnxruntime knows no session.layer_assignment_settings: take a newer one"


def main():
    n = 0
    for path in sys.argv[1:]:
        for options in [], ["--external-data"], ["--placement"]:
            n += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    attempt = try_placed if "--placement" in options else try_model
                    problem = attempt(path, folder, options)
                except Exception as caught:
                    problem = f"{type(caught).__name__}: {caught}"
            for line in (problem or "").splitlines():
                print("#", line)
            print("not ok" if problem else "ok", n, "-", os.path.basename(path), *options, flush=True)
    print(f"1..{n}")


main()
