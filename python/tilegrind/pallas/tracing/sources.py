"""Source locations: the user's line of an equation, and the calls that lead to it."""

from __future__ import annotations

import functools
import os
import re
import sys
import sysconfig
from typing import Any, Iterable, Iterator, NamedTuple

import jax
import jaxlib
import numpy as np


class Place(NamedTuple):
    """A line of the user's program; `file` is the name that findings show."""

    file: str
    line: int
    function: str
    is_users: bool = True  # False: in JAX's machinery
    library: str = ""  # the library that contains it; "": none
    calls: Calls | None = None


class Calls(NamedTuple):
    """The calls that lead to a line: `caller`, and the number of library calls left out in between."""

    caller: Place
    skipped: int = 0
    library: str = ""  # of the innermost of the left-out calls

    @property
    def json(self) -> dict[str, Any]:
        """The key `skipped` of docs/ir.md, if calls were left out."""
        return {"skipped": f"{self.skipped} frame{'s' * (self.skipped != 1)} in {self.library}"} if self.skipped else {}


class Frame(NamedTuple):
    """An active call."""

    file: str
    line: int
    function: str


def _folder(module: Any) -> str:
    return os.path.dirname(os.path.abspath(module.__file__)) + os.sep


_JAX = _folder(jax)
_SITE = os.path.dirname(_JAX.rstrip(os.sep)) + os.sep
_STDLIB = os.path.abspath(sysconfig.get_paths()["stdlib"]) + os.sep
_KERNEL_FOLDER = os.path.join(_JAX, "experimental", "pallas", "ops") + os.sep
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SCRIPTS = os.path.abspath(sysconfig.get_paths()["scripts"]) + os.sep
_TILEGRIND = os.path.dirname(os.path.dirname(_HERE)) + os.sep
_MOST_CALLERS = 10
_MACHINERY = (_JAX, _folder(jaxlib), _folder(np), _HERE)


@functools.cache
def _is_users(file: str) -> bool:
    """Whether a frame in `file` belongs to a kernel author: JAX's kernels count, its machinery does not."""
    if file.startswith(_KERNEL_FOLDER):
        return True
    if file.startswith(_MACHINERY) or file.startswith("<frozen"):
        return False
    return not file.startswith(_STDLIB) or "site-packages" in file or "dist-packages" in file


def _shown(file: str) -> str:
    """`file` without the part that depends on the machine: relative to the packages or the current folder."""
    for base in (_SITE, os.getcwd() + os.sep):
        if file.startswith(base):
            return file[len(base) :].replace(os.sep, "/")
    return file


@functools.cache
def _library_of(file: str) -> str | None:
    """The library or program that contains a file; None if the file is the user's own.  Code that came as a string, from
    `python -c` or from a test runner that starts its workers that way, has no lines to show."""
    for base in (_SITE, "site-packages" + os.sep, "dist-packages" + os.sep):
        if base in file:
            return re.split(r"[/\\.]", file.partition(base)[2])[0]
    if file.startswith(_TILEGRIND):
        return "tilegrind"
    return "python" if file.startswith((_STDLIB, _SCRIPTS, "<frozen", "<string>")) else None


def _calls_from(frames: Iterable[Frame], outer: Calls | None = None) -> Calls | None:
    """The calls of `frames`, innermost first, without those of libraries; `outer` are the calls that lead to the last frame.
    JAX's machinery is not counted as a library: its number of frames says nothing, and differs between versions."""
    calls = outer
    for frame in reversed([frame for frame in frames if _is_users(frame.file)]):
        library = _library_of(frame.file)
        if library is None:
            calls = Calls(Place(_shown(frame.file), frame.line, frame.function, calls=calls))
        elif calls is not None:
            calls = Calls(calls.caller, calls.skipped + 1, library)
    return calls


def _frames_of(source_info: Any) -> list[Frame]:
    """The frames of an equation's traceback, innermost first.  JAX keeps them up to the point where it began to trace."""
    traceback = getattr(source_info, "traceback", None)
    frames = traceback.frames if traceback is not None else ()
    return [Frame(frame.file_name, frame.line_num, frame.function_name) for frame in frames]


def _running() -> Iterator[Frame]:
    """The frames of this thread, innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        yield Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)
        frame = frame.f_back


def place_of(source_info: Any, outer: Calls | None = None) -> Place | None:
    """The user's innermost frame in an equation's traceback, or None.  `outer` are the calls that lead to the code that JAX
    traced there."""
    frames = _frames_of(source_info)
    for index, frame in enumerate(frames):
        if _is_users(frame.file):
            calls = _calls_from(frames[index + 1 :], outer)
            return Place(_shown(frame.file), frame.line, frame.function, library=_library_of(frame.file) or "", calls=calls)
    return None


def calls_to(place: Place | None) -> Calls | None:
    """The calls that lead to the callee of an equation at `place`: from there or, if that is in a library, from its caller."""
    if place is None:
        return None
    if not place.library:
        return Calls(place)
    return place.calls and Calls(place.calls.caller, place.calls.skipped + 1, place.library)


def calls_through(source_info: Any, outer: Calls | None = None) -> Calls | None:
    """The calls that lead to the callee of an equation; `outer` as for `place_of`."""
    return _calls_from(_frames_of(source_info), outer)


def calls_of_launch(source_info: Any) -> Calls | None:
    """The calls that lead to a kernel that JAX is about to run: those of its equation and, beyond the end of that traceback at
    the function that JAX compiles, those that are active now."""
    frames = [*_frames_of(source_info), *_running()]
    own = [index for index, frame in enumerate(frames) if _library_of(frame.file) is None]
    return _calls_from(frames[: own[:_MOST_CALLERS][-1] + 1] if own else ())


def place_of_function(debug_info: Any) -> Place | None:
    """Where the traced function is defined, from the text ``name at file:line`` that JAX keeps."""
    info = getattr(debug_info, "func_src_info", None) or ""
    match = re.fullmatch(r"(.+?) at (.+):(\d+)", info)
    if match is None:
        return None
    return Place(_shown(match[2]), int(match[3]), match[1], _is_users(match[2]))


class Locations:
    """The numbered table of a module's locations, from number 1 on.  `calls` are the calls that lead to the kernel
    whose locations are being added."""

    def __init__(self, calls: Calls | None = None) -> None:
        self.calls = calls
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place | None) -> int | None:
        """The number of `place`, which is added to the table if it is new; None for None."""
        if place is None:
            return None
        if place.calls is not None:
            self.number(place.calls.caller)  # first, as callers have the smaller numbers
        return self._numbers.setdefault(place, len(self._numbers) + 1)

    def json(self) -> list[dict[str, Any]]:
        """The table in the form of docs/ir.md."""
        return [{"file": place.file, "line": place.line, "function": place.function, **self._calls(place.calls)}
                for place in self._numbers]

    def _calls(self, calls: Calls | None) -> dict[str, Any]:
        return {} if calls is None else {"caller": self._numbers[calls.caller], **calls.json}
