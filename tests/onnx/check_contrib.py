"""Ops of com.microsoft, and numbers of less than a byte, random cases: tplan against onnxruntime.

    check_contrib.py TPLAN FOLDER [N [SEED]]
"""
import os
import random
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TOLERANCE = 1e-4              # of the largest value
INT8_TOLERANCE = 2e-2         # where onnxruntime makes bytes of what it multiplies


class Case:
    """One model: values of its inputs, constants, nodes."""

    def __init__(self, rng):
        self.rng = rng
        self.values, self.constants, self.nodes = {}, [], []
        self.outputs, self.tolerance = ["y"], TOLERANCE

    def real(self, *shape):
        return self.rng.uniform(-1, 1, shape).astype("float32")

    def give(self, name, value):
        self.values[name] = value
        return name

    def keep(self, name, value):
        self.constants.append(numpy_helper.from_array(numpy.array(value), name))
        return name

    def pack(self, name, kind, shape, values):
        self.constants.append(helper.make_tensor(name, kind, shape, values))
        return name

    def add(self, op, inputs, outputs, domain="", **attrs):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attrs))

    def contrib(self, op, inputs, **attrs):
        self.add(op, inputs, self.outputs, "com.microsoft", **attrs)

    def make(self):
        kind = helper.np_dtype_to_tensor_dtype
        inputs = [helper.make_tensor_value_info(n, kind(v.dtype), v.shape) for n, v in self.values.items()]
        outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in self.outputs]
        graph = helper.make_graph(self.nodes, "contrib", inputs, outputs, self.constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])


def quantize(case, draw):
    """There and back, by a scale for all, for each column, or for blocks of them."""
    kind = draw.choice([TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E4M3FNUZ, TensorProto.FLOAT8E5M2,
                        TensorProto.FLOAT8E5M2FNUZ, TensorProto.INT4, TensorProto.UINT4])
    is_integer = kind in (TensorProto.INT4, TensorProto.UINT4)
    shape, attrs = draw.choice([([], {}), ([12], {"axis": 1}), ([5, 3], {"axis": 1, "block_size": 4})])
    if not is_integer and "block_size" in attrs:
        shape, attrs = [], {}  # onnxruntime has no blocks of these
    n = int(numpy.prod(shape))
    zeros = case.rng.integers(0, 8, n).tolist() if is_integer else [0] * n
    case.give("x", case.real(5, 12) * draw.choice([1, 100]))
    case.keep("s", case.rng.uniform(0.1, 2, shape).astype("float32"))
    case.pack("z", kind, shape, zeros)
    case.add("QuantizeLinear", ["x", "s", "z"], ["q"], **attrs)
    case.add("DequantizeLinear", ["q", "s", "z"], ["y"], **attrs)


