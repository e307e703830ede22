"""Modules and runs: the C library with numpy arrays in its hands.

>>> module = tilegrind.load("add.json")
>>> run = module.run({"x": x, "y": y}, order="shuffled:1")
>>> run.outputs["o"], run.findings
"""

import ctypes
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

from . import _native, interrupts
from ._native import lib, take_text, text
from .finding_text import short_text_of, text_of
from .suppressions import Suppression, Suppressions, suppressions_of

# Names of element types that numpy spells otherwise, or that ml_dtypes has.
_NUMPY = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i2": ml_dtypes.int2, "u2": ml_dtypes.uint2, "i4": ml_dtypes.int4, "u4": ml_dtypes.uint4,
    "f4e2m1fn": ml_dtypes.float4_e2m1fn, "bf16": ml_dtypes.bfloat16,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e3m4": ml_dtypes.float8_e3m4, "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
}


_EVERY = ctypes.c_size_t(-1).value  # as many findings as there are


class Error(Exception):
    """A file, kernel or call that Tilegrind refuses.

    ``status`` is the spelling of the C status ("ERR_TYPE"), ``errors`` what was found.
    """

    def __init__(self, status, errors):
        self.status, self.errors = status, errors
        super().__init__("\n".join(map(str, errors)) or status)


@dataclass(frozen=True)
class Problem:
    """One of the things that an Error is about."""

    status: str
    file: str | None
    where: str  # JSON pointer within the file
    offset: int  # in bytes, or -1
    message: str

    def __str__(self):
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel; role is "prefetch", "input", "output" or "scratch"."""

    name: str
    role: str
    dtype: np.dtype | None  # None: semaphores, which only scratch has
    shape: tuple
    alias: str | None


@dataclass(frozen=True)
class Related:
    """Another place that a finding speaks of, as struct tg_related of the C header says."""

    role: str
    op: str
    param: str
    file: str
    function: str
    line: int
    program: tuple | None


@dataclass(frozen=True)
class Caller:
    """A place on the way from the call of a kernel, or further out, to the line of a finding."""

    file: str
    function: str
    line: int
    skipped: str  # calls left out between it and what it called, "3 frames in jax"


@dataclass(frozen=True, repr=False)
class Finding:
    """Something wrong with a kernel, as struct tg_finding of the C header says.  Printed, it is what the command shows."""

    kind: str
    level: str
    kernel: str
    op: str
    param: str
    file: str
    function: str
    line: int
    program: tuple | None
    count: int
    message: str
    elements: tuple | None  # least and greatest place in the array of `param`, row-major
    order: str  # shows it again
    related: tuple
    to_suppress: str = ""  # a block for a suppression file
    hint: str = ""  # what may be declared so that it is none
    callers: tuple = ()  # Callers of the line, from there outwards

    def __str__(self):
        return text_of(self)

    def __repr__(self):
        return f"<Finding {short_text_of(self)}>"


@dataclass(frozen=True)
class Suppressed:
    """A finding that is known, and what says so."""

    finding: Finding
    suppression: Suppression

    def __str__(self):
        known = self.suppression
        return f"{self.finding}\n   = suppressed by {known.name} ({known.file}:{known.line})"


@dataclass(frozen=True)
class Run:
    """What came of a run; ``findings`` are those that no suppression covers; ``order``, given as an option, repeats it;
    ``instructions`` of PTX, counted for each thread, is 0 but for the emulator."""

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


class _Errors:
    """Collects the errors of one call."""

    def __enter__(self):
        self.handle = lib.tg_errors_new()
        if not self.handle:
            raise MemoryError
        return self

    def __exit__(self, *_):
        lib.tg_errors_free(self.handle)

    def check(self, status):
        """Raises unless `status` is TG_OK."""
        if status != 0:
            raise Error(text(lib.tg_status_name(status)), self._list())

    def check_text(self, pointer):
        """The text, raising where there is none."""
        if not pointer:
            problems = self._list()
            raise Error(problems[0].status if problems else "ERR_NO_MEMORY", problems)
        return take_text(pointer)

    def _list(self):
        found = (lib.tg_errors_get(self.handle, i) for i in range(lib.tg_errors_count(self.handle)))
        return [Problem(text(lib.tg_status_name(e.status)), text(e.file), text(e.where) or "",
                        e.offset, text(e.message)) for e in found]


def version():
    """Version of the C library."""
    return text(lib.tg_version())


def schema():
    """The JSON Schema of modules, as text."""
    with _Errors() as errors:
        return errors.check_text(lib.tg_schema())


def load(path):
    """Loads and verifies a kernel file."""
    handle = ctypes.c_void_p()
    with _Errors() as errors:
        errors.check(lib.tg_module_load_file(str(path).encode(), ctypes.byref(handle), errors.handle))
    return Module(handle)


def loads(source):
    """Loads and verifies the JSON text of a module."""
    data, handle = source.encode(), ctypes.c_void_p()
    with _Errors() as errors:
        errors.check(lib.tg_module_load_text(data, len(data), ctypes.byref(handle), errors.handle))
    return Module(handle)


class Module:
    """A verified module.  Never changes, so that threads may share it."""

    def __init__(self, handle):
        self._handle = handle

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
        name = _bytes(kernel)
        return [_param(lib.tg_module_param(self._handle, name, i))
                for i in range(lib.tg_module_param_count(self._handle, name))]

    def to_json(self):
        """Canonical JSON."""
        return self._print(0)

    def to_text(self):
        """Text that reads like a jaxpr."""
        return self._print(1)

    def to_plan(self):
        """What the interpreter executes."""
        return self._print(2)

    def to_ptx(self, kernel=None, target=None, profile=None):
        """The PTX that backends other than "cpu" run a kernel as, the first if none is named, for the chip `target`
        ("sm_80") and in `profile` ("reference" or "fast")."""
        with _Errors() as errors:
            return errors.check_text(lib.tg_module_ptx(self._handle, _bytes(kernel), _bytes(target),
                                                       _bytes(profile), errors.handle))

    def map(self, param, kernel=None, svg=False):
        """A table or picture of which program reads or writes which element of `param`."""
        with _Errors() as errors:
            return errors.check_text(lib.tg_module_map(self._handle, _bytes(kernel), _bytes(param),
                                                       int(svg), errors.handle))

    def run(self, inputs, *, kernel=None, order=None, compat=None, isa=None, profile=None, backend=None,
            grid=(), max_findings=0, print=None, checks=None, target=None, trap=None, suppressions=None, partly_written=None,
            max_steps=0):
        """Runs every program of the kernel's grid.

        inputs   arrays by parameter name, of exactly the parameters' dtypes and shapes
        profile  "reference" (default), or "fast": f32 elementary functions within 1 ULP, most by SLEEF, and as PTX by
                 approximate instructions (docs/gpu.md)
        backend  "cpu" (default), or "emulator[:SEED]": as PTX, executed on the CPU, or "gpu[:NUMBER]": on that GPU
        grid     sizes of the dynamic axes
        print    called with each text of a debug_print
        checks   "none" (default), "all", or names separated by commas: what to look for besides what is wrong anyway
                 (docs/checks.md)
        target   "any" (default), or "tpu": what that makes of the kernel counts (docs/checks.md)
        trap     "nan", "inf", "nan,inf" or "none" (default): ops that make the first of these are findings
        max_steps  turns that the loops of a program may make, all together, before it ends with a finding; 0: no limit
        suppressions  Suppressions, or a path or several: findings that are known (docs/reports.md)
        partly_written  names of outputs, as a list or separated by commas, of which elements stay unwritten on purpose:
                 `output-unwritten` is told only where all of one does

        Ctrl-C ends the run; notes of the KeyboardInterrupt say what was found so far.
        """
        options = {"order": order, "compat": compat, "isa": isa, "profile": profile, "backend": backend, "checks": checks,
                   "target": target, "trap": trap, "partly_written": _joined(partly_written)}
        return self._launch(lib.tg_run, inputs, kernel, options, grid, max_findings, print, max_steps, suppressions)

    def check(self, inputs, *, kernel=None, isa=None, profile=None, grid=(), max_findings=0, print=None, checks="all",
              target=None, trap=None, shuffles=8, interleavings=4, seed=1, suppressions=None, partly_written=None, max_steps=0):
        """Runs the kernel as `run` does with `checks`, `target`, `trap`, `suppressions`, `partly_written` and `max_steps`, in
        order sequential, and then in other orders: reversed, so many shuffled and so many interleaved ones, with seeds from
        `seed` on.  The findings are those of all of them, the outputs those of order sequential (docs/checks.md)."""
        orders = _native.CheckOptions(ctypes.sizeof(_native.CheckOptions), shuffles or -1, interleavings or -1, seed)
        options = {"isa": isa, "profile": profile, "checks": checks, "target": target, "trap": trap,
                   "partly_written": _joined(partly_written)}
        return self._launch(lib.tg_check, inputs, kernel, options, grid, max_findings, print, max_steps, suppressions,
                            ctypes.byref(orders))

    def _launch(self, function, inputs, kernel, options, grid, max_findings, print, max_steps, suppressions, *more):
        arrays, known = _arrays(self.params(kernel), inputs), suppressions_of(suppressions)
        if known:  # those that they cover must leave room for the others
            max_findings = max_findings or _EVERY
        sizes = (ctypes.c_int64 * len(grid))(*grid)
        on_print = _native.PRINT(lambda _, line: print(text(line))) if print else _native.PRINT()
        interrupt = interrupts.Watch()
        all_options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), dynamic_grid=sizes, dynamic_grid_count=len(grid),
            max_findings=max_findings, print=on_print, max_steps=max_steps, progress=interrupt.progress, **{name: _bytes(value) for name, value in options.items()})
        views = (_native.Array * len(arrays))(*(_view(n, a) for n, a, _ in arrays))
        report = ctypes.c_void_p()
        try:
            with _Errors() as errors:
                with interrupt.watching():
                    status = function(self._handle, _bytes(kernel), views, len(arrays), ctypes.byref(all_options), *more,
                                      ctypes.byref(report), errors.handle)
                interrupt.hand_on(lambda: findings_of(report) if report else [])
                errors.check(status)
            return _run(report, {n: a for n, a, is_output in arrays if is_output}, known)
        finally:
            lib.tg_report_free(report)

    def prepare(self, *, kernel=None, order=None, compat=None, profile=None, backend=None, checks=None, target=None):
        """Makes a kernel ready to run, as `run` does with the same options."""
        options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), order=_bytes(order), compat=_bytes(compat),
            profile=_bytes(profile), backend=_bytes(backend), checks=_bytes(checks), target=_bytes(target))
        handle = ctypes.c_void_p()
        with _Errors() as errors:
            errors.check(lib.tg_executable_new(self._handle, _bytes(kernel), ctypes.byref(options),
                                               ctypes.byref(handle), errors.handle))
        return Executable(self, handle)

    def _print(self, form):
        with _Errors() as errors:
            return errors.check_text(lib.tg_module_print(self._handle, form, errors.handle))


class Executable:
    """A kernel that is ready to run.  As long as it is, its device stays open, with what that has compiled."""

    def __init__(self, module, handle):
        self._module, self._handle = module, handle

    def close(self):
        """Frees it; does nothing the second time."""
        lib.tg_executable_free(self._handle)
        self._handle = None

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


def _joined(names):
    """Names as a list or separated by commas; None where there are none."""
    return names if isinstance(names, str) else ",".join(names or ()) or None


def _bytes(name):
    return None if name is None else name.encode()


def _param(info):
    numpy_type = _NUMPY.get(text(info.dtype))
    return Param(text(info.name), text(info.role), numpy_type and np.dtype(numpy_type),
                 tuple(info.shape[:info.rank]), text(info.alias))


def _arrays(params, inputs):
    """(name, array, whether it is an output) for each parameter, and for what is no parameter."""
    found = []
    for param in params:
        if param.role == "output":
            found.append((param.name, np.empty(param.shape, param.dtype), True))
        elif param.role != "scratch" and param.name in inputs:
            found.append((param.name, np.asarray(inputs[param.name], order="C"), False))
    taken = {name for name, _, is_output in found if not is_output}
    # What the kernel does not take is handed over all the same: the library says what is wrong with it.
    return found + [(n, np.asarray(a, order="C"), False) for n, a in inputs.items() if n not in taken]


def params_of(module):
    """Parameters of the first kernel of a module of the library's."""
    return [_param(lib.tg_module_param(module, None, i)) for i in range(lib.tg_module_param_count(module, None))]


