#!/bin/sh
# What `tplan convert` writes, against onnx.checker and onnxruntime: the examples,
# and models named by CONVERT_MODELS. Part of `make check-full`:
#   PYTHON_ONNXRUNTIME=DIR/bin/python make -C tests/onnx check TESTS=check-convert.sh
set -u
if [ -z "${TPLAN_TEST_FULL:-}" ]; then
  echo "1..0 # SKIP part of make check-full"; exit 0
fi
for python in ${PYTHON_ONNXRUNTIME:-} python3; do
  "$python" -c 'import numpy, onnx, onnxruntime' > /dev/null 2>&1 && break
  python=
done
if [ -z "$python" ]; then
  echo "1..0 # SKIP no Python with onnx and onnxruntime: PYTHON_ONNXRUNTIME may name one"; exit 0
fi
TPLAN=$(cd "$top_builddir" && pwd)/cli/tplan
if ! "$TPLAN" devices 2> /dev/null | grep -q '^ *cpu  *ready'; then
  echo "1..0 # SKIP no cpu device: built without LLVM"; exit 0
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
export TPLAN TPLAN_COST XDG_CONFIG_HOME
"$python" -B "$top_srcdir/tests/onnx/check_convert.py" "$top_srcdir/examples/mlp.json" \
  $(ls "$top_builddir"/examples/*.json | grep -v '/mlp.json$') ${CONVERT_MODELS:-}
