#!/usr/bin/env python3
"""A random graph of the ops tplan reads, in JSON, the same for the same seed.

  random_graph.py SEED > graph.json

What is right must be told from what is not, so graphs are kept in good health:
values stay small, nothing divides by what may be near 0, and ops that jump
(Floor, ArgMax, Less) get only what every device computes to the bit."""
import json
import math
import random
import sys

from random_integers import BLOCKS as MORE, MOST_ELEMENTS, REAL

MOST_VALUE = 8.0              # of a tensor that is read again


class Tensor:
    """most: no value is larger; exact: the same bits on every device."""

    def __init__(self, name, dtype, shape, most, exact):
        self.name, self.dtype, self.shape = name, dtype, list(shape)
        self.most, self.exact = most, exact

    rank = property(lambda self: len(self.shape))
    count = property(lambda self: math.prod(self.shape))
    real = property(lambda self: self.dtype == REAL)


class Graph:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.opset = self.random.choice((17, 20, 23, 23))
        self.tensors, self.ops, self.inputs, self.constants = [], [], [], []
        self.read = set()

    # ---- pieces

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def size(self, most=20):
        """Often small, or beside a power of 2."""
        kind = self.random.randrange(3)
        if kind == 0:
            return self.random.randint(1, min(most, 4))
        if kind == 1:
            return min(most, max(1, self.random.choice((8, 16, 32)) + self.random.randint(-1, 1)))
        return self.random.randint(1, most)

    def shape(self, rank):
        while True:
            shape = [self.size() for _ in range(rank)]
            if math.prod(shape) <= MOST_ELEMENTS:
                return shape

    def add_input(self):
        shape = self.shape(self.random.choice((1, 2, 2, 3, 3, 4, 4, 4, 5)))
        tensor = Tensor(f"x{len(self.inputs)}", REAL, shape, 2.0, True)
        self.inputs.append({"name": tensor.name, "dtype": REAL, "shape": shape})
        self.tensors.append(tensor)

    def constant(self, shape, std=None, **more):
        """Its name: random reals, or what more says."""
        name = f"c{len(self.constants)}"
        if not more:
            seed = self.random.randrange(1 << 30)
            more = {"random": {"seed": seed, "std": std or 0.5}}
        self.constants.append({"name": name, "dtype": REAL, "shape": list(shape), **more})
        return name

    def ints(self, values, dtype="int64"):
        return self.constant([len(values)], dtype=dtype, data=list(values))

    def number(self, value):
        return self.constant([], data=[value])

    def add(self, op, inputs, outputs, attrs=None):
        """outputs: (dtype, shape, most, exact) of each; the first comes back."""
        made = [Tensor(f"t{len(self.ops)}_{i}", *output) for i, output in enumerate(outputs)]
        names = [i if isinstance(i, str) else i.name for i in inputs]
        self.read.update(names)
        self.ops.append({"name": f"{op.lower()}_{len(self.ops)}", "type": op, "inputs": names,
                         "outputs": [tensor.name for tensor in made],
                         **({"attrs": attrs} if attrs else {})})
        self.tensors += made
        return made[0]

    def like(self, op, x, *others, most=None, exact=False, attrs=None):
        """An op whose output is as x; most: of a value, or as x."""
        most = x.most if most is None else most
        return self.add(op, [x, *others], [(x.dtype, x.shape, most, exact)], attrs)

    def pick(self, good=lambda tensor: True, real=True):
        """One of the last tensors, more often; None where none is good."""
        fit = [t for t in self.tensors if t.real == real and t.count > 0 and good(t)]
        if not fit:
            return None
        if self.chance(3):
            return self.random.choice(fit)
        return self.random.choice(fit[-6:])

    def small(self, x, most=MOST_VALUE):
        """x, or x made smaller."""
        if x.most <= most:
            return x
        if self.chance(2):
            return self.like("Tanh", x, most=1.0)
        return self.like("Mul", x, self.number(most / x.most), most=most)

    def axis(self, x):
        return self.random.randrange(-x.rank, x.rank)

    def axes(self, x):
        return sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))

    def to_json(self):
        loose = [t.name for t in self.tensors if t.name not in self.read]
        made = [name for op in self.ops for name in op["outputs"]]
        names = {n for n in loose if n in made} | {self.random.choice(made)}
        return {"format": "tplan-graph/1", "opset": self.opset, "inputs": self.inputs,
                "outputs": [name for name in made if name in names],
                "initializers": self.constants, "ops": self.ops}