def gather(case, draw):
    """Rows of a table that is packed, or of four bits."""
    bits, width = draw.choice([2, 4, 8]), draw.choice([32, 64])
    block = draw.choice([16, 32, 64])
    n_blocks, rows = -(-width // block), 9
    each = 8 // bits
    inputs = ["w", "i", "s"]
    if draw.random() < 0.5:
        case.keep("w", case.rng.integers(0, 256, (rows, width // each), dtype="uint8"))
        zeros = case.rng.integers(0, 256, (rows, -(-n_blocks // each)), dtype="uint8")
        inputs += [case.keep("z", zeros)] if draw.random() < 0.5 else []
    else:
        kind, low = draw.choice([(TensorProto.INT4, -8), (TensorProto.UINT4, 0)])
        bits = 4
        case.pack("w", kind, [rows, width], case.rng.integers(low, low + 16, rows * width).tolist())
        zeros = case.rng.integers(low, low + 16, rows * n_blocks).tolist()
        inputs += [case.pack("z", kind, [rows, n_blocks], zeros)] if draw.random() < 0.5 else []
    case.give("i", case.rng.integers(0, rows, draw.choice([(), (4,), (2, 3)])))
    case.keep("s", case.rng.uniform(0.1, 1, (rows, n_blocks)).astype("float32"))
    case.contrib("GatherBlockQuantized", inputs, bits=bits, block_size=block)


def experts(case, draw):
    """A MoE, or a QMoE whose shares add up to 1, as onnxruntime always has them."""
    bits = draw.choice([0, 2, 4, 8])
    kind = draw.choice(["relu", "gelu", "silu", "identity", "swiglu"])
    n, outer, inner, tokens = draw.randint(2, 6), 32, draw.choice([32, 64]), draw.randint(1, 5)
    block = draw.choice([0, 16, 32])
    twice = 2 if kind == "swiglu" else 1
    attrs = {"activation_type": kind, "k": draw.randint(1, n), "normalize_routing_weights": 1}
    if kind == "swiglu":
        attrs.update(swiglu_fusion=1, activation_alpha=1.7, activation_beta=1.0, swiglu_limit=0.8)
    case.give("x", case.real(tokens, outer))
    inputs = ["x", case.give("p", case.real(tokens, n) * 4)]
    zeros = []
    for i, (rows, columns) in enumerate([(twice * inner, outer), (outer, inner)]):
        if bits == 0:
            inputs.append(case.keep(f"w{i}", case.real(n, rows, columns)))
        else:
            n_blocks = columns // block if block else 1
            inputs.append(case.keep(f"w{i}", case.rng.integers(0, 256, (n, rows, columns * bits // 8), "uint8")))
            scales = case.rng.uniform(0.02, 0.1, (n, rows, n_blocks)).astype("float32") * 4 / 2 ** bits
            inputs.append(case.keep(f"s{i}", scales if block else scales[:, :, 0]))
            shape = (n, rows, -(-n_blocks * bits // 8)) if block else (n, -(-rows * bits // 8))
            zeros.append(case.keep(f"z{i}", case.rng.integers(0, 256, shape, dtype="uint8")))
        inputs.append(case.keep(f"b{i}", case.real(n, rows)))
    if bits:
        attrs.update(expert_weight_bits=bits, **({"block_size": block} if block else {}))
        inputs += ["", "", ""] + zeros if draw.random() < 0.5 else []
        case.tolerance = INT8_TOLERANCE if bits == 8 else TOLERANCE
    case.contrib("QMoE" if bits else "MoE", inputs, **attrs)


def attention(case, draw):
    """Packed queries, keys and values, by reals or integers."""
    batch, tokens, heads, size, past = draw.randint(1, 3), draw.randint(1, 4), 2, 4, 3
    outer = heads * size
    is_quantized, has_past = draw.random() < 0.4, draw.random() < 0.5
    keys = tokens + (past if has_past else 0)
    mask = ""
    if draw.random() < 0.5:
        shape = draw.choice([(batch, keys), (batch, tokens, keys)])
        value = case.rng.integers(0, 2, shape, "int32")
        value[..., 0] = 1     # somebody is seen
        mask = case.give("m", value)
    before = case.give("past", case.real(2, batch, heads, past, size)) if has_past else ""
    attrs = {"num_heads": heads, "unidirectional": draw.choice([0, 1])}
    if has_past or draw.random() < 0.3:
        case.outputs = ["y", "present"]
    bias = case.keep("b", case.real(3 * outer))
    if not is_quantized:
        case.contrib("Attention", [case.give("x", case.real(batch, tokens, 6)), case.keep("w", case.real(6, 3 * outer)),
                                   bias, mask, before], **attrs)
        return
    case.give("x", case.rng.integers(0, 256, (batch, tokens, 6), dtype="uint8"))
    case.keep("w", case.rng.integers(-100, 100, (6, 3 * outer), dtype="int8"))
    for name, value in (("f", numpy.float32(0.02)), ("g", numpy.float32(0.01)), ("n", numpy.uint8(120)),
                        ("o", numpy.int8(3))):
        case.keep(name, value)
    case.contrib("QAttention", ["x", "w", bias, "f", "g", mask, "n", "o", before], **attrs)


def crossed(case, draw):
    """Queries of one sequence, keys and values of another, which come in heads or do not."""
    batch, tokens, keys, heads, size = draw.randint(1, 3), draw.randint(1, 4), 5, 2, 4
    shape = (batch, heads, keys, size) if draw.random() < 0.5 else (batch, keys, heads * size)
    inputs = [case.give("q", case.real(batch, tokens, heads * size)), case.give("k", case.real(*shape)),
              case.give("v", case.real(*shape))]
    inputs.append(case.keep("b", case.real(3 * heads * size)) if draw.random() < 0.5 else "")
    case.contrib("MultiHeadAttention", inputs, num_heads=heads)


def states(case, draw):
    """Linear attention with a state, and what is before and behind it."""
    batch, tokens, width = draw.randint(1, 2), draw.randint(1, 5), 8
    op = draw.choice(["conv", "gate", "norm", "linear"])
    if op == "conv":
        case.outputs = ["y", "state"]
        case.contrib("CausalConvWithState", [case.give("x", case.real(batch, 6, tokens)), case.keep("w", case.real(6, 1, 4)),
                                             case.keep("b", case.real(6)), case.give("s", case.real(batch, 6, 3))],
                     activation=draw.choice(["none", "silu"]))
    elif op == "gate":
        case.outputs = ["y", "beta"]
        case.contrib("LinearAttentionGate", [case.give("a", case.real(batch, tokens, 4)), case.keep("t", case.real(4)),
                                             case.keep("s", case.real(4)), case.give("b", case.real(batch, tokens, 4))])
    elif op == "norm":
        case.contrib("GatedRMSNorm", [case.give("x", case.real(batch, tokens, 12)), case.keep("s", case.real(4)),
                                      case.give("g", case.real(batch, tokens, 12))],
                     activation=draw.choice(["silu", "sigmoid"]))
    else:
        case.outputs = ["y", "state"]
        case.contrib("LinearAttention", [case.give("q", case.real(batch, tokens, 4 * width)),
                                         case.give("k", case.real(batch, tokens, 2 * width)),
                                         case.give("v", case.real(batch, tokens, 12)),
                                         case.give("s", case.real(batch, 2, width, 6)),
                                         case.give("d", -abs(case.real(batch, tokens, 2))),
                                         case.give("b", abs(case.real(batch, tokens, 2)))],
                     q_num_heads=4, kv_num_heads=2)


KINDS = [quantize, gather, experts, attention, crossed, states]


def run_tplan(program, folder, case):
    arguments = [program, "run", os.path.join(folder, "model.onnx"), "-n", "1", "-q", "--warmup", "0",
                 "-f", "-o", os.path.join(folder, "out"), "-d", "cpu"]
    for name, value in case.values.items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, value)
        arguments += ["--input", f"{name}={path}"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return [numpy.load(os.path.join(folder, "out", name + ".npy")) for name in case.outputs]


def compare(case, wanted, got):
    for name, want, have in zip(case.outputs, wanted, got):
        if want.shape != have.shape:
            return f"{name} has shape {have.shape}, not {want.shape}"
        error = abs(want - have).max() / max(abs(want).max(), 1e-6)
        if not error <= case.tolerance:
            return f"{name} is {error:.3g} off"
    return None


def main(program, folder, n=60, seed=1):
    draw = random.Random(int(seed))
    n_bad = n_refused = 0
    for i in range(int(n)):
        kind, case = KINDS[i % len(KINDS)], Case(numpy.random.default_rng(i + 1000 * int(seed)))
        kind(case, draw)
        model = case.make()
        onnx.save(model, os.path.join(folder, "model.onnx"))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                   providers=["CPUExecutionProvider"])
            wanted = session.run(None, case.values)
        except Exception as problem:
            n_refused += 1
            print(f"# {i} {kind.__name__}: onnxruntime: {str(problem).strip()[-150:]}")
            continue
        try:
            problem = compare(case, wanted, run_tplan(program, folder, case))
        except RuntimeError as error:
            problem = str(error)
        if problem is not None:
            n_bad += 1
            print(f"# {i} {kind.__name__} {helper.printable_node(case.nodes[-1])}: {problem}")
    print(f"{n} cases, {n_refused} refused by onnxruntime, {n_bad} differ")
    return 0 if n_bad == 0 and n_refused * 4 < int(n) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
