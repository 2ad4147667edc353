#!/bin/sh
# Models of torchvision, exported with random weights, against torch itself:
# three on cpu in `make check`; in `make check-full` all 18 on cpu, on opencl:0
# and on both.
set -u
. "$top_srcdir/tests/torch/common.sh"
script=$top_srcdir/tests/torch/torch-models.py
# The system's Python: the one Debian's python3-torch is for.
python=${PYTHON_TORCH:-/usr/bin/python3}
if ! "$python" -c 'import torch, torchvision, torch.onnx' > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no torch and torchvision"; exit 0
fi
if [ -n "${TPLAN_TEST_FULL:-}" ]; then
  "$python" -B "$script" --full --devices "$devices"
else
  "$python" -B "$script" --devices cpu
fi
