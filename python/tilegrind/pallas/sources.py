"""Source locations: the user's line behind an equation, and the calls on the way to it."""

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
    """A line of the user's program; `file` is as findings should show it."""

    file: str
    line: int
    function: str
    is_users: bool = True  # False: in JAX's machinery
    library: str = ""  # that it is in; "": in none
    calls: Calls | None = None


class Calls(NamedTuple):
    """How a line was reached: from `caller`, with so many calls of libraries left out in between."""

    caller: Place
    skipped: int = 0
    library: str = ""  # of the innermost of these

    @property
    def json(self) -> dict[str, Any]:
        """The key `skipped` of docs/ir.md, where there is anything to tell."""
        return {"skipped": f"{self.skipped} frame{'s' * (self.skipped != 1)} in {self.library}"} if self.skipped else {}


class Frame(NamedTuple):
    """A call under way."""

    file: str
    line: int
    function: str


def _folder(module: Any) -> str:
    return os.path.dirname(os.path.abspath(module.__file__)) + os.sep


_JAX = _folder(jax)
_SITE = os.path.dirname(_JAX.rstrip(os.sep)) + os.sep
_STDLIB = os.path.abspath(sysconfig.get_paths()["stdlib"]) + os.sep
_KERNEL_FOLDER = os.path.join(_JAX, "experimental", "pallas", "ops") + os.sep
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_SCRIPTS = os.path.abspath(sysconfig.get_paths()["scripts"]) + os.sep
_TILEGRIND = os.path.dirname(os.path.dirname(_HERE)) + os.sep
_MOST_CALLERS = 10
_MACHINERY = (_JAX, _folder(jaxlib), _folder(np), _HERE)


@functools.cache
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


@functools.cache
def _library_of(file: str) -> str | None:
    """The library or program that a file is a part of; None where it is nobody's but the user's.  Code that came as a string, from
    `python -c` or a test runner that starts its workers so, has no lines to show."""
    for base in (_SITE, "site-packages" + os.sep, "dist-packages" + os.sep):
        if base in file:
            return re.split(r"[/\\.]", file.partition(base)[2])[0]
    if file.startswith(_TILEGRIND):
        return "tilegrind"
    return "python" if file.startswith((_STDLIB, _SCRIPTS, "<frozen", "<string>")) else None


def _calls_from(frames: Iterable[Frame], outer: Calls | None = None) -> Calls | None:
    """The calls that `frames`, the innermost first, stand for, those of libraries left out; `outer` is how the last was reached.
    JAX's machinery is no library: how many frames it takes says nothing, and differs from version to version."""
    calls = outer
    for frame in reversed([frame for frame in frames if _is_users(frame.file)]):
        library = _library_of(frame.file)
        if library is None:
            calls = Calls(Place(_shown(frame.file), frame.line, frame.function, calls=calls))
        elif calls is not None:
            calls = Calls(calls.caller, calls.skipped + 1, library)
    return calls


def _frames_of(source_info: Any) -> list[Frame]:
    """The frames of an equation's traceback, the innermost first.  JAX keeps them up to where it began to trace."""
    traceback = getattr(source_info, "traceback", None)
    frames = traceback.frames if traceback is not None else ()
    return [Frame(frame.file_name, frame.line_num, frame.function_name) for frame in frames]


def _running() -> Iterator[Frame]:
    """The frames of this thread, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        yield Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)
        frame = frame.f_back


def place_of(source_info: Any, outer: Calls | None = None) -> Place | None:
    """The innermost frame of an equation's traceback that is the user's, or None.  `outer` is how what JAX traced there was
    reached."""
    frames = _frames_of(source_info)
    for index, frame in enumerate(frames):
        if _is_users(frame.file):
            calls = _calls_from(frames[index + 1 :], outer)
            return Place(_shown(frame.file), frame.line, frame.function, library=_library_of(frame.file) or "", calls=calls)
    return None


def calls_to(place: Place | None) -> Calls | None:
    """How what an equation at `place` calls is reached: from there, or, where that is in a library, from what called it."""
    if place is None:
        return None
    if not place.library:
        return Calls(place)
    return place.calls and Calls(place.calls.caller, place.calls.skipped + 1, place.library)


def calls_through(source_info: Any, outer: Calls | None = None) -> Calls | None:
    """How what an equation calls is reached; `outer` as for `place_of`."""
    return _calls_from(_frames_of(source_info), outer)


def calls_of_launch(source_info: Any) -> Calls | None:
    """How a kernel is reached that JAX is about to run: by its equation, and, where the traceback of that ends, at the
    function that JAX compiles, by what runs now."""
    frames = [*_frames_of(source_info), *_running()]
    own = [index for index, frame in enumerate(frames) if _library_of(frame.file) is None]
    return _calls_from(frames[: own[:_MOST_CALLERS][-1] + 1] if own else ())


def place_of_function(debug_info: Any) -> Place | None:
    """Where the traced function is defined, from the ``name at file:line`` that JAX keeps."""
    info = getattr(debug_info, "func_src_info", None) or ""
    match = re.fullmatch(r"(.+?) at (.+):(\d+)", info)
    if match is None:
        return None
    return Place(_shown(match[2]), int(match[3]), match[1], _is_users(match[2]))


class Locations:
    """The numbered table of a module's locations; number 1 is the first.  `calls` is how the kernel is reached whose
    locations are being entered."""

    def __init__(self, calls: Calls | None = None) -> None:
        self.calls = calls
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place | None) -> int | None:
        """The number of `place`, entered into the table when new; None of None."""
        if place is None:
            return None
        if place.calls is not None:
            self.number(place.calls.caller)  # first: callers have the lesser numbers
        return self._numbers.setdefault(place, len(self._numbers) + 1)

    def json(self) -> list[dict[str, Any]]:
        """The table in the form of docs/ir.md."""
        return [{"file": place.file, "line": place.line, "function": place.function, **self._calls(place.calls)}
                for place in self._numbers]

    def _calls(self, calls: Calls | None) -> dict[str, Any]:
        return {} if calls is None else {"caller": self._numbers[calls.caller], **calls.json}
