#!/bin/sh
# GroupQueryAttention with random shapes, caches and attributes, against onnxruntime's. Part of `make check-full`:
#   TPLAN_TEST_FULL=1 PYTHON_ONNXRUNTIME=DIR/bin/python make -C tests/onnx check TESTS=check-attention.sh
set -u
. "$top_srcdir/tests/onnx/oracle.sh"
echo 1..1
if "$python" -B "$top_srcdir/tests/onnx/check_attention.py" "$TPLAN" "$work" \
     "${ATTENTION_CASES:-100}" > "$work/log" 2>&1; then
  echo "ok 1 - $(tail -n 1 "$work/log")"
else
  sed 's/^/# /' "$work/log"; echo "not ok 1 - attention as onnxruntime has it"
fi
