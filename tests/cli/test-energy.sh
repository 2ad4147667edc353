#!/bin/sh
# What devices draw, by counters as the kernel keeps them: here files that somebody
# writes, so that a processor draws 50 W whatever it does, or half or twice that where
# he is kept waiting.
. "$(dirname "$0")/common.sh"
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
export TPLAN_SYSFS="$work/sys"

zone=$TPLAN_SYSFS/class/powercap/intel-rapl:0
draw ()
{
  mkdir -p "$zone"
  echo package-0 > "$zone/name"
  echo 0 > "$zone/energy_uj"
  "$python" - "$zone/energy_uj" <<'PY' &
import os, sys, time
begin = time.monotonic()
while os.getppid() != 1:
    with open(sys.argv[1] + ".new", "w") as file:
        file.write("%d\n" % (50e6 * (time.monotonic() - begin)))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    time.sleep(0.002)
PY
  writer=$!
  trap 'kill $writer; rm -rf "$work"' EXIT
  for _ in $(seq 600); do # until he has begun
    [ "$(cat "$zone/energy_uj")" = 0 ] || break
    sleep 0.1
  done
}
# counted ARGUMENT...: up to five times, where he was kept waiting for so long that the
# counter stood still.
counted ()
{
  for _ in 1 2 3 4 5; do
    try 0 "$@" || return 1
    cat .out .err | grep -q 'stood still' || return 0
  done
}
draw

try 2 optimize mlp.json --devices ref --objective energy; say $? "watts that nobody knows"
err_has 'tplan calibrate mlp.json --energy'; say $? "  can be counted"
counted calibrate mlp.json --devices ref,cpu --energy --format=json; say $? "watts are counted"
"$python" -c '
import json, sys
for device in json.load(open(".out"))["devices"]:
    watts = device["watts"]
    assert watts["counters"] == "package-0" and watts["copy_w"] == 0, device
    assert 25 < watts["idle_w"] <= watts["busy_w"] < 100, device' 2> .err; say $? "  as they are"
try 0 calibrate mlp.json --devices ref,cpu; say $? "and known later"
out_has '^draws:   ref [1-9][0-9.]* W, [1-9][0-9.]* W idle, by package-0$'; say $? "  as is said"
grep -c '^draws:' .out | grep -qx 2; say $? "  of each"

# Both draw from the same: what is drawn idle counts once.
try 0 optimize mlp.json --devices ref,cpu --objective energy -o energy.json; say $? "a plan of the least energy"
try 0 check energy.json; say $? "  is valid"
out_has 'energy: .*; watts are measured; proved least'; say $? "  and measured"
"$python" "$top_srcdir/tests/check_plan.py" energy.json > .out 2> .err; say $? "  for another reader too"
"$python" -c '
import json
first, second = json.load(open("energy.json"))["rates"]
assert first[5] == second[5] == 1 and 25e3 < first[1] <= first[0] < 100e3, first
assert second[1] == 0 and 0 <= second[0] < 75e3, second' 2> .err; say $? "  with what is idle counted once"

# Runs are counted, and held against what was predicted.
# The watts are the mean of all runs, which others on the machine take up: up to five times.
drawn ()
{
  for _ in 1 2 3 4 5; do
    counted run energy.json --duration=1s --format=json || return 1
    "$python" -c '
import json
run = json.load(open(".out"))
energy = run["energy"]
assert energy["counters"] == "package-0" and energy["reason"] is energy["uncounted"] is None, energy
assert 25 < energy["counted_j"] / (run["median_ns"] * 1e-9) < 150, run
assert abs (energy["predicted_j"] / energy["counted_j"] - 1 - energy["error"]) < 1e-6, energy' 2> .err && return 0
  done
  return 1
}
drawn; say $? "runs that are counted draw what the processor did meanwhile"
counted run energy.json --duration=1s; say $? "and are told of"
out_has '^energy  *[0-9.]* [um]J a run by package-0; [0-9.]* [um]J predicted, [-+][0-9.]* %$'; say $? "  beside what was predicted"
try 0 run energy.json --repeat=1 --warmup=0; say $? "one run"
out_has '^energy .* predicted; not counted: it takes runs of half a second: --duration=1s$'; say $? "  is too short to be counted"
try 0 optimize mlp.json --devices sim:desktop-cpu --objective energy -o made-up.json; say $? "a simulated device"
try 0 run made-up.json && out_has '^energy .* not counted: simulated devices draw nothing$'; say $? "  has nothing to count"
TPLAN_SYSFS=$work/nowhere try 0 run energy.json --duration=1s && out_has 'not counted: there are no counters'; say $? "nor has a machine without counters"
try 0 optimize mlp.json --devices ref,cpu -o fast.json && try 0 run fast.json --format=json; say $? "a plan that is not for energy"
grep -q '"energy": null' .out; say $? "  counts nothing"

