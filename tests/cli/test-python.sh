#!/bin/sh
# python/tplan against the library that was built: plans, runs, errors.
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
expect(ValueError, "no input is named 'y': there are 'x'", session.run, {"y": 1})
x = {"x": numpy.zeros((4, 16), "float32")}
expect(ValueError, "no output is named 'prob' (did you mean 'probs'?)", session.run, x, {"prob": None})
expect(ValueError, "'probs' is missing", session.run, x, {})
expect(ValueError, "float64", session.run, {"x": numpy.zeros((4, 16))})
expect(ValueError, "(4, 15)", session.run, {"x": numpy.zeros((4, 15), "float32")})
session.close()
session.close()
expect(ValueError, "closed", session.run, {"x": numpy.zeros((4, 16), "float32")})
expect(KeyError, "nobody", tplan.Plan.load("plan.json").device_of, "nobody")
graph = tplan.Graph("mlp.json")
assert repr(graph) == "Graph('mlp.json': 4 ops, [Tensor('x', float32, (4, 16))] -> [Tensor('probs', float32, (4, 8))])", graph
graph.close()
assert repr(graph) == "Graph('mlp.json', closed)", graph
assert tplan.version().count(".") == 2
PY
case_ "a string is one device, pins and limits are obeyed, reasons are told" <<'PY'
import tplan
graph = tplan.Graph("mlp.json")
plan = graph.optimize(devices="ref")
assert plan.devices == {"ref": 4}, plan.devices
simulated = graph.optimize(devices=["sim:desktop-cpu", "sim:laptop-gpu"],
                           pins="fc1=sim:laptop-gpu")
assert simulated.device_of("fc1") == "sim:laptop-gpu"
ops = {it.name: it for it in simulated.explain()}
assert list(ops) == graph.ops and ops["fc1"].reason == "pinned"
assert {it.device for it in ops.values()} <= {"sim:desktop-cpu", "sim:laptop-gpu"}
assert all(it.source != it.target and it.size_bytes > 0 for it in simulated.transfers)
assert len(simulated.transfers) > 0 and plan.transfers == []
try:
    graph.optimize(devices="sim:desktop-cpu", memory_limits="sim:desktop-cpu=1K")
    raise AssertionError("1K is enough")
except tplan.Error as error:
    assert error.code in ("LIMIT", "INFEASIBLE"), error.code
limited = graph.optimize(devices="sim:desktop-cpu", memory_limits="sim:desktop-cpu=1G",
                         memory_reserves=["sim:desktop-cpu=1M"])
limited.save("limited.json")
import json
kept = json.load(open("limited.json"))
assert kept["memory_limits"] == [1023 << 20] and kept["memory_reserves"] == [1 << 20]
assert tplan.Graph("mlp.json", assume_dims=True).inputs[0].shape == (4, 16)
inner = json.load(open("mlp.json"))["ops"][0]["outputs"][0]
assert [it.name for it in tplan.Graph("mlp.json", {"N": 2}, outputs=inner).outputs] == [inner]
wide = {"format": "tplan-graph/1", "outputs": ["y"], "inputs": [{"name": "x", "shape": [8, 256]}],
        "initializers": [{"name": w, "shape": [256, 256], "fill": 0.1} for w in ("u", "v")],
        "ops": [{"name": "a", "type": "MatMul", "inputs": ["x", "u"], "outputs": ["h"]},
                {"name": "b", "type": "MatMul", "inputs": ["h", "v"], "outputs": ["y"]}]}
json.dump(wide, open("wide.json", "w"))
streamed = tplan.Graph("wide.json").optimize(devices=["sim:desktop-cpu", "sim:laptop-gpu"], pins="*=sim:laptop-gpu",
                                             memory_limits="sim:laptop-gpu=400K", stream_weights=True)
assert "streamed" in [it.reason for it in streamed.explain()]
try:
    tplan.Graph("wide.json").optimize(devices="ref", micro_batches=0)
    assert False
except ValueError:
    pass
for asked, made in ((3, [3, 3, 2]), ([7, 1], [7, 1]), ("auto", None), (None, None)):
    tplan.Graph("wide.json").optimize(devices="ref", micro_batches=asked).save("parts.json")
    assert json.load(open("parts.json")).get("micro_batches") == made
PY
case_ "a plan has the accuracy that was asked for" <<'PY'
import json, tplan
graph = tplan.Graph("mlp.json")
graph.calibrate(devices="ref", costs="larger.db", time_limit_s=60, accuracy="relaxed")
for accuracy, said in (("full", None), ("relaxed", "relaxed")):
    graph.optimize(devices="ref", costs="larger.db", accuracy=accuracy).save("larger.json")
    assert json.load(open("larger.json")).get("accuracy") == said
for wrong in (graph.optimize, graph.calibrate, tplan.calibrate):
    try:
        wrong(devices="ref", accuracy="low")
        raise SystemExit("no error")
    except ValueError as error:
        assert "'low' is neither full nor relaxed" in str(error)
PY
case_ "what is measured is found again" <<'PY'
import os, tplan
graph = tplan.Graph("mlp.json")
assert graph.optimize(devices="ref", costs="own.db").n_estimated == 4
graph.calibrate(devices="ref", costs="own.db", time_limit_s=60)
assert os.path.getsize("own.db") > 0
plan = graph.optimize(devices="ref", costs="own.db")
assert plan.n_estimated == 0
tplan.calibrate(devices="ref", costs="own.db", time_limit_s=1)
PY
try 0 optimize mlp.json --devices ref --dim N=1,2,8 -o tiers.json; say $? "tiers"
case_ "of tiers the next above is picked" <<'PY'
import tplan
for n, tier in ((1, 1), (2, 2), (3, 8), (8, 8)):
    shape = tplan.Plan.load("tiers.json", dims={"N": n}).inputs[0].shape
    assert shape == (tier, 16), shape
