"""tplan from Python: load a plan, or make one, and run it on numpy arrays.

    import numpy, tplan

    plan = tplan.Plan.load("plan.json")       # as `tplan optimize` wrote it
    with tplan.Session(plan) as session:
        outputs = session.run({"x": numpy.zeros((64, 784), "float32")})
    print(outputs["probs"].argmax(axis=1))

One file over libtplan.so (ctypes); needs numpy and nothing else. What tplan.h
says of each call holds here too: a plan may be shared by threads, a session
is used by one thread at a time, and no call prints. Calls release the
interpreter's lock while they work.
"""

import ctypes
import ctypes.util
import os
import numpy

__all__ = ["Error", "Graph", "Plan", "Session", "Tensor", "version"]

_CODES = ["FAILED", "USAGE", "INPUT", "UNSUPPORTED", "LIMIT", "INFEASIBLE",
          "MEMORY", "DEVICE", "STALE", "BUSY", "INTERRUPTED"]


class Error(Exception):
    """What libtplan reports: a message for people, and `code`, the name of
    a TplanError without its prefix, such as "INPUT"."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class _GError(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", ctypes.c_int),
                ("message", ctypes.c_char_p)]


class _Dim(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_int),
                ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("size_bytes", ctypes.c_int64)]


class _Device(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("n_ops", ctypes.c_int),
                ("peak_bytes", ctypes.c_int64),
                ("weight_bytes", ctypes.c_int64),
                ("time_ns", ctypes.c_int64)]


_STRINGS = ctypes.POINTER(ctypes.c_char_p)
_POINTERS = ctypes.POINTER(ctypes.c_void_p)
_INT = ctypes.POINTER(ctypes.c_int)
_INT64 = ctypes.POINTER(ctypes.c_int64)
_ERROR = ctypes.POINTER(ctypes.POINTER(_GError))
_HANDLE = ctypes.c_void_p

# The calls used: result, then arguments.
_CALLS = {
    "graph_load": [_HANDLE, ctypes.c_char_p, ctypes.POINTER(_Dim), _ERROR],
    "graph_free": [None, _HANDLE],
    "graph_get_inputs": [ctypes.POINTER(_Tensor), _HANDLE, _INT],
    "graph_get_outputs": [ctypes.POINTER(_Tensor), _HANDLE, _INT],
    "graph_get_ops": [_STRINGS, _HANDLE, _INT],
    "costs_open": [_HANDLE, ctypes.c_char_p, _STRINGS, ctypes.c_int, _ERROR],
    "costs_close": [None, _HANDLE],
    "graph_optimize": [_HANDLE, _HANDLE, _HANDLE, _STRINGS, _ERROR],
    "plan_load": [_HANDLE, ctypes.c_char_p, ctypes.c_char_p, _ERROR],
    "plan_save": [ctypes.c_int, _HANDLE, ctypes.c_char_p, _ERROR],
    "plan_check": [ctypes.c_int, _HANDLE, _ERROR],
    "plan_free": [None, _HANDLE],
    "plan_get_graph": [_HANDLE, _HANDLE],
    "plan_get_cost_ns": [ctypes.c_int64, _HANDLE],
    "plan_get_interval_ns": [ctypes.c_int, _HANDLE, _INT64, _INT64],
    "plan_get_bound_ns": [ctypes.c_int64, _HANDLE],
    "plan_count_estimated": [ctypes.c_int, _HANDLE],
    "plan_get_devices": [ctypes.POINTER(_Device), _HANDLE, _INT],
    "plan_require": [ctypes.c_int, _HANDLE, ctypes.c_char_p, _ERROR],
    "plan_find_reason": [ctypes.c_char_p, _HANDLE, ctypes.c_char_p],
    "plan_find_device": [ctypes.c_char_p, _HANDLE, ctypes.c_char_p],
    "session_new": [_HANDLE, _HANDLE, ctypes.c_int, _ERROR],
    "session_run": [ctypes.c_int, _HANDLE, _POINTERS, _POINTERS, _ERROR],
    "session_get_time_ns": [ctypes.c_int64, _HANDLE],
    "session_free": [None, _HANDLE],
    "dtype_get_name": [ctypes.c_char_p, ctypes.c_int],
    "get_version": [ctypes.c_char_p],
}


def _open():
    """libtplan.so: $TPLAN_LIBRARY, else where the loader finds it."""
    path = (os.environ.get("TPLAN_LIBRARY")
            or ctypes.util.find_library("tplan") or "libtplan.so.0")
    library = ctypes.CDLL(path)
    for name, (result, *arguments) in _CALLS.items():
        call = getattr(library, "tplan_" + name)
        call.restype = result
        call.argtypes = arguments
    return library


_library = _open()
_clear_error = ctypes.CDLL(ctypes.util.find_library("glib-2.0")
                           or "libglib-2.0.so.0").g_clear_error
_clear_error.restype = None
_clear_error.argtypes = [_ERROR]


def _call(name, *arguments):
    """A call without a GError."""
    return getattr(_library, "tplan_" + name)(*arguments)


def _try(name, *arguments):
    """A call that may fail: raises Error."""
    error = ctypes.POINTER(_GError)()
    result = _call(name, *arguments, ctypes.byref(error))
    if error:
        code, message = error.contents.code, error.contents.message.decode()
        _clear_error(ctypes.byref(error))
        raise Error(_CODES[code] if 0 <= code < len(_CODES) else str(code),
                    message)
    return result


def _path(path):
    return None if path is None else os.fsencode(path)


def _strings(values):
    """A C array of strings that ends with NULL; None stays None."""
    if values is None:
        return None
    return (ctypes.c_char_p * (len(values) + 1))(
        *[os.fsencode(value) for value in values], None)


def _listed(name, handle):
    """What a query with a count hands out, as a list."""
    n = ctypes.c_int()
    table = _call(name, handle, ctypes.byref(n))
    return [table[i] for i in range(n.value)]


class Tensor:
    """An input or output: name, dtype (numpy's), shape."""

    def __init__(self, described):
        self.name = os.fsdecode(described.name)
        self.dtype = numpy.dtype(
            _call("dtype_get_name", described.dtype).decode())
        self.shape = tuple(described.dims[i] for i in range(described.rank))

    def __repr__(self):
        return f"Tensor({self.name!r}, {self.dtype}, {self.shape})"


class _Object:
    """Owns a handle; freed by close(), at the end of a `with`, or when
    nobody holds it."""

    _free = None

    def __init__(self, handle):
        self._handle = handle

    def close(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            _call(self._free, handle)

    def _get(self):
        if self._handle is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()


class Graph(_Object):
    """A model, prepared for planning. `dims` gives symbolic dimensions their
    values, such as {"N": 8}."""

    _free = "graph_free"

    def __init__(self, path, dims=None):
        dims = dims or {}
        table = (_Dim * (len(dims) + 1))(
            *[_Dim(os.fsencode(name), value) for name, value in dims.items()])
        super().__init__(_try("graph_load", _path(path), table))

    @property
    def inputs(self):
        return [Tensor(it) for it in _listed("graph_get_inputs", self._get())]

    @property
    def outputs(self):
        return [Tensor(it) for it in _listed("graph_get_outputs", self._get())]

    @property
    def ops(self):
        """Names of the ops that are placed, in an order they can run in."""
        return [os.fsdecode(it)
                for it in _listed("graph_get_ops", self._get())]

    def optimize(self, devices=None, pins=None, costs=None, threads=0):
        """The cheapest plan for `devices` (None: "cpu" and the first OpenCL
        device there is), by the figures in the cost table `costs` (None: the
        user's). `pins` are "GLOB=DEVICE"."""
        table = _try("costs_open", _path(costs), _strings(devices), threads)
        try:
            return Plan(_try("graph_optimize", self._get(), table,
                             _strings(pins)))
        finally:
            _call("costs_close", table)


class Plan(_Object):
    """Which device runs each op, what that costs, and the proof."""

    _free = "plan_free"

    @classmethod
    def load(cls, path, model=None):
        """A plan as `tplan optimize` wrote it; `model`: where its model is
        now, if it has moved."""
        return cls(_try("plan_load", _path(path), _path(model)))

    def save(self, path):
        _try("plan_save", self._get(), _path(path))

    def check(self):
        """Verifies the proof; raises Error with the reasons if it fails."""
        _try("plan_check", self._get())

    def _graph(self):
        return _call("plan_get_graph", self._get())

    @property
    def inputs(self):
        return [Tensor(it) for it in _listed("graph_get_inputs", self._graph())]

    @property
    def outputs(self):
        return [Tensor(it)
                for it in _listed("graph_get_outputs", self._graph())]

    @property
    def cost_ns(self):
        """The predicted time of a run."""
        return _call("plan_get_cost_ns", self._get())

    @property
    def interval_ns(self):
        """Between what a run is predicted to be, with 90 %: (low, high)."""
        low, high = ctypes.c_int64(), ctypes.c_int64()
        _call("plan_get_interval_ns", self._get(), ctypes.byref(low),
              ctypes.byref(high))
        return low.value, high.value

    @property
    def bound_ns(self):
        """What no plan of these devices and figures can go below."""
        return _call("plan_get_bound_ns", self._get())

    @property
    def n_estimated(self):
        """How many ops have an estimated time, not a measured one."""
        return _call("plan_count_estimated", self._get())

    @property
    def devices(self):
        """Number of ops by device."""
        return {os.fsdecode(it.name): it.n_ops
                for it in _listed("plan_get_devices", self._get())}

    def reason_of(self, op):
        """Why it runs there: "faster", "neighbours", "pinned", "only", ...;
        KeyError if there is no such op."""
        reason = _call("plan_find_reason", self._get(), os.fsencode(op))
        if reason is None:
            raise KeyError(op)
        return os.fsdecode(reason)

    def require(self, text):
        """Raises Error("INFEASIBLE") unless "opencl:0>=95%time" holds; "ops"
        instead of "time", and <=, may be asked for too."""
        _try("plan_require", self._get(), os.fsencode(text))

    def device_of(self, op):
        """The device that runs `op`; KeyError if there is no such op."""
        name = _call("plan_find_device", self._get(), os.fsencode(op))
        if name is None:
            raise KeyError(op)
        return os.fsdecode(name)


class Session(_Object):
    """A plan compiled, with its memory: ready to run."""

    _free = "session_free"

    def __init__(self, plan, threads=0):
        super().__init__(_try("session_new", plan._get(), threads))
        self.inputs = plan.inputs
        self.outputs = plan.outputs

    def _take(self, tensor, arrays):
        """The array for `tensor`: its dtype and shape exactly, dense."""
        if tensor.name not in arrays:
            raise ValueError(f"input '{tensor.name}' is missing")
        array = numpy.asarray(arrays[tensor.name])
        if array.dtype != tensor.dtype or array.shape != tensor.shape:
            raise ValueError(
                f"input '{tensor.name}' is {array.dtype} {array.shape}, "
                f"not {tensor.dtype} {tensor.shape}")
        return numpy.ascontiguousarray(array)

    def run(self, inputs, outputs=None):
        """Runs once: arrays by the names of the inputs in, a dict of arrays
        by the names of the outputs out. `outputs`: such a dict of an earlier
        run, to be written again rather than made anew."""
        unknown = set(inputs) - {it.name for it in self.inputs}
        if unknown:
            raise ValueError(f"no input is named {sorted(unknown)}")
        taken = [self._take(it, inputs) for it in self.inputs]
        if outputs is None:
            outputs = {it.name: numpy.empty(it.shape, it.dtype)
                       for it in self.outputs}
        given = [outputs[it.name] for it in self.outputs]
        for tensor, array in zip(self.outputs, given):
            if (array.dtype != tensor.dtype or array.shape != tensor.shape
                    or not array.flags.c_contiguous
                    or not array.flags.writeable):
                raise ValueError(f"output '{tensor.name}' is no writable "
                                 f"{tensor.dtype} {tensor.shape} array")
        _try("session_run", self._get(), _pointers(taken), _pointers(given))
        return outputs

    @property
    def time_ns(self):
        """What the last run took."""
        return _call("session_get_time_ns", self._get())


def _pointers(arrays):
    return (ctypes.c_void_p * (len(arrays) + 1))(
        *[array.ctypes.data for array in arrays], None)


def version():
    """The version of the library that runs."""
    return _call("get_version").decode()
