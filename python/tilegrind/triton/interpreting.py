"""Tilegrind as Triton's device: launches run in it, inside a ``with`` block or in a whole process."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Mapping

from ..checked import LEVELS, Checked, Results
from ..suppressions import Suppressions, suppressions_of
from ..trial import prepared
from .backend import activation
from .backend.target import MULTIPROCESSORS
from .lowering.choices import Choices
from .running import session, torch_memory
from .running.session import Session

_PREPARED = ("order", "compat", "profile", "backend", "target", "tensor_core")


class Active(Results):
    """Tilegrind as Triton's device between `start` and `stop`, or inside a ``with`` block; see `interpreter` and `check`."""

    def __init__(self, running: Session, device: str = "cpu", capability: int | None = None, inductor: bool = False) -> None:
        self.suppressions = running.suppressions
        self._session = running
        self._device, self._capability, self._inductor = device, capability, inductor
        self._undo = contextlib.ExitStack()
        self._is_started = False

    def start(self) -> None:
        """Begins anew, without results.  Raises RuntimeError if it has begun, or where TRITON_INTERPRET is set; OSError if a folder
        cannot be created; ImportError for device "cuda" without torch."""
        if self._is_started:
            raise RuntimeError("it has been started already")
        for folder in (self._session.save, self._session.trace):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        self.take()
        with contextlib.ExitStack() as undo:
            activation.activate(undo, self._capability, self._inductor)
            if self._device == "cuda":
                from .running.cuda_as_cpu import map_cuda

                print('tilegrind: what this program puts on "cuda" is on the CPU', file=sys.stderr)
                map_cuda(undo, self._capability or 90, MULTIPROCESSORS)
            session.push(self._session)
            undo.callback(session.pop, self._session)
            undo.enter_context(torch_memory.watched(self._session.looks_at_undefined and not self._inductor))
            self._undo = undo.pop_all()
        self._is_started = True

    def stop(self) -> None:
        """Ends; does nothing if it has not begun."""
        self._undo.close()
        self._is_started = False

    def take(self) -> Checked:
        """Everything seen since the last call, or since the start."""
        seen, self._session.checked = self._session.checked, Checked()
        return seen

    def _seen(self) -> Checked:
        return self._session.checked

    def __enter__(self) -> Active:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.stop()


def interpreter(order: str = "sequential", *, threads: int | None = None, checks: str = "none", findings: str = "raise",
                fail_on: str = "error", suppressions: Suppressions | str | Path | None = None, device: str = "cpu",
                capability: int | None = None, autotune: str = "first", inductor: bool = False, scans: str = "sequential",
                prints: str = "program", **options: Any) -> Active:
    """Runs launches of Triton kernels in Tilegrind inside a ``with`` block, on numpy arrays and torch tensors, which are written in place.

    order         "sequential", "reversed", "shuffled[:SEED]", "parallel[:THREADS]", "interleaved[:SEED]"
    threads       number of threads for order="parallel"; None: as many as are worth it
    checks        checks besides those that always run (docs/checks.md): "none", "all", or names separated by commas
    findings      "raise": a launch with findings of level `fail_on` or worse raises FindingError, with what it has written in place, and
                  others are warnings; "warn": all are FindingWarnings at the kernel's line; "collect": they are in ``findings`` alone
    fail_on       "error", "warning", "note" or "advice"
    suppressions  known findings: Suppressions, a path or several (docs/reports.md)
    device        "cpu", or "cuda": the program may say that tensors are on "cuda"; they are on the CPU, which is told on standard error
    capability    90 for 9.0: Triton, and the program, are told that they compile for such a GPU of NVIDIA; None: for "cpu"
    autotune      "first": of several configurations of a kernel the first one runs; "all": each runs once before that
    inductor      whether `torch.compile` makes Triton kernels for tensors on the CPU, which then run here
    scans         "sequential" or "tree": in which order a scan combines elements (docs/triton-operations.md)
    prints        "program": a program prints a thing once; "thread": as often as on a GPU, where each thread that has it does
    options       others of `Module.run`: profile, backend, max_steps, tensor_core, trap ...

    The object has ``findings``, ``suppressed``, ``kernels``, ``refused``, ``runs`` and ``programs`` (see `Checked`), and ``take()``.
    A kernel that Tilegrind does not support raises ExportError where it is launched.  Raises ValueError for an invalid option,
    tilegrind.Error for a suppression file that is invalid, and what `Active.start` raises.
    """
    ordered = {"order": order if threads is None else f"{order}:{threads}"}
    if threads is not None and order != "parallel":
        raise ValueError("threads is for order='parallel' alone")
    running = Session({**options, **ordered}, findings, checks, fail_on=fail_on, suppressions=suppressions_of(suppressions), autotune=autotune,
                      choices=Choices(scans), prints=prints)
    judge(running, "findings", device, capability)
    return Active(running, device, capability, inductor)


def judge(running: Session, finding_option: str, device: str, capability: int | None) -> None:
    """Raises ValueError for an option that is invalid."""
    for name, value, known in ((finding_option, running.on_finding, session.ON_FINDING), ("fail_on", running.fail_on, LEVELS),
                               ("device", device, ("cpu", "cuda")), ("autotune", running.autotune, ("first", "all")),
                               ("prints", running.prints, session.PRINTS)):
        if value not in known:
            raise ValueError(f"{name}={value!r} is none of {', '.join(map(repr, known))}")
    if capability is not None and not 50 <= capability <= 200:
        raise ValueError(f"capability={capability} is none of a GPU; 90 stands for 9.0")
    settings: Mapping[str, Any] = {name: running.options[name] for name in _PREPARED if name in running.options}
    prepared(checks=running.checks, **settings).close()


_installed: list[Active] = []


def install(order: str = "sequential", **options: Any) -> Active:
    """As `interpreter`, with the same options, until `uninstall` or the end of the process.  A second install replaces the first."""
    made = interpreter(order, **options)
    uninstall()
    made.start()
    _installed.append(made)
    return made


def uninstall() -> None:
    """Ends `install`; does nothing without one."""
    while _installed:
        _installed.pop().stop()
