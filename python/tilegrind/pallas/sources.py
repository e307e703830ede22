"""Source locations: the user's line behind an equation."""

from __future__ import annotations

import os
import re
import sysconfig
from typing import Any, NamedTuple

import jax
import jaxlib
import numpy as np


class Place(NamedTuple):
    """A line of the user's program; `file` is as findings should show it."""

    file: str
    line: int
    function: str
    is_users: bool = True  # False: in JAX's machinery


def _folder(module: Any) -> str:
    return os.path.dirname(os.path.abspath(module.__file__)) + os.sep


_JAX = _folder(jax)
_SITE = os.path.dirname(_JAX.rstrip(os.sep)) + os.sep
_STDLIB = os.path.abspath(sysconfig.get_paths()["stdlib"]) + os.sep
_KERNEL_FOLDER = os.path.join(_JAX, "experimental", "pallas", "ops") + os.sep
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MACHINERY = (_JAX, _folder(jaxlib), _folder(np), _HERE)


def _is_users(file: str) -> bool:
    """Whether a frame in `file` is a kernel author's: JAX's kernels count, its machinery not."""
    if file.startswith(_KERNEL_FOLDER):
        return True
    if file.startswith(_MACHINERY) or file.startswith("<frozen"):
        return False
    return not file.startswith(_STDLIB) or "site-packages" in file or "dist-packages" in file


def _shown(file: str) -> str:
    """`file` without what depends on the machine: relative to the packages or current folder."""
    for base in (_SITE, os.getcwd() + os.sep):
        if file.startswith(base):
            return file[len(base) :].replace(os.sep, "/")
    return file


def place_of(source_info: Any) -> Place | None:
    """The innermost frame of an equation's traceback that is the user's, or None."""
    traceback = getattr(source_info, "traceback", None)
    for frame in traceback.frames if traceback is not None else ():
        if _is_users(frame.file_name):
            return Place(_shown(frame.file_name), frame.line_num, frame.function_name)
    return None


def place_of_function(debug_info: Any) -> Place | None:
    """Where the traced function is defined, from the ``name at file:line`` that JAX keeps."""
    info = getattr(debug_info, "func_src_info", None) or ""
    match = re.fullmatch(r"(.+?) at (.+):(\d+)", info)
    if match is None:
        return None
    return Place(_shown(match[2]), int(match[3]), match[1], _is_users(match[2]))


class Locations:
    """The numbered table of a module's locations; number 1 is the first."""

    def __init__(self) -> None:
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place | None) -> int | None:
        """The number of `place`, entered into the table when new; None of None."""
        if place is None:
            return None
        return self._numbers.setdefault(place, len(self._numbers) + 1)

    def json(self) -> list[dict[str, Any]]:
        """The table in the form of docs/ir.md."""
        return [{"file": place.file, "line": place.line, "function": place.function}
                for place in self._numbers]
