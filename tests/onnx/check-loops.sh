#!/bin/sh
# Loops in loops, scans, branches and sequences, drawn at random, against onnxruntime's. Part of `make check-full`:
#   TPLAN_TEST_FULL=1 PYTHON_ONNXRUNTIME=DIR/bin/python make -C tests/onnx check TESTS=check-loops.sh
set -u
. "$top_srcdir/tests/onnx/oracle.sh"
echo 1..2
number=0
for device in ref cpu; do
  number=$((number + 1))
  if "$python" -B "$top_srcdir/tests/onnx/check_loops.py" "$TPLAN" "$work" \
       "${LOOP_CASES:-100}" "$number" "$device" > "$work/log" 2>&1; then
    echo "ok $number - $device: $(tail -n 1 "$work/log")"
  else
    sed 's/^/# /' "$work/log"; echo "not ok $number - loops as onnxruntime has them, on $device"
  fi
done
