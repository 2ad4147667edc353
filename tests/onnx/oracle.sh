# Sourced by the checks against onnxruntime: $python, $TPLAN, $work, or a skip.
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
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
if ! "$TPLAN" devices > "$work/devices" 2>&1; then # no reason to skip anything
  sed 's/^/# /' "$work/devices"; echo "Bail out! tplan devices fails"; exit 99
fi
if ! grep -q '^ *cpu  *ready' "$work/devices"; then
  echo "1..0 # SKIP no cpu device: built without LLVM"; exit 0
fi
TPLAN_COST=$work/cost.db
XDG_CONFIG_HOME=$work
export TPLAN TPLAN_COST XDG_CONFIG_HOME
