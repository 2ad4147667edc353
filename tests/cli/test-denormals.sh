#!/bin/sh
# run --check where results are denormal: what is rounded to a denormal is right,
# so is zero, and nothing else.
. "$(dirname "$0")/common.sh"
flush=$G_TEST_BUILDDIR/.libs/flush-denormals.so

# x * 1e-39 and x * 1e-41, and x * 10 by way of the first.
cat > tiny.json <<'JSON'
{ "format": "tplan-graph/1", "name": "tiny", "opset": 17,
  "inputs":  [{"name": "x", "dtype": "float32", "shape": [1000]}],
  "outputs": ["y", "z"],
  "initializers": [
    {"name": "small", "dtype": "float32", "shape": [], "fill": 1e-19},
    {"name": "smaller", "dtype": "float32", "shape": [], "fill": 1e-20},
    {"name": "tiny", "dtype": "float32", "shape": [], "fill": 1e-22} ],
  "ops": [
    {"name": "first", "type": "Mul", "inputs": ["x", "small"], "outputs": ["h"]},
    {"name": "second", "type": "Mul", "inputs": ["h", "smaller"], "outputs": ["y"]},
    {"name": "third", "type": "Mul", "inputs": ["h", "tiny"], "outputs": ["z"]} ] }
JSON
sed -e 's/"outputs": \["y", "z"\]/"outputs": ["w"]/' -e 's/"fill": 1e-22}/"fill": 1e20}/' \
  -e 's/\["h", "tiny"\], "outputs": \["z"\]/["y", "tiny"], "outputs": ["v"]/' \
  -e 's/\["v"\]}/["v"]}, {"name": "last", "type": "Mul", "inputs": ["v", "tiny"], "outputs": ["w"]}/' \
  tiny.json > back.json

case $(uname -m)${ASAN_OPTIONS+-asan} in x86_64|aarch64) can_flush=yes ;; *) can_flush=no ;; esac
for device in ref cpu opencl:0; do
  try 0 run tiny.json --devices $device --repeat 1 || {
    [ $code -eq 6 ] || { say 1 "tiny on $device"; continue; }
    n=$((n + 1)); echo "ok $n # SKIP no $device"; continue; }
  try 0 run tiny.json --devices $device --repeat 1 --check --check-ops; say $? "denormals on $device"
  try 0 run back.json --devices $device --repeat 1 --check; say $? "there and back on $device"
  [ $can_flush = yes ] || continue
  LD_PRELOAD=$flush; export LD_PRELOAD
  try 0 run tiny.json --devices $device --repeat 1 --check --format json; status=$?
  unset LD_PRELOAD
  say $status "zero for denormals on $device"
  [ $device = opencl:0 ] || [ "$(json flushed)" -ge 1990 ]; say $? "and it is said"
  # Threads of a driver have modes of their own.
  [ $device != opencl:0 ] || continue
  LD_PRELOAD=$flush; export LD_PRELOAD
  try 1 run back.json --devices $device --repeat 1 --check; status=$?
  unset LD_PRELOAD
  [ $status -eq 0 ] && out_has WRONG; say $? "what that loses is not hidden on $device"
done
try 1 run tiny.json --devices ref --repeat 1 --check --tolerance 1e-9; say $? "a tolerance below their rounding"
finish