def json_of(module):
    """Canonical JSON of a module of the library's."""
    with _Errors() as errors:
        return errors.check_text(lib.tg_module_print(module, 0, errors.handle))


def arrays_at(module, data):
    """Copies of the arrays of a module's first kernel, scratch left out, by the names of the parameters.

    module  a handle of the library's
    data    the address of the memory of each parameter
    """
    found = {}
    for index, param in enumerate(params_of(module)):
        size = int(np.prod(param.shape, dtype=np.int64)) * param.dtype.itemsize if param.role != "scratch" else 0
        memory = (ctypes.c_char * size).from_address(data[index]) if size else b""
        if param.role != "scratch":
            found[param.name] = np.ndarray(param.shape, param.dtype, buffer=memory).copy()
    return found


def _dlpack_dtype(dtype):
    for name, numpy_type in _NUMPY.items():
        if dtype == np.dtype(numpy_type):
            return lib.tg_dtype_to_dlpack(name.encode())
    raise TypeError(f"Tilegrind has no element type {dtype}")


def _view(name, array):
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor = _native.DLTensor(data=array.ctypes.data, device=_native.DLDevice(1, 0),
                              ndim=array.ndim, dtype=_dlpack_dtype(array.dtype), shape=shape)
    return _native.Array(name.encode(), tensor)


