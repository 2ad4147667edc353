#!/bin/sh
# Small models of 51 families of Hugging Face's transformers, exported with random
# weights, against torch itself: on cpu, on opencl:0 and on both. Part of
# `make check-full`, if there is a Python for it:
#
#   python3 -m venv --system-site-packages DIR     Debian's, with python3-torch
#   DIR/bin/pip install transformers==4.30.2
#   make check-full PYTHON_TRANSFORMERS=DIR/bin/python
set -u
. "$top_srcdir/tests/torch/common.sh"
python=${PYTHON_TRANSFORMERS:-/usr/bin/python3}
if ! "$python" -c 'import torch, transformers, torch.onnx' > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no torch and transformers"; exit 0
fi
"$python" -B "$top_srcdir/tests/torch/transformers-models.py" --devices "$devices"
