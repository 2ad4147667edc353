"""Loops, scans and sequences that are known before a run, random cases: tplan against onnxruntime.

    check_loops.py TPLAN FOLDER [N [SEED [DEVICE]]]
"""
import os
import random
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

TOLERANCE = 1e-5              # of the largest value
WIDTH = 4                     # of most tensors


def number(name, value, kind=TensorProto.INT64):
    return helper.make_tensor(name, kind, [], [value])


def value_info(name, shape=None, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


class Body:
    """Ops of a graph as they are drawn; vectors of WIDTH floats are in @known."""

    def __init__(self, case, known):
        self.case, self.known, self.nodes, self.constants = case, list(known), [], []

    def name(self):
        self.case.n_names += 1
        return f"t{self.case.n_names}"

    def add(self, op, inputs, n=1, **attrs):
        outputs = [self.name() for _ in range(n)]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{op}{self.case.n_names}", **attrs))
        return outputs[0] if n == 1 else outputs

    def constant(self, value, kind=TensorProto.INT64, shape=()):
        name = self.name()
        self.constants.append(helper.make_tensor(name, kind, shape, numpy.ravel(value)))
        return name

    def graph(self, inputs, outputs):
        return helper.make_graph(self.nodes, self.name(), inputs, outputs, self.constants)

    def pick(self):
        return self.case.draw.choice(self.known)

    def step(self, depth):
        """One more vector, made by an op or by a graph of its own."""
        draw = self.case.draw
        kind = draw.choice(["map", "map", "pair", "pair", "weights", "if", "loop", "scan", "sequence"])
        if depth == 0 and kind in ("if", "loop", "scan"):
            kind = "pair"
        if kind == "map":
            made = self.add(draw.choice(["Tanh", "Sigmoid", "Neg", "Abs"]), [self.pick()])
        elif kind == "pair":
            made = self.add(draw.choice(["Add", "Sub", "Mul", "Max"]), [self.pick(), self.pick()])
        elif kind == "weights":
            made = self.add("MatMul", [self.pick(), "w"])
        elif kind == "if":
            made = self.add_if(depth)
        elif kind == "loop":
            made = self.add_loop(depth)
        elif kind == "scan":
            made = self.add_scan(depth)
        else:
            made = self.add_sequence()
        self.known.append(self.add("Tanh", [made]))
        return self.known[-1]

    def steps(self, depth):
        for _ in range(self.case.draw.randint(1, 3)):
            made = self.step(depth)
        return made

    def add_if(self, depth):
        branches = []
        for _ in range(2):
            branch = Body(self.case, self.known)
            branches.append(branch.graph([], [value_info(branch.steps(depth - 1))]))
        condition = self.case.rounds[-1] if self.case.rounds else None
        if condition is None or self.case.draw.random() < 0.3:
            condition = self.constant(self.case.draw.randint(0, 1), TensorProto.BOOL)
        else:
            condition = self.add("Less", [condition, self.constant(self.case.draw.randint(0, 3))])
        return self.add("If", [condition], then_branch=branches[0], else_branch=branches[1])

    def flatten(self, scanned):
        """A vector of what rounds gave."""
        rows = self.add("ReduceSum", [scanned, self.constant([0], shape=[1])], keepdims=0)
        self.known.append(rows)
        return rows

    def add_loop(self, depth):
        draw, body = self.case.draw, Body(self.case, self.known)
        n, last = draw.randint(1, 4), draw.randint(0, 5)
        i, condition, carried, grown = [body.name() for _ in range(4)]
        body.known.append(carried)
        self.case.rounds.append(i)
        given = body.steps(depth - 1)
        longer = body.add("Concat", [grown, given], axis=0)
        more = body.add("Less", [i, body.constant(last)]) if draw.random() < 0.5 else \
            body.add("Identity", [condition])
        following = body.add("Identity", [body.pick()])
        self.case.rounds.pop()
        graph = body.graph([value_info(i, [], TensorProto.INT64), value_info(condition, [], TensorProto.BOOL),
                            value_info(carried, [WIDTH]), value_info(grown, [None])],
                           [value_info(more, [], TensorProto.BOOL), value_info(following, [WIDTH]),
                            value_info(longer, [None]), value_info(given, [WIDTH])])
        start = self.pick()
        made = self.add("Loop", [self.constant(n), self.constant(True, TensorProto.BOOL) if draw.random() < 0.5 else "",
                                 start, start], 3, body=graph)
        total = self.add("ReduceMean", [made[1]], axes=[0], keepdims=1)
        return self.add("Add", [self.add("Add", [made[0], total]), self.flatten(made[2])])

    def add_scan(self, depth):
        draw, body = self.case.draw, Body(self.case, self.known)
        state, part = body.name(), body.name()
        body.known += [state, part]
        given = body.steps(depth - 1)
        rows = [self.pick() for _ in range(draw.randint(1, 3))]
        axis = draw.choice([0, 1, -1, -2])
        scanned = self.add("Concat", [self.add("Unsqueeze", [row, self.constant([axis], shape=[1])])
                                      for row in rows], axis=axis)
        out_axis = draw.choice([0, 1, -1])
        graph = body.graph([value_info(state, [WIDTH]), value_info(part, [WIDTH])],
                           [value_info(body.add("Add", [given, state]), [WIDTH]),
                            value_info(body.add("Identity", [body.pick()]), [WIDTH])])
        made = self.add("Scan", [self.pick(), scanned], 2, body=graph, num_scan_inputs=1,
                        scan_input_axes=[axis], scan_output_axes=[out_axis],
                        scan_input_directions=[draw.randint(0, 1)],
                        scan_output_directions=[draw.randint(0, 1)])
        weights = self.constant(numpy.arange(1, len(rows) + 1) / 4, TensorProto.FLOAT, [len(rows)])
        matrix = made[1] if out_axis == 0 else self.add("Transpose", [made[1]], perm=[1, 0])
        return self.add("Add", [made[0], self.add("MatMul", [weights, matrix])])

    def add_sequence(self):
        draw = self.case.draw
        parts = [self.pick() for _ in range(draw.randint(1, 3))]
        sequence = self.add("SequenceConstruct", parts)
        n = len(parts)
        for _ in range(draw.randint(0, 3)):
            if draw.random() < 0.6 or n < 2:
                inputs = [sequence, self.pick()]
                inputs += [self.constant(draw.randint(-n, n))] if draw.random() < 0.6 else []
                sequence, n = self.add("SequenceInsert", inputs), n + 1
            else:
                sequence, n = self.add("SequenceErase", [sequence, self.constant(draw.randint(-n, n - 1))]), n - 1
        if draw.random() < 0.4:
            return self.add("SequenceAt", [sequence, self.constant(draw.randint(-n, n - 1))])
        if draw.random() < 0.5:
            return self.flatten(self.add("ConcatFromSequence", [sequence], axis=0, new_axis=1))
        joined = self.add("ConcatFromSequence", [sequence], axis=0)
        cut = self.add("SplitToSequence", [joined, self.constant(WIDTH)], axis=0)
        return self.add("SequenceAt", [cut, self.constant(draw.randint(0, n - 1))])


class Case:
    def __init__(self, seed):
        self.draw, self.n_names, self.rounds = random.Random(seed), 0, []


def make_model(seed):
    """y = ... of vectors x0 and x1; rows are sums of many, so that each counts."""
    case = Case(seed)
    body = Body(case, ["x0", "x1"])
    w = numpy.random.default_rng(seed).uniform(-1, 1, (WIDTH, WIDTH)).astype("float32")
    body.constants.append(onnx.numpy_helper.from_array(w, "w"))
    for _ in range(case.draw.randint(2, 4)):
        body.step(case.draw.choice([1, 2]))
    made = body.add("Sum", body.known)
    body.nodes.append(helper.make_node("Identity", [made], ["y"]))
    graph = helper.make_graph(body.nodes, "loops", [value_info("x0", [WIDTH]), value_info("x1", [WIDTH])],
                              [value_info("y", [WIDTH])], body.constants)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])