def _program(numbers, rank):
    return tuple(numbers[:rank]) if numbers else None


def _related(r, rank):
    return Related(text(r.role), text(r.op), text(r.param), text(r.file), text(r.function), r.line,
                   _program(r.program, rank))


def _caller(c):
    return Caller(text(c.file), text(c.function), c.line, text(c.skipped))


def _finding(report, index):
    f = lib.tg_report_finding(report, index)
    related = tuple(_related(lib.tg_report_related(report, index, i), f.rank) for i in range(f.related_count))
    return Finding(text(f.kind), text(f.level), text(f.kernel), text(f.op), text(f.param), text(f.file),
                   text(f.function), f.line, _program(f.program, f.rank), f.count, text(f.message),
                   None if f.first < 0 else (f.first, f.last), text(f.order), related,
                   take_text(lib.tg_suppression_for(report, index)) or "", text(f.hint) or "",
                   tuple(_caller(lib.tg_report_caller(report, index, i)) for i in range(f.caller_count)))


def findings_of(report):
    """The findings of a report of the library's."""
    return [_finding(report, i) for i in range(lib.tg_report_finding_count(report))]


def split_findings(report, known):
    """The findings of a report that no suppression of `known`, which may be None, covers; and the `Suppressed` others."""
    findings, suppressed = [], []
    for i in range(lib.tg_report_finding_count(report)):
        suppression, finding = known and known._find(report, i), _finding(report, i)
        if suppression:
            suppressed.append(Suppressed(finding, suppression))
        else:
            findings.append(finding)
    return findings, suppressed


def _run(report, outputs, known):
    stats, (findings, suppressed) = lib.tg_report_stats(report), split_findings(report, known)
    return Run(outputs, findings, stats.programs, stats.threads, stats.seconds, text(stats.order),
               text(stats.isa), text(stats.profile), text(stats.backend), stats.instructions,
               suppressed)
