#!/usr/bin/env python3
"""Writes ONNX models of one op each, in shapes that networks have and libraries
find hard, for peers.py to time.

usage: shapes.py DIR [WORD...]       only names that contain one of the words
"""
import os
import sys

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"shapes.py needs {error.name}: install it for this Python")

RANDOM = numpy.random.default_rng(7)


def weight(name, *shape):
    fan = numpy.prod(shape[1:]) if len(shape) > 1 else shape[0]
    return numpy_helper.from_array(
        (RANDOM.standard_normal(shape) / numpy.sqrt(fan)).astype(numpy.float32), name)


def model(nodes, inputs, constants=(), dtype=TensorProto.FLOAT, opset=17):
    """Inputs are (name, shape); the output of the last node is that of the graph."""
    info = [helper.make_tensor_value_info(name, dtype, shape) for name, shape in inputs]
    last = helper.make_empty_tensor_value_info(nodes[-1].output[0])
    graph = helper.make_graph(nodes, "shape", info, [last], list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8 if opset < 23 else 11
    made = onnx.shape_inference.infer_shapes(made)
    onnx.checker.check_model(made)
    return made


def product(m, k, n, constant=False, batch=(), transposed=False):
    """x (batch, m, k) times w (batch, k, n); w is an input unless it is constant;
    if transposed it is (batch, n, k), as keys are."""
    w_shape = (*batch, n, k) if transposed else (*batch, k, n)
    nodes, w = [], "w"
    if transposed:
        axes = [*range(len(batch)), len(batch) + 1, len(batch)]
        nodes, w = [helper.make_node("Transpose", ["w"], ["wt"], perm=axes)], "wt"
    nodes.append(helper.make_node("MatMul", ["x", w], ["y"]))
    x = ("x", (*batch, m, k))
    if constant:
        return model(nodes, [x], [weight("w", *w_shape)])
    return model(nodes, [x, ("w", w_shape)])


def convolution(channels, filters, size, kernel, stride=1, groups=1, batch=1):
    """Square, padded to keep its size (over the stride)."""
    w = weight("w", filters, channels // groups, kernel, kernel)
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], group=groups, strides=[stride] * 2,
                            pads=[kernel // 2] * 4, kernel_shape=[kernel] * 2)
    return model([node], [("x", (batch, channels, size, size))], [w, weight("b", filters)])


def lines(channels, filters, size, kernel, stride=1, dilation=1):
    """Along as many dimensions as there are in @size, padded to keep it (over the stride)."""
    n = len(size)
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], strides=[stride] * n, dilations=[dilation] * n,
                            pads=[dilation * (kernel // 2)] * 2 * n)
    return model([node], [("x", (1, channels, *size))],
                 [weight("w", filters, channels, *[kernel] * n), weight("b", filters)])


def transposed(channels, filters, size, kernel, stride, pad=0):
    node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], strides=[stride] * 2, pads=[pad] * 4)
    return model([node], [("x", (1, channels, size, size))],
                 [weight("w", channels, filters, kernel, kernel), weight("b", filters)])


def pooled(op, size, kernel, stride=1):
    """Between 1x1 convolutions, as networks have it."""
    node = helper.make_node(op, ["t"], ["u"], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)
    return between(node, size, (), (), 17)


def convolutions(channels, size, kernel, stride=1, groups=1):
    """Between 1x1 convolutions, as networks have it, in whatever layout is best."""
    node = helper.make_node("Conv", ["t", "w"], ["u"], group=groups, strides=[stride] * 2,
                            pads=[kernel // 2] * 4, kernel_shape=[kernel] * 2)
    return model([helper.make_node("Conv", ["x", "v"], ["t"]), node,
                  helper.make_node("Conv", ["u", "z"], ["y"])],
                 [("x", (1, 8, size, size))],
                 [weight("v", channels, 8, 1, 1), weight("w", channels, channels // groups, kernel, kernel),
                  weight("z", 8, channels, 1, 1)])


def attention(heads, rows, depth):
    """softmax (q k / 8) v, keys a column per row."""
    shape = (1, heads, rows, depth)
    nodes = [helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
             helper.make_node("MatMul", ["q", "kt"], ["s"]),
             helper.make_node("Mul", ["s", "scale"], ["t"]),
             helper.make_node("Softmax", ["t"], ["p"], axis=-1),
             helper.make_node("MatMul", ["p", "v"], ["y"])]
    scale = numpy_helper.from_array(numpy.float32(0.125), "scale")
    return model(nodes, [(name, shape) for name in "qkv"], [scale])


def attention_op(heads, rows, depth):
    shape = (1, heads, rows, depth)
    return model([helper.make_node("Attention", ["q", "k", "v"], ["y"])],
                 [(name, shape) for name in "qkv"], opset=23)


def half(m, k, n):
    w = numpy_helper.to_array(weight("w", k, n)).astype(numpy.float16)
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", (m, k))],
                 [numpy_helper.from_array(w, "w")], TensorProto.FLOAT16)


def whole(low, high, dtype, name, *shape):
    return numpy_helper.from_array(RANDOM.integers(low, high, shape, dtype=dtype), name)


def integers(m, k, n):
    """Quantized while it runs: an unsigned factor with a zero point, and a signed constant."""
    return model([helper.make_node("MatMulInteger", ["x", "w", "z"], ["y"])], [("x", (m, k))],
                 [whole(-20, 20, numpy.int8, "w", k, n), whole(0, 255, numpy.uint8, "z")],
                 TensorProto.UINT8)


def quantized_convolution(channels, size):
    scales = [numpy_helper.from_array(numpy.float32(it), name)
              for name, it in (("xs", 0.02), ("ws", 0.01), ("ys", 0.1))]
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"],
                            pads=[1, 1, 1, 1])
    return model([node], [("x", (1, channels, size, size))],
                 [*scales, whole(-20, 20, numpy.int8, "w", channels, channels, 3, 3),
                  whole(0, 1, numpy.int8, "wz"), whole(120, 121, numpy.uint8, "xz"),
                  whole(128, 129, numpy.uint8, "yz")], TensorProto.UINT8)


def nbits(m, k, n, block=32, level=0):
    """Weights of 4 bits, an op of ONNX Runtime; of level 4 x may be rounded to 8 bits."""
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft",
                            K=k, N=n, bits=4, block_size=block, accuracy_level=level)
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in (("x", (m, k)), ("y", (m, n)))]
    graph = helper.make_graph([node], "shape", info[:1], info[1:], [
        whole(0, 256, numpy.uint8, "w", n, k // block, block // 2), weight("s", n * k // block)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                   helper.make_opsetid("com.microsoft", 1)])
    made.ir_version = 8
    return made


def unary(op, shape, *constants, dtype=TensorProto.FLOAT, **attributes):
    return model([helper.make_node(op, ["x", *(it.name for it in constants)], ["y"], **attributes)],
                 [("x", shape)], constants, dtype)


def enlarged(channels, size):
    """Each point becomes four."""
    scales = numpy_helper.from_array(numpy.array([1, 1, 2, 2], numpy.float32), "s")
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="nearest", nearest_mode="floor",
                            coordinate_transformation_mode="asymmetric")
    return model([node], [("x", (1, channels, size, size))], [scales])


def top_k(rows, n, k):
    node = helper.make_node("TopK", ["x", "k"], ["y", "places"])
    return model([node], [("x", (rows, n))], [numpy_helper.from_array(numpy.array([k]), "k")])


def between(node, size, inputs, constants, opset, before=()):
    """@node, from t to u, between 1x1 convolutions of 8 and of 64 channels."""
    return model([helper.make_node("Conv", ["x", "v"], ["t"]), *before, node,
                  helper.make_node("Conv", ["u", "z"], ["y"])],
                 [("x", (1, 8, size, size)), *inputs],
                 [weight("v", 64, 8, 1, 1), weight("z", 8, 64, 1, 1), *constants], opset=opset)


def boxes(n, size, scale):
    """Of an image whose features are these, and the images they lie in."""
    corner = RANDOM.random((n, 2)) * 0.6 * size / scale
    both = numpy.hstack((corner, corner + RANDOM.random((n, 2)) * 0.4 * size / scale + 16))
    return [numpy_helper.from_array(both.astype(numpy.float32), "r"),
            numpy_helper.from_array(numpy.zeros(n, numpy.int64), "i")]


def roi_align(x, y, scale):
    return helper.make_node("RoiAlign", [x, "r", "i"], [y], output_height=7, output_width=7,
                            sampling_ratio=2, spatial_scale=scale)


def regions(n, size, scale=0.0625):
    return between(roi_align("t", "u", scale), size, (), boxes(n, size, scale), 16)


def given_regions(n, channels, size, scale=0.0625):
    """Of an input of the graph, in rows."""
    return model([roi_align("x", "y", scale)], [("x", (1, channels, size, size))],
                 boxes(n, size, scale), opset=16)


def deformed(size):
    node = helper.make_node("DeformConv", ["t", "w", "o"], ["u"], kernel_shape=[3, 3], pads=[1] * 4)
    offsets = helper.make_node("Conv", ["x", "f"], ["o"])
    return between(node, size, (), [weight("w", 64, 64, 3, 3), weight("f", 18, 8, 1, 1)], 19, [offsets])


def given_deformed(channels, size, offset_groups=1):
    """Of inputs of the graph, with a mask."""
    node = helper.make_node("DeformConv", ["x", "w", "o", "b", "m"], ["y"], kernel_shape=[3, 3],
                            pads=[1] * 4, offset_group=offset_groups)
    inputs = [("x", (1, channels, size, size)), ("o", (1, 18 * offset_groups, size, size)),
              ("m", (1, 9 * offset_groups, size, size))]
    return model([node], inputs, [weight("w", channels, channels, 3, 3), weight("b", channels)], opset=19)


def grid(images, channels, size, points):
    node = helper.make_node("GridSample", ["x", "g"], ["y"], align_corners=1)
    return model([node], [("x", (images, channels, size, size)), ("g", (images, points, points, 2))],
                 opset=20)


def padded(channels, size):
    pads = numpy_helper.from_array(numpy.array([0, 0, 1, 1] * 2), "p")
    return model([helper.make_node("Pad", ["x", "p"], ["y"])], [("x", (1, channels, size, size))], [pads])


def gathered(rows, n, count):
    places = numpy_helper.from_array(RANDOM.integers(0, n, count), "i")
    return model([helper.make_node("Gather", ["x", "i"], ["y"], axis=1)], [("x", (rows, n))], [places])


def one_hot():
    """Of classes in rows, from places that the graph is given."""
    values = [numpy_helper.from_array(numpy.array(1000), "depth"),
              numpy_helper.from_array(numpy.array([0, 1], numpy.float32), "values")]
    cast = helper.make_node("Cast", ["x"], ["places"], to=TensorProto.INT64)
    return model([cast, helper.make_node("OneHot", ["places", "depth", "values"], ["y"])],
                 [("x", (1024,))], values)


def elements(op, rows, n, count):
    """Of rows, at places of their own."""
    places = numpy.argsort(RANDOM.random((rows, n)), axis=1)[:, :count]
    inputs = ["x", "i"] + (["u"] if op == "ScatterElements" else [])
    shapes = [("x", (rows, n))] + [("u", (rows, count))] * (len(inputs) - 2)
    return model([helper.make_node(op, inputs, ["y"], axis=1)], shapes,
                 [numpy_helper.from_array(places, "i")])


def folded(channels, size):
    lists = [numpy_helper.from_array(numpy.array(it), name)
             for name, it in (("s", [size, size]), ("k", [3, 3]))]
    return model([helper.make_node("Col2Im", ["x", "s", "k"], ["y"], pads=[1] * 4)],
                 [("x", (1, 9 * channels, size * size))], lists, opset=18)


SHAPES = {
    "gemm-256": lambda: product(256, 256, 256),
    "gemm-512": lambda: product(512, 512, 512),
    "gemm-1024": lambda: product(1024, 1024, 1024),
    "gemm-512-const": lambda: product(512, 512, 512, True),
    "m1-768x768": lambda: product(1, 768, 768),
    "m1-1024x4096": lambda: product(1, 1024, 4096),
    "m4-768x768": lambda: product(4, 768, 768),
    "m8-768x768": lambda: product(8, 768, 768),
    "m1-768x3072-const": lambda: product(1, 768, 3072, True),
    "m4-768x3072-const": lambda: product(4, 768, 3072, True),
    "m8-768x3072-const": lambda: product(8, 768, 3072, True),
    "keys-m1-12x512x64": lambda: product(1, 64, 512, batch=(1, 12), transposed=True),
    "values-m1-12x512x64": lambda: product(1, 512, 64, batch=(1, 12)),
    "keys-m8-12x512x64": lambda: product(8, 64, 512, batch=(1, 12), transposed=True),
    "keys-m128-12x128x64": lambda: product(128, 64, 128, batch=(1, 12), transposed=True),
    "values-m128-12x128x64": lambda: product(128, 128, 64, batch=(1, 12)),
    "n1-512x512": lambda: product(512, 512, 1),
    "n4-512x512": lambda: product(512, 512, 4),
    "n8-512x512": lambda: product(512, 512, 8),
    "n10-1024x512-const": lambda: product(1024, 512, 10, True),
    "n16-512x512": lambda: product(512, 512, 16),
    "n1-4096x1024-const": lambda: product(4096, 1024, 1, True),
    "k16384-64x64": lambda: product(64, 16384, 64),
    "k65536-16x16": lambda: product(16, 65536, 16),
    "softmax-1024": lambda: unary("Softmax", (1024, 1024), axis=-1),
    "softmax-128": lambda: unary("Softmax", (12, 128, 128), axis=-1),
    "softmax-4096": lambda: unary("Softmax", (256, 4096), axis=-1),
    "reducemax-128": lambda: unary("ReduceMax", (8192, 128), axes=[-1], keepdims=0),
    "reducemax-4096": lambda: unary("ReduceMax", (256, 4096), axes=[-1], keepdims=0),
    "reducemean-1024": lambda: unary("ReduceMean", (1024, 1024), axes=[-1], keepdims=0),
    "top-300-of-8400": lambda: top_k(1, 8400, 300),
    "top-1000-of-8400": lambda: top_k(1, 8400, 1000),
    "top-100-of-1000": lambda: top_k(1, 1000, 100),
    "top-8-of-64": lambda: top_k(1, 64, 8),
    "top-8-of-128-x4096": lambda: top_k(4096, 128, 8),
    "top-2-of-8-x512": lambda: top_k(512, 8, 2),
    "between-roi-100-50": lambda: regions(100, 50),
    "between-deform-40": lambda: deformed(40),
    "roi-1000-50": lambda: given_regions(1000, 256, 50),
    "deform-64-56": lambda: given_deformed(64, 56),
    "deform-64-56-groups": lambda: given_deformed(64, 56, 4),
    "deform-256-28": lambda: given_deformed(256, 28),
    "grid-64-56": lambda: grid(1, 64, 56, 56),
    "grid-3-480": lambda: grid(1, 3, 480, 480),
    "grid-1-32-x1024": lambda: grid(1024, 1, 32, 9),
    "gather-last": lambda: gathered(128, 1000, 3000),
    "pad-64-56": lambda: padded(64, 56),
    "means-9-x4096": lambda: unary("AveragePool", (8, 4, 4096), kernel_shape=[9], pads=[4, 4]),
    "enlarged-64-56": lambda: enlarged(64, 56),
    "depth-to-space-64-56": lambda: unary("DepthToSpace", (1, 256, 56, 56), blocksize=2),
    "space-to-depth-64-56": lambda: unary("SpaceToDepth", (1, 64, 56, 56), blocksize=2),
    "turned-1024": lambda: unary("Transpose", (1024, 1024), perm=[1, 0]),
    "turned-1024-half": lambda: unary("Transpose", (1024, 1024), perm=[1, 0], dtype=TensorProto.FLOAT16),
    "turned-1024-bytes": lambda: unary("Transpose", (1024, 1024), perm=[1, 0], dtype=TensorProto.UINT8),
    "means-2-112-s2": lambda: unary("AveragePool", (1, 64, 112, 112), kernel_shape=[2, 2], strides=[2, 2]),
    "means-3-112-s2": lambda: unary("AveragePool", (1, 64, 112, 112), kernel_shape=[3, 3], strides=[2, 2],
                                    pads=[1] * 4),
    "col2im-64-56": lambda: folded(64, 56),
    "attention-8x1500": lambda: attention(8, 1500, 64),
    "attention-2x4096": lambda: attention(2, 4096, 64),
    "layernorm-128": lambda: unary("LayerNormalization", (4096, 128), weight("s", 128), weight("b", 128)),
    "layernorm-4096": lambda: unary("LayerNormalization", (128, 4096), weight("s", 4096), weight("b", 4096)),
    "layernorm-768": lambda: unary("LayerNormalization", (512, 768), weight("s", 768), weight("b", 768)),
    "sigmoid": lambda: unary("Sigmoid", (128, 3072)),
    "tanh": lambda: unary("Tanh", (128, 3072)),
    "gelu-erf": lambda: unary("Erf", (128, 3072)),
    "depthwise-3-56": lambda: convolution(144, 144, 56, 3, groups=144),
    "depthwise-3-112-s2": lambda: convolution(96, 96, 112, 3, 2, groups=96),
    "depthwise-7-56": lambda: convolution(96, 96, 56, 7, groups=96),
    "between-dw3-56": lambda: convolutions(144, 56, 3, groups=144),
    "between-dw3-112-s2": lambda: convolutions(96, 112, 3, 2, groups=96),
    "between-dw5-28-s2": lambda: convolutions(120, 28, 5, 2, groups=120),
    "between-dw7-56": lambda: convolutions(96, 56, 7, groups=96),
    "between-g32-56": lambda: convolutions(128, 56, 3, groups=32),
    "between-g32-56-s2": lambda: convolutions(256, 56, 3, 2, groups=32),
    "stem-7-224-s2": lambda: convolution(3, 64, 224, 7, 2),
    "stem-3-224-s2": lambda: convolution(3, 32, 224, 3, 2),
    "1x1-512-2048-7": lambda: convolution(512, 2048, 7, 1),
    "1x1-256-1024-14": lambda: convolution(256, 1024, 14, 1),
    "between-3-64-56": lambda: convolutions(64, 56, 3),
    "between-3-128-28": lambda: convolutions(128, 28, 3),
    "between-3-256-14": lambda: convolutions(256, 14, 3),
    "between-3-256-28": lambda: convolutions(256, 28, 3),
    "between-3-512-28": lambda: convolutions(512, 28, 3),
    "between-3-512-7": lambda: convolutions(512, 7, 3),
    "between-3-64-224": lambda: convolutions(64, 224, 3),
    "dilated-6-256-33": lambda: lines(256, 256, (33, 33), 3, 1, 6),
    "dilated-12-256-33": lambda: lines(256, 256, (33, 33), 3, 1, 12),
    "line-3-64-4096": lambda: lines(64, 64, (4096,), 3),
    "line-3-80-384-3000": lambda: lines(80, 384, (3000,), 3),
    "line-3-64-4096-dilated": lambda: lines(64, 64, (4096,), 3, 1, 4),
    "volume-3-32-16x28": lambda: lines(32, 32, (16, 28, 28), 3),
    "volume-3-64-16x28-s2": lambda: lines(64, 64, (16, 28, 28), 3, 2),
    "transposed-2-256-128-28-s2": lambda: transposed(256, 128, 28, 2, 2),
    "transposed-4-256-128-16-s2": lambda: transposed(256, 128, 16, 4, 2, 1),
    "transposed-4-512-256-8-s2": lambda: transposed(512, 256, 8, 4, 2, 1),
    "transposed-4-64-3-64-s2": lambda: transposed(64, 3, 64, 4, 2, 1),
    "transposed-4-100-512-1": lambda: transposed(100, 512, 1, 4, 1),
    "transposed-3-256-256-14-s2": lambda: transposed(256, 256, 14, 3, 2, 1),
    "transposed-9-56-1-64-s3": lambda: transposed(56, 1, 64, 9, 3, 3),
    "between-max-5-56": lambda: pooled("MaxPool", 56, 5),
    "between-max-13-20": lambda: pooled("MaxPool", 20, 13),
    "between-means-3-56": lambda: pooled("AveragePool", 56, 3),
    "between-means-5-56": lambda: pooled("AveragePool", 56, 5),
    "sums-so-far-rows": lambda: unary("CumSum", (1024, 1024), numpy_helper.from_array(numpy.array(1), "axis")),
    "sums-so-far-columns": lambda: unary("CumSum", (1024, 1024), numpy_helper.from_array(numpy.array(0), "axis")),
    "sums-so-far-back": lambda: unary("CumSum", (8, 512, 512), numpy_helper.from_array(numpy.array(1), "axis"),
                                      exclusive=1, reverse=1),
    "lower-triangle": lambda: unary("Trilu", (1024, 1024), upper=0),
    "upper-triangles": lambda: unary("Trilu", (12, 128, 128)),
    "products-of-rows": lambda: unary("ReduceProd", (1024, 1024), axes=[-1], keepdims=0),
    "sums-of-columns": lambda: unary("ReduceSum", (4096, 1024), numpy_helper.from_array(numpy.array([0]), "axes"),
                                     keepdims=0),
    "means-of-columns-128": lambda: unary("ReduceMean", (128, 3072), axes=[0], keepdims=0),
    "means-of-images": lambda: unary("ReduceMean", (16, 64, 56, 56), axes=[0]),
    "greatest-of-columns": lambda: unary("ArgMax", (512, 1024), axis=0),
    "one-hot": one_hot,
    "gather-elements": lambda: elements("GatherElements", 512, 1024, 256),
    "scatter-elements": lambda: elements("ScatterElements", 512, 1024, 256),
    "op-attention-12x128": lambda: attention_op(12, 128, 64),
    "op-attention-8x1500": lambda: attention_op(8, 1500, 64),
    "m1-4096x4096-const": lambda: product(1, 4096, 4096, True),
    "half-m1-4096x4096-const": lambda: half(1, 4096, 4096),
    "integers-128x768x768": lambda: integers(128, 768, 768),
    "qlinearconv-64-56": lambda: quantized_convolution(64, 56),
    "nbits-m1-2048x4096": lambda: nbits(1, 2048, 4096),
    "nbits-m8-2048x4096": lambda: nbits(8, 2048, 4096),
    "nbits-m32-2048x4096": lambda: nbits(32, 2048, 4096),
    "nbits8-m1-2048x4096": lambda: nbits(1, 2048, 4096, level=4),
    "nbits8-m8-2048x4096": lambda: nbits(8, 2048, 4096, level=4),
    "nbits8-m32-2048x4096": lambda: nbits(32, 2048, 4096, level=4),
}


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    for name, make in SHAPES.items():
        if not words or any(word in name for word in words):
            onnx.save(make(), os.path.join(folder, name + ".onnx"))


if __name__ == "__main__":
    main()
