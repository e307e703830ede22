"""Tilegrind as JAX's interpreter: every `pallas_call` with ``interpret`` set runs in it.

A call becomes a custom call to libtilegrind_xla when JAX lowers it, with the kernel's module and the options of the
run as attributes.  It has no references into this process, so that compiled programs can be exported, serialised
and cached.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, Mapping

import jax
from jax._src import core, source_info_util
from jax.interpreters import mlir

from .exporter import convert_for, convert_gpu
from ..ir.dtypes import numpy_dtype
from ..ir.errors import ExportError
from ..ir.module import Module
from ..ir.partly_written import PartlyWritten, mark, names_of
from ..trial import prepared
from .launch.mosaic_gpu import is_gpu_launch, outputs_of
from .launch.pallas_call import GridSemantics
from .lowering.converter import located
from .lowering.cores import Cores
from .lowering.devices import Devices, gathered, own_part
from .lowering.tpu_model import TpuModel, model_of, target_of
from .running import interpreters
from .running.torch_calls import compile_call
from .tracing.sources import Locations, Place, calls_of_launch, place_of
from .xla import calling
from .xla import target as xla_target


@dataclass(frozen=True)
class Options:
    """How calls run; the arguments of `interpreter`."""

    order: str = "sequential"
    threads: int | None = None
    compat: str = "strict"
    profile: str = "reference"
    backend: str = "cpu"
    findings: str = "raise"
    fallback: bool = False
    grid_semantics: GridSemantics = None
    target: str | None = None  # None: each call decides
    partly_written: tuple[str, ...] = ()
    max_steps: int = 0
    tensor_core: str = "exact"

    def __post_init__(self) -> None:
        self._check_findings()
        if self.threads is not None and self.order != "parallel":
            raise ValueError("threads is for order='parallel' alone")
        if self.max_steps < 0:
            raise ValueError(f"max_steps={self.max_steps} is less than 0")
        prepared(**self.settings).close()

    @property
    def order_text(self) -> str:
        return self.order if self.threads is None else f"{self.order}:{self.threads}"

    @property
    def settings(self) -> dict[str, str]:
        """The options with which the library prepares a kernel."""
        settings = {"order": self.order_text, "compat": self.compat, "profile": self.profile, "backend": self.backend,
                    "tensor_core": self.tensor_core}
        return settings if self.target is None else {**settings, "target": self.target}

    def target_of(self, params: Mapping[str, Any]) -> str:
        """The target of a call with these parameters; backends other than the interpreter have none."""
        if self.target is not None:
            return self.target
        return target_of(params) if self.backend == "cpu" else "any"

    def attributes(self, model: TpuModel, target: str) -> tuple[tuple[str, str], ...]:
        """The attributes of a call, besides its module."""
        limit = {"max_steps": str(self.max_steps)} if self.max_steps else {}
        return tuple(sorted({"checks": model.checks, **self.settings, "compat": model.compat(self.compat),
                             "findings": model.findings(self.findings), "target": target, **limit}.items()))

    def _check_findings(self) -> None:
        from ..findings import KINDS

        what, colon, kinds = self.findings.partition(":")
        if what not in ("raise", "warn"):
            raise ValueError(f"findings={self.findings!r} is neither 'raise' nor 'warn'")
        if colon and (unknown := set(kinds.split(",")) - KINDS):
            raise ValueError(f"findings={self.findings!r}: {min(unknown)!r} is no kind of finding")


@dataclass(frozen=True)
class Statistics:
    """Counts of this process so far.

    lowered   calls that were lowered to Tilegrind
    refused   one ExportError for each call that was not
    runs      runs of kernels, counted at run time
    programs  programs of all their grids
    failed    runs that ended with an error, including findings
    """

    lowered: int = 0
    refused: tuple[ExportError, ...] = field(default=(), repr=False)
    runs: int = 0
    programs: int = 0
    failed: int = 0


_lock = threading.Lock()
_statistics = Statistics()


def statistics() -> Statistics:
    """A snapshot, without programs that JAX still runs: `jax.block_until_ready` waits for them."""
    counts = xla_target.counts()
    with _lock:
        return replace(_statistics, runs=counts.runs, programs=counts.programs, failed=counts.failed)


def _count(lowered: int = 0, refused: tuple[ExportError, ...] = ()) -> None:
    global _statistics
    with _lock:
        _statistics = replace(_statistics, lowered=_statistics.lowered + lowered,
                              refused=_statistics.refused + refused)


# -- a call --


def _has_effects(jaxpr: Any) -> bool:
    """Whether a call must run even if its results are unused."""
    return any(type(effect).__name__ not in ("ReadEffect", "WriteEffect") for effect in jaxpr.effects)


def _convert(params: Mapping[str, Any], options: Options, model: TpuModel) -> tuple[Module, Cores, Devices | None]:
    locations = Locations(calls_of_launch(source_info_util.current()))
    place = place_of(source_info_util.current())
    if any(params.get("kernel_arg_transforms", ())):
        raise located("pallas_call", place, "layout transforms of the kernel's arguments are not supported")
    kernel, cores, devices = _converted(params, locations, options, place, model)
    mark(kernel, options.partly_written)
    module = Module([kernel], locations.json())
    if options.backend != "cpu":
        _translate(module, place)
    return module, cores, devices


def _converted(params: Mapping[str, Any], locations: Locations, options: Options, place: Place | None,
               model: TpuModel) -> tuple[dict[str, Any], Cores, Devices | None]:
    """The kernel of a `pallas_call`; if it asks for other devices, as one for all those of the mesh around it."""
    mesh = core.get_axis_env().axis_sizes
    try:
        return *convert_for(params, locations, options.grid_semantics, place, model, in_mesh=True), None
    except ExportError as error:
        if not error.needs_devices or not mesh:
            raise
    devices = Devices(mesh)
    return *convert_for(params, locations, options.grid_semantics, place, model, devices=devices), devices


def _translate(module: Module, place: Place | None) -> None:
    """Raises ExportError if PTX does not support something in the kernel.  Other errors in the kernel
    are reported when it is prepared to run, on every backend."""
    from .. import runtime

    try:
        runtime.loads(module.compact()).to_ptx()
    except runtime.Error as problem:
        if problem.status == "ERR_UNSUPPORTED":
            raise located("pallas_call", place, str(problem)) from None


def _record(cores: Cores, model: TpuModel) -> None:
    """Calls the recorder of InterpretParams, with each program in the order in which its core runs them."""
    recorder, division = model.recorder, cores.division
    if recorder is None or division is None:
        return

    def record() -> None:
        for place, core in division.programs():
            recorder(None, place, core)

    jax.experimental.io_callback(record, None, ordered=True)


def _call(module: Module, cores: Cores, devices: Devices | None, args: tuple[Any, ...], params: Mapping[str, Any],
          options: Options, model: TpuModel) -> Any:
    """Binds the call that runs the kernel of `module` on `args`."""
    mapping = params["grid_mapping"]
    dynamic = mapping.num_dynamic_grid_bounds
    args = (*(jax.lax.reshape(size, ()) for size in args[:dynamic]), *args[dynamic:])  # JAX also allows i32[1]
    each = devices.shape if devices else ()
    outputs = tuple(core.ShapedArray((*each, *block.array_aval.shape), block.array_aval.dtype)
                    for block in mapping.block_mappings_output)
    shared = tuple(core.ShapedArray(shape, numpy_dtype(dtype)) for dtype, shape in cores.shared)
    _record(cores, model)
    call = calling.Call(
        module=module, outputs=(*outputs, *shared), dynamic=dynamic,
        aliases=tuple(params["input_output_aliases"]),
        has_side_effect=not outputs or _has_effects(params["jaxpr"]),
        attributes=options.attributes(model, options.target_of(params)), is_of_all=devices is not None)
    return _bound(call, devices)(*args, *(array() for array in cores.inputs))[: len(outputs)]


def _running(original: interpreters.Interpreter, options: Options,
             on_refused: Callable[[ExportError], None]) -> interpreters.Interpreter:
    """The function that replaces `original`."""

    def interpret(*args: Any, **params: Any) -> Any:
        model = model_of(params.get("interpret_params")) if options.backend == "cpu" else TpuModel()
        try:
            module, cores, devices = _convert(params, options, model)
        except ExportError as error:
            _count(refused=(error,))
            on_refused(error)
            if options.fallback:
                return original(*args, **params)
            raise
        _count(lowered=1)
        return _call(module, cores, devices, args, params, options, model)

    return interpret


def launching(original: interpreters.Interpreter, options: Options,
              on_refused: Callable[[ExportError], None]) -> interpreters.Interpreter:
    """The function that lowers launches over meshes instead of `original`."""

    def lower(ctx: Any, *operands: Any, **params: Any) -> Any:
        if not is_gpu_launch(params):
            return original(ctx, *operands, **params)
        try:
            model = model_of(params.get("interpret"))
            module, devices = _convert_gpu(params, options, model, _mesh_of(ctx))
        except ExportError as error:
            _count(refused=(error,))
            on_refused(error)
            if options.fallback and params.get("interpret"):
                return original(ctx, *operands, **params)
            raise  # JAX runs it nowhere else than on a GPU
        _count(lowered=1)
        call = calling.Call(module=module, outputs=outputs_of(params, devices), dynamic=0,
                            aliases=tuple(params["input_output_aliases"].items()),
                            has_side_effect=not params["out_avals"] or any(map(_has_effects, params["jaxprs"])),
                            attributes=options.attributes(model, options.target or "any"), is_of_all=devices is not None)
        return mlir.lower_fun(_bound(call, devices), multiple_results=True)(ctx, *operands)

    return lower


def _bound(call: calling.Call, devices: Devices | None) -> Callable[..., Any]:
    """The call as a function of the arrays of the device on which it runs.  A kernel for all devices runs on each of them, on the arrays
    of all: so each sees the same run, and none waits for one that has failed."""
    if devices is None:
        return lambda *args: calling.bind(call, args)
    return lambda *args: [own_part(devices, whole) for whole in calling.bind(call, [gathered(devices, array) for array in args])]


def _mesh_of(ctx: Any) -> Any:
    """The mesh over all of whose axes the surrounding program is a `shard_map`; None: there is none."""
    axes = ctx.module_context.axis_context
    mesh = getattr(axes, "mesh", None)
    return mesh if mesh is not None and set(getattr(axes, "manual_axes", ())) == set(mesh.axis_names) else None


def _convert_gpu(params: Mapping[str, Any], options: Options, model: TpuModel, mesh: Any) -> tuple[Module, Devices | None]:
    """The kernel of a launch, and the devices of the mesh if it is one for all of them, as it asks for others."""
    source = source_info_util.current()
    locations, place, devices = Locations(calls_of_launch(source)), place_of(source), None
    try:
        kernel = convert_gpu(params, locations, place, model)
    except ExportError as error:
        if not error.needs_devices or mesh is None:
            raise
        devices = Devices(mesh.shape)
        kernel = convert_gpu(params, locations, place, model, devices)
    mark(kernel, options.partly_written)
    module = Module([kernel], locations.json())
    if options.backend != "cpu":
        _translate(module, place)
    return module, devices


# -- on and off --

_installed = contextlib.ExitStack()


def replace_interpreters(options: Options, undo: contextlib.ExitStack,
                         on_refused: Callable[[ExportError], None] = lambda error: None) -> None:
    """Runs calls with `options` until `undo` runs.  Calls `on_refused` for each call that Tilegrind does not support."""
    xla_target.library()
    undo.callback(prepared(**options.settings).close)  # the device stays open between the kernels that run on it
    interpreters.replace(lambda original: _running(original, options, on_refused), undo)
    interpreters.replace_launches(lambda original: launching(original, options, on_refused), undo)
    interpreters.replace_torch(compile_call, undo)


@contextlib.contextmanager
def raising_interrupts() -> Iterator[None]:
    """Raises, at the end of the ``with`` block, a Ctrl-C that has ended a kernel inside it."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if xla_target.take_interrupt():
            raise KeyboardInterrupt from error
        raise
    if xla_target.take_interrupt():
        raise KeyboardInterrupt