try:
    tplan.Plan.load("tiers.json", dims={"N": 9})
    raise AssertionError("there is no tier for 9")
except tplan.Error as error:
    assert error.code == "USAGE"
PY
case_ "dense arrays are read and written where they are" <<'PY'
import mmap, numpy, tplan
plan = tplan.Plan.load("plan.json")
shared = mmap.mmap(-1, 4 * 8 * 4)
probs = numpy.frombuffer(shared, "float32").reshape(4, 8)
x = numpy.ones((4, 16), "float32")
with tplan.Session(plan) as session:
    (tensor,) = session.inputs
    assert session._take(tensor, {"x": x}).ctypes.data == x.ctypes.data
    assert session.run({"x": x}, {"probs": probs})["probs"] is probs
    assert numpy.frombuffer(shared[:], "float32").sum() > 3.99
    class Foreign:
        def __dlpack__(self, **how): return x.__dlpack__(**how)
        def __dlpack_device__(self): return x.__dlpack_device__()
    assert session._take(tensor, {"x": Foreign()}).ctypes.data == x.ctypes.data
    assert (session.run({"x": Foreign()})["probs"] == probs).all()
    try:
        session.run({"x": x}, {"probs": numpy.zeros((8, 4), "float32").T})
        raise AssertionError("it is not dense")
    except ValueError as error:
        assert "'probs'" in str(error)
assert (plan.run({"x": x})["probs"] == probs).all()
PY
case_ "plans are run in turns" <<'PY'
import tplan
graph = tplan.Graph("mlp.json")
plans = {name: graph.optimize(devices="ref") for name in ("a", "b")}
timings = tplan.bench(plans, rounds=4)
assert sorted(it.name for it in timings) == ["a", "b"]
assert timings[0].median_ns <= timings[1].median_ns
for it in timings:
    assert len(it.times_ns) == 4 and 0 < it.low_ns <= it.median_ns <= it.high_ns
    assert min(it.times_ns) <= it.median_ns <= max(it.times_ns)
assert len(tplan.bench(plans, rounds=1)[0].times_ns) == 1
PY
sed 's/"fc1"/"<b>fc1\\u0026"/' mlp.json > marked.json
case_ "a notebook shows a plan, and no mark-up of its names" <<'PY'
import html.parser, tplan
class Reader(html.parser.HTMLParser):
    open, text = [], ""
    def handle_starttag(self, tag, attrs): self.open.append(tag)
    def handle_endtag(self, tag): assert self.open.pop() == tag
    def handle_data(self, data): self.text += data + "\n"
plan = tplan.Graph("marked.json").optimize(devices="ref")
reader = Reader()
reader.feed(plan._repr_html_())
assert reader.open == [], reader.open
assert "<b>fc1&\n" in reader.text and "4 of 4 ops estimated" in reader.text
assert "4 ops on ref" in repr(plan)
plan.close()
assert plan._repr_html_() == "Plan(closed)"
PY
case_ "whatever is public has types and a docstring" <<'PY'
import inspect, typing, tplan
for name in tplan.__all__:
    thing = getattr(tplan, name)
    assert inspect.getdoc(thing), name
    members = [thing] if inspect.isfunction(thing) else [
        it for key, it in vars(thing).items()
        if inspect.isfunction(it) and not key.startswith("_")]
    for it in members:
        hints = typing.get_type_hints(it)
        wanted = set(inspect.signature(it).parameters) - {"self"} | {"return"}
        assert wanted <= set(hints), (name, it.__name__, wanted - set(hints))
PY
try_embed () { "$python" "$top_srcdir/examples/embed.py" "$@" > .out 2> .err; }
try_embed mlp.json ref && out_has '^ref: 4 ops$' && out_has '^run 4: [0-9.]* ms$'; say $? "embed.py plans and runs"
sed "s/\"dims\": {[^}]*},//" mlp.json > open.json
try_embed open.json N=3 ref && out_has "^ref: 4 ops$"; say $? "embed.py gives a dimension its value"
try_embed none.json; [ $? -eq 1 ] && err_has 'none.json: cannot be opened'; say $? "embed.py tells of a file that is not there"
[ "$(sed -n 's/^version = "\(.*\)"$/\1/p' "$top_srcdir/python/pyproject.toml")" = "$("$TPLAN" --version | sed 's/tplan //')" ]
say $? "the wheel has the version of the program"
if "$python" -c 'import setuptools, wheel' 2> .err; then
  cp -r "$top_srcdir/python" tree && rm -rf tree/tplan/__pycache__ && (cd tree && "$python" setup.py -q bdist_wheel -d ../made) > .out 2>&1 \
    && mkdir site && (cd site && "$python" -m zipfile -e ../made/tplan-*-py3-none-any.whl .)
  say $? "a wheel is built"
  PYTHONPATH=$work/site case_ "and works, with the library of the system" <<'PY'
import os, tplan
assert os.path.dirname(tplan.__file__).endswith("site/tplan")
assert os.path.exists(os.path.join(os.path.dirname(tplan.__file__), "py.typed"))
tplan.Plan.load("plan.json").check()
PY
else
  n=$((n + 1)); echo "ok $n - a wheel # SKIP no setuptools, or no wheel"
fi
finish
