#!/bin/sh
# bench/gpu.sh from end to end on the OpenCL device there is, with small sizes: its JSON
# is whole and says what docs/gpu.md says; a driver is found that no file names; a step
# that hangs loses itself only. Part of `make check-full`.
. "$top_srcdir/tests/cli/common.sh"
gpu=$top_srcdir/bench/gpu.sh
TPLAN_BUILD=$top_builddir
export TPLAN_BUILD
if [ ! -x "$top_builddir/bench/gpu-links" ]; then echo "1..0 # SKIP built without OpenCL"; exit 0; fi
if ! "$TPLAN" devices | grep -q '^opencl:0 *ready'; then echo "1..0 # SKIP no OpenCL device"; exit 0; fi
python=$(command -v /usr/bin/python3 || command -v python3 || true)
if [ -z "$python" ]; then echo "1..0 # SKIP no python3"; exit 0; fi

# Truths of the document, as Python expressions of d, s and m.
holds () # FILE EXPRESSION
{
  "$python" - "$1" "$2" > .out 2> .err <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
s, m = d["steps"], d["summary"]
print({name: step.get("status") for name, step in s.items()})
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
}

sh "$gpu" --quick --time 480 report > log 2> .err
say $? "gpu.sh ends well"
holds report/gpu.json 'd["format"] == "tplan-gpu/1" and d["complete"] and d["quick"]'
say $? "its JSON is whole"
holds report/gpu.json 'd["device"].startswith("opencl:") and any(x["name"] == d["device"] for x in s["devices"]["result"]["devices"])'
say $? "it names the device, which there is"
holds report/gpu.json 's["links"]["result"]["device"] and len(s["links"]["result"]["copies"]) == 5'
say $? "and what that is"
holds report/gpu.json 's["conformance"]["result"]["right"] > 0 and s["conformance"]["result"]["wrong"] == ""'
say $? "no op is wrong"
holds report/gpu.json '[p["n"] for p in m["products"]] == [64, 256] and all(p["measured_ns"] > 0 and abs(2 * p["n"] ** 3 / p["measured_ns"] / p["gflops"] - 1) < 0.1 for p in m["products"])'
say $? "products"
holds report/gpu.json '[r["op"] for r in m["rows"]] == ["copy", "softmax", "layernorm", "transpose"] and all(r["gbps"] > 0 for r in m["rows"])'
say $? "rows"
holds report/gpu.json '{n["network"] for n in m["networks"]} == {"squeezenet1_1", "bert_mini"} and all(n["plan_ns"] > 0 and n["regret"] >= 0 and n["device_ns"] for n in m["networks"])'
say $? "networks"
holds report/gpu.json 'len(m["convolutions"]) == 3 and all(c["measured_ns"] > 0 and c["calibrated_ns"] > 0 for c in m["convolutions"])'
say $? "convolutions"
# 2 * 64 * 3 * 7 * 7 * 112 * 112 operations, told apart by the name.
holds report/gpu.json 'm["convolutions"] and all(abs(c["gflops"] * c["measured_ns"] / {"7x7": 236027904, "1x1": 25690112, "3x3": 231211008}[c["name"][5:8]] - 1) < 0.05 for c in m["convolutions"])'
say $? "and their operations"
holds report/gpu.json 's["tuned-squeezenet1_1"]["result"]["format"] == "tplan-cost-tune/1" and [t["network"] for t in m["tuned"]] == ["squeezenet1_1"]'
say $? "what was tuned"
holds report/gpu.json 'all(s["check-" + n]["status"] == 0 for n in ("bert_mini", "squeezenet1_1", "gru_tagger"))'
say $? "and their results are right"
holds report/cost.json 'True' || grep -q '"tplan-cost/' report/cost.json
say $? "the cost table is there"

# Some of it, from the table that is there.
sh "$gpu" --quick --time 100 --only 'products' report > log 2> .err
holds report/gpu.json 'd["complete"] and len(m["products"]) == 2 and m["rows"] == [] and "links" not in s and s["calibrate-products"]["result"]["models"][0]["estimated"] == 0'
say $? "a part of it"

# A driver that no file names, found by LD_LIBRARY_PATH under the name of another.
pocl=$( { ldconfig -p || /sbin/ldconfig -p; } 2> /dev/null | awk '/libpocl\.so/ { print $NF; exit }')
if [ -f "$pocl" ]; then
  mkdir empty drivers && ln -s "$pocl" drivers/libnvidia-opencl.so.1
  ln -s "$(dirname "$(readlink -f "$pocl")")/pocl" drivers/pocl # which it loads from beside it
  OCL_ICD_VENDORS=$work/empty LD_LIBRARY_PATH=$work/drivers sh "$gpu" --quick --time 20 found > log 2> .err
  holds found/gpu.json 's["driver"]["result"]["icd_made"] and s["driver"]["result"]["found"].endswith("drivers/libnvidia-opencl.so.1") and d["device"] == "opencl:0"'
  say $? "a driver is found where no file names it"
  mkdir stale && printf %s "$work/gone/libnvidia-opencl.so.1" > stale/nvidia.icd
  OCL_ICD_VENDORS=$work/stale LD_LIBRARY_PATH=$work/drivers sh "$gpu" --quick --time 20 --only links moved > log 2> .err
  holds moved/gpu.json 's["driver"]["result"]["icd_made"] and d["device"] == "opencl:0"'
  say $? "and where a file names one that is elsewhere"
  holds found/gpu.json 'd["complete"] and any(x["status"] == 125 and x["errors"] == "no time left" for x in s.values())'
  say $? "what no time is left for says so"
else
  for what in 'a driver is found' 'another' 'time'; do n=$((n + 1)); echo "ok $n - $what # SKIP no PoCL"; done
fi
mkdir -p none
OCL_ICD_VENDORS=$work/none OCL_ICD_FILENAMES= sh "$gpu" --quick --time 20 absent > log 2> .err
code=$?
if "$python" -c 'import json, sys; sys.exit(json.load(open("absent/gpu.json"))["device"] != "")' 2> /dev/null; then
  [ $code -eq 1 ] && grep -q 'libnvidia-opencl.so.1' log; say $? "none: it says what it looked for"
else
  n=$((n + 1)); echo "ok $n - none # SKIP this machine has a driver that no file names"
fi

# A build whose gpu-links hangs.
mkdir -p hangs/bench hangs/cli hangs/tests/device hangs/tests/codegen hangs/kernel
printf '#!/bin/sh\necho "{"\nexec sleep 1000\n' > hangs/bench/gpu-links; chmod +x hangs/bench/gpu-links
ln -s "$TPLAN" hangs/cli/tplan; ln -s "$top_builddir/examples" hangs/examples; ln -s "$top_builddir/kernel/.libs" hangs/kernel/.libs
TPLAN_BUILD=$work/hangs sh "$gpu" --quick --time 240 hung > log 2> .err
holds hung/gpu.json 'd["complete"] and s["links"]["timed_out"] and "result" not in s["links"] and s["constants"]["status"] == 0 and len(m["products"]) == 2'
say $? "a step that hangs loses itself alone"
finish
