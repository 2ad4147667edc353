#!/bin/sh
# python/tplan.py against the library that was built: plans, runs, errors.
. "$(dirname "$0")/common.sh"

skip () { echo "1..0 # SKIP $1"; exit 0; }
library=$top_builddir/api/.libs/libtplan.so.0
grep -q __asan_init "$library" && skip "an instrumented library cannot be loaded by python"
grep -q __tsan_init "$library" && skip "an instrumented library cannot be loaded by python"
python=
for it in python3 /usr/bin/python3; do
  [ -n "$python" ] || { "$it" -c 'import numpy' 2>/dev/null && python=$it; }
done
[ -n "$python" ] || skip "no python3 with numpy"

TPLAN_LIBRARY=$library
PYTHONPATH=$top_srcdir/python
PYTHONDONTWRITEBYTECODE=1
export TPLAN_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
try 0 optimize mlp.json --devices ref -o plan.json; say $? "plan"

# case NAME: runs the Python on stdin; it asserts.
case_ () { "$python" - > .out 2> .err; say $? "$1"; }

case_ "a loaded plan runs as numpy says" <<'PY'
import numpy, tplan
def softmax(v):
    e = numpy.exp(v - v.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
def stream(seed, n, std):
    i = numpy.arange(1, n + 1, dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(seed) + i * numpy.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
        z ^= z >> numpy.uint64(31)
    unit = (z >> numpy.uint64(40)).astype("float64") / 2**23 - 1
    return unit * std * 3**0.5
plan = tplan.Plan.load("plan.json")
plan.check()
assert plan.devices == {"ref": len(tplan.Graph("mlp.json").ops)}, plan.devices
assert plan.device_of("fc2") == "ref" and plan.cost_ns == plan.bound_ns
assert plan.interval_ns[0] <= plan.cost_ns <= plan.interval_ns[1]
assert [it.name for it in plan.inputs] == ["x"]
assert plan.inputs[0].shape == (4, 16) and plan.inputs[0].dtype == "float32"
x = numpy.random.default_rng(1).normal(size=(4, 16)).astype("float32")
h = numpy.maximum(x @ stream(1, 512, 0.2).reshape(16, 32) + 0.1, 0)
with tplan.Session(plan) as session:
    got = session.run({"x": x})["probs"]
    assert session.time_ns > 0
numpy.testing.assert_allclose(got, softmax(h @ stream(2, 256, 0.2).reshape(32, 8)), rtol=1e-4)
PY
case_ "outputs are written again, dims are bound, threads take turns" <<'PY'
import threading, numpy, tplan
graph = tplan.Graph("mlp.json", {"N": 2})
assert graph.outputs[0].shape == (2, 8)
plan = graph.optimize(devices=["ref"])
graph.close()
session = tplan.Session(plan)
x = numpy.ones((2, 16), "float32")
first = session.run({"x": x})
again = session.run({"x": x[:, ::-1]}, outputs=first)
assert again["probs"] is first["probs"]
failures = []
def work():
    try:
        with tplan.Session(plan) as own:
            for _ in range(20):
                assert (own.run({"x": x})["probs"] == first["probs"]).all()
    except BaseException as failure:
        failures.append(failure)
threads = [threading.Thread(target=work) for _ in range(4)]
[it.start() for it in threads]; [it.join() for it in threads]
assert not failures, failures
plan.save("again.json")
assert tplan.Plan.load("again.json").cost_ns == plan.cost_ns
PY
case_ "errors are exceptions with a code and the message" <<'PY'
import numpy, tplan
def expect(kind, part, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert part in str(error), error
        return error
    raise AssertionError(f"no {kind.__name__}")
assert expect(tplan.Error, "none.json", tplan.Plan.load, "none.json").code == "INPUT"
assert expect(tplan.Error, "'M'", tplan.Graph, "mlp.json", {"M": 1}).code == "USAGE"
session = tplan.Session(tplan.Plan.load("plan.json"))
expect(ValueError, "'x' is missing", session.run, {})
expect(ValueError, "'y'", session.run, {"y": 1})
expect(ValueError, "float64", session.run, {"x": numpy.zeros((4, 16))})
expect(ValueError, "(4, 15)", session.run, {"x": numpy.zeros((4, 15), "float32")})
session.close()
session.close()
expect(ValueError, "closed", session.run, {"x": numpy.zeros((4, 16), "float32")})
expect(KeyError, "nobody", tplan.Plan.load("plan.json").device_of, "nobody")
assert tplan.version().count(".") == 2
PY
finish
