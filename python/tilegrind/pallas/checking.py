"""Checking from Python: every `pallas_call` runs in Tilegrind with checks on, and in other orders too.

The calls are those of `interpreting`, with the checks among their attributes.  libtilegrind_xla runs the checks, and reports
each run while the memory of the call still exists.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Sequence

import jax

from .. import _native, interrupts, raising, runtime
from ..checked import LEVELS, Checked, Results, is_at_least
from ..orders import orders_of
from ..raising import raise_at_kernel, warn
from ..suppressions import Suppressions, suppressions_of
from . import interpreting
from .checked_run import Run
from ..ir.errors import ExportError
from ..ir.partly_written import PartlyWritten, names_of
from .launch.pallas_call import GridSemantics
from .lowering.tpu_model import TpuModel
from .running import interpreters
from .xla import target
from .xla.target import CheckedRun

class FindingError(raising.FindingError, jax.errors.JaxRuntimeError):
    """As `raising.FindingError`; programs that expect errors of JAX's run time catch it too."""


@dataclass(frozen=True)
class CheckOptions(interpreting.Options):
    """How calls are checked."""

    checks: str = "all"
    search: str | None = None  # attribute of the call: which other orders to run
    fail_on: str = "error"
    suppressions: str | None = None  # blocks, in the syntax of a suppression file

    @property
    def settings(self) -> dict[str, str]:
        return {**super().settings, "checks": self.checks}

    def attributes(self, model: TpuModel, target: str) -> tuple[tuple[str, str], ...]:
        more = {"search": self.search, "suppressions": self.suppressions, "fail_on": self.fail_on}
        given = {name: text for name, text in more.items() if text is not None}
        return tuple(sorted({**dict(super().attributes(model, target)), **given}.items()))

    def _check_findings(self) -> None:
        if self.fail_on not in LEVELS:
            raise ValueError(f"fail_on={self.fail_on!r} is none of {', '.join(LEVELS)}")


class Check(Results):
    """Checks every `pallas_call` between `start` and `stop`, or inside a ``with`` block; see `check`."""

    def __init__(self, options: CheckOptions, on_finding: str, save: Path | None, suppressions: Suppressions | None,
                 trace: Path | None, trace_order: str):
        self.suppressions = suppressions
        self._options = options
        self._on_finding = on_finding
        self._save, self._trace, self._trace_order = save, trace, trace_order
        self._checked = Checked()
        self._to_raise: list[runtime.Finding] = []
        self._lock = threading.Lock()
        self._undo = contextlib.ExitStack()

    def take(self) -> Checked:
        """Everything seen since the last call, or since the start; waits for programs that JAX still runs."""
        seen = self._seen()
        with self._lock:
            self._checked, self._to_raise = Checked(), []
        return seen

    def _seen(self) -> Checked:
        if self in _started:
            wait()
        return self._checked

    # -- on and off --

    def start(self) -> None:
        """Begins anew, without results; clears JAX's caches of compiled functions.  Raises RuntimeError if it has begun,
        ImportError without the library, OSError if the folder for cases or traces cannot be created."""
        if self in _started:
            raise RuntimeError("the check has been started already")
        for folder in (self._save, self._trace):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        self._checked, self._to_raise = Checked(), []
        with contextlib.ExitStack() as undo:
            target.watch_interrupts(undo, keeps=True)
            interpreting.replace_interpreters(self._options, undo, self._refuse)
            interpreters.interpret_all(undo)
            _started.append(self)
            undo.callback(_started.remove, self)
            undo.callback(wait)
            self._undo = undo.pop_all()

    def stop(self) -> None:
        """Waits for programs that still run, and ends; does nothing if it has not begun."""
        self._undo.close()

    def __enter__(self) -> Check:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        del kind, traceback
        late = None
        try:
            self.stop()
        except jax.errors.JaxRuntimeError as problem:
            late = problem
        error = error or late
        with self._lock:
            found, self._to_raise = self._to_raise, []
        if target.take_interrupt():
            interrupt = KeyboardInterrupt()
            interrupts.note(interrupt, self._checked.findings)
            raise interrupt from error
        if not found:
            if late is not None:
                raise late
            return
        if error is None or isinstance(error, jax.errors.JaxRuntimeError):
            raise_at_kernel(FindingError(found), error)
        interrupts.note(error, found)

    # -- notifications --

    def _refuse(self, error: ExportError) -> None:
        with self._lock:
            self._checked.refused.append(error)

    def hear(self, told: CheckedRun) -> None:
        """Records a run; called by the thread that made it."""
        with self._lock:
            run = Run.of(told, self.suppressions)
            is_first = run.kernel not in self._checked.kernels
            new = self._checked.add(run)
        if self._on_finding != "collect":
            self._tell(new)
        if new and self._save is not None:
            case = run.save(self._save, self._case_settings(told), new[0].message)
            with self._lock:
                self._checked.cases.append(case)
        if self._trace is not None and (new or is_first):
            trace = run.trace(self._trace, self._trace_settings(told), self._options.max_steps)
            with self._lock:
                self._checked.traces.append(trace)

    def _trace_settings(self, told: CheckedRun) -> dict[str, str]:
        kept = {name: text for name, text in self._options.settings.items() if name != "checks"}
        return {**kept, "target": _native.text(told.target), "order": self._trace_order}

    def _case_settings(self, told: CheckedRun) -> dict[str, str]:
        usual = {"compat": "strict", "profile": "reference", "target": "any"}
        settings = {**self._options.settings, "target": _native.text(told.target)}
        return {name: settings[name] for name in usual if settings[name] != usual[name]}

    def _tell(self, findings: Sequence[runtime.Finding]) -> None:
        for finding in findings:
            raises = self._on_finding == "raise" and is_at_least(finding, self._options.fail_on)
            if raises or not warn(finding):
                with self._lock:
                    self._to_raise.append(finding)


