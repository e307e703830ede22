"""Cases through the C library: its reader of cases, and its judgement of what they expect (case.h)."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p, sizeof

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .. import _native, interrupts
from .._dtypes import DTYPES
from .._native import lib, text
from ..errors import Collected
from ..findings import findings_of
from .canonical import digest

_NUMPY = {dtype.name: np.dtype(dtype.numpy) for dtype in DTYPES}
_EVERY = c_size_t(-1).value  # no limit to the number of findings
_FLOATS = {dtype.name for dtype in DTYPES if dtype.kind == "float"}


class Comparison(Structure):
    _fields_ = [("count", c_int64), ("differing", c_int64), ("first", c_int64), ("worst", c_int64),
                ("worst_ulps", c_uint64), ("failing", c_int64), ("first_failing", c_int64), ("agree", c_int)]


class _Verdict(Structure):
    _fields_ = [("passed", c_int), ("unexpected", c_size_t), ("absent", c_size_t)]


class _Output(Structure):
    _fields_ = [("got", _native.Array), ("is_expected", c_int), ("want", _native.Array), ("comparison", Comparison)]


_RUN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_char_p, POINTER(_native.Array), c_size_t, POINTER(_native.RunOptions),
                 POINTER(c_void_p), c_void_p)


class _Hook(Structure):
    _fields_ = [("size", c_size_t), ("run", _RUN), ("context", c_void_p)]


_FUNCTIONS = {
    "tg_case_open": (c_int, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_case_close": (None, c_void_p),
    "tg_case_expects": (c_int, c_void_p, c_void_p, c_size_t),
    "tg_case_run_new": (c_int, c_void_p, POINTER(_native.RunOptions), POINTER(_Hook), POINTER(c_void_p), c_void_p),
    "tg_case_run_free": (None, c_void_p),
    "tg_case_run_report": (c_void_p, c_void_p),
    "tg_case_run_outputs": (c_void_p, c_void_p),
    "tg_case_run_verdict": (_Verdict, c_void_p),
    "tg_case_run_output": (_Output, c_void_p, c_size_t),
    "tg_arrays_count": (c_size_t, c_void_p),
    "tg_dtype_from_dlpack": (c_char_p, _native.Dldtype),
}
for _name, (_result, *_parameters) in _FUNCTIONS.items():
    getattr(lib, _name).restype, getattr(lib, _name).argtypes = _result, _parameters


def digest_of(array):
    """The digest of a tensor of the library: name, type and elements.  All NaNs count as one, since their bits are not the
    same on every instruction set."""
    tensor, dtype = array.tensor, text(lib.tg_dtype_from_dlpack(array.tensor.dtype))
    shape = tuple(tensor.shape[:tensor.ndim])
    numpy_type = _NUMPY[dtype]
    size = int(np.prod(shape, dtype=np.int64)) * numpy_type.itemsize
    elements = np.frombuffer(ctypes.string_at(tensor.data, size), numpy_type).copy()
    if dtype in _FLOATS:
        nans = np.isnan(elements)
        if nans.any():
            elements[nans] = np.array(float("nan"), numpy_type)
    return digest(f"{text(array.name)} {dtype}{list(shape)}\n".encode() + elements.tobytes())


class Case:
    """A case that is open; its files are read and its kernel is verified."""

    def __init__(self, folder):
        self._handle = c_void_p()
        with Collected() as errors:
            errors.check(lib.tg_case_open(str(folder).encode(), byref(self._handle), errors.handle))

    def __del__(self):
        lib.tg_case_close(self._handle)

    def run(self, options, orders=None):
        """A CaseRun.

        options  of tg_run, as a dict of texts; what is missing is as the case says
        orders   CheckOptions: run tg_check with these orders; None: tg_run
        """
        given = {name: value.encode() for name, value in options.items() if value is not None}
        return CaseRun(self._handle, given, orders)


def _checking(orders):
    """What runs a kernel in the place of tg_run: tg_check with `orders`."""
    def run(_, module, kernel, arrays, count, options, report, errors):
        return lib.tg_check(module, kernel, arrays, count, options, byref(orders), report, errors)

    return run


class CaseRun:
    """A run of a case and what the library says of it; a context manager that frees it."""

    def __init__(self, case, given, orders):
        self._case, self._handle, interrupt = case, c_void_p(), interrupts.Watch()
        run_options = _native.RunOptions(size=sizeof(_native.RunOptions), max_findings=_EVERY, progress=interrupt.progress,
                                         **given)
        hook = _Hook(sizeof(_Hook), _RUN(_checking(orders)), None) if orders else None
        with Collected() as errors:
            with interrupt.watching():
                status = lib.tg_case_run_new(case, byref(run_options), hook and byref(hook), byref(self._handle),
                                             errors.handle)
            try:
                interrupt.hand_on(lambda: [])
                errors.check(status)
            except BaseException:
                lib.tg_case_run_free(self._handle)
                raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.tg_case_run_free(self._handle)

    @property
    def absent(self):
        """How many findings the case expects that the run has not made."""
        return lib.tg_case_run_verdict(self._handle).absent

    def findings(self, known):
        """(findings that count, number of expected ones, number of those that the Suppressions `known` cover)."""
        report, counting, expected, covered = lib.tg_case_run_report(self._handle), [], 0, 0
        for i, finding in enumerate(findings_of(report)):
            if lib.tg_case_expects(self._case, report, i):
                expected += 1
            elif known and known._find(report, i):
                covered += 1
            else:
                counting.append(finding)
        return counting, expected, covered

    def outputs(self):
        """(name, digest, Comparison with what the case expects or None) for each output."""
        count = lib.tg_arrays_count(lib.tg_case_run_outputs(self._handle))
        found = [lib.tg_case_run_output(self._handle, i) for i in range(count)]
        return [(text(o.got.name), digest_of(o.got), o.comparison if o.is_expected else None) for o in found]
