"""libtplan.so by ctypes: its records, its calls, its errors."""

import ctypes
import ctypes.util
import os
from typing import Any, Iterable, Optional, Union

_CODES = ["FAILED", "USAGE", "INPUT", "UNSUPPORTED", "LIMIT", "INFEASIBLE",
          "MEMORY", "DEVICE", "STALE", "BUSY", "INTERRUPTED"]


class Error(Exception):
    """What libtplan reports: a message for people, and `code`, the name of
    a TplanError without its prefix, such as "INPUT"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class GError(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", ctypes.c_int),
                ("message", ctypes.c_char_p)]


class Dim(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_int),
                ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("size_bytes", ctypes.c_int64)]


# What newer libraries may have behind; zero says nothing.
_LATER = ("later", ctypes.c_void_p * 16)


class _LoadOptions(ctypes.Structure):
    _fields_ = [("dims", ctypes.POINTER(Dim)),
                ("limits", ctypes.POINTER(Dim)),
                ("follow_links", ctypes.c_int),
                ("no_pass", ctypes.POINTER(ctypes.c_char_p)),
                ("copies_weights", ctypes.c_int),
                ("assumes_dims", ctypes.c_int),
                ("load_file", ctypes.c_void_p),
                ("load_file_data", ctypes.c_void_p),
                ("states", ctypes.POINTER(ctypes.c_char_p)),
                ("values", ctypes.POINTER(ctypes.c_char_p)),
                ("outputs", ctypes.POINTER(ctypes.c_char_p)), _LATER]


class _Watch(ctypes.Structure):
    _fields_ = [("progress", ctypes.c_void_p), ("log", ctypes.c_void_p),
                ("user_data", ctypes.c_void_p),
                ("cancelled", ctypes.c_void_p)]


class _CalibrateOptions(ctypes.Structure):
    _fields_ = [("time_limit_ns", ctypes.c_int64), ("watch", _Watch),
                ("measures_watts", ctypes.c_int),
                ("accuracy", ctypes.c_int), _LATER]


class _OptimizeOptions(ctypes.Structure):
    _fields_ = [("pins", ctypes.POINTER(ctypes.c_char_p)),
                ("memory_limits", ctypes.POINTER(ctypes.c_char_p)),
                ("no_fuse", ctypes.POINTER(ctypes.c_char_p)),
                ("objective", ctypes.c_char_p), ("level", ctypes.c_int),
                ("is_exact", ctypes.c_int),
                ("trusts_estimates", ctypes.c_int),
                ("needs_measured", ctypes.c_int), ("watch", _Watch),
                ("watts", ctypes.POINTER(ctypes.c_char_p)),
                ("prices", ctypes.POINTER(ctypes.c_char_p)),
                ("memory_reserves", ctypes.POINTER(ctypes.c_char_p)),
                ("streams_weights", ctypes.c_int),
                ("micro_batches", ctypes.POINTER(ctypes.c_int64)),
                ("n_micro_batches", ctypes.c_int),
                ("tries_micro_batches", ctypes.c_int),
                ("asks_drivers", ctypes.c_int),
                ("accuracy", ctypes.c_int), _LATER]


class _Transfer(ctypes.Structure):
    _fields_ = [("tensor", ctypes.c_char_p), ("source", ctypes.c_char_p),
                ("target", ctypes.c_char_p), ("size_bytes", ctypes.c_int64),
                ("time_ns", ctypes.c_int64)]


class _Device(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("n_ops", ctypes.c_int),
                ("peak_bytes", ctypes.c_int64),
                ("weight_bytes", ctypes.c_int64),
                ("time_ns", ctypes.c_int64)]


_STRINGS = ctypes.POINTER(ctypes.c_char_p)
_POINTERS = ctypes.POINTER(ctypes.c_void_p)
_INT = ctypes.POINTER(ctypes.c_int)
_INT64 = ctypes.POINTER(ctypes.c_int64)
_ERROR = ctypes.POINTER(ctypes.POINTER(GError))
_HANDLE = ctypes.c_void_p

# The calls used: result, then arguments.
_CALLS = {
    "graph_load_full": [_HANDLE, ctypes.c_char_p,
                        ctypes.POINTER(_LoadOptions), _ERROR],
    "graph_free": [None, _HANDLE],
    "graph_get_inputs": [ctypes.POINTER(_Tensor), _HANDLE, _INT],
    "graph_get_outputs": [ctypes.POINTER(_Tensor), _HANDLE, _INT],
    "graph_get_ops": [_STRINGS, _HANDLE, _INT],
    "costs_open": [_HANDLE, ctypes.c_char_p, _STRINGS, ctypes.c_int, _ERROR],
    "costs_close": [None, _HANDLE],
    "costs_calibrate_full": [ctypes.c_int, _HANDLE, _HANDLE,
                             ctypes.POINTER(_CalibrateOptions), _ERROR],
    "graph_optimize_full": [_HANDLE, _HANDLE, _HANDLE,
                            ctypes.POINTER(_OptimizeOptions), _ERROR],
    "plan_load_full": [_HANDLE, ctypes.c_char_p, ctypes.c_char_p,
                       ctypes.POINTER(_LoadOptions), _ERROR],
    "plan_get_transfers": [ctypes.POINTER(_Transfer), _HANDLE, _INT],
    "plan_save": [ctypes.c_int, _HANDLE, ctypes.c_char_p, _ERROR],
    "plan_check": [ctypes.c_int, _HANDLE, _ERROR],
    "plan_free": [None, _HANDLE],
    "plan_get_graph": [_HANDLE, _HANDLE],
    "plan_get_cost_ns": [ctypes.c_int64, _HANDLE],
    "plan_get_run_ns": [ctypes.c_int64, _HANDLE],
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
    "version_get": [ctypes.c_char_p, _INT, _INT, _INT],
}


def _open() -> ctypes.CDLL:
    """libtplan.so: $TPLAN_LIBRARY, else that of the wheel, else where the
    loader finds it."""
    beside = os.path.join(os.path.dirname(__file__), "lib", "libtplan.so.0")
    path = (os.environ.get("TPLAN_LIBRARY")
            or (beside if os.path.exists(beside) else None)
            or ctypes.util.find_library("tplan") or "libtplan.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as reason:
        raise ImportError(
            f"tplan needs libtplan: {reason}; install it or a wheel that "
            "holds it, or set TPLAN_LIBRARY to its path") from reason
    for name, (result, *arguments) in _CALLS.items():
        function = getattr(library, "tplan_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _open()
# Of the GLib that libtplan is linked with, whatever others there are.
_clear_error = _library.g_clear_error
_clear_error.restype = None
_clear_error.argtypes = [_ERROR]


def call(name: str, *arguments: Any) -> Any:
    """A call without a GError."""
    return getattr(_library, "tplan_" + name)(*arguments)


def attempt(name: str, *arguments: Any) -> Any:
    """A call that may fail: raises Error."""
    error = ctypes.POINTER(GError)()
    result = call(name, *arguments, ctypes.byref(error))
    if error:
        code, message = error.contents.code, error.contents.message.decode()
        _clear_error(ctypes.byref(error))
        raise Error(_CODES[code] if 0 <= code < len(_CODES) else str(code),
                    message)
    return result


def path_bytes(path: Union[str, os.PathLike, None]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def strings(values: Optional[Iterable[str]]) -> Any:
    """A C array of strings that ends with NULL; None stays None, and a string
    is one of itself."""
    if values is None:
        return None
    values = [values] if isinstance(values, str) else list(values)
    return (ctypes.c_char_p * (len(values) + 1))(
        *[os.fsencode(value) for value in values], None)


def load_options(dims: Optional[dict], assume_dims: bool,
                 outputs: Any = None) -> Any:
    """How to read a graph: what is kept alive stands in it."""
    dims = dims or {}
    table = (Dim * (len(dims) + 1))(
        *[Dim(os.fsencode(name), value) for name, value in dims.items()])
    return ctypes.byref(_LoadOptions(dims=table, assumes_dims=assume_dims,
                                     outputs=strings(outputs)))


_ACCURACIES = ("full", "relaxed")


def accuracy_number(accuracy: str) -> int:
    if accuracy not in _ACCURACIES:
        raise ValueError(f"accuracy {accuracy!r} is neither full nor relaxed")
    return _ACCURACIES.index(accuracy)


def calibrate_options(time_limit_s: float, accuracy: str) -> Any:
    return ctypes.byref(_CalibrateOptions(
        time_limit_ns=int(time_limit_s * 1e9),
        accuracy=accuracy_number(accuracy)))


def optimize_options(pins: Any, memory_limits: Any, memory_reserves: Any,
                     stream_weights: bool, micro_batches: Any,
                     accuracy: str) -> Any:
    sizes = [] if micro_batches in (None, "auto") else micro_batches
    n = sizes if isinstance(sizes, int) else len(sizes)
    if micro_batches not in (None, "auto") and n < 2:
        raise ValueError("micro_batches are two or more")
    table = None if isinstance(sizes, int) else (ctypes.c_int64 * n)(*sizes)
    return ctypes.byref(_OptimizeOptions(
        pins=strings(pins), memory_limits=strings(memory_limits),
        memory_reserves=strings(memory_reserves),
        streams_weights=stream_weights,
        micro_batches=table if n > 0 else None, n_micro_batches=n,
        tries_micro_batches=micro_batches == "auto",
        accuracy=accuracy_number(accuracy)))


def listed(name: str, handle: Any) -> list:
    """What a query with a count hands out."""
    n = ctypes.c_int()
    table = call(name, handle, ctypes.byref(n))
    return [table[i] for i in range(n.value)]


def pointers(arrays: Iterable[Any]) -> Any:
    """A C array of where numpy arrays begin, which ends with NULL."""
    arrays = list(arrays)
    return (ctypes.c_void_p * (len(arrays) + 1))(
        *[array.ctypes.data for array in arrays], None)