@contextlib.contextmanager
def interpreter(order: str = "sequential", threads: int | None = None, compat: str = "strict",
                findings: str = "raise", fallback: bool = False,
                grid_semantics: GridSemantics = None, profile: str = "reference",
                backend: str = "cpu", target: str | None = None,
                partly_written: PartlyWritten = (), max_steps: int = 0, tensor_core: str = "exact") -> Iterator[None]:
    """Runs every ``pallas_call`` with ``interpret`` set inside the ``with`` block in Tilegrind.

    order           "sequential", "reversed", "shuffled[:SEED]", "parallel[:THREADS]",
                    "interleaved[:SEED]"
    threads         number of threads for order="parallel"; None: as many as are worth it
    compat          "strict", or "jax": blocks and slices that lie outside are moved inside, and undefined values
                    are filled, as in JAX's interpreter.  "tpu" and "tpu:zero" are like "strict", but fill as JAX's
                    interpreter of TPU kernels does; InterpretParams select one of them instead of "strict"
    profile         "reference", or "fast": f32 elementary functions within 1 ULP, most of them by SLEEF
    backend         "cpu", or as PTX: "emulator[:SEED]", where a seed other than 0 changes the order
                    of the emulator's warps, or "gpu[:NUMBER]".  Both accept only the orders "sequential" and
                    "parallel[:CTAS]" and compat "strict", and do not find unwritten elements
    findings        "raise": a run with findings ends with a JaxRuntimeError that
                    says what and where; "warn": it goes on, with a FindingWarning.  "raise:KIND,KIND" and
                    "warn:KIND,KIND" apply to findings of these kinds; all others get the other treatment
    fallback        a call that Tilegrind, or PTX if the backend needs it, does not support raises ExportError when JAX
                    lowers it; with True it runs in JAX's interpreter, and `statistics` lists it
    grid_semantics  as for `export`
    target          "tpu": check the kernel as on a TPU (docs/checks.md); "any": do not; None: do so for calls with
                    TPU compiler parameters or InterpretParams
    partly_written  as for `export`; names that are not outputs are ignored

    max_steps       turns that the loops of a program may make, all together, before it ends with the finding step-limit; 0: no
                    limit.  Loops that can never end are found without a limit
    tensor_core     "exact", or "sm90" or "sm100": products of narrow floats are summed as published of these tensor cores
                    (docs/numerics-tensor-core.md)

    JAX's caches of compiled functions are cleared on entry and exit, so that every call is seen.  Ctrl-C ends a running
    kernel, and is raised at the end of the block.
    Raises ValueError for an option that is invalid, or that this build or machine does not support; ImportError without the
    library.
    """
    options = Options(order, threads, compat, profile, backend, findings, fallback, grid_semantics, target,
                      names_of(partly_written), max_steps, tensor_core)
    with contextlib.ExitStack() as undo, raising_interrupts():
        xla_target.watch_interrupts(undo, keeps=True)
        replace_interpreters(options, undo)
        yield
        jax.effects_barrier()


def install(order: str = "sequential", threads: int | None = None, compat: str = "strict",
            findings: str = "raise", fallback: bool = False,
            grid_semantics: GridSemantics = None, profile: str = "reference", backend: str = "cpu",
            target: str | None = None, partly_written: PartlyWritten = (), max_steps: int = 0, tensor_core: str = "exact") -> None:
    """As `interpreter`, until `uninstall` or the end of the process.  A second install replaces the
    first."""
    options = Options(order, threads, compat, profile, backend, findings, fallback, grid_semantics, target,
                      names_of(partly_written), max_steps, tensor_core)
    _installed.close()
    xla_target.watch_interrupts(_installed, keeps=False)
    replace_interpreters(options, _installed)


def uninstall() -> None:
    """Ends `install`; does nothing without one."""
    _installed.close()
