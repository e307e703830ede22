"""Tilegrind as a custom-call target of XLA: libtilegrind_xla, registered with JAX once per process.

The library is never unloaded: compiled programs hold addresses in it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import sys
import warnings
from pathlib import Path
from typing import Any, Callable

import jax

from ...interrupts import is_watchable
from ...raising import FindingWarning

NAME = "tilegrind"
_STATE = "tilegrind_state"


class CheckedRun(ctypes.Structure):
    """struct tg_xla_checked of python/xla/listen.h."""

    _fields_ = [("module", ctypes.c_void_p), ("report", ctypes.c_void_p), ("known", ctypes.c_void_p),
                ("data", ctypes.POINTER(ctypes.c_void_p)), ("grid", ctypes.POINTER(ctypes.c_int64)),
                ("grid_count", ctypes.c_size_t), ("target", ctypes.c_char_p)]


class Counts(ctypes.Structure):
    """struct tg_xla_counts of python/xla/target.h."""

    _fields_ = [("runs", ctypes.c_int64), ("programs", ctypes.c_int64), ("failed", ctypes.c_int64)]


_LISTENER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)
_PRINT, _WARNING = 0, 1


@_LISTENER
def _listen(event: int, text: bytes) -> None:
    """Called by the thread that runs a kernel; it must not raise."""
    try:
        message = text.decode("utf-8", "replace")
        if event == _PRINT:
            sys.stdout.write(message)
        else:
            warnings.warn(message, FindingWarning, stacklevel=1)
    except Exception:
        sys.excepthook(*sys.exc_info())


_CHECK_LISTENER = ctypes.CFUNCTYPE(None, ctypes.POINTER(CheckedRun))
_on_check: Callable[[CheckedRun], None] | None = None


def listen_to_checks(listener: Callable[[CheckedRun], None]) -> None:
    """Sets the listener that is called for each run of a check from now on, by the thread that made the run."""
    global _on_check
    _on_check = listener


@_CHECK_LISTENER
def _listen_to_check(run: Any) -> None:
    """As `_listen`."""
    try:
        if _on_check is not None:
            _on_check(run.contents)
    except Exception:
        sys.excepthook(*sys.exc_info())


def _path() -> str:
    """The library next to libtilegrind, or where the system finds it."""
    from ... import _native

    beside = Path(_native.path).with_name("libtilegrind_xla.so")
    return str(beside) if beside.exists() else "libtilegrind_xla.so"


def _capsule(library: ctypes.CDLL, name: str) -> Any:
    return jax.ffi.pycapsule(ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def _address(library: ctypes.CDLL, name: str) -> Any:
    """A capsule with the address of a variable."""
    pointer = ctypes.addressof(ctypes.c_byte.in_dll(library, name))
    return jax.ffi.pycapsule(pointer)


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded and registered.  Raises ImportError if there is none."""
    try:
        loaded = ctypes.CDLL(_path())
    except OSError as problem:
        raise ImportError(f"tilegrind.pallas: {problem}; it is built with the library") from None
    jax.ffi.register_ffi_type(_STATE, {"type_id": _address(loaded, "tg_xla_state_id"),
                                       "type_info": _address(loaded, "tg_xla_state_info")},
                              platform="cpu")
    jax.ffi.register_ffi_target(NAME, {"instantiate": _capsule(loaded, "tg_xla_instantiate"),
                                       "execute": _capsule(loaded, "tg_xla_execute")}, platform="cpu")
    loaded.tg_xla_listen.argtypes, loaded.tg_xla_listen.restype = [_LISTENER], None
    loaded.tg_xla_count.argtypes, loaded.tg_xla_count.restype = [ctypes.POINTER(Counts)], None
    loaded.tg_xla_watch_interrupts.argtypes, loaded.tg_xla_watch_interrupts.restype = [ctypes.c_int, ctypes.c_int], None
    loaded.tg_xla_take_interrupt.argtypes, loaded.tg_xla_take_interrupt.restype = [], ctypes.c_int
    loaded.tg_xla_listen(_listen)
    loaded.tg_xla_listen_to_checks.argtypes, loaded.tg_xla_listen_to_checks.restype = [_CHECK_LISTENER], None
    loaded.tg_xla_listen_to_checks(_listen_to_check)
    _stop_listening_at_exit(loaded)
    return loaded


def _stop_listening_at_exit(loaded: ctypes.CDLL) -> None:
    """Makes programs that still run when Python ends no longer call into it."""
    atexit.register(loaded.tg_xla_listen, _LISTENER())
    atexit.register(loaded.tg_xla_listen_to_checks, _CHECK_LISTENER())


def watch_interrupts(undo: contextlib.ExitStack, keeps: bool) -> None:
    """Makes Ctrl-C end running kernels until `undo` runs.  With `keeps` the signal is kept for `take_interrupt`; otherwise Python
    gets it."""
    if is_watchable():
        library().tg_xla_watch_interrupts(1, keeps)
        undo.callback(library().tg_xla_watch_interrupts, -1, keeps)


def take_interrupt() -> bool:
    """Whether Ctrl-C has ended a kernel since the last call."""
    return bool(library().tg_xla_take_interrupt())


def counts() -> Counts:
    """The library's counters of this process."""
    found = Counts()
    library().tg_xla_count(ctypes.byref(found))
    return found
