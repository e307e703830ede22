"""Modules and runs: the C library with numpy arrays.

>>> module = tilegrind.load("add.json")
>>> run = module.run({"x": x, "y": y}, order="shuffled:1")
>>> run.outputs["o"], run.findings
"""

import ctypes
import os
from dataclasses import dataclass, field
from functools import partial

from . import _native, interrupts
from ._native import lib, text
from .arrays import UndefinedBytes, arrays_for, params_of, view
from .errors import Collected
from .findings import findings_of, split_findings
from .mesh import OnMesh, outputs_of
from .memory_cost import memory_costs_of
from .suppressions import suppressions_of
from .tracing import write_trace

_EVERY = ctypes.c_size_t(-1).value  # no limit to the number of findings


@dataclass(frozen=True)
class Run:
    """Results of a run.  ``findings`` are those that no suppression covers; ``order``, given as an option, repeats the run;
    ``instructions`` counts PTX instructions over all threads, and is 0 except on the emulator."""

    outputs: dict = field(repr=False)
    findings: list
    programs: int
    threads: int
    seconds: float
    order: str
    isa: str
    profile: str
    backend: str
    instructions: int
    suppressed: list = field(default_factory=list)
    devices: int = 0  # of the mesh that it was on; 0: it was on none
    device_order: str = ""
    mesh_outputs: list = field(default_factory=list)  # a MeshOutput for each output
    memory_cost: list = field(default_factory=list)  # AccessCosts, with check "memory-cost"


def version():
    """Version of the C library."""
    return text(lib.tg_version())


def schema():
    """The JSON Schema of modules, as text."""
    with Collected() as errors:
        return errors.check_text(lib.tg_schema())


def contract_text(path):
    """The text of the contract in a JSON file (docs/bounds.md), which is checked.  Raises Error, with each problem's place."""
    with Collected() as errors:
        return errors.check_text(lib.tg_contract_read(os.fsencode(path), errors.handle))


def load(path):
    """Loads and verifies a kernel file."""
    handle = ctypes.c_void_p()
    with Collected() as errors:
        errors.check(lib.tg_module_load_file(str(path).encode(), ctypes.byref(handle), errors.handle))
    return Module(handle)


def loads(source):
    """Loads and verifies the JSON text of a module."""
    data, handle = source.encode(), ctypes.c_void_p()
    with Collected() as errors:
        errors.check(lib.tg_module_load_text(data, len(data), ctypes.byref(handle), errors.handle))
    return Module(handle)


