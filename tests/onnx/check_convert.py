"""Models that `tplan convert` writes: onnx.checker accepts them, and onnxruntime
gets from them what tplan gets from what was converted. Devices in their metadata
are those that were given, and onnxruntime's assignment takes them. Placements for
onnxruntime, OpenVINO and TensorFlow are taken by those that Python has.

  check_convert.py MODEL...

$TPLAN is the program. Speaks TAP, a line for each model."""
import csv
import importlib.util
import json
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


def check_between(model):
    """Of a model whose dimensions have values: what lies between inputs and outputs has a shape too, each once."""
    said = [x.name for x in [*model.graph.output, *model.graph.value_info]]
    made = {name for node in model.graph.node for name in node.output if name}
    if len(said) != len(set(said)) or not made <= set(said):
        raise RuntimeError(f"{len(said)} shapes, {len(set(said))} names, without one: {sorted(made - set(said))[:3]}")


def try_model(path, folder, options):
    target = os.path.join(folder, "graph.onnx")
    tplan("convert", "-q", "-f", path, "-o", target, *options)
    onnx.checker.check_model(target, full_check=True)
    model = onnx.load(target, load_external_data=False)
    check_outputs(model)
    inputs, dims = describe(model)
    if not dims:
        check_between(model)
    given, wanted = peer.run(folder, {"inputs": inputs})
    dims += [option for option in options if option.startswith("--dim")]
    tplan("run", "-q", "-f", "--devices", "cpu", "--warmup", "0", "--repeat", "1", *dims, *given,
          "-o", os.path.join(folder, "out"), path)
    return peer.compare(folder, wanted, TOLERANCE, ROUNDING)


def try_fixed(path, folder, _):
    """Dimensions that are given a value have no name any more."""
    target = os.path.join(folder, "graph.onnx")
    tplan("convert", "-q", "-f", path, "-o", target)
    _, dims = describe(onnx.load(target, load_external_data=False))
    problem = try_model(path, folder, dims)
    _, left = describe(onnx.load(target, load_external_data=False))
    return f"still has {left}" if left else problem


def open_session(target, setting, key="session.layer_assignment_settings"):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry(key, setting)
    return onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])


def place(path, folder):
    """A file with ops on two devices in turn, and what is in it."""
    placement = os.path.join(folder, "ops.csv")
    done = subprocess.run([os.environ["TPLAN"], "explain", "-q", "--devices", "ref", "--trust-estimates", "--format", "csv",
                           path], capture_output=True, text=True, check=True)
    ops = [row["op"] for row in csv.DictReader(done.stdout.splitlines())]
    wanted = {op: ("cpu", "opencl:0")[i % 2] for i, op in enumerate(ops)}
    with open(placement, "w", newline="") as file:
        csv.writer(file).writerows([("op", "device"), *wanted.items()])
    return placement, wanted


def try_placed(path, folder, _):
    """What is folded away has a device too."""
    target = os.path.join(folder, "graph.onnx")
    placement, wanted = place(path, folder)
    tplan("convert", "-q", "-f", path, "--placement", placement, "--device-configuration", "-o", target)
    onnx.checker.check_model(target, full_check=True)
    model = onnx.load(target)
    devices = list(model.configuration[0].device)
    for node in model.graph.node:
        found = {entry.key: entry.value for entry in node.metadata_props}
        device = found.get("tplan.device")
        if device is None or found.get("layer_ann") != device or wanted.get(node.name, device) != device:
            return f"node '{node.name}': {found}, wanted {wanted.get(node.name)}"
        shards = node.device_configurations[0].sharding_spec
        if [x.tensor_name for x in shards] != [x for x in node.output if x] or \
           any(list(x.device) != [devices.index(device)] for x in shards):
            return f"node '{node.name}' on {device}: {node.device_configurations}"
    open_session(target, "cpu(=cpu,=opencl:0)")
    try:
        open_session(target, "cpu(=cpu")
    except Exception:
        return None
    return "onnxruntime knows no session.layer_assignment_settings: take a newer one"


