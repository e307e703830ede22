"""Cases through the C library: its reader of cases, and its judgement of what they expect (case.h)."""

from ctypes import byref, c_size_t, c_void_p, sizeof

import numpy as np

from .. import _native, interrupts
from .._native import lib, text
from ..arrays import copied
from ..digests import digest
from ..errors import Collected
from ..findings import findings_of
from ..judging.inputs import is_float

_EVERY = c_size_t(-1).value  # no limit to the number of findings


def digest_of(array):
    """The digest of a tensor of the library: name, type and elements.  All NaNs count as one, since their bits are not the
    same on every instruction set."""
    elements = copied(array)
    dtype = text(lib.tg_dtype_from_dlpack(array.tensor.dtype))
    if is_float(elements.dtype):
        elements[np.isnan(elements)] = np.array(float("nan"), elements.dtype)
    return digest(f"{text(array.name)} {dtype}{list(elements.shape)}\n".encode() + elements.tobytes())


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
        hook = _native.RunHook(sizeof(_native.RunHook), _native.RUN(_checking(orders)), None) if orders else None
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
        """(findings that count, number of expected ones, number of those that the Suppressions `known` cover); advice does not
        count."""
        report, counting, expected, covered = lib.tg_case_run_report(self._handle), [], 0, 0
        for i, finding in enumerate(findings_of(report)):
            if lib.tg_case_expects(self._case, report, i):
                expected += 1
            elif known and known._find(report, i):
                covered += 1
            elif finding.level != "advice":
                counting.append(finding)
        return counting, expected, covered

    def outputs(self):
        """(name, digest, Comparison with what the case expects or None) for each output."""
        count = lib.tg_arrays_count(lib.tg_case_run_outputs(self._handle))
        found = [lib.tg_case_run_output(self._handle, i) for i in range(count)]
        return [(text(o.got.name), digest_of(o.got), o.comparison if o.is_expected else None) for o in found]