# The active checks; the innermost one, which is the last, is notified of runs.
_started: list[Check] = []


def _hear(told: CheckedRun) -> None:
    """Passes a check's run to the innermost check; or warns, if the program was compiled under a check that has
    ended."""
    innermost = _started[-1:]
    for check in innermost:
        check.hear(told)
    if not innermost:
        for index, finding in enumerate(runtime.findings_of(told.report)):
            if not _is_known(told, index):
                warn(finding)


def _is_known(told: CheckedRun, index: int) -> bool:
    """Whether the suppressions with which the call was compiled cover a finding of its run."""
    lib = _native.lib
    return bool(told.known) and lib.tg_suppressions_find(told.known, told.report, index) < lib.tg_suppressions_count(told.known)


target.listen_to_checks(_hear)


def wait() -> None:
    """Waits for the programs that JAX still runs.  Errors in programs with side effects are raised only here; errors
    in other programs are raised where their results are used."""
    for array in jax.live_arrays():
        with contextlib.suppress(RuntimeError):
            array.block_until_ready()
    jax.effects_barrier()


# -- public interface --


def check(*, checks: str | Sequence[str] = "all", orders: bool = True, shuffles: int = 8, interleavings: int = 4,
          seed: int = 1, fail_on: str = "error", on_finding: str = "raise",
          suppressions: Suppressions | str | Path | Sequence[str | Path] | None = None, save: str | Path | None = None,
          compat: str = "strict", profile: str = "reference", fallback: bool = True,
          grid_semantics: GridSemantics = None, target: str | None = None, partly_written: PartlyWritten = (),
          max_steps: int = 0, tensor_core: str = "exact", trace: str | Path | None = None,
          trace_order: str = "sequential") -> Check:
    """Checks every ``pallas_call`` on the CPU inside the ``with`` block, with ``interpret`` set or not: it runs in
    Tilegrind in order sequential, which gives its results, with the detectors on, and then in other orders.

    checks          the checks to run (docs/checks.md): "all", "none", or names, as a list or separated by commas;
                    "memory-cost" and "gpu-strict" are not in "all"
    orders          whether to run in other orders too, with the same checks: reversed, `shuffles` shuffled and `interleavings`
                    interleaved ones, with seeds from `seed` on; without them a check costs little more than the run, but does not
                    find `order-dependence`, `order-rounding`, and faults that only another order shows
    fail_on         the least level of findings that raise: "error", "warning", "note" or "advice"
    on_finding      "raise": the program ends with a JaxRuntimeError, and the block with a FindingError whose traceback
                    ends at the kernel's line, even if the block has caught the former; findings of lesser levels are warnings.
                    "warn": all are FindingWarnings at the kernel's line.  "collect": they are in ``findings``
    suppressions    known findings: Suppressions, a path or several (docs/reports.md).  They neither raise nor warn,
                    and are in ``suppressed``
    save            folder for a case of each kernel that has other findings, which ``tilegrind check`` accepts
    trace           folder for the timeline of the first run of each kernel, and of those with new findings, as JSON for Perfetto and
                    chrome://tracing (docs/page.md): from one more run, in `trace_order`, an order as of `interpreter`
    compat, profile, fallback, grid_semantics, target, partly_written, max_steps, tensor_core
                    as for `interpreter`; calls that Tilegrind does not support run in JAX's interpreter unless `fallback`
                    is False, and are listed in ``refused``

    The returned Check has ``findings``, ``suppressed``, ``kernels``, ``cases``, ``traces``, ``refused``, ``runs`` and ``programs`` (see
    `Checked`), ``suppressions``, whose uses count those of the check, and ``take()``.  Without ``with``, ``start()`` and
    ``stop()`` begin and end it, and no FindingError is raised.  If checks nest, only the innermost one is notified.
    Ctrl-C ends a running kernel; the KeyboardInterrupt at the end of the block has the findings made until then in its notes.
    Raises ValueError for an invalid option, tilegrind.Error for a suppression file that cannot be read or is invalid.
    """
    known = suppressions_of(suppressions)
    if on_finding not in ("raise", "warn", "collect"):
        raise ValueError(f"on_finding={on_finding!r} is none of 'raise', 'warn', 'collect'")
    searched = orders_of(orders, shuffles, interleavings, seed)
    options = CheckOptions(checks=checks if isinstance(checks, str) else ",".join(checks), fail_on=fail_on,
                           search=",".join(map(str, searched.values())) if searched else None, compat=compat,
                           findings="raise" if on_finding == "raise" else "tell", fallback=fallback,
                           profile=profile, grid_semantics=grid_semantics, target=target,
                           partly_written=names_of(partly_written), max_steps=max_steps, tensor_core=tensor_core,
                           suppressions=known.source if known else None)
    replace(options, order=trace_order)  # refuses an order that there is not
    return Check(options, on_finding, _folder(save), known, _folder(trace), trace_order)


def _folder(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path).absolute()
