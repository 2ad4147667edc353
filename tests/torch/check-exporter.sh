#!/bin/sh
# Small models of transformers, diffusers and timm, exported by the exporter that
# torch has today, against torch itself. Part of `make check-full`, if there is a
# Python for it:
#
#   python3 -m venv DIR
#   DIR/bin/pip install torch torchvision transformers diffusers timm onnx onnxscript
#   make check-full PYTHON_EXPORTER=DIR/bin/python
set -u
. "$top_srcdir/tests/torch/common.sh"
python=${PYTHON_EXPORTER:-/usr/bin/python3}
if ! "$python" -c 'import torch.onnx, onnxscript' > /dev/null 2>&1; then
  echo "1..0 # SKIP $python has no torch with onnxscript"; exit 0
fi
"$python" -B "$top_srcdir/tests/torch/exporter-models.py" --devices cpu