# ---- blocks: each adds one op, or a few, or nothing where nothing fits -----

SMOOTH = {                    # op: attributes, largest value for largest input
    "Relu": (None, lambda m: m), "Sigmoid": (None, lambda m: 1), "Tanh": (None, lambda m: 1),
    "Erf": (None, lambda m: 1), "Neg": (None, lambda m: m), "Abs": (None, lambda m: m),
    "LeakyRelu": ({"alpha": 0.125}, lambda m: m), "Elu": ({"alpha": 0.5}, lambda m: m),
    "Selu": (None, lambda m: 2 * m), "Celu": (None, lambda m: m), "Softplus": (None, lambda m: m + 1),
    "Softsign": (None, lambda m: 1), "HardSigmoid": (None, lambda m: 1), "HardSwish": (None, lambda m: m),
    "Identity": (None, lambda m: m)}
KEEPS_BITS = ("Relu", "Neg", "Abs", "Identity")


def unary(g):
    x = g.small(g.pick())
    op = g.random.choice(list(SMOOTH))
    attrs, bound = SMOOTH[op]
    g.like(op, x, most=bound(x.most), exact=x.exact and op in KEEPS_BITS, attrs=attrs)


def grows(g):
    x = g.small(g.pick(), 3.0)
    g.like("Exp", x, most=math.exp(x.most))


def circular(g):
    """Circular and hyperbolic functions."""
    if g.chance(2):
        x = g.like("Tanh", g.pick(), most=1.0)
        x = g.like("Mul", x, g.number(0.75), most=0.75)
        g.like(g.random.choice(("Acos", "Asin", "Atan", "Atanh", "Tan")), x, most=3.0)
    else:
        x = g.small(g.pick(), 3.0)
        g.like(g.random.choice(("Sin", "Cos", "Asinh", "Sinh", "Cosh")), x, most=math.exp(x.most))


def top(g):
    x = g.pick(lambda t: t.exact and t.rank > 0)
    axis = g.random.randrange(x.rank)
    k = g.random.randint(1, x.shape[axis])
    shape = x.shape[:axis] + [k] + x.shape[axis + 1:]
    g.add("TopK", [x, g.ints([k])], [(x.dtype, shape, x.most, True), ("int64", shape, 32, True)], {"axis": axis})


def positive(g, x, least):
    """x made no smaller than that."""
    x = g.like("Abs", g.small(x), exact=x.exact)
    return g.like("Add", x, g.number(least), most=x.most + least)


def of_positive(g):
    op, least, most = g.random.choice((("Sqrt", 0.25, 4), ("Log", 0.5, 3), ("Reciprocal", 0.5, 2)))
    g.like(op, positive(g, g.pick(), least), most=most)


def clip(g):
    x = g.pick()
    g.like("Clip", x, g.number(-0.5), g.number(1.5), most=1.5, exact=x.exact)


def gelu(g):
    x = g.small(g.pick(), 2.0)   # 1 + erf of less cancels
    if g.opset >= 20:
        g.like("Gelu", x, attrs={"approximate": g.random.choice(("none", "tanh"))})
        return
    e = g.like("Erf", g.like("Div", x, g.number(math.sqrt(2))), most=1.0)
    p = g.like("Add", e, g.number(1.0), most=2.0)
    g.like("Mul", g.like("Mul", x, p, most=2 * x.most), g.number(0.5))


def swish(g):
    x = g.small(g.pick())
    g.like("Mul", x, g.like("Sigmoid", x, most=1.0))


def partner(g, x):
    """What broadcasts to x's shape: a constant, or a tensor of that shape."""
    same = [t for t in g.tensors if t.dtype == x.dtype and t.shape == x.shape]
    if g.chance(2):
        return g.small(g.random.choice(same))
    shape = [1 if g.chance(3) else n for n in x.shape]
    return Tensor(g.constant(shape[g.random.randrange(x.rank + 1):]), x.dtype, shape, 0.9, True)


