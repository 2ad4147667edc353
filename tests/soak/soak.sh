#!/bin/sh
# Random graphs on all devices there are, mixed by made-up costs and by pins, fused
# and not, one thread and two, against the references, and against onnxruntime
# where Python has it. `make check`: always the same six; `make check-full`: new
# ones for SOAK_SECONDS (60).
#
#   python3 -m venv --system-site-packages DIR; DIR/bin/pip install onnxruntime
#   make -C tests/soak check TPLAN_TEST_FULL=1 PYTHON_ONNXRUNTIME=DIR/bin/python
set -u
for python in ${PYTHON_ONNXRUNTIME:-} python3 /usr/bin/python3; do
  "$python" -c 'import json' > /dev/null 2>&1 && break
  python=
done
[ -n "$python" ] || { echo "1..0 # SKIP no python3"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
POCL_CACHE_DIR=$work
export TPLAN_COST XDG_CONFIG_HOME POCL_CACHE_DIR
if [ -n "${TPLAN_TEST_FULL:-}" ]; then
  set -- --seconds "${SOAK_SECONDS:-60}"
else
  set -- --first 1 --graphs 6
fi
"$python" -B "$top_srcdir/tests/soak/soak.py" "$@"
