"""Blocks of random_graph.py: integers, what networks are quantized to, and positions.

Scales are powers of two and sums are small, so that reals that were dequantized are exact
wherever they are added up, and what is quantized is the same on every device."""
import math

REAL = "float32"
MOST_ELEMENTS = 4096          # of a tensor
INTEGERS = ("int64", "int32", "uint8", "int8")
LOW = {"uint8": 0, "int8": -128}
EXACT = 1 << 24               # whole numbers below that are floats


def scale(g, low=-5, high=0):
    return 2.0 ** g.random.randint(low, high)


def bytes_of(g, shape, dtype):
    low = LOW[dtype]
    return g.constant(shape, dtype=dtype,
                      data=[g.random.randint(low, low + 255) for _ in range(math.prod(shape))])


def exact_real(g, good=lambda tensor: True):
    return g.pick(lambda t: t.exact and good(t))


# ---- bits

def bitwise(g):
    x = g.pick(lambda t: t.dtype in INTEGERS, False)
    if x is None or g.opset < 18:
        return
    same = [t for t in g.tensors if t.dtype == x.dtype and t.shape == x.shape]
    y, op = g.random.choice(same), g.random.choice(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"))
    most = 2 * max(x.most, y.most) + 1
    g.like(op, x, *([] if op == "BitwiseNot" else [y]), exact=True,
           most=255 if x.dtype in LOW else most)


def shift(g):
    x = g.pick(lambda t: t.dtype == "uint8", False)
    if x is None:
        return
    by = g.constant(x.shape[-1:], dtype="uint8",
                    data=[g.random.randint(0, 7) for _ in range(x.shape[-1] if x.rank else 1)])
    g.like("BitShift", x, by, most=255, exact=True, attrs={"direction": g.random.choice(("LEFT", "RIGHT"))})


# ---- positions

def gather_elements(g):
    x = g.pick(lambda t: t.rank > 0) if g.chance(2) else g.pick(lambda t: t.rank > 0, False)
    if x is None:
        return
    axis, n = g.random.randrange(x.rank), g.size(6)
    shape = [n if i == axis else g.random.randint(1, d) for i, d in enumerate(x.shape)]
    if math.prod(shape) > MOST_ELEMENTS:
        return
    d = x.shape[axis]
    index = g.constant(shape, dtype="int64", data=[g.random.randrange(-d, d) for _ in range(math.prod(shape))])
    g.add("GatherElements", [x, index], [(x.dtype, shape, x.most, x.exact)], {"axis": axis})


def gather_nd(g):
    x = g.pick(lambda t: t.rank > 1)
    if x is None:
        return
    batch = g.random.randrange(x.rank)
    k, n = g.random.randint(1, x.rank - batch), g.size(6)
    shape = x.shape[:batch] + [n]
    made = shape + x.shape[batch + k:]
    if math.prod(made) > MOST_ELEMENTS:
        return
    data = [g.random.randrange(-x.shape[batch + i], x.shape[batch + i])
            for _ in range(math.prod(shape)) for i in range(k)]
    index = g.constant(shape + [k], dtype="int64", data=data)
    g.add("GatherND", [x, index], [(x.dtype, made, x.most, x.exact)], {"batch_dims": batch})


# ---- what networks are quantized to

def quantize(g, x, dtype, by=None):
    """x as bytes, and what they are multiples of."""
    by = by or scale(g)
    names = [g.number(by), bytes_of(g, [], dtype)]
    q = g.add("QuantizeLinear", [x, *names], [(dtype, x.shape, 255, True)])
    return q, by, names


def dequantize(g, q, by, names):
    return g.add("DequantizeLinear", [q, *names], [(REAL, q.shape, 255 * by, True)])


def weights(g, shape, axis):
    """Bytes, one scale for all or one along axis, and zero points of them or none: names."""
    dtype = g.random.choice(("int8", "int8", "uint8"))
    many = [shape[axis]] if g.chance(2) else []
    by = scale(g, -7, -4)
    scales = g.constant(many, data=[by] * math.prod(many))
    zeros = bytes_of(g, [], dtype) if not many and g.chance(2) else g.constant(many, dtype=dtype, data=[0] * math.prod(many))
    return bytes_of(g, shape, dtype), scales, zeros, by


def is_small(n):
    """Whether sums of n products are exact."""
    return 255 * 255 * n < EXACT


def window(g, x):
    """(filters, kernel, out shape, attributes) of a convolution of x, or None."""
    n = x.rank - 2
    groups = g.random.choice([k for k in range(1, x.shape[1] + 1) if x.shape[1] % k == 0]) if g.chance(3) else 1
    out = groups * g.random.randint(1, max(1, 16 // groups))
    kernel = [g.random.randint(1, 3) for _ in range(n)]
    pads = [g.random.randint(0, k - 1) for k in kernel * 2]
    strides = [g.random.randint(1, 2) for _ in range(n)]
    spatial = [(d + a + b - k) // s + 1
               for d, k, a, b, s in zip(x.shape[2:], kernel, pads, pads[n:], strides)]
    shape = [x.shape[0], out] + spatial
    if min(spatial) < 1 or math.prod(shape) > MOST_ELEMENTS:
        return None
    filters = [out, x.shape[1] // groups] + kernel
    if not is_small(math.prod(filters[1:])):
        return None
    return filters, shape, {"pads": pads, "strides": strides, "group": groups}


def quantized_conv(g):
    """Of integers, or of reals that were dequantized and are quantized then."""
    x = exact_real(g, lambda t: t.rank in (3, 4))
    found = x and window(g, x)
    if not found:
        return
    filters, shape, attrs = found
    dtype = g.random.choice(("uint8", "int8"))
    q, by, names = quantize(g, x, dtype)
    w, w_scales, w_zeros, w_by = weights(g, filters, 0)
    bias = [round(g.random.uniform(-500, 500)) for _ in range(filters[0])]
    after = [g.number(scale(g, -3, 2)), bytes_of(g, [], dtype)]
    kind = g.random.randrange(3)
    if kind == 0:
        g.add("ConvInteger", [q, w, names[1]], [("int32", shape, EXACT, True)], attrs)
        return
    if kind == 1:
        made = g.add("QLinearConv", [q, *names, w, w_scales, w_zeros, *after,
                                     g.constant([filters[0]], dtype="int32", data=bias)],
                     [(dtype, shape, 255, True)], attrs)
    else:
        d = dequantize(g, q, by, names)
        real = g.add("DequantizeLinear", [w, w_scales, w_zeros], [(REAL, filters, 2, True)], {"axis": 0})
        inputs = [d, real]
        if g.chance(2):
            inputs.append(g.constant([filters[0]], data=[b * by * w_by for b in bias]))
        y = g.add("Conv", inputs, [(REAL, shape, 1e4, True)], attrs)
        if g.chance(2):
            y = g.like("Relu", y, exact=True)
        made = g.add("QuantizeLinear", [y, *after], [(dtype, shape, 255, True)])
    g.add("DequantizeLinear", [made, *after], [(REAL, shape, 1e4, True)])


def quantized_product(g):
    x = exact_real(g, lambda t: t.rank >= 2)
    n = g.size()
    if x is None or not is_small(x.shape[-1]) or x.count // x.shape[-1] * n > MOST_ELEMENTS:
        return
    dtype, shape = g.random.choice(("uint8", "int8")), x.shape[:-1] + [n]
    q, by, names = quantize(g, x, dtype)
    w, w_scales, w_zeros, _ = weights(g, [x.shape[-1], n], 1)
    after = [g.number(scale(g, -3, 2)), bytes_of(g, [], dtype)]
    if g.chance(2):
        made = g.add("QLinearMatMul", [q, *names, w, w_scales, w_zeros, *after], [(dtype, shape, 255, True)])
    else:
        d = dequantize(g, q, by, names)
        real = g.add("DequantizeLinear", [w, w_scales, w_zeros], [(REAL, [x.shape[-1], n], 2, True)], {"axis": 1})
        y = g.add("MatMul", [d, real], [(REAL, shape, 1e4, True)])
        made = g.add("QuantizeLinear", [y, *after], [(dtype, shape, 255, True)])
    g.add("DequantizeLinear", [made, *after], [(REAL, shape, 1e4, True)])


def few_bits(g):
    """Weights of 4 and 8 bits in blocks, each of a scale."""
    x = g.pick(lambda t: t.rank >= 2)
    if x is None:
        return
    x, n, k = g.small(x), g.size(), x.shape[-1]
    block, bits = g.random.choice((16, 32)), g.random.choice((4, 4, 8))
    blocks = -(-k // block)
    if x.count // k * n > MOST_ELEMENTS:
        return
    packed = bytes_of(g, [n, blocks, block * bits // 8], "uint8")
    inputs = [x, packed, g.constant([n * blocks], 2.0 ** (1 - bits) / math.sqrt(k))]
    if g.chance(2):
        inputs.append(bytes_of(g, [n * -(-blocks * bits // 8)], "uint8"))
    g.add("com.microsoft.MatMulNBits", inputs, [(REAL, x.shape[:-1] + [n], 16 * x.most, False)],
          {"K": k, "N": n, "bits": bits, "block_size": block})


# ---- reals of 16 bits: computed by nothing that rounds

def narrow(g):
    x = exact_real(g)
    dtype, number = g.random.choice((("float16", 10), ("bfloat16", 16)))
    y = g.add("Cast", [x], [(dtype, x.shape, x.most * 1.01, True)], {"to": number})
    for op in g.random.sample(("Relu", "Neg", "Abs"), g.random.randrange(3)):
        y = g.like(op, y, exact=True)
    if g.chance(2):
        order = g.random.sample(range(y.rank), y.rank)
        y = g.add("Transpose", [y], [(dtype, [y.shape[i] for i in order], y.most, True)], {"perm": order})
    if g.chance(2):
        g.add("Cast", [y], [(REAL, y.shape, y.most, True)], {"to": 1})


# ---- reals

def sample(g):
    """Between the elements of an image, and beyond."""
    x = g.pick(lambda t: t.rank == 4)
    if x is None or g.opset < 20:
        return
    h, w = g.size(9), g.size(9)
    if x.shape[0] * x.shape[1] * h * w > MOST_ELEMENTS:
        return
    attrs = {"mode": "linear", "padding_mode": g.random.choice(("zeros", "border", "reflection")),
             "align_corners": g.random.randint(0, 1)}
    g.add("GridSample", [x, g.constant([x.shape[0], h, w, 2], 0.7)],
          [(REAL, x.shape[:2] + [h, w], x.most, False)], attrs)


def of_powers(g):
    """Means and norms of all there is."""
    x = g.pick(lambda t: t.rank >= 3)
    if x is None:
        return
    x = g.small(x, 2.0)
    kind = g.random.randrange(3)
    if kind == 0:
        g.add("GlobalLpPool", [x], [(REAL, x.shape[:2] + [1] * (x.rank - 2), 2 * math.sqrt(x.count), False)], {"p": 2})
    elif kind == 1:
        kernel = [g.random.randint(1, min(3, d)) for d in x.shape[2:]]
        spatial = [d - k + 1 for d, k in zip(x.shape[2:], kernel)]
        g.add("LpPool", [x], [(REAL, x.shape[:2] + spatial, 12.0, False)], {"kernel_shape": kernel, "p": 2})
    else:
        y = g.like("Add", g.like("Abs", x, exact=x.exact), g.number(0.5), most=x.most + 0.5)
        g.like("LpNormalization", y, most=1.0, attrs={"axis": g.axis(y), "p": g.random.choice((1, 2))})


BLOCKS = (bitwise, bitwise, shift, gather_elements, gather_nd,
          quantized_conv, quantized_conv, quantized_product, quantized_product, few_bits, narrow, narrow,
          sample, of_powers)
