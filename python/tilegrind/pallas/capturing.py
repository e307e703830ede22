"""Writing a case for each `pallas_call` that runs: its kernel, its inputs, JAX's own outputs.

While a capture is open, a wrapper replaces JAX's interpreter: it calls that interpreter, and passes
inputs and outputs to a callback on the host.  The callback has a side effect, so XLA neither drops nor merges it.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

import jax
import numpy as np
from jax._src import callback as jax_callback
from jax._src import core, source_info_util
from jax.interpreters import mlir

from .exporter import convert_call, convert_gpu
from .interpreting import Options, launching
from ..case_folders import expectation, folder_name, save_arrays, save_case
from ..ir.errors import ExportError
from ..ir.module import Module
from ..ir.partly_written import PartlyWritten, mark, names_of
from ..ir.tolerance import default_tolerance
from .launch.mosaic_gpu import is_gpu_launch
from .launch.pallas_call import GridSemantics
from .lowering.tpu_model import target_of
from .running import interpreters
from .running.torch_calls import compile_call
from .tracing.sources import Locations, Place, calls_of_launch, place_of
from .xla import target as xla_target

class Capture:
    """Results of a capture.  The properties wait for calls that still run."""

    def __init__(self, folder: str | os.PathLike[str], grid_semantics: GridSemantics,
                 limit: int | None, compare: Mapping[str, Any] | None, target: str | None = None,
                 partly_written: tuple[str, ...] = ()):
        self.folder = Path(folder)
        self.grid_semantics = grid_semantics
        self.limit = limit
        self.compare = compare
        self.target = target
        self.partly_written = partly_written
        self._errors: list[ExportError] = []
        self._cases: list[Path] = []
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    @property
    def cases(self) -> list[Path]:
        """Folders of the cases, in the order in which the calls ran."""
        jax.effects_barrier()
        return list(self._cases)

    @property
    def errors(self) -> list[ExportError]:
        """One error for each call that could not be converted; such calls run, without a case."""
        return list(self._errors)

    def recorder(self, params: Mapping[str, Any]) -> _Recorder | None:
        """The recorder for a `pallas_call` with these parameters; None if it is not supported."""
        return self._recorder(lambda *where: convert_call(params, where[0], self.grid_semantics, where[1]), target_of(params))

    def launch_recorder(self, params: Mapping[str, Any], maker: str) -> _Recorder | None:
        """The recorder for a launch of a Mosaic GPU kernel, whose outputs `maker` computes; None if it is not supported."""
        return self._recorder(lambda *where: convert_gpu(params, *where), "any", maker)

    def _recorder(self, convert: Callable[[Locations, Place | None], dict[str, Any]], target: str,
                  maker: str = "jax") -> _Recorder | None:
        locations = Locations(calls_of_launch(source_info_util.current()))
        try:
            kernel = convert(locations, place_of(source_info_util.current()))
        except ExportError as error:
            self._errors.append(error)
            warnings.warn(f"no case for this kernel: {error}", stacklevel=2)
            return None
        mark(kernel, self.partly_written)
        return _Recorder(self, Module([kernel], locations.json()), self.target or target, maker)

    def new_case(self, name: str) -> Path | None:
        """A new folder for a case of kernel `name`; None if there are `limit` of them already."""
        with self._lock:
            number = self._counts.get(name, 0)
            if self.limit is not None and number >= self.limit:
                return None
            self._counts[name] = number + 1
            folder = self.folder / f"{folder_name(name)}-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            self._cases.append(folder)
            return folder


@dataclass(eq=False)
class _Recorder:
    """Writes a case from the operands and results of one call.  Compared by identity: it is a
    parameter of the recording primitive."""

    capture: Capture
    module: Module
    target: str
    maker: str  # of the outputs: "jax" or "tilegrind"
    _params: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self._params = self.module.kernels[0]["params"]

    def _names(self, *roles: str) -> list[str]:
        return [param["name"] for param in self._params if param["role"] in roles]

    def __call__(self, *arrays: np.ndarray) -> tuple[()]:
        """`arrays` are the dynamic grid bounds, the prefetch and input operands, and the outputs."""
        folder = self.capture.new_case(self.module.names[0])
        if folder is None:
            return ()
        inputs, outputs = self._names("prefetch", "input"), self._names("output")
        bound_count = len(arrays) - len(inputs) - len(outputs)
        bounds = [int(bound) for bound in arrays[:bound_count]]
        operands = arrays[bound_count : len(arrays) - len(outputs)]
        results = arrays[len(arrays) - len(outputs) :]
        save_arrays(folder / "expected.npz", outputs, results)
        save_case(folder, self.module.dumps(), dict(zip(inputs, operands, strict=True)), grid=bounds, settings=self._settings(outputs),
                  made_by={"jax": jax.__version__, **({} if self.maker == "jax" else {"outputs": self.maker})})
        return ()

    def _settings(self, outputs: Sequence[str]) -> dict[str, Any]:
        """Keys of the case besides kernel and inputs."""
        target = {} if self.target == "any" else {"target": self.target}
        compare = self.capture.compare
        if compare is None:
            compare = default_tolerance(self.module.json()["kernels"][0])
        return {**target, "expect": expectation(outputs, compare)}


# The primitive that calls a recorder on the host.  It has no results; its callback has a side
# effect, and runs no JAX code, so it cannot wait for the computation that contains it.
_record_p = core.Primitive("tilegrind_record")
_record_p.multiple_results = True


@_record_p.def_abstract_eval
def _record_abstract_eval(*avals: Any, recorder: _Recorder) -> tuple[()]:
    del avals, recorder
    return ()


def _record_lowering(ctx: mlir.LoweringRuleContext, *operands: Any, recorder: _Recorder) -> Any:
    sharding = jax_callback._callback_op_sharding(ctx.module_context.axis_context, None,
                                                  ctx.avals_out)
    results, _, _ = jax_callback.emit_python_callback(
        ctx, recorder, None, list(operands), ctx.avals_in, ctx.avals_out, has_side_effect=True,
        returns_token=False, sharding=sharding)
    return results


mlir.register_lowering(_record_p, _record_lowering, cacheable=False)


# Whether JAX lowers a launch by its interpreter of `pallas_call`, which is then no call of the program.
_in_launch = contextvars.ContextVar("tilegrind_in_launch", default=False)


def _recording(capture: Capture, original: interpreters.Interpreter) -> interpreters.Interpreter:
    """JAX's interpreter followed by a recorder."""

    def interpret(*args: Any, **params: Any) -> Any:
        outputs = original(*args, **params)
        recorder = None if _in_launch.get() else capture.recorder(params)
        if recorder is not None:
            _record_p.bind(*args, *outputs, recorder=recorder)
        return outputs

    return interpret


