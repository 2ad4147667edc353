#!/bin/sh
# Ops of com.microsoft, and numbers of less than a byte, with random shapes and attributes, against onnxruntime's. Part of `make check-full`:
#   TPLAN_TEST_FULL=1 PYTHON_ONNXRUNTIME=DIR/bin/python make -C tests/onnx check TESTS=check-contrib.sh
set -u
. "$top_srcdir/tests/onnx/oracle.sh"
echo 1..1
if "$python" -B "$top_srcdir/tests/onnx/check_contrib.py" "$TPLAN" "$work" \
     "${CONTRIB_CASES:-120}" > "$work/log" 2>&1; then
  echo "ok 1 - $(tail -n 1 "$work/log")"
else
  sed 's/^/# /' "$work/log"; echo "not ok 1 - ops as onnxruntime has them"
fi