def binary(g):
    x = g.small(g.pick())
    y = partner(g, x)
    op = g.random.choice(("Add", "Sub", "Mul", "Max", "Min", "Mean", "Sum"))
    most = {"Mul": x.most * y.most}.get(op, x.most + y.most)
    pair = [x, y.name] if op in ("Sub", "Max", "Min") or g.chance(2) else [y.name, x]
    g.add(op, pair, [(x.dtype, x.shape, most, x.exact and y.exact and op in ("Max", "Min"))])


def divide(g):
    y = positive(g, g.pick(), 0.5)
    same = [t for t in g.tensors if t.shape == y.shape and t.dtype == y.dtype]
    x = g.small(g.random.choice(same))
    g.like("Div", x, y, most=2 * x.most)


def power(g):
    x = positive(g, g.small(g.pick(), 2.0), 0.25)
    g.like("Pow", x, g.number(g.random.choice((0.5, 2.0, 1.7, -1.0))), most=max(4, x.most ** 2))


def prelu(g):
    x = g.pick()
    g.like("PRelu", x, g.constant(x.shape[-1:]), most=x.most)


def conv(g):
    x = g.pick(lambda t: 3 <= t.rank <= 5)
    if x is None:
        return
    x, n = g.small(x), x.rank - 2
    groups = g.random.choice([k for k in range(1, x.shape[1] + 1) if x.shape[1] % k == 0]) if g.chance(3) else 1
    out = groups * g.random.randint(1, max(1, 16 // groups))
    kernel = [g.random.randint(1, 3) for _ in range(n)]
    pads = [g.random.randint(0, k - 1) for k in kernel * 2]
    strides = [g.random.randint(1, 2) for _ in range(n)]
    is_up = g.chance(4) and x.count <= 1024
    sizes = list(zip(x.shape[2:], kernel, pads, pads[n:], strides))
    if is_up:
        spatial = [s * (d - 1) + k - a - b for d, k, a, b, s in sizes]
    else:
        spatial = [(d + a + b - k) // s + 1 for d, k, a, b, s in sizes]
    if min(spatial) < 1 or x.shape[0] * out * math.prod(spatial) > MOST_ELEMENTS:
        return
    per = x.shape[1] // groups
    weight = [x.shape[1], out // groups] if is_up else [out, per]
    std = 1.0 / math.sqrt(per * math.prod(kernel))
    inputs = [x, g.constant(weight + kernel, std)] + ([g.constant([out])] if g.chance(2) else [])
    g.add("ConvTranspose" if is_up else "Conv", inputs,
          [(x.dtype, [x.shape[0], out] + spatial, 4 * x.most, False)],
          {"pads": pads, "strides": strides, "group": groups})


def matmul(g):
    x = g.pick(lambda t: t.rank >= 2)
    if x is None:
        return
    x, n = g.small(x), g.size()
    if x.count // x.shape[-1] * n > MOST_ELEMENTS:
        return
    if g.chance(3) and x.count // x.shape[-1] * x.shape[-2] <= MOST_ELEMENTS:
        x = g.small(x, 1.0)
        order = list(range(x.rank - 2)) + [x.rank - 1, x.rank - 2]
        y = g.add("Transpose", [x], [(x.dtype, [x.shape[i] for i in order], x.most, x.exact)], {"perm": order})
        n, most = x.shape[-2], x.shape[-1]
    else:
        y = g.constant([x.shape[-1], n], 1.0 / math.sqrt(x.shape[-1]))
        most = 4 * x.most
    g.add("MatMul", [x, y], [(x.dtype, x.shape[:-1] + [n], most, False)])


def gemm(g):
    x = g.pick(lambda t: t.rank == 2)
    if x is None:
        return
    x, n = g.small(x), g.size()
    turn_a, turn_b = g.random.randint(0, 1), g.random.randint(0, 1)
    m, k = reversed(x.shape) if turn_a else x.shape
    if m * n > MOST_ELEMENTS:
        return
    w = g.constant([n, k] if turn_b else [k, n], 1.0 / math.sqrt(k))
    c = g.constant(g.random.choice(([n], [1, n], [m, 1], [m, n])))
    g.add("Gemm", [x, w, c], [(x.dtype, [m, n], 4 * x.most + 1, False)],
          {"transA": turn_a, "transB": turn_b, "alpha": 0.75, "beta": 0.5})


def einsum(g):
    x = g.pick(lambda t: t.rank == 3)
    if x is None:
        return
    x, n = g.small(x), g.size(8)
    if x.shape[0] * x.shape[1] * n > MOST_ELEMENTS:
        return
    w = g.constant([x.shape[0], x.shape[2], n], 1.0 / math.sqrt(x.shape[2]))
    g.add("Einsum", [x, w], [(x.dtype, [x.shape[1], x.shape[0], n], 4 * x.most, False)],
          {"equation": "bij,bjk->ibk"})


def pool(g):
    x = g.pick(lambda t: 3 <= t.rank <= 5)
    if x is None:
        return
    n = x.rank - 2
    kernel = [g.random.randint(1, min(3, d)) for d in x.shape[2:]]
    pads = [g.random.randint(0, (k - 1) // 2) for k in kernel * 2]
    strides = [g.random.randint(1, 3) for _ in range(n)]
    spatial = [(d + a + b - k) // s + 1
               for d, k, a, b, s in zip(x.shape[2:], kernel, pads, pads[n:], strides)]
    op = g.random.choice(("MaxPool", "AveragePool"))
    g.add(op, [x], [(x.dtype, x.shape[:2] + spatial, x.most, x.exact and op == "MaxPool")],
          {"kernel_shape": kernel, "pads": pads, "strides": strides})


def global_pool(g):
    x = g.pick(lambda t: t.rank >= 3)
    if x is not None:
        op = g.random.choice(("GlobalAveragePool", "GlobalMaxPool"))
        g.add(op, [x], [(x.dtype, x.shape[:2] + [1] * (x.rank - 2), x.most, x.exact and "Max" in op)])


def reduce(g):
    x = g.small(g.pick(lambda t: t.rank > 0) or g.tensors[0], 2.0)
    op = g.random.choice(("Mean", "Max", "Min", "Sum", "L1", "L2", "LogSumExp", "SumSquare", "Prod"))
    axes, keep = g.axes(x), g.random.randint(0, 1)
    n = math.prod(x.shape[a] for a in axes)
    if op == "Prod" and n > 8:
        op = "Mean"
    shape = [1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes]
    most = {"Sum": n * x.most, "L1": n * x.most, "L2": n * x.most, "LogSumExp": x.most + 10,
            "SumSquare": n * x.most ** 2, "Prod": x.most ** min(n, 8)}.get(op, x.most)
    attrs, inputs = {"keepdims": keep}, [x]
    if op == "Sum" or g.opset >= 18:
        inputs.append(g.ints(axes))
    else:
        attrs["axes"] = axes
    g.add("Reduce" + op, inputs, [(x.dtype, shape, most, x.exact and op in ("Max", "Min"))], attrs)


def softmax(g):
    x = g.small(g.pick(lambda t: t.rank > 0) or g.tensors[0])
    op = g.random.choice(("Softmax", "Softmax", "LogSoftmax"))
    g.like(op, x, most=1.0 if op == "Softmax" else 2 * x.most + 10, attrs={"axis": g.axis(x)})


def divisor(g, n):
    return g.random.choice([k for k in range(1, n + 1) if n % k == 0])


def normalise(g):
    x = g.pick(lambda t: t.rank >= 2)
    if x is None:
        return
    x, kind = g.small(x), g.random.randrange(5)
    if kind == 3 and g.opset >= 23:
        axis = g.random.randrange(x.rank)
        g.like("RMSNormalization", x, g.constant(x.shape[axis:]), most=8,
               attrs={"axis": axis, "epsilon": 0.125})
    elif kind == 4 and x.rank >= 3 and g.opset >= 21:
        n = [x.shape[1]]
        g.like("GroupNormalization", x, g.constant(n), g.constant(n), most=8,
               attrs={"num_groups": divisor(g, n[0]), "epsilon": 0.125})
    elif kind == 0:
        axis = g.random.randrange(1, x.rank)
        g.like("LayerNormalization", x, g.constant(x.shape[axis:]), g.constant(x.shape[axis:]),
               most=8, attrs={"axis": axis, "epsilon": 0.125})
    elif kind == 1:
        n = [x.shape[1]]
        g.like("BatchNormalization", x, g.constant(n), g.constant(n), g.constant(n),
               g.constant(n, data=[g.random.choice((0.25, 1.0, 4.0)) for _ in range(n[0])]),
               most=2 * x.most + 4)
    elif x.rank >= 3:
        g.like("InstanceNormalization", x, g.constant(x.shape[1:2]), g.constant(x.shape[1:2]),
               most=8, attrs={"epsilon": 0.125})


def spell_out_norm(g):
    """LayerNormalization as exporters write it."""
    x = g.small(g.pick(lambda t: t.rank > 0) or g.tensors[0])
    axes = {"axes": [-1]}
    one = (x.dtype, x.shape[:-1] + [1])

    def mean(t, most):
        if g.opset >= 18:
            return g.add("ReduceMean", [t, g.ints([-1])], [(*one, most, False)])
        return g.add("ReduceMean", [t], [(*one, most, False)], axes)
    d = g.like("Sub", x, mean(x, x.most), most=2 * x.most)
    v = mean(g.like("Mul", d, d, most=4 * x.most ** 2), 4 * x.most ** 2)
    s = g.like("Sqrt", g.like("Add", v, g.number(0.125)))
    g.like("Div", d, s, most=8)


def attend(g):
    """Attention of few heads of keys, or many, some past, masks of all kinds."""
    x = g.pick(lambda t: t.rank in (3, 4))
    if x is None or g.opset < 23:
        return
    x = g.small(x)
    batch, n, packed = x.shape[0], x.shape[-2], x.rank == 3
    heads = divisor(g, x.shape[2]) if packed else x.shape[1]
    size = x.shape[2] // heads if packed else x.shape[3]
    kv, value_size = divisor(g, heads), g.random.choice((size, g.size(8)))
    new, past = g.random.choice((n, g.size(12))), g.random.choice((0, 0, g.size(8)))
    keys = new + past

    def heads_of(tokens, size):
        return g.constant([batch, tokens, kv * size] if packed else [batch, kv, tokens, size])
    inputs = [x, heads_of(new, size), heads_of(new, value_size), ""]
    if g.chance(2):
        inputs[3] = g.constant(g.random.choice(([n, keys], [1, 1, n, keys], [1, heads, n, keys])))
    if past:
        inputs += [g.constant([batch, kv, past, size]), g.constant([batch, kv, past, value_size])]
    attrs = {"is_causal": g.random.randint(0, 1)}
    if packed:
        attrs.update(q_num_heads=heads, kv_num_heads=kv)
    if g.chance(3):
        attrs["softcap"] = 2.0
    shape = [batch, n, heads * value_size] if packed else [batch, heads, n, value_size]
    g.add("Attention", inputs, [(REAL, shape, 4.0, False)], attrs)


def rotate(g):
    x = g.pick(lambda t: t.rank == 4 and t.shape[3] % 2 == 0)
    if x is None or g.opset < 23:
        return
    x = g.small(x)
    cache = [x.shape[0], x.shape[2], x.shape[3] // 2]
    g.like("RotaryEmbedding", x, g.constant(cache), g.constant(cache), most=4 * x.most,
           attrs={"interleaved": g.random.randint(0, 1)})


def local_norm(g):
    x = g.pick(lambda t: t.rank >= 3)
    if x is not None:
        g.like("LRN", g.small(x), attrs={"size": g.random.choice((1, 3, 5)), "alpha": 0.5})


def cumsum(g):
    x = g.small(g.pick(lambda t: t.rank > 0) or g.tensors[0], 1.0)
    axis = g.axis(x)
    g.like("CumSum", x, g.constant([], dtype="int64", data=[axis]), most=x.most * x.shape[axis],
           attrs={"exclusive": g.random.randint(0, 1), "reverse": g.random.randint(0, 1)})


def recur(g):
    x = g.pick(lambda t: t.rank == 3 and t.shape[0] <= 8)
    if x is None:
        return
    x = g.small(x)
    op, gates = g.random.choice((("RNN", 1), ("GRU", 3), ("LSTM", 4)))
    hidden, ways = g.size(9), g.random.randint(1, 2)
    inputs = [x, g.constant([ways, gates * hidden, x.shape[2]], 0.25),
              g.constant([ways, gates * hidden, hidden], 0.25), g.constant([ways, 2 * gates * hidden])]
    attrs = {"hidden_size": hidden, "direction": "bidirectional" if ways == 2 else
             g.random.choice(("forward", "reverse"))}
    if op == "GRU":
        attrs["linear_before_reset"] = g.random.randint(0, 1)
    outputs = [(x.dtype, [x.shape[0], ways, x.shape[1], hidden], 1, False),
               (x.dtype, [ways, x.shape[1], hidden], 1, False)]
    g.add(op, inputs, outputs[:g.random.randint(1, 2)], attrs)


# ---- what moves values and computes none: for any type

def any_tensor(g, good=lambda tensor: True):
    is_real = not g.chance(4)
    return g.pick(good, is_real) or g.pick(good)


def move(g, op, x, inputs, shape, attrs=None):
    return g.add(op, [x, *inputs], [(x.dtype, shape, x.most, x.exact)], attrs)


def transpose(g):
    x = any_tensor(g, lambda t: t.rank >= 2)
    if x is not None:
        order = g.random.sample(range(x.rank), x.rank)
        move(g, "Transpose", x, [], [x.shape[i] for i in order], {"perm": order})


def concat(g):
    x = any_tensor(g, lambda t: t.rank > 0 and t.count * 2 <= MOST_ELEMENTS)
    if x is None:
        return
    same = [t for t in g.tensors if t.dtype == x.dtype and t.shape == x.shape]
    y, axis = g.random.choice(same), g.axis(x)
    shape = list(x.shape)
    shape[axis] *= 2
    g.add("Concat", [x, y], [(x.dtype, shape, max(x.most, y.most), x.exact and y.exact)], {"axis": axis})


def cut(g):
    x = any_tensor(g, lambda t: t.rank > 0)
    if x is None:
        return
    axis, shape = g.random.randrange(x.rank), list(x.shape)
    first = g.random.randrange(shape[axis])
    end, step = g.random.randint(first + 1, shape[axis]), g.random.randint(1, 2)
    if g.chance(3):           # backwards
        picked, bounds = range(end - 1, first - 1, -step), [end - 1, first - 1 - shape[axis], -step]
    else:
        picked, bounds = range(first, end, step), [first, end, step]
    shape[axis] = len(picked)
    bounds = [g.ints([b]) for b in bounds]
    move(g, "Slice", x, [bounds[0], bounds[1], g.ints([axis]), bounds[2]], shape)


def pad(g):
    x = any_tensor(g, lambda t: t.rank > 0 and t.dtype != "bool")
    if x is None:
        return
    mode = g.random.choice(("constant", "edge", "reflect"))
    before, after = [[min(g.random.randint(0, 2), d - 1) for d in x.shape] for _ in range(2)]
    shape = [a + d + b for a, d, b in zip(before, x.shape, after)]
    if math.prod(shape) <= MOST_ELEMENTS:
        move(g, "Pad", x, [g.ints(before + after)], shape, {"mode": mode})


def gather(g):
    x = any_tensor(g, lambda t: t.rank > 0)
    if x is None:
        return
    axis, n = g.random.randrange(x.rank), g.size(6)
    if x.count // x.shape[axis] * n <= MOST_ELEMENTS:
        d = x.shape[axis]
        index = g.ints([g.random.randrange(-d, d) for _ in range(n)], g.random.choice(("int64", "int32")))
        move(g, "Gather", x, [index], x.shape[:axis] + [n] + x.shape[axis + 1:], {"axis": axis})


def repeat(g):
    x = any_tensor(g, lambda t: t.rank > 0)
    if x is None:
        return
    if g.chance(2):
        times = [g.random.randint(1, 2) for _ in x.shape]
        shape = [n * d for n, d in zip(times, x.shape)]
        op, wanted = "Tile", times
    else:
        shape = [g.size(4) if d == 1 else d for d in x.shape]
        op, wanted = "Expand", shape
    if math.prod(shape) <= MOST_ELEMENTS:
        move(g, op, x, [g.ints(wanted)], shape)


def blocks(g):
    x = any_tensor(g, lambda t: t.rank == 4)
    if x is None:
        return
    n, c, h, w = x.shape
    if c % 4 == 0:
        attrs = {"blocksize": 2, "mode": g.random.choice(("DCR", "CRD"))}
        move(g, "DepthToSpace", x, [], [n, c // 4, 2 * h, 2 * w], attrs)
    elif h % 2 == 0 and w % 2 == 0:
        move(g, "SpaceToDepth", x, [], [n, 4 * c, h // 2, w // 2], {"blocksize": 2})


def split(g):
    x = any_tensor(g, lambda t: t.rank > 0 and max(t.shape) > 1)
    if x is None:
        return
    axis = g.random.choice([i for i, d in enumerate(x.shape) if d > 1])
    first = g.random.randrange(1, x.shape[axis])
    parts = [first, x.shape[axis] - first]
    outputs = [(x.dtype, x.shape[:axis] + [p] + x.shape[axis + 1:], x.most, x.exact) for p in parts]
    g.add("Split", [x, g.ints(parts)], outputs, {"axis": axis})


def reshape(g):
    x = any_tensor(g, lambda t: t.rank > 0)
    if x is None:
        return
    kind = g.random.randrange(3)
    if kind == 0:
        axis = g.random.randrange(x.rank)
        shape = [math.prod(x.shape[:axis]), math.prod(x.shape[axis:])]
        move(g, "Flatten", x, [], shape, {"axis": axis})
    elif kind == 1 and x.rank < 5:
        axis = g.random.randrange(x.rank + 1)
        move(g, "Unsqueeze", x, [g.ints([axis])], x.shape[:axis] + [1] + x.shape[axis:])
    else:
        split_at = [k for k in range(1, x.count + 1) if x.count % k == 0]
        a = g.random.choice(split_at)
        b = g.random.choice([k for k in split_at if x.count // a % k == 0])
        move(g, "Reshape", x, [g.ints([a, b, -1])], [a, b, x.count // a // b])


def resize(g):
    x = g.pick(lambda t: t.rank == 4 and t.count <= MOST_ELEMENTS // 4)
    if x is None:
        return
    mode = g.random.choice(("nearest", "linear"))
    scales = g.constant([4], dtype="float32", data=[1, 1, 2, g.random.choice((1, 2))])
    times = g.constants[-1]["data"]
    g.add("Resize", [x, "", scales], [(x.dtype, [d * t for d, t in zip(x.shape, times)], x.most,
                                       x.exact and mode == "nearest")],
          {"mode": mode, "coordinate_transformation_mode": g.random.choice(("half_pixel", "asymmetric"))})


def triangle(g):
    x = g.pick(lambda t: t.rank >= 2)
    if x is not None:
        move(g, "Trilu", x, [], x.shape, {"upper": g.random.randint(0, 1)})


def scatter(g):
    x = g.pick(lambda t: t.rank >= 2)
    if x is not None:
        rows = g.random.sample(range(x.shape[0]), g.random.randint(1, x.shape[0]))
        index = g.constant([len(rows), 1], dtype="int64", data=rows)
        move(g, "ScatterND", x, [index, g.constant([len(rows)] + x.shape[1:])], x.shape)


# ---- what jumps, and what is no real

def jump(g):
    x = g.pick(lambda t: t.exact)
    op = g.random.choice(("Floor", "Ceil", "Round", "Sign", "ThresholdedRelu", "Shrink"))
    g.like(op, x, most=x.most + 1, exact=op != "Shrink")


def to_integers(g):
    x = g.pick(lambda t: t.exact)
    dtype, number = g.random.choice((("int64", 7), ("int32", 6), ("uint8", 2)))
    if dtype == "uint8":
        x = g.like("Abs", x, exact=True)
    x = g.like("Mul", x, g.number(4.0), most=4 * x.most, exact=True)
    x = g.like("Floor", x, exact=True)
    g.add("Cast", [x], [(dtype, x.shape, x.most, True)], {"to": number})


def quantized(g):
    """By a power of two: what is exact stays so, or is a half on every device."""
    x = g.pick(lambda t: t.exact and t.dtype == REAL)
    if x is None:
        return
    dtype, low = g.random.choice((("uint8", 0), ("int8", -128)))
    scale = g.number(2.0 ** g.random.randint(-5, 0))
    zero = g.constant([], dtype=dtype, data=[g.random.randint(low, low + 255)])
    q = g.add("QuantizeLinear", [x, scale, zero], [(dtype, x.shape, 255, True)])
    if x.rank >= 2 and g.chance(2):
        n = g.random.randint(1, 40)
        w = g.constant([x.shape[-1], n], dtype="int8",
                       data=[g.random.randint(-128, 127) for _ in range(x.shape[-1] * n)])
        g.add("MatMulInteger", [q, w, zero], [("int32", x.shape[:-1] + [n], 255 * 128 * x.shape[-1], True)])
    else:
        g.add("DequantizeLinear", [q, scale, zero], [(REAL, x.shape, 256.0, True)])


def best_index(g):
    x = g.pick(lambda t: t.exact and t.rank > 0)
    axis, keep = g.random.randrange(x.rank), g.random.randint(0, 1)
    shape = x.shape[:axis] + [1] * keep + x.shape[axis + 1:]
    g.add(g.random.choice(("ArgMax", "ArgMin")), [x], [("int64", shape, 32, True)],
          {"axis": axis, "keepdims": keep})


def of_integers(g):
    x = g.pick(lambda t: t.dtype in ("int64", "int32") and t.most < 1e4, False)
    if x is None:
        return
    same = [t for t in g.tensors if t.dtype == x.dtype and t.shape == x.shape]
    y, op = g.random.choice(same), g.random.choice(("Add", "Sub", "Mul", "Max", "Min", "Div", "Mod", "Abs", "Neg"))
    most = x.most * y.most if op == "Mul" else x.most + y.most
    if op in ("Abs", "Neg"):
        g.like(op, x, exact=True)
    elif op in ("Div", "Mod"):
        y = g.constant([x.shape[-1]] if x.rank else [], dtype=x.dtype,
                       data=[g.random.choice((1, 2, 3, 7)) for _ in range(x.shape[-1] if x.rank else 1)])
        g.like(op, x, y, exact=True)
    else:
        g.like(op, x, y, most=most, exact=True)


def compare(g):
    x = g.pick(lambda t: t.exact) if g.chance(2) else g.pick(lambda t: t.dtype != "bool", False)
    if x is None:
        return
    same = [t for t in g.tensors if t.dtype == x.dtype and t.shape == x.shape and t.exact]
    ops = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal")
    g.add(g.random.choice(ops), [x, g.random.choice(same)], [("bool", x.shape, 1, True)])


def logic(g):
    x = g.pick(lambda t: t.dtype == "bool", False)
    if x is None:
        return
    same = [t for t in g.tensors if t.dtype == "bool" and t.shape == x.shape]
    op = g.random.choice(("And", "Or", "Xor", "Not"))
    g.like(op, x, *([] if op == "Not" else [g.random.choice(same)]), exact=True)


def where(g):
    x = g.pick(lambda t: t.dtype == "bool", False)
    if x is None:
        compare(g)
        return
    same = [t for t in g.tensors if t.real and t.shape == x.shape]
    if same:
        a, b = g.random.choice(same), g.random.choice(same)
        g.add("Where", [x, a, b], [(a.dtype, a.shape, max(a.most, b.most), a.exact and b.exact)])
    else:
        g.add("Where", [x, g.number(1.0), g.number(-2.0)], [(REAL, x.shape, 2.0, True)])


def to_reals(g):
    x = g.pick(lambda t: t.most < 1e6, False)
    if x is not None:
        g.add("Cast", [x], [(REAL, x.shape, x.most, True)], {"to": 1})


BLOCKS = (unary, unary, unary, grows, of_positive, clip, gelu, swish, binary, binary,
          binary, divide, power, prelu, conv, conv, conv, matmul, matmul, gemm, einsum, pool, pool,
          global_pool, reduce, reduce, softmax, normalise, normalise, spell_out_norm, local_norm,
          attend, attend, rotate, cumsum, recur, transpose, transpose, concat, cut, pad, gather, repeat, blocks, split,
          reshape, reshape, resize, triangle, scatter, jump, to_integers, to_integers, of_integers,
          of_integers, of_integers, quantized, quantized, compare, logic, where, where, to_reals,
          circular, top, best_index) + MORE


def make(seed):
    g = Graph(seed)
    for _ in range(g.random.randint(1, 2)):
        g.add_input()
    n = g.random.choice((3, 6, 12, 24))
    while len(g.ops) < n:
        g.random.choice(BLOCKS)(g)
    return {**g.to_json(), "name": f"random-{seed}"}


if __name__ == "__main__":
    print(json.dumps(make(int(sys.argv[1])), indent=1))
