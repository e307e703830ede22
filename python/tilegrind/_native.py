"""The C library, with the declarations of its headers."""

import ctypes
import ctypes.util
import os
from pathlib import Path

from ._declarations import *  # noqa: F403  (those who use the library want them with it)
from ._declarations import FUNCTIONS


def _find():
    """Path or name of the library that TILEGRIND_LIBRARY names, else the one beside this file, else an installed one."""
    beside = Path(__file__).with_name("libtilegrind.so")
    path = os.environ.get("TILEGRIND_LIBRARY") or (str(beside) if beside.exists() else None)
    path = path or ctypes.util.find_library("tilegrind")
    if not path:
        raise ImportError(f"libtilegrind.so is neither at {beside} nor installed; "
                          "the environment variable TILEGRIND_LIBRARY may name it")
    return path


def _declare(library):
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


def _load(path):
    """The library.  The OpenMP runtime of gcc reads the environment once, when it is loaded, to decide how its threads wait
    for work: by default they spin, which takes time from others on a busy machine.  Unless the user has chosen a policy,
    they sleep."""
    policy = "OMP_WAIT_POLICY"
    if policy in os.environ:
        return ctypes.CDLL(path)
    os.environ[policy] = "passive"
    try:
        return ctypes.CDLL(path)
    finally:
        del os.environ[policy]  # so that it affects no other library or process


path = _find()
lib = _declare(_load(path))


def text(pointer):
    """The str of a fixed char *, None for NULL."""
    return None if pointer is None else pointer.decode("utf-8", "replace")


def take_text(pointer):
    """The str of a char * that the caller owns, which is freed; None for NULL."""
    if not pointer:
        return None
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        lib.tg_text_free(pointer)
