"""A call of the C API that is made again and again."""

import ctypes

import numpy as np

from timing import times_of
from tilegrind import _native
from tilegrind.arrays import view


class Call:
    """A module's only kernel and its arrays, described once, so that a call is tg_run and nothing else: the look at the arrays,
    planning, every program of the grid, the look for unwritten elements, the report.

    findings       how many the last call made; errors: the kinds of those that are more than notes, one for each
    isa, instructions, programs   of the last call, as tg_run_stats has them"""

    def __init__(self, module, inputs, grid=(), **options):
        """`grid` are the sizes of the dynamic axes; `options` are texts of RunOptions: isa, profile, backend, checks."""
        self._module, self._grid = module, tuple(grid)
        params = [p for p in module.params() if p.role != "scratch"]
        self.inputs = [np.asarray(a) for a in inputs]  # JAX's own memory on the CPU
        self.outputs = [np.zeros(p.shape, p.dtype) for p in params if p.role == "output"]
        arrays = self.inputs + self.outputs
        if [(p.shape, p.dtype) for p in params] != [(a.shape, a.dtype) for a in arrays]:
            raise ValueError("the kernel has other parameters than the function")
        self._views = (_native.Array * len(arrays))(*(view(p.name, a) for p, a in zip(params, arrays)))
        self._describe(options)

    def _describe(self, options):
        self._options = _native.RunOptions(size=ctypes.sizeof(_native.RunOptions), dynamic_grid_count=len(self._grid),
                                           dynamic_grid=(ctypes.c_int64 * len(self._grid))(*self._grid),
                                           **{name: text.encode() for name, text in options.items() if text})
        self._report = ctypes.c_void_p()
        self._walks = []
        self.findings, self.errors = 0, []

    def again(self, **options):
        """The same kernel and the same arrays with other options."""
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__)
        other._describe(options)
        return other

    def __call__(self):
        lib = _native.lib
        status = lib.tg_run(self._module._handle, None, self._views, len(self._views),
                            self._options, self._report, None)
        if status:
            raise RuntimeError(_native.text(lib.tg_status_text(status)))
        stats = lib.tg_report_stats(self._report)
        self._walks.append(stats.seconds)
        self.isa = _native.text(stats.isa)
        self.instructions = stats.instructions
        self.programs = stats.programs
        self.findings = lib.tg_report_finding_count(self._report)
        found = [lib.tg_report_finding(self._report, i) for i in range(self.findings)]
        self.errors = [_native.text(one.kind) for one in found if _native.text(one.level) != "note"]
        lib.tg_report_free(self._report)

    def save(self, folder):
        """Writes what bench/checked_run.py reads; returns its arguments."""
        (folder / "kernel.json").write_text(self._module.to_json())
        np.savez(folder / "inputs.npz", *self.inputs)
        return [folder / "kernel.json", "--inputs", folder / "inputs.npz", "--grid", *self._grid]

    def walks(self):
        """Times on the wall of the walk over the grid alone: no planning, no report."""
        return times_of(self._walks)

    def bytes(self):
        """What has to be read and written once at the least."""
        return sum(array.nbytes for array in self.inputs + self.outputs)
