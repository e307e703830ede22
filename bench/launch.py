"""A kernel bound to its arrays, ready to be run again and again through the C API."""

import ctypes

import numpy as np

from timing import times_of
from tilegrind import _native, runtime
from tilegrind.pallas import export


class Launch:
    """`fn` is a JAX function with one pallas_call, whose inputs are `args`, in that order.

    The arrays are described once, so that a call is tg_run and nothing else: the look at the arrays,
    planning, every program of the grid, the look for unwritten elements, the report."""

    def __init__(self, fn, args, grid_semantics=None, isa=None, profile=None):
        module = export(fn, *args, grid_semantics=grid_semantics)
        self._module = runtime.loads(module.dumps())
        params = [p for p in self._module.params() if p.role in ("input", "output")]
        self.inputs = [np.asarray(a) for a in args]  # JAX's own memory on the CPU
        self.outputs = [np.zeros(p.shape, p.dtype) for p in params if p.role == "output"]
        arrays = self.inputs + self.outputs
        if [(p.shape, p.dtype) for p in params] != [(a.shape, a.dtype) for a in arrays]:
            raise ValueError("the kernel has other parameters than the function")
        self._views = (_native.Array * len(arrays))(*(runtime._view(p.name, a) for p, a in zip(params, arrays)))
        self._options = _native.RunOptions(size=ctypes.sizeof(_native.RunOptions), isa=runtime._bytes(isa),
                                           profile=runtime._bytes(profile))
        self._report = ctypes.c_void_p()
        self._walks = []
        self.findings = 0

    def __call__(self):
        lib = _native.lib
        status = lib.tg_run(self._module._handle, None, self._views, len(self._views),
                            self._options, self._report, None)
        if status:
            raise RuntimeError(runtime.text(lib.tg_status_text(status)))
        stats = lib.tg_report_stats(self._report)
        self._walks.append(stats.seconds)
        self.isa = runtime.text(stats.isa)
        self.findings = lib.tg_report_finding_count(self._report)
        lib.tg_report_free(self._report)

    def walks(self):
        """Times on the wall of the walk over the grid alone: no planning, no report."""
        return times_of(self._walks)

    def bytes(self):
        """What has to be read and written once at the least."""
        return sum(array.nbytes for array in self.inputs + self.outputs)
