"""Attention over remembered keys, random cases: tplan against onnxruntime.

    check_attention.py TPLAN FOLDER [N [SEED]]
"""
import os
import random
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

TOLERANCE = 2e-5              # of the largest value


def draw_case(draw):
    """What a GroupQueryAttention is to be like."""
    case = {"batch": draw.choice([1, 1, 2, 3]), "kv_heads": draw.choice([1, 2]),
            "group": draw.choice([1, 2, 3]), "size": draw.choice([16, 32])}
    case["kind"] = draw.choice(["prompt", "token", "chunk", "no past", "grows"])
    case["new"] = 1 if case["kind"] == "token" else draw.randint(2, 5)
    if case["kind"] == "chunk":
        case["batch"] = 1     # onnxruntime takes no others
    if case["kind"] == "grows":
        case["new"], case["past"] = draw.choice([(1, 4), (1, 7), (3, 4)])
        case["batch"] = 1 if case["new"] > 1 else case["batch"]
    else:
        case["past"] = draw.randint(case["new"] + 2, 12)
    case["packed"] = draw.random() < 0.5
    case["rotary"] = draw.random() < 0.6
    case["part"] = case["size"] == 32 and draw.random() < 0.5
    case["positions"] = draw.random() < 0.3
    attrs = {}
    if draw.random() < 0.3:
        attrs["scale"] = 0.3
    if draw.random() < 0.3:
        attrs["softcap"] = 5.0
    if draw.random() < 0.4:
        attrs["local_window_size"] = draw.randint(1, 6)
    if case["rotary"]:
        attrs.update(do_rotary=1, rotary_interleaved=draw.choice([0, 1]))
    case["bias"] = draw.random() < 0.3
    case["attrs"] = attrs
    return case


def draw_lengths(case, rng):
    """Tokens that each row has in the end; the greatest first."""
    new, past, n = case["new"], case["past"], case["batch"]
    if case["kind"] in ("prompt", "no past"):
        lengths = rng.integers(1, new + 1, n)
        lengths[0] = new
    elif case["kind"] == "grows":
        lengths = rng.integers(new, past + new + 1, n)
        lengths[0] = past + new
    else:
        lengths = rng.integers(new + 1, past + 1, n)
    return lengths


def make_values(case, rng):
    """Values of all inputs, by name, in their order; None: left out."""
    heads, kv, size = case["kv_heads"] * case["group"], case["kv_heads"], case["size"]
    batch, new, past = case["batch"], case["new"], case["past"]

    def real(*dims):
        return rng.uniform(-1, 1, dims).astype("float32")

    lengths = draw_lengths(case, rng)
    values = dict.fromkeys(["query", "key", "value", "past_key", "past_value"])
    if case["packed"]:
        values["query"] = real(batch, new, (heads + 2 * kv) * size)
    else:
        values.update(query=real(batch, new, heads * size), key=real(batch, new, kv * size),
                      value=real(batch, new, kv * size))
    if case["kind"] != "no past":
        values.update(past_key=real(batch, kv, past, size), past_value=real(batch, kv, past, size))
    values["seqlens_k"] = (lengths - 1).astype("int32")
    values["total_sequence_length"] = numpy.array([lengths.max()], "int32")
    values.update(cos_cache=None, sin_cache=None, position_ids=None, attention_bias=None)
    if case["rotary"]:
        angles = rng.uniform(-3, 3, (32, size // 4 if case["part"] else size // 2))
        values.update(cos_cache=numpy.cos(angles).astype("float32"),
                      sin_cache=numpy.sin(angles).astype("float32"))
        if case["positions"]:
            first = 0 if case["kind"] in ("prompt", "no past") else lengths.max() - new
            starts = numpy.full(batch, 0) if first == 0 else lengths - new
            values["position_ids"] = (starts[:, None] + numpy.arange(new)).astype("int64")
    if case["bias"]:
        values["attention_bias"] = real(batch, heads, new, int(lengths.max()))
    while list(values.values())[-1] is None:
        values.popitem()
    return values, lengths


def make_model(case, values):
    """Caches are as long as they were, or grow by a number that the model has."""
    constants = {"cos_cache", "sin_cache"}
    if case["kind"] == "grows":
        constants.add("total_sequence_length")
    node = helper.make_node("GroupQueryAttention",
                            [name if value is not None else "" for name, value in values.items()],
                            ["y", "present_key", "present_value"], domain="com.microsoft",
                            num_heads=case["kv_heads"] * case["group"],
                            kv_num_heads=case["kv_heads"], **case["attrs"])
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
              for name, value in values.items() if value is not None and name not in constants]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
               for name in ("y", "present_key", "present_value")]
    weights = [onnx.numpy_helper.from_array(values[name], name)
               for name in constants if values.get(name) is not None]
    graph = helper.make_graph([node], "attention", inputs, outputs, weights)
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)])


def run_tplan(program, folder, values, options):
    arguments = [program, "run", os.path.join(folder, "model.onnx"), "-n", "1", "-q", "--warmup", "0",
                 "-f", "-o", os.path.join(folder, "out")] + options
    for name, value in values.items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, value)
        arguments += ["--input", f"{name}={path}"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return [numpy.load(os.path.join(folder, "out", name + ".npy"))
            for name in ("y", "present_key", "present_value")]


def compare(case, wanted, got, lengths):
    """What counts: tokens that are there, places of caches that are filled."""
    for b, length in enumerate(lengths):
        n_new = min(case["new"], length)
        pairs = [(wanted[0][b, :n_new], got[0][b, :n_new]),
                 (wanted[1][b, :, :length], got[1][b, :, :length]),
                 (wanted[2][b, :, :length], got[2][b, :, :length])]
        for k, (want, have) in enumerate(pairs):
            error = abs(want - have).max() / max(abs(want).max(), 1e-6)
            if not error <= TOLERANCE:
                return f"output {k} of row {b} is {error:.3g} off"
    for want, have in zip(wanted, got):
        if want.shape != have.shape:
            return f"shape {have.shape}, not {want.shape}"
    return None


def main(program, folder, n=60, seed=1):
    draw = random.Random(int(seed))
    n_bad = n_refused = 0
    for i in range(int(n)):
        case = draw_case(draw)
        values, lengths = make_values(case, numpy.random.default_rng(i))
        model = make_model(case, values)
        onnx.save(model, os.path.join(folder, "model.onnx"))
        given = {x.name: values[x.name] for x in model.graph.input}
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            wanted = session.run(None, given)
        except Exception as problem:
            n_refused += 1
            print(f"# {i}: onnxruntime: {str(problem).strip()[-150:]}")
            continue
        try:
            problem = compare(case, wanted, run_tplan(program, folder, given, ["-d", "cpu"]), lengths)
        except RuntimeError as error:
            problem = str(error)
        if problem is not None:
            n_bad += 1
            print(f"# {i}: {case} {list(lengths)}: {problem}")
    print(f"{n} cases, {n_refused} refused by onnxruntime, {n_bad} differ")
    return 0 if n_bad == 0 and n_refused * 4 < int(n) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