def run_tplan(program, folder, values, device):
    arguments = [program, "run", os.path.join(folder, "model.onnx"), "-n", "1", "-q", "--warmup", "0",
                 "-f", "-o", os.path.join(folder, "out"), "-d", device]
    for name, value in values.items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, value)
        arguments += ["--input", f"{name}={path}"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return numpy.load(os.path.join(folder, "out", "y.npy"))


def check(program, folder, seed, device):
    """What is wrong, or None; and whether onnxruntime refuses the case."""
    model = make_model(seed)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    rng = numpy.random.default_rng(seed)
    values = {name: rng.uniform(-1, 1, WIDTH).astype("float32") for name in ("x0", "x1")}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        wanted = session.run(None, values)[0]
    except Exception as problem:
        return str(problem).strip()[-200:], True
    try:
        got = run_tplan(program, folder, values, device)
    except RuntimeError as problem:
        return str(problem), False
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}", False
    error = abs(got - wanted).max() / max(abs(wanted).max(), 1e-6)
    return (None if error <= TOLERANCE else f"{error:.3g} off"), False


def main(program, folder, n=60, seed=1, device="cpu"):
    n_bad = n_refused = 0
    for i in range(int(n)):
        problem, is_refused = check(program, folder, int(seed) * 100000 + i, device)
        if problem is not None:
            n_refused += is_refused
            n_bad += not is_refused
            print(f"# {i}: {'onnxruntime: ' if is_refused else ''}{problem}")
    print(f"{n} cases, {n_refused} refused by onnxruntime, {n_bad} differ")
    return 0 if n_bad == 0 and n_refused * 4 < int(n) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
