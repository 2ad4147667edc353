#!/bin/sh
# What `tplan convert` writes, against onnx.checker and onnxruntime: the examples,
# and models named by CONVERT_MODELS. Part of `make check-full`:
#   PYTHON_ONNXRUNTIME=DIR/bin/python make -C tests/onnx check TESTS=check-convert.sh
set -u
. "$top_srcdir/tests/onnx/oracle.sh"
"$python" -B "$top_srcdir/tests/onnx/check_convert.py" "$top_srcdir/examples/mlp.json" \
  $(ls "$top_builddir"/examples/*.json | grep -v '/mlp.json$') ${CONVERT_MODELS:-}