class Module:
    """A verified module.  It never changes, so threads may share it."""

    def __init__(self, handle):
        self._handle = handle
        self._params = {}  # by kernel: each run asks for them

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.tg_module_free(self._handle)

    @property
    def kernels(self):
        """Names of the kernels."""
        return [text(lib.tg_module_kernel_name(self._handle, i))
                for i in range(lib.tg_module_kernel_count(self._handle))]

    def params(self, kernel=None):
        """Parameters of a kernel, the first if none is named."""
        if kernel not in self._params:
            self._params[kernel] = params_of(self._handle, kernel)
        return list(self._params[kernel])

    def to_json(self):
        """Canonical JSON."""
        return self._print(_native.TEXT_JSON)

    def to_text(self):
        """Text in the style of a jaxpr."""
        return self._print(_native.TEXT_PLAIN)

    def to_plan(self):
        """The text of the plan that the interpreter executes."""
        return self._print(_native.TEXT_PLAN)

    def to_ptx(self, kernel=None, target=None, profile=None, tensor_core=None):
        """The PTX with which backends other than "cpu" run a kernel (the first if none is named).

        target       the chip: "sm_80", or "sm_90" where the kernel has barriers, "sm_90a" or "sm_100a" where a tensor core is named
        profile      "reference" or "fast"
        tensor_core  "exact", or "sm90" or "sm100": products of narrow floats are made by its units
        """
        options = _native.ModulePtxOptions(ctypes.sizeof(_native.ModulePtxOptions), _bytes(target), _bytes(profile),
                                           _bytes(tensor_core))
        with Collected() as errors:
            return errors.check_text(lib.tg_module_ptx(self._handle, _bytes(kernel), options, errors.handle))

    def companion(self, contract, kernel=None, probable=False):
        """The module that computes, beside each output NAME of a kernel (the first if none is named), "NAME exact" in exact
        arithmetic and "NAME bound", how far from it a result that keeps the contract may be (docs/bounds.md).

        contract  a name, the text of a contract in JSON, or the Path of a file with one
        probable  whether bounds of long sums may hold with a probability close to 1 only
        """
        made = ctypes.c_void_p()
        contract = contract_text(contract) if isinstance(contract, os.PathLike) else contract
        with Collected() as errors:
            errors.check(lib.tg_module_companion(self._handle, _bytes(kernel), _bytes(contract),
                                                 _native.BOUNDS_PROBABLE if probable else _native.BOUNDS_CERTAIN, made,
                                                 errors.handle))
        return Module(made)

    def map(self, param, kernel=None, svg=False):
        """A table or picture that shows which program reads or writes which element of `param`."""
        with Collected() as errors:
            return errors.check_text(lib.tg_module_map(self._handle, _bytes(kernel), _bytes(param),
                                                       _native.MAP_SVG if svg else _native.MAP_TEXT, errors.handle))

    def run(self, inputs, *, kernel=None, order=None, compat=None, isa=None, profile=None, backend=None,
            grid=(), max_findings=0, print=None, checks=None, target=None, trap=None, suppressions=None, partly_written=None,
            max_steps=0, layouts=None, mesh=None, shardings=None, device_order=None, warps=0, tensor_core=None, trace=None,
            outputs=None, undefined=None):
        """Runs every program of the kernel's grid.

        inputs   arrays by parameter name, of exactly the parameters' dtypes and shapes
        profile  "reference" (default), or "fast": f32 elementary functions within 1 ULP, most of them by SLEEF, and in PTX by
                 approximate instructions (docs/gpu.md)
        backend  "cpu" (default), or as PTX: "emulator[:SEED]" on the CPU, or "gpu[:NUMBER]" on that GPU
        grid     sizes of the dynamic axes
        print    called with the text of each debug_print
        checks   "none" (default), "all", or names separated by commas: checks besides those that always run
                 (docs/checks.md); "memory-cost" and "gpu-strict" are not in "all"
        target   "any" (default), or "tpu": check the kernel as on a TPU (docs/checks.md)
        trap     "nan", "inf", "nan,inf" or "none" (default): ops that make the first of these are findings
        max_steps  turns that the loops of a program may make, all together, before it ends with a finding; 0: no limit
        warps    of how many warps a program is, for check "memory-cost"; 0: 4
        suppressions  known findings (docs/reports.md): Suppressions, a path, or several paths
        partly_written  names of outputs, as a list or separated by commas, that have elements which stay unwritten on purpose:
                 `output-unwritten` is reported only if a whole output stays unwritten
        mesh     "x=4,y=2", a dict, or a mesh of JAX: run the kernel once on each device, on its own parts of the arrays, which are
                 whole ones then (docs/mesh.md)
        shardings  by parameter name, which part each device has: a text such as "P('x', None)", a PartitionSpec or NamedSharding of
                 JAX, a Layout; or one of these with the shape of the whole array
        device_order  "sequential" (default), "reversed", "shuffled[:SEED]": which device runs when
        tensor_core  how products of f16, bf16 and fp8, and of f32 that may be cut to tf32, are summed: "exact" (default), or as
                 published of the tensor cores of "sm90" and "sm100" (docs/numerics-tensor-core.md)
        layouts  "logical" (default), or "physical": memory and values are held where their layouts say (docs/layouts.md)
        trace    a file to write: the timeline of the run as JSON for Perfetto and chrome://tracing (docs/page.md), from a second run;
                 backend "cpu" alone
        outputs  arrays that are written, by name, of the parameters' dtypes and shapes and row-major; one may be the array of the input
                 whose memory the output shares, which is then changed in place.  Other outputs are new arrays
        undefined  by the name of an input, which of its bytes are undefined when the run begins (check "undefined"): an array of u8
                 with 1 or 0 for each byte, or two, of which the second gets what is known after the run; it may be the first

        Ctrl-C ends the run; notes of the KeyboardInterrupt have the findings made until then.
        """
        options = {"order": order, "compat": compat, "isa": isa, "profile": profile, "backend": backend, "checks": checks,
                   "target": target, "trap": trap, "partly_written": _joined(partly_written), "layouts": layouts,
                   "tensor_core": tensor_core}
        is_on_mesh = _is_on_mesh(mesh, shardings, device_order, outputs, undefined)
        call = (OnMesh(inputs, mesh, shardings, device_order) if is_on_mesh
                else _OneDevice(lib.tg_run, self.params(kernel), inputs, outputs=outputs))
        known = UndefinedBytes(self.params(kernel), undefined)
        options.update(known.options())
        return self._launch(call, kernel, options, grid, max_findings, print, max_steps, warps, suppressions, trace)

    def check(self, inputs, *, kernel=None, isa=None, profile=None, grid=(), max_findings=0, print=None, checks="all",
              target=None, trap=None, shuffles=8, interleavings=4, seed=1, suppressions=None, partly_written=None, max_steps=0,
              layouts=None, mesh=None, shardings=None, device_order=None, warps=0, tensor_core=None, trace=None, outputs=None,
              undefined=None):
        """Runs the kernel as `run` does with `checks`, `target`, `trap`, `suppressions`, `partly_written`, `max_steps`,
        `layouts`, `tensor_core`, `mesh`, `shardings`, `device_order`, `warps`, `trace`, `outputs` and `undefined`, in order sequential, and then in other orders: reversed,
        `shuffles` shuffled and `interleavings` interleaved ones, with seeds from `seed` on.  The findings are those of all
        orders, the outputs those of order sequential (docs/checks.md)."""
        orders = _native.CheckOptions(ctypes.sizeof(_native.CheckOptions), shuffles or -1, interleavings or -1, seed)
        options = {"isa": isa, "profile": profile, "checks": checks, "target": target, "trap": trap,
                   "partly_written": _joined(partly_written), "layouts": layouts, "tensor_core": tensor_core}
        is_on_mesh = _is_on_mesh(mesh, shardings, device_order, outputs, undefined)
        call = (OnMesh(inputs, mesh, shardings, device_order, orders) if is_on_mesh
                else _OneDevice(lib.tg_check, self.params(kernel), inputs, ctypes.byref(orders), outputs=outputs))
        known = UndefinedBytes(self.params(kernel), undefined, are_separate=True)
        options.update(known.options())
        return self._launch(call, kernel, options, grid, max_findings, print, max_steps, warps, suppressions, trace)

    def _launch(self, call, kernel, options, grid, max_findings, print, max_steps, warps, suppressions, trace):
        if trace and options.get("backend") not in (None, "cpu"):
            raise ValueError(f"trace goes with backend 'cpu', not {options['backend']!r}")
        known = suppressions_of(suppressions)
        if known:  # suppressed findings must leave room for the others
            max_findings = max_findings or _EVERY
        sizes = (ctypes.c_int64 * len(grid))(*grid)
        on_print = _native.PRINT(lambda _, line: print(text(line))) if print else _native.PRINT()
        interrupt = interrupts.Watch()
        all_options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), dynamic_grid=sizes, dynamic_grid_count=len(grid),
            max_findings=max_findings, print=on_print, max_steps=max_steps, warps=warps, progress=interrupt.progress,
            **{name: value.encode() if isinstance(value, str) else value for name, value in options.items()})
        report = ctypes.c_void_p()
        try:
            with Collected() as errors:
                with interrupt.watching():
                    status = call.run(self._handle, _bytes(kernel), ctypes.byref(all_options), ctypes.byref(report), errors.handle)
                interrupt.hand_on(lambda: findings_of(report) if report else [])
                errors.check(status)
            if trace:
                write_trace(trace, partial(call.record, self._handle, _bytes(kernel), ctypes.byref(all_options), report), report,
                            text(lib.tg_report_stats(report).order))
            return _run(report, call.outputs(), known)
        finally:
            lib.tg_report_free(report)

    def prepare(self, *, kernel=None, order=None, compat=None, profile=None, backend=None, checks=None, target=None,
                tensor_core=None):
        """Prepares a kernel to run with the same options as in `run`."""
        options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), order=_bytes(order), compat=_bytes(compat),
            profile=_bytes(profile), backend=_bytes(backend), checks=_bytes(checks), target=_bytes(target),
            tensor_core=_bytes(tensor_core))
        handle = ctypes.c_void_p()
        with Collected() as errors:
            errors.check(lib.tg_executable_new(self._handle, _bytes(kernel), ctypes.byref(options),
                                               ctypes.byref(handle), errors.handle))
        return Executable(self, handle)

    def _print(self, form):
        with Collected() as errors:
            return errors.check_text(lib.tg_module_print(self._handle, form, errors.handle))


