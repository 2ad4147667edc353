#!/usr/bin/env python3
"""Times tplan against onnxruntime and OpenVINO (float32) on ONNX models, all in
one process and in turns: ratios of time tplan / peer, below 1 where tplan wins.

usage: peers.py TPLAN MODEL.onnx...

THREADS=1 of each; ROUNDS=11; PEERS=onnxruntime,openvino: what is not installed is
left out, and said. DIM=N=8 gives a symbolic dimension its value (others are 1). OPTIONS
are more for optimize, such as "--level measure --micro-batches=auto".
TPLAN_LIBRARY is the libtplan of TPLAN; `make -C bench bench-peers` sets it. A round lets
each run in turn for about 50 ms, three times at least, and takes the median; the
ratio is the median over rounds of the ratio of that round, the span holds half of
them. Outputs are compared. Calls are timed from outside, buffers bound before. What is
left to win: in parts of the time of tplan, what its FLOPs would take at the speed of
calibrate's MatMul (Winograd's filtering beats that) and its bytes at that of its map over
more than caches hold (which caches beat). "The better": in parts of the time of whichever
peer is faster. WRITE=a.csv,b.md,c.svg: what was measured is in these files, too.
Ends with 1 if a model failed, an output differed or no peer is there.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    sys.exit("peers.py needs numpy: install it for this Python")

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import tables

THREADS = int(os.environ.get("THREADS", "1"))
ROUNDS = int(os.environ.get("ROUNDS", "11"))
PEERS = [it for it in os.environ.get("PEERS", "onnxruntime,openvino").split(",") if it]
WRITE = [it for it in os.environ.get("WRITE", "").split(",") if it]
ROUND_S = 0.05
REST_S = 0.1                  # before a turn: onnxruntime's threads spin for 40 ms
DIMS = dict(it.split("=") for it in os.environ.get("DIM", "").split(",") if it)
OPTIONS = os.environ.get("OPTIONS", "").split()
BETTER = "the better"
TOLERANCE = 1e-3              # of the largest magnitude of an output


def find_floors(page):
    """Seconds for the FLOPs, and for the bytes, of all kernels: from the page of
    `tplan report`, which has the work of each."""
    with open(page, encoding="utf-8") as file:
        data = re.search(r'id="data">(.*?)</script>', file.read(), re.DOTALL).group(1)
    plan = json.loads(data)["plans"][0]
    machine = plan["machine"][0]
    flops = sum(it[1] for it in plan["kernels"])
    size = sum(it[2] for it in plan["kernels"])
    return flops / machine["gflops"] * 1e-9, size / machine["gbps"] * 1e-9


class Tplan:
    def __init__(self, program, model, work):
        import tplan
        from tplan import _library
        plan = os.path.join(work, "plan.json")
        dims = [it for name, value in DIMS.items() for it in ("--dim", f"{name}={value}")]
        flags = ["-q", "--devices", "cpu", "--threads", str(THREADS), *dims, model]
        subprocess.run([program, "calibrate", *flags], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "optimize", "-f", "-o", plan, *OPTIONS, *flags], check=True,
                       stdout=subprocess.DEVNULL)
        page = os.path.join(work, "plan.html")
        subprocess.run([program, "report", "-q", "-f", "-o", page, plan], check=True,
                       stdout=subprocess.DEVNULL)
        self.floors = find_floors(page)
        self.plan = tplan.Plan.load(plan, model)
        self.session = tplan.Session(self.plan, THREADS)
        self._call, self._pointers = _library.attempt, _library.pointers

    def bind(self, inputs):
        self.outputs = [numpy.empty(it.shape, it.dtype) for it in self.plan.outputs]
        self._in = self._pointers([inputs[it.name] for it in self.plan.inputs])
        self._out = self._pointers(self.outputs)
        self._handle = self.session._get()

    def run(self):
        self._call("session_run", self._handle, self._in, self._out)

    def results(self):
        return self.outputs


class OnnxRuntime:
    def __init__(self, model, _shapes):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        for name, value in DIMS.items():
            options.add_free_dimension_override_by_name(name, int(value))
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])

    def bind(self, inputs):
        self.binding = self.session.io_binding()
        for it in self.session.get_inputs():
            self.binding.bind_cpu_input(it.name, inputs[it.name])
        for it in self.session.get_outputs():
            self.binding.bind_output(it.name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def results(self):
        return self.binding.copy_outputs_to_cpu()


class OpenVino:
    def __init__(self, model, shapes):
        import openvino
        core = openvino.Core()
        read = core.read_model(model)
        read.reshape({it.any_name: list(shapes[it.any_name]) for it in read.inputs})
        self.request = core.compile_model(read, "CPU", {
            "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": THREADS,
            "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False}).create_infer_request()

    def bind(self, inputs):
        import openvino
        self._kept = {name: openvino.Tensor(it, shared_memory=True) for name, it in inputs.items()}
        for name, tensor in self._kept.items():
            self.request.set_tensor(name, tensor)

    def run(self):
        self.request.infer()

    def results(self):
        return [numpy.array(it.data) for it in self.request.output_tensors]


KINDS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def make_inputs(tensors):
    """Normal numbers, always the same; of integers zeros, which every index may be."""
    random = numpy.random.default_rng(1)
    return {it.name: random.standard_normal(it.shape).astype(it.dtype)
            if it.dtype.kind == "f" else numpy.zeros(it.shape, it.dtype) for it in tensors}


def turn(it):
    """The median of a round, in seconds. Threads of who was before have gone to
    sleep by then; a call before it warms the caches and wakes its own."""
    time.sleep(REST_S)
    it.run()
    times = []
    end = time.perf_counter() + ROUND_S
    while len(times) < 3 or time.perf_counter() < end and len(times) < 1000:
        start = time.perf_counter()
        it.run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def distance(ours, theirs):
    """The largest difference of an element, of the largest magnitude there is;
    infinite where shapes or integers differ, or where but one is not finite."""
    if len(ours) != len(theirs):
        return math.inf
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a.shape != b.shape:
            return math.inf
        if a.dtype.kind == "f" and a.size:
            same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
            with numpy.errstate(invalid="ignore"):
                far = numpy.where(same, 0, numpy.abs(a - b))
            if not numpy.isfinite(far).all():
                return math.inf
            largest = numpy.max(numpy.abs(b), initial=0, where=numpy.isfinite(b))
            worst = max(worst, float(numpy.max(far)) / (float(largest) + 1e-30))
        elif not numpy.array_equal(a, b):
            return math.inf
    return worst


def race(program, model, work):
    """{peer: [ratio of each round]}, the median time of tplan, its floors, what differs."""
    ours = Tplan(program, model, work)
    inputs = make_inputs(ours.plan.inputs)
    shapes = {it.name: it.shape for it in ours.plan.inputs}
    runners = {"tplan": ours}
    for name in list(PEERS):
        try:
            runners[name] = KINDS[name](model, shapes)
        except ImportError:
            print(f"{name} is not installed: left out")
            PEERS.remove(name)
    for it in runners.values():
        it.bind(inputs)
        it.run()
        it.run()
    differs = [f"{name} differs by {far:.1e}" for name, it in runners.items() if name != "tplan"
               for far in [distance(ours.results(), it.results())] if not far <= TOLERANCE]
    times = {name: [] for name in runners}
    for i in range(ROUNDS):
        order = list(runners) if i % 2 == 0 else list(reversed(runners))
        for name in order:
            times[name].append(turn(runners[name]))
    ratios = {name: [a / b for a, b in zip(times["tplan"], times[name])]
              for name in runners if name != "tplan"}
    return ratios, statistics.median(times["tplan"]), ours.floors, "; ".join(differs)


def describe(values):
    """The median, and what half of the rounds are between."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def print_row(row):
    cells = [f"{peer} {middle:5.2f} ({low:.2f} to {high:.2f})" for peer, (middle, low, high) in row["ratios"].items()]
    print(f"{row['name']:26} {row['seconds'] * 1e3:9.3f} ms  flops {row['floors'][0]:.2f} bytes {row['floors'][1]:.2f}  "
          f"{'  '.join(cells)}  {row['differs']}", flush=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    unknown = [it for it in PEERS if it not in KINDS]
    if unknown:
        sys.exit(f"PEERS: no {unknown[0]} is known, but {', '.join(KINDS)}")
    if tables.find_fault(WRITE):
        sys.exit(f"WRITE: '{tables.find_fault(WRITE)}' ends with none of {', '.join(tables.KINDS)}")
    program, models = sys.argv[1], sys.argv[2:]
    n_bad = 0
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))
    with open("/proc/cpuinfo") as info:
        cpu = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    title = (f"machine: {len(cpu)} x {cpu[0] if cpu else 'unknown CPU'}, load {os.getloadavg()[0]:.2f}, "
             f"{THREADS} threads, {ROUNDS} rounds; ratios of time tplan / peer, half of the rounds")
    print(title)
    rows = []
    for model in models:
        name = os.path.splitext(os.path.basename(model))[0]
        with tempfile.TemporaryDirectory() as work:
            try:
                ratios, ours, floors, differs = race(program, model, work)
            except Exception as error:          # of a peer, of any kind: the others go on
                print(f"{name:26} {type(error).__name__}: {(str(error).splitlines() or [''])[0]}", flush=True)
                n_bad += 1
                continue
        n_bad += bool(differs)
        spans = {peer: describe(values) for peer, values in ratios.items()}
        if len(ratios) > 1:
            spans[BETTER] = describe([max(its) for its in zip(*ratios.values())])
        rows.append({"name": name, "seconds": ours, "floors": [it / ours for it in floors],
                     "ratios": spans, "differs": differs})
        print_row(rows[-1])
    peers = list(dict.fromkeys(peer for row in rows for peer in row["ratios"]))
    for peer in peers:
        values = [row["ratios"][peer][0] for row in rows if peer in row["ratios"]]
        print(f"{peer}: geometric mean {statistics.geometric_mean(values):.3f} of {len(values)}, "
              f"worst {max(values):.2f}, {sum(it > 1.05 for it in values)} above 1.05")
    if n_bad:
        print(f"{n_bad} of {len(models)} models failed or differ")
    if peers:
        tables.write(WRITE, title, rows, peers)
    return 1 if n_bad or not peers else 0


if __name__ == "__main__":
    sys.exit(main())