def write_for(runtime, path, folder, placement, *options):
    target = os.path.join(folder, runtime + ".json")
    tplan("convert", "-q", "-f", path, "--placement", placement, "--to", runtime, *options, "-o", target)
    with open(target) as file:
        return json.load(file)


def try_onnxruntime(path, folder, placement, model):
    (key, value), = write_for("onnxruntime", path, folder, placement).items()
    rules = dict(rule.rstrip(")").split("(") for rule in value.split(";"))
    named = {name: device for device, names in rules.items() for name in names.split(",")}
    if set(named) != {node.name for node in onnx.load(model, load_external_data=False).graph.node}:
        return f"onnxruntime: {sorted(named)} are not the nodes"
    open_session(model, value, key)
    try:
        open_session(model, value[:-1], key)
    except Exception:
        return None
    return f"onnxruntime knows no {key}: take a newer one"


def try_openvino(path, folder, placement, model):
    """Most ops have the name that the model gave them; both devices are its CPU, for it has no other everywhere."""
    import openvino
    found = write_for("openvino", path, folder, placement, "--device-name", "opencl:0=CPU")
    graph = openvino.Core().read_model(model)
    nodes = onnx.load(model, load_external_data=False).graph.node
    computed = [op for op in graph.get_ordered_ops() if op.get_type_name() not in ("Constant", "Parameter", "Result")]
    named = sum(op.get_friendly_name() in found["affinity"] for op in computed)
    if found["device"] != "HETERO:CPU" or not {node.name for node in nodes} <= set(found["affinity"]):
        return f"openvino: {found['device']}, {len(found['affinity'])} of {len(nodes)} ops"
    if named < len(nodes) / 2:
        return f"openvino: {named} of {len(computed)} ops have a name that was given, of {len(nodes)} nodes"
    for op in graph.get_ordered_ops():
        op.get_rt_info()["affinity"] = found["affinity"].get(op.get_friendly_name(), "CPU")
    openvino.Core().compile_model(graph, found["device"])
    return None


def try_tensorflow(path, folder, placement, model):
    import tensorflow
    found = write_for("tensorflow", path, folder, placement)
    nodes = {node.name for node in onnx.load(model, load_external_data=False).graph.node}
    with tensorflow.Graph().as_default() as graph:
        for name, device in found.items():
            with tensorflow.device(device):
                tensorflow.no_op(name=name)
    made = {op.name: op.device for op in graph.get_operations()}
    return None if made == found and set(found) == nodes else f"tensorflow: {made}"


def try_runtimes(path, folder, _):
    model = os.path.join(folder, "graph.onnx")
    tplan("convert", "-q", "-f", path, "-o", model)
    placement, _ = place(path, folder)
    for runtime, attempt in ("onnxruntime", try_onnxruntime), ("openvino", try_openvino), ("tensorflow", try_tensorflow):
        if importlib.util.find_spec(runtime) is None:
            print(f"# no {runtime}")
            continue
        try:
            problem = attempt(path, folder, placement, model)
        except RuntimeError as refused:
            problem = None if "bytes, of which" in str(refused) else str(refused)
        if problem is not None:
            return problem
    return None


ATTEMPTS = (try_model, []), (try_model, ["--external-data"]), (try_fixed, ["--dim"]), (try_placed, ["--placement"]), (try_runtimes, ["--to"])


def main():
    n = 0
    for path in sys.argv[1:]:
        for attempt, options in ATTEMPTS:
            n += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    problem = attempt(path, folder, options)
                except Exception as caught:
                    problem = f"{type(caught).__name__}: {caught}"
            for line in (problem or "").splitlines():
                print("#", line)
            print("not ok" if problem else "ok", n, "-", os.path.basename(path), *options, flush=True)
    print(f"1..{n}")


main()
