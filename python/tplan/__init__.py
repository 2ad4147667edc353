"""tplan from Python: measure, plan, explain, run and compare, on numpy arrays.

    import numpy, tplan

    plan = tplan.Plan.load("plan.json")       # as `tplan optimize` wrote it
    with tplan.Session(plan) as session:
        outputs = session.run({"x": numpy.zeros((64, 784), "float32")})
    print(outputs["probs"].argmax(axis=1))

or, from the model on:

    graph = tplan.Graph("model.onnx", {"N": 8})
    graph.calibrate(devices="cpu")            # once per machine
    plan = graph.optimize(devices="cpu")
    for op in plan.explain():
        print(op.name, op.device, op.reason)

Over libtplan.so (ctypes); needs numpy and nothing else. What tplan.h says of each
call holds here too: a plan may be shared by threads, a session is used by one
thread at a time, and no call prints. Calls release the interpreter's lock while
they work.
"""

import ctypes
import difflib
import html
import os
import statistics
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional
from typing import Sequence, Tuple, Union

import numpy

from ._library import (Error, attempt, calibrate_options, call, listed,
                       load_options, optimize_options, path_bytes, pointers,
                       strings)

__all__ = ["Error", "Graph", "Op", "Plan", "Session", "Tensor", "Timing",
           "Transfer", "bench", "calibrate", "version"]

Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Sequence[str]]
Arrays = Mapping[str, Any]

_SHOWN_NAMES = 8


class Op(NamedTuple):
    """Where an op of a plan runs, and why: "faster", "neighbours", "pinned",
    "only", ..."""

    name: str
    device: str
    reason: str


class Transfer(NamedTuple):
    """A tensor that a plan copies; "host" is the caller's memory."""

    tensor: str
    source: str
    target: str
    size_bytes: int
    time_ns: int


class Timing(NamedTuple):
    """What runs of one plan took: the median, and a quarter below and above."""

    name: str
    median_ns: int
    low_ns: int
    high_ns: int
    times_ns: List[int]


def _find_dtype(name: str) -> "numpy.dtype[Any]":
    """numpy has no bfloat16: that of ml_dtypes, where it is installed, else the
    bits."""
    if name != "bfloat16":
        return numpy.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype("uint16")
    return numpy.dtype(ml_dtypes.bfloat16)


class Tensor:
    """An input or output: name, dtype (numpy's; of bfloat16 that of ml_dtypes, or
    uint16 for its bits), shape."""

    def __init__(self, described: Any) -> None:
        self.name: str = os.fsdecode(described.name)
        self.dtype = _find_dtype(
            call("dtype_get_name", described.dtype).decode())
        self.shape: Tuple[int, ...] = tuple(
            described.dims[i] for i in range(described.rank))

    def __repr__(self) -> str:
        return f"Tensor({self.name!r}, {self.dtype}, {self.shape})"


