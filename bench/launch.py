"""A kernel bound to its arrays, ready to be run again and again through the C API."""

import ctypes
import json
import tempfile

import jax
import numpy as np

from timing import times_of
from tilegrind import _native, runtime
from tilegrind.pallas import capture, export


class Launch:
    """A kernel and its arrays, described once, so that a call is tg_run and nothing else: the look at the arrays,
    planning, every program of the grid, the look for unwritten elements, the report.

    expected   what the outputs must be, where that is not what the function returns"""

    expected = None

    def __init__(self, fn, args, grid_semantics=None, **options):
        """`fn` is a JAX function with one pallas_call, whose inputs are `args`, in that order; `options` are texts of RunOptions: isa,
        profile, backend."""
        self._bind(export(fn, *args, grid_semantics=grid_semantics).dumps(), args, **options)

    @classmethod
    def captured(cls, fn, args, grid_semantics=None, **options):
        """`fn` makes one pallas_call, of what it computes from `args`: its inputs are those that JAX's own
        interpreter gets."""
        with tempfile.TemporaryDirectory() as folder:
            with capture(folder, grid_semantics=grid_semantics) as captured:
                jax.block_until_ready(fn(*args, interpret=True))
            if captured.errors:
                raise captured.errors[0]
            (case,) = captured.cases
            inputs, expected = (np.load(case / f"{name}.npz") for name in ("inputs", "expected"))
            self = cls.__new__(cls)
            self._bind((case / "kernel.json").read_text(), [inputs[name] for name in inputs.files],
                       json.loads((case / "case.json").read_text()).get("dynamic_grid", []), **options)
            self.expected = [expected[name] for name in expected.files]
        return self

    def _bind(self, text, inputs, grid=(), **options):
        self._module = runtime.loads(text)
        params = [p for p in self._module.params() if p.role != "scratch"]
        self.inputs = [np.asarray(a) for a in inputs]  # JAX's own memory on the CPU
        self.outputs = [np.zeros(p.shape, p.dtype) for p in params if p.role == "output"]
        arrays = self.inputs + self.outputs
        if [(p.shape, p.dtype) for p in params] != [(a.shape, a.dtype) for a in arrays]:
            raise ValueError("the kernel has other parameters than the function")
        self._views = (_native.Array * len(arrays))(*(runtime._view(p.name, a) for p, a in zip(params, arrays)))
        self._options = _native.RunOptions(size=ctypes.sizeof(_native.RunOptions), dynamic_grid_count=len(grid),
                                           dynamic_grid=(ctypes.c_int64 * len(grid))(*grid),
                                           **{name: runtime._bytes(text) for name, text in options.items()})
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
        self.instructions = stats.instructions
        self.findings = lib.tg_report_finding_count(self._report)
        lib.tg_report_free(self._report)

    def walks(self):
        """Times on the wall of the walk over the grid alone: no planning, no report."""
        return times_of(self._walks)

    def bytes(self):
        """What has to be read and written once at the least."""
        return sum(array.nbytes for array in self.inputs + self.outputs)
