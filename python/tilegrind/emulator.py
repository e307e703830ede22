"""PTX text run on the CPU, with traps for what a GPU would let pass in silence (docs/emulator.md).

>>> module = tilegrind.emulator.load(text)
>>> run = module.run([x, y, numpy.uint32(5000)], grid=(40,), block=(128,))
>>> run.trap
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Sequence

import numpy

from . import _native, interrupts
from ._native import lib, text
from .errors import Collected


@dataclass(frozen=True)
class Place:
    """Where in the text, and by which thread; `source` and `source_line` are those of .loc, or None."""

    line: int
    column: int
    source: str | None
    source_line: int | None
    cta: tuple[int, int, int]
    thread: tuple[int, int, int]


@dataclass(frozen=True)
class Trap:
    """What stopped a launch: `kind` is a name of docs/emulator.md, `text` all of it for people; `other` is the earlier access of
    a race."""

    kind: str
    message: str
    text: str
    at: Place
    other: Place | None


@dataclass(frozen=True)
class Pointer:
    """As an argument: the address of byte `offset` of an array, which becomes device memory; arguments with one array share it."""

    array: numpy.ndarray
    offset: int = 0


@dataclass(frozen=True)
class Run:
    """What became of a launch; `trap` is None if it ran to its end."""

    trap: Trap | None
    thread_instructions: int
    warp_instructions: int
    inexact: int
    prints: str = ""  # by vprintf, in the order in which the threads ran


class Module:
    """The entries of a text."""

    def __init__(self, source: str, name: str | None = None) -> None:
        written = source.encode()
        self._handle = ctypes.c_void_p()
        with Collected() as errors:
            errors.check(lib.tg_emulator_module_load(written, len(written), name and name.encode(), ctypes.byref(self._handle),
                                                     errors.handle))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.tg_emulator_module_free(self._handle)

    def entries(self) -> list[str]:
        """Their names."""
        return [text(lib.tg_emulator_entry_name(self._handle, i)) for i in range(lib.tg_emulator_entry_count(self._handle))]

    def params(self, entry: int = 0) -> list[tuple[str, str, int]]:
        """Name, type and bytes of each parameter."""
        infos = (lib.tg_emulator_param(self._handle, entry, i) for i in range(lib.tg_emulator_param_count(self._handle, entry)))
        return [(text(info.name), text(info.type), info.bytes) for info in infos]

    def run(self, args: Sequence[numpy.ndarray | numpy.generic | Pointer], *, entry: int = 0, grid: Sequence[int] = (1,), block: Sequence[int] = (1,),
            shared_bytes: int = 0, seed: int = 0, races: bool = True, cta_races: bool = False, same_values: bool = False,
            arbitrary_registers: bool = False, instruction_limit: int = 0) -> Run:
        """Runs a grid to its end or to its first trap.

        args         for each parameter an array, C-contiguous, which becomes device memory and is written in place, or a numpy scalar;
                     one array given twice is one memory; a `Pointer` into such an array
        grid, block  extents along x, y, z
        same_values  stores of one value to the same bytes of shared memory do not race with each other
        arbitrary_registers  one that its thread has not written has bits of the seed, and is no trap
        Ctrl-C ends the run and is then acted on as usual.  Raises Error where launch or arguments do not fit the entry."""
        interrupt = interrupts.Watch()
        launch = _native.EmulatorLaunch(size=ctypes.sizeof(_native.EmulatorLaunch), entry=entry, grid=_extents(grid), block=_extents(block),
                                        shared_bytes=shared_bytes, seed=seed, skip_races=not races, cta_races=cta_races,
                                        instruction_limit=instruction_limit, same_values=same_values,
                                        arbitrary_registers=arbitrary_registers, progress=interrupt.emulator_progress)
        kept = [_argument(one) for one in args]
        given = (_native.EmulatorArg * len(kept))(*(argument for argument, _ in kept))
        outcome = ctypes.c_void_p()
        with Collected() as errors:
            with interrupt.watching():
                status = lib.tg_emulator_module_run(self._handle, ctypes.byref(launch), given, len(kept), ctypes.byref(outcome), errors.handle)
            interrupt.hand_on(list)
            errors.check(status)
        try:
            return _run(outcome)
        finally:
            lib.tg_emulator_outcome_free(outcome)


def load(source: str, name: str | None = None) -> Module:
    """The module of a PTX text; `name` stands for it in messages.  Raises Error with line and column for what is not understood."""
    return Module(source, name)


def _extents(of: Sequence[int]) -> ctypes.Array[ctypes.c_uint32]:
    return (ctypes.c_uint32 * 3)(*(*of, 1, 1, 1)[:3])


def _argument(value: numpy.ndarray | numpy.generic | Pointer) -> tuple[_native.EmulatorArg, object]:
    """The argument, and what must live as long as it."""
    if isinstance(value, Pointer):
        argument, kept = _argument(value.array)
        argument.offset = value.offset
        return argument, kept
    if isinstance(value, numpy.ndarray):
        if not value.flags.c_contiguous or not value.flags.writeable:
            raise ValueError("an array that is not C-contiguous, or cannot be written")
        return _native.EmulatorArg(data=value.ctypes.data, bytes=value.nbytes, is_memory=1), value
    held = numpy.array(value)
    return _native.EmulatorArg(data=held.ctypes.data, bytes=held.nbytes, is_memory=0), held


def _place(of: _native.EmulatorPlace) -> Place:
    return Place(of.line, of.column, text(of.source), of.source_line or None, tuple(of.cta), tuple(of.thread))


def _run(outcome: ctypes.c_void_p) -> Run:
    counts, found, trap = lib.tg_emulator_outcome_counts(outcome), lib.tg_emulator_outcome_trap(outcome), None
    if counts.trapped:
        other = _place(found.other) if found.other.line else None
        trap = Trap(text(found.kind), text(found.message), text(lib.tg_emulator_outcome_text(outcome)), _place(found.at), other)
    return Run(trap, counts.thread_instructions, counts.warp_instructions, counts.inexact, text(lib.tg_emulator_outcome_prints(outcome)))