class _Object:
    """Owns a handle; freed by close(), at the end of a `with`, or when
    nobody holds it."""

    _free = ""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def close(self) -> None:
        """Gives it up; to do so again does nothing."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            call(self._free, handle)

    def _get(self) -> Any:
        if self._handle is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._handle

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class _Costs(_Object):
    """Devices, and the table their measured times are in."""

    _free = "costs_close"

    def __init__(self, costs: Optional[Path], devices: Optional[Names],
                 threads: int) -> None:
        super().__init__(attempt("costs_open", path_bytes(costs),
                                 strings(devices), threads))


class Graph(_Object):
    """A model, prepared for planning. `dims` gives symbolic dimensions their
    values, such as {"N": 8}; with `assume_dims` those without one are 1,
    which is an error otherwise. `outputs` names tensors that the graph is read
    up to, as if these were its outputs."""

    _free = "graph_free"

    def __init__(self, path: Path, dims: Optional[Mapping[str, int]] = None,
                 assume_dims: bool = False,
                 outputs: Optional[Names] = None) -> None:
        super().__init__(attempt("graph_load_full", path_bytes(path),
                                 load_options(dims, assume_dims, outputs)))
        self._path = os.fsdecode(path)

    @property
    def inputs(self) -> List[Tensor]:
        return [Tensor(it) for it in listed("graph_get_inputs", self._get())]

    @property
    def outputs(self) -> List[Tensor]:
        return [Tensor(it) for it in listed("graph_get_outputs", self._get())]

    @property
    def ops(self) -> List[str]:
        """Names of the ops that are placed, in an order they can run in."""
        return [os.fsdecode(it)
                for it in listed("graph_get_ops", self._get())]

    def __repr__(self) -> str:
        if self._handle is None:
            return f"Graph({self._path!r}, closed)"
        return (f"Graph({self._path!r}: {len(self.ops)} ops, "
                f"{self.inputs} -> {self.outputs})")

    def calibrate(self, devices: Optional[Names] = None,
                  costs: Optional[Path] = None, threads: int = 0,
                  time_limit_s: float = 0, accuracy: str = "full") -> None:
        """Measures what the cost table lacks of this graph: see calibrate()."""
        calibrate(self, devices, costs, threads, time_limit_s, accuracy)

    def optimize(self, devices: Optional[Names] = None,
                 pins: Optional[Names] = None, costs: Optional[Path] = None,
                 threads: int = 0,
                 memory_limits: Optional[Names] = None,
                 memory_reserves: Optional[Names] = None,
                 stream_weights: bool = False,
                 micro_batches: Union[None, str, int,
                                      Sequence[int]] = None,
                 accuracy: str = "full") -> "Plan":
        """The cheapest plan for `devices`, such as "cpu" or ["cpu",
        "opencl:0"] (None: "cpu" and the first OpenCL device there is), by the
        figures in the cost table `costs` (None: the user's). `pins` are
        "GLOB=DEVICE", `memory_limits` "DEVICE=SIZE", such as "opencl:0=512M";
        `memory_reserves`, likewise, are what a plan leaves of those to
        kernels, which want weights packed and scratch. With `stream_weights`
        weights may stay in host memory where limits make the plan dearer, and
        are sent to the device in every run. The batch may be run in parts,
        `micro_batches`: their sizes, how many there are, or "auto" to have
        the cheapest found. `accuracy` "relaxed" has kernels with larger errors,
        where calibrate() with the same has found them to be faster."""
        with _Costs(costs, devices, threads) as table:
            return Plan(attempt("graph_optimize_full", self._get(),
                                table._get(),
                                optimize_options(pins, memory_limits,
                                                 memory_reserves,
                                                 stream_weights,
                                                 micro_batches, accuracy)))


def calibrate(graph: Optional[Graph] = None, devices: Optional[Names] = None,
              costs: Optional[Path] = None, threads: int = 0,
              time_limit_s: float = 0, accuracy: str = "full") -> None:
    """Measures what the cost table `costs` (None: the user's) lacks: devices,
    links, and the kernels of `graph` on each. Takes seconds to minutes, or at
    most `time_limit_s`; what was measured is kept. With `accuracy` "relaxed"
    kernels with larger errors are measured, too. Call it before this process
    has other threads and before the first Session."""
    with _Costs(costs, devices, threads) as table:
        attempt("costs_calibrate_full", table._get(),
                None if graph is None else graph._get(),
                calibrate_options(time_limit_s, accuracy))


def _time(time_ns: float) -> str:
    """Three digits and a unit."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if time_ns >= factor:
            return f"{time_ns / factor:.3g} {unit}"
    return f"{time_ns:.0f} ns"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table; names come from files of others."""
    cells = [["th", head]] + [["td", row] for row in rows]
    lines = ["<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>"
                              for cell in row) + "</tr>"
             for tag, row in cells]
    return "<table>" + "".join(lines) + "</table>"


class Plan(_Object):
    """Which device runs each op, what that costs, and the proof."""

    _free = "plan_free"
    _SHOWN = 20               # ops in a notebook

    @classmethod
    def load(cls, path: Path, model: Optional[Path] = None,
             dims: Optional[Mapping[str, int]] = None) -> "Plan":
        """A plan as `tplan optimize` wrote it; `model`: where its model is
        now, if it has moved. Of tiers, plans for several values of a dimension
        (`--dim N=1,2,4`), `dims` picks the one for its value or the next above:
        `inputs` says the shapes it is for."""
        return cls(attempt("plan_load_full", path_bytes(path),
                           path_bytes(model), load_options(dims, False)))

    def save(self, path: Path) -> None:
        attempt("plan_save", self._get(), path_bytes(path))

    def check(self) -> None:
        """Verifies the proof; raises Error with the reasons if it fails."""
        attempt("plan_check", self._get())

    def _graph(self) -> Any:
        return call("plan_get_graph", self._get())

    @property
    def inputs(self) -> List[Tensor]:
        return [Tensor(it) for it in listed("graph_get_inputs", self._graph())]

    @property
    def outputs(self) -> List[Tensor]:
        return [Tensor(it)
                for it in listed("graph_get_outputs", self._graph())]

    @property
    def ops(self) -> List[str]:
        """Names of the ops, in an order they can run in."""
        return [os.fsdecode(it) for it in listed("graph_get_ops", self._graph())]

    @property
    def cost_ns(self) -> int:
        """The predicted time of all work and copies, one after the other."""
        return call("plan_get_cost_ns", self._get())

    @property
    def run_ns(self) -> int:
        """The predicted time of a run: the cost, or the end of a schedule."""
        return call("plan_get_run_ns", self._get())

    @property
    def interval_ns(self) -> Tuple[int, int]:
        """Between what a run is predicted to be, with 90 %: (low, high)."""
        low, high = ctypes.c_int64(), ctypes.c_int64()
        call("plan_get_interval_ns", self._get(), ctypes.byref(low),
             ctypes.byref(high))
        return low.value, high.value

    @property
    def bound_ns(self) -> int:
        """What no plan of these devices and figures can go below."""
        return call("plan_get_bound_ns", self._get())

    @property
    def n_estimated(self) -> int:
        """How many ops have an estimated time, not a measured one."""
        return call("plan_count_estimated", self._get())

    @property
    def devices(self) -> Dict[str, int]:
        """Number of ops by device."""
        return {os.fsdecode(it.name): it.n_ops
                for it in listed("plan_get_devices", self._get())}

    @property
    def transfers(self) -> List[Transfer]:
        """What is copied between devices."""
        return [Transfer(os.fsdecode(it.tensor), os.fsdecode(it.source),
                         os.fsdecode(it.target), it.size_bytes, it.time_ns)
                for it in listed("plan_get_transfers", self._get())]

    def explain(self) -> List[Op]:
        """Each op with its device and why it is there."""
        return [Op(name, self.device_of(name), self.reason_of(name))
                for name in self.ops]

    def reason_of(self, op: str) -> str:
        """Why it runs there: "faster", "neighbours", "pinned", "only", ...;
        KeyError if there is no such op."""
        reason = call("plan_find_reason", self._get(), os.fsencode(op))
        if reason is None:
            raise KeyError(op)
        return os.fsdecode(reason)

    def device_of(self, op: str) -> str:
        """The device that runs `op`; KeyError if there is no such op."""
        name = call("plan_find_device", self._get(), os.fsencode(op))
        if name is None:
            raise KeyError(op)
        return os.fsdecode(name)

    def require(self, text: str) -> None:
        """Raises Error("INFEASIBLE") unless "opencl:0>=95%time" holds; "ops"
        instead of "time", and <=, may be asked for too."""
        attempt("plan_require", self._get(), os.fsencode(text))

    def run(self, inputs: Arrays, threads: int = 0) -> Dict[str, numpy.ndarray]:
        """Runs once. Whoever runs more often keeps a Session, which has
        compiled the plan."""
        with Session(self, threads) as session:
            return session.run(inputs)

    def __repr__(self) -> str:
        if self._handle is None:
            return "Plan(closed)"
        parts = ", ".join(f"{n} ops on {device}"
                          for device, n in self.devices.items())
        return f"Plan({parts}; {_time(self.run_ns)} predicted)"

    def _repr_html_(self) -> str:
        """What a notebook shows: verdict, devices, copies, the first ops."""
        if self._handle is None:
            return html.escape(repr(self))
        low, high = self.interval_ns
        proved = ("proved least" if self.cost_ns <= self.bound_ns else
                  f"at least {_time(self.bound_ns)} for any plan")
        parts = [f"<p><b>{_time(self.run_ns)}</b> predicted "
                 f"({_time(low)} to {_time(high)}), {proved}; "
                 f"{self.n_estimated} of {len(self.ops)} ops estimated</p>"]
        devices = listed("plan_get_devices", self._get())
        parts.append(_table(
            ["device", "ops", "time", "bytes"],
            [[os.fsdecode(it.name), it.n_ops, _time(it.time_ns),
              it.peak_bytes + it.weight_bytes] for it in devices]))
        if self.transfers:
            parts.append(_table(
                ["copied", "from", "to", "bytes", "time"],
                [[it.tensor, it.source, it.target, it.size_bytes,
                  _time(it.time_ns)] for it in self.transfers[:self._SHOWN]]))
        ops = self.explain()
        parts.append(_table(["op", "device", "why"], ops[:self._SHOWN]))
        if len(ops) > self._SHOWN:
            parts.append(f"<p>and {len(ops) - self._SHOWN} more ops: "
                         "<code>plan.explain()</code></p>")
        return "".join(parts)


def _check_names(what: str, given: Iterable[str],
                 tensors: Sequence[Tensor]) -> None:
    known = [it.name for it in tensors]
    unknown = sorted(set(given) - set(known))
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, 1)
        raise ValueError(
            f"no {what} is named {unknown[0]!r}"
            + (f" (did you mean {near[0]!r}?)" if near else "")
            + f": there are {', '.join(map(repr, known[:_SHOWN_NAMES]))}"
            + (", ..." if len(known) > _SHOWN_NAMES else ""))


class Session(_Object):
    """A plan compiled, with its memory: ready to run."""

    _free = "session_free"

    def __init__(self, plan: Plan, threads: int = 0) -> None:
        super().__init__(attempt("session_new", plan._get(), threads))
        self.inputs = plan.inputs
        self.outputs = plan.outputs

    def _take(self, tensor: Tensor, arrays: Arrays) -> numpy.ndarray:
        """The array for `tensor`: its dtype and shape exactly; not copied if
        it is dense."""
        if tensor.name not in arrays:
            raise ValueError(f"input '{tensor.name}' is missing")
        given = arrays[tensor.name]
        if not isinstance(given, numpy.ndarray) and hasattr(given, "__dlpack__"):
            array = numpy.from_dlpack(given)
        else:
            array = numpy.asarray(given)
        if array.dtype != tensor.dtype or array.shape != tensor.shape:
            raise ValueError(
                f"input '{tensor.name}' is {array.dtype} {array.shape}, "
                f"not {tensor.dtype} {tensor.shape}")
        return numpy.ascontiguousarray(array)

    def run(self, inputs: Arrays,
            outputs: Optional[Dict[str, numpy.ndarray]] = None
            ) -> Dict[str, numpy.ndarray]:
        """Runs once: arrays by the names of the inputs in, a dict of arrays
        by the names of the outputs out. `outputs`: such a dict, of an earlier
        run or of arrays over any memory, to be written into rather than made
        anew. Dense arrays are read and written where they are; what has
        __dlpack__ on the CPU, or the buffer protocol, is taken as well."""
        _check_names("input", inputs, self.inputs)
        taken = [self._take(it, inputs) for it in self.inputs]
        if outputs is None:
            outputs = {it.name: numpy.empty(it.shape, it.dtype)
                       for it in self.outputs}
        _check_names("output", outputs, self.outputs)
        missing = [it.name for it in self.outputs if it.name not in outputs]
        if missing:
            raise ValueError(f"output '{missing[0]}' is missing")
        given = [outputs[it.name] for it in self.outputs]
        for tensor, array in zip(self.outputs, given):
            if (array.dtype != tensor.dtype or array.shape != tensor.shape
                    or not array.flags.c_contiguous
                    or not array.flags.writeable):
                raise ValueError(f"output '{tensor.name}' is no writable "
                                 f"{tensor.dtype} {tensor.shape} array")
        attempt("session_run", self._get(), pointers(taken), pointers(given))
        return outputs

    @property
    def time_ns(self) -> int:
        """What the last run took."""
        return call("session_get_time_ns", self._get())


def _make_inputs(tensors: Sequence[Tensor]) -> Dict[str, numpy.ndarray]:
    """Numbers from 0 to 1, always the same; of integers zeros, which every
    index may be."""
    random = numpy.random.default_rng(1)
    return {it.name: random.random(it.shape).astype(it.dtype)
            if it.dtype.kind == "f" else numpy.zeros(it.shape, it.dtype)
            for it in tensors}


def bench(plans: Mapping[str, Plan], inputs: Optional[Arrays] = None,
          rounds: int = 9, threads: int = 0) -> List[Timing]:
    """Runs plans of the same model in turns, so that what disturbs one
    disturbs all, after one run of each that is not counted; the fastest comes
    first. Without `inputs` they are made up. `tplan bench` says more: how
    surely one is faster."""
    if rounds < 1:
        raise ValueError(f"{rounds} rounds: at least 1 is needed")
    sessions = {name: Session(plan, threads) for name, plan in plans.items()}
    times: Dict[str, List[int]] = {name: [] for name in sessions}
    try:
        for i in range(rounds + 1):
            for name, session in sessions.items():
                session.run(_make_inputs(session.inputs) if inputs is None
                            else inputs)
                if i > 0:
                    times[name].append(session.time_ns)
    finally:
        for session in sessions.values():
            session.close()
    return sorted((_timing(*item) for item in times.items()),
                  key=lambda it: it.median_ns)


def _timing(name: str, times: List[int]) -> Timing:
    low, middle, high = (statistics.quantiles(times, n=4, method="inclusive")
                         if len(times) > 1 else times * 3)
    return Timing(name, int(middle), int(low), int(high), times)


def version() -> str:
    """The version of the library that runs."""
    return call("version_get", None, None, None).decode()