class _OneDevice:
    """A run of a kernel on arrays of its parameters' shapes."""

    def __init__(self, function, params, inputs, *more, outputs=None):
        self._function, self._more = function, more
        self._arrays = arrays_for(params, inputs, outputs)
        self._views = (_native.Array * len(self._arrays))(*(view(n, a) for n, a, _ in self._arrays))

    def run(self, module, kernel, options, report, errors):
        """The status of the call."""
        return self._function(module, kernel, self._views, len(self._arrays), options, *self._more, report, errors)

    def record(self, module, kernel, options, report, _device, limits, recording, errors):
        """The status of the call that records the run; see `tracing.trace_text`."""
        return lib.tg_record(module, kernel, self._views, len(self._arrays), options, report, limits, recording, errors)

    def outputs(self):
        """The arrays by name."""
        return {name: array for name, array, is_output in self._arrays if is_output}


class Executable:
    """A prepared kernel.  While it exists, its device stays open, with its compiled code."""

    def __init__(self, module, handle):
        self._module, self._handle = module, handle

    def close(self):
        """Frees it; does nothing the second time."""
        lib.tg_executable_free(self._handle)
        self._handle = None

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


def _is_on_mesh(mesh, shardings, device_order, outputs, undefined):
    """Whether these arguments ask for a mesh.  Raises ValueError for those that do not go with one."""
    if mesh is None and shardings is None and device_order is None:
        return False
    if outputs or undefined:
        raise ValueError("outputs= and undefined= do not go with a mesh")
    return True


def _joined(names):
    """Names given as a list or separated by commas; None if there are none."""
    return names if isinstance(names, str) else ",".join(names or ()) or None


def _bytes(name):
    return None if name is None else name.encode()


def json_of(module):
    """Canonical JSON of a module of the library."""
    with Collected() as errors:
        return errors.check_text(lib.tg_module_print(module, _native.TEXT_JSON, errors.handle))


def _run(report, outputs, known):
    stats, (findings, suppressed) = lib.tg_report_stats(report), split_findings(report, known)
    return Run(outputs, findings, stats.programs, stats.threads, stats.seconds, text(stats.order),
               text(stats.isa), text(stats.profile), text(stats.backend), stats.instructions,
               suppressed, lib.tg_report_device_count(report), text(lib.tg_report_device_order(report)), outputs_of(report),
               memory_costs_of(report))