try 0 optimize mlp.json --devices ref,cpu --objective energy --watts ref=65:5 -o stated.json; say $? "what is stated"
out_has 'watts of cpu are measured, others stated'; say $? "  goes before, and is told apart"
sed -i 's/"format": "tplan-plan\/[0-9]"/"format": "tplan-plan\/99"/' stated.json
"$TPLAN" run stated.json > .out 2> .err
grep -q -e '--objective energy --watts ref=65:5 -f' .err; say $? "  in what is suggested as well"

# Constants that are measured anew have them still, and so has the machine elsewhere.
try 0 machine export -o machine.json; say $? "a machine in a file"
try 0 machine show && out_has '^ *draws [1-9][0-9.]* W, [1-9][0-9.]* W idle, by package-0$'; say $? "  which is shown so"
try 0 optimize mlp.json --machine machine.json --devices ref,cpu --objective energy -o -; say $? "  says what it draws"
grep -q '"counters": "package-0"' machine.json; say $? "  and by what that is known"

# A counter that stands still tells nothing.
kill $writer
trap 'rm -rf "$work"' EXIT
rm "$TPLAN_COST"
try 0 calibrate --devices ref --energy; say $? "a counter that stands still"
err_has "device 'ref': the counter of energy package-0 stood still"; say $? "  is said"
rm -r "$zone"
try 0 calibrate --devices ref --energy && err_has "device 'ref': what it draws is not known"; say $? "and one that is not there"
! out_has '^draws:'; say $? "  is not made up"

# A card has counters of its own.
layer=$top_builddir/tests/device/.libs/opencl-layer.so
if [ -f "$layer" ] && "$TPLAN" devices --format=csv | grep -q '^opencl:0,ready'; then
  export OPENCL_LAYERS="$layer" TEST_OPENCL_CLAIM="CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 0 CL_DEVICE_PCI_BUS_INFO 12884901888"
  card=$TPLAN_SYSFS/bus/pci/devices/0000:03:00.0/hwmon/hwmon1
  mkdir -p "$card"
  echo amdgpu > "$card/name"
  echo 15000000 > "$card/power1_average"
  try 0 calibrate --devices opencl:0 --energy; say $? "a card"
  out_has '^draws:   opencl:0 15 W, 15 W idle, by amdgpu$'; say $? "  has a sensor of its own"
  try 0 optimize mlp.json --devices opencl:0 --objective energy -o card.json && try 0 run card.json --duration=1s
  say $? "a run on it"
  out_has '^energy .* a run by amdgpu; '; say $? "  is counted by that"
  draw
  counted calibrate mlp.json --devices ref,opencl:0 --energy && try 0 optimize mlp.json --devices ref,opencl:0 \
    --pin '*=ref' --objective energy -o idle.json && counted run idle.json --duration=1s
  out_has '^energy .* a run by package-0, without opencl:0, which is not counted; .* predicted with it$'
  say $? "  and where no op is on it, that it is not"

  # One that crashes costs none of those behind it.
  rm "$TPLAN_COST"
  try 0 calibrate --devices opencl:0,ref; say $? "devices whose constants are known"
  export TEST_OPENCL_FAIL="clEnqueueNDRangeKernel 1 crash"
  try 0 calibrate --devices opencl:0,ref --energy; say $? "a driver that crashes while it is counted"
  err_has "device 'opencl:0': its driver crashed.* while it was opened and probed"; say $? "  is named"
  out_has '^draws:   ref [1-9][0-9.]* W, [1-9][0-9.]* W idle, by package-0$'; say $? "  and the device after it counted"
  ! out_has '^draws:   opencl:0'; say $? "  alone"
else
  echo "# no OpenCL: no card"
fi
finish