def _recording_launch(capture: Capture, original: interpreters.Interpreter) -> interpreters.Interpreter:
    """The rule that lowers launches over meshes, and a recorder.  JAX runs such a kernel on the CPU only where it has parameters
    for JAX's interpreter; Tilegrind runs the others."""
    ours = launching(original, Options(findings="warn"), lambda error: None)

    def lower(ctx: mlir.LoweringRuleContext, *operands: Any, **params: Any) -> Any:
        if not is_gpu_launch(params):
            return original(ctx, *operands, **params)
        is_interpreted = bool(params.get("interpret"))
        if not is_interpreted:
            xla_target.library()
        inside = _in_launch.set(True)
        try:
            outputs = (original if is_interpreted else ours)(ctx, *operands, **params)
        finally:
            _in_launch.reset(inside)
        recorder = capture.launch_recorder(params, "jax" if is_interpreted else "tilegrind")
        if recorder is not None:
            inner = ctx.replace(avals_in=[*ctx.avals_in, *ctx.avals_out], avals_out=[])
            results = [value for one in outputs for value in (one if isinstance(one, (tuple, list)) else (one,))]
            _record_lowering(inner, *operands, *results, recorder=recorder)
        return outputs

    return lower


@contextlib.contextmanager
def capture(folder: str | os.PathLike[str], grid_semantics: GridSemantics = None,
            limit: int | None = None,
            compare: Mapping[str, Any] | None = None, target: str | None = None,
            partly_written: PartlyWritten = ()) -> Iterator[Capture]:
    """Write a case into `folder` for each ``pallas_call`` and Mosaic GPU kernel that runs inside the ``with`` block.

    folder          parent of a folder ``NAME-NUMBER`` for each case; created if missing
    grid_semantics  as for `export`
    limit           greatest number of cases per kernel name; None: no limit
    compare         the cases' own tolerance, in the form of ``expect.compare``; None: 4 ULP, and more
                    for sums, see `tolerance.default_tolerance`
    target          of the cases, "tpu" or "any"; None: as for `interpreter`
    partly_written  as for `export`; names that are not outputs are ignored

    Yields a Capture that lists the cases.  Calls that were written without ``interpret`` run in
    JAX's interpreter too; kernels of Mosaic GPU that were run in Tilegrind, as JAX cannot run them on a CPU, and
    their cases say so.  Calls that Tilegrind does not support run, with a warning, and leave no case.
    JAX's caches of compiled functions are cleared on entry and exit, so that every call is seen.
    Raises OSError if `folder` cannot be created, ValueError for an invalid target.  Captures do not nest.
    """
    if target not in (None, "any", "tpu"):
        raise ValueError(f"target={target!r} is neither 'any' nor 'tpu'")
    session = Capture(folder, grid_semantics, limit, compare, target, names_of(partly_written))
    session.folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as undo:
        interpreters.replace(lambda original: _recording(session, original), undo)
        interpreters.interpret_all(undo)
        interpreters.replace_launches(lambda original: _recording_launch(session, original), undo)
        interpreters.replace_torch(compile_call, undo)
        yield session
        jax.effects_barrier()
