#!/bin/sh
# Models of torchvision, exported with random weights, against torch itself:
# three on cpu in `make check`; in `make check-full` all 18 on cpu, on opencl:0
# and on both.
set -u
script=$top_srcdir/tests/torch/torch-models.py
# The system's Python: the one Debian's python3-torch is for.
python=${PYTHON_TORCH:-/usr/bin/python3}
if ! "$python" -c 'import torch, torchvision, torch.onnx' > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no torch and torchvision"; exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
POCL_CACHE_DIR=$work
export TPLAN_COST XDG_CONFIG_HOME POCL_CACHE_DIR
"$TPLAN" devices > "$work/devices" 2>&1
if ! grep -q '^ *cpu  *ready' "$work/devices"; then
  echo "1..0 # SKIP no cpu device: built without LLVM"; exit 0
fi
devices=cpu
if grep -q 'opencl:0  *ready' "$work/devices"; then devices=cpu,opencl:0,mixed; fi
if [ -n "${TPLAN_TEST_FULL:-}" ]; then
  "$python" "$script" --full --devices "$devices"
else
  "$python" "$script" --devices cpu
fi
