"""Contexts in which launches of Triton kernels run in Tilegrind."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import triton
from triton.backends import backends

from .backend import compiler, driver
from .running import session
from .running.session import Session

NAME = "tilegrind"


@contextlib.contextmanager
def interpreter(*, findings: str = "raise", **options: Any) -> Iterator[Session]:
    """Runs launches in Tilegrind inside a ``with`` block.

    findings  "raise", "warn" or "collect": what becomes of them
    options   those of `Module.run`: `order`, `checks`, `profile`, `backend` ...
    """
    if findings not in ("raise", "warn", "collect"):
        raise ValueError(f"findings={findings!r} is none of 'raise', 'warn', 'collect'")
    mine = Session(options, findings)
    with _active():
        session.push(mine)
        try:
            yield mine
        finally:
            session.pop(mine)


def check(*, checks: str = "all", findings: str = "raise", **options: Any) -> Any:
    """`interpreter` with every check on."""
    return interpreter(findings=findings, checks=checks, **options)


@contextlib.contextmanager
def _active() -> Iterator[None]:
    """Makes Tilegrind the device of Triton, and puts back what was."""
    had, before = backends.get(NAME), triton.runtime.driver._active
    if had is None:
        from triton.backends import Backend

        backends[NAME] = Backend(compiler.TilegrindBackend, driver.TilegrindDriver)
    triton.runtime.driver.set_active(driver.TilegrindDriver())
    try:
        yield
    finally:
        triton.runtime.driver._active = before
        if had is None:
            del backends[NAME]
