"""The front ends whose kernels `pytest --tilegrind` checks: each says when it is there, and turns its check on and off."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, Mapping, Protocol

from .checked import Checked

_COMMON = ("checks", "orders", "shuffles", "interleavings", "seed", "fail_on", "suppressions", "profile", "max_steps", "save", "trace",
           "trace_order")


def _chosen(settings: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """The arguments of a front end's `check`, from the options of the plugin."""
    chosen = {name: settings[name] for name in (*_COMMON, *more)}
    return {**chosen, "save": chosen["save"] or None, "trace": chosen["trace"] or None, "on_finding": "collect"}


class Front(Protocol):
    """A front end.  `unchecked` says what becomes of calls that Tilegrind does not support."""

    name: str
    unchecked: str

    def begin(self) -> None:
        """Called before conftests are imported."""

    def turn(self, on: bool) -> None:
        """Called before each test: whether its kernels are checked.  Raises ImportError, ValueError, RuntimeError."""

    def end(self) -> None:
        """Called at the end of pytest; more often does no harm."""

    def take(self) -> Checked:
        """Everything seen since the last call."""

    def was_interrupted(self) -> bool:
        """Whether Ctrl-C has ended a kernel that could not raise it."""


class Pallas:
    """JAX is imported when the first test runs, so that test modules may still set its environment."""

    name = "JAX"
    unchecked = "ran in JAX's interpreter, unchecked"

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._check: Any = None  # while it is active
        # A kernel that runs while Python goes on could still run after its test has ended.
        os.environ.setdefault("JAX_CPU_ENABLE_ASYNC_DISPATCH", "false")
        if "jax" in sys.modules:
            sys.modules["jax"].config.update("jax_cpu_enable_async_dispatch", False)

    def begin(self) -> None:
        pass

    def turn(self, on: bool) -> None:
        if on and self._check is None:
            from . import pallas

            self._check = pallas.check(**_chosen(self._settings, "grid_semantics", "target", "partly_written", "compat"))
            self._check.start()
        elif not on:
            self.end()

    def end(self) -> None:
        if self._check is not None:
            self._check.stop()
        self._check = None

    def take(self) -> Checked:
        return Checked() if self._check is None else self._check.take()

    def was_interrupted(self) -> bool:
        if self._check is None:
            return False
        from .pallas.xla import target

        return target.take_interrupt()


class Triton:
    """Tilegrind is Triton's device from the beginning, as conftests and test modules ask for it when they are imported.  Kernels of tests that are
    not checked run in Tilegrind too: there may be no other device."""

    name = "Triton"
    unchecked = "failed, as Tilegrind does not support them"

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._check: Any = None
        self._unchecked: Any = None  # while tests run that are not checked

    def _shown(self) -> dict[str, Any]:
        return {name: self._settings[name] for name in ("device", "capability", "autotune")}

    def begin(self) -> None:
        from . import triton

        self._check = triton.check(**_chosen(self._settings, "device", "capability", "autotune"))
        self._check.start()

    def turn(self, on: bool) -> None:
        if self._check is None:
            self.begin()
        if on and self._unchecked is not None:
            self._unchecked.stop()
            self._unchecked = None
        elif not on and self._unchecked is None:
            from . import triton

            self._unchecked = triton.interpreter(findings="collect", **self._shown())
            self._unchecked.start()

    def end(self) -> None:
        for active in (self._unchecked, self._check):
            if active is not None:
                active.stop()
        self._unchecked = self._check = None

    def take(self) -> Checked:
        return Checked() if self._check is None else self._check.take()

    def was_interrupted(self) -> bool:
        return False  # a launch raises it


def fronts(settings: Mapping[str, Any]) -> list[Front]:
    """Those whose library is installed."""
    known: tuple[tuple[str, Any], ...] = (("jax", Pallas), ("triton", Triton))
    return [front(settings) for library, front in known if importlib.util.find_spec(library) is not None]
