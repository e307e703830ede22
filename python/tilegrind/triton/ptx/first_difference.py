"""The first operation of a kernel whose result differs between the reference and Triton's PTX."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import triton

from ... import emulator, runtime
from ...finding_text import program_name
from ..launch.kernel import convert
from ..launch.memories import Memories, Memory
from ..lowering.choices import Choices
from ..lowering.errors import ExportError
from ..lowering.places import shown
from ..lowering.values import Tensor, memory_dtype
from ..running.launches import Address, Argument, Launch
from ..ttir.locations import Location
from ..ttir.reader import SyntaxProblem, read
from .compiling import Ptx, for_nvidia, gpu, ptx_from
from .dataflow import Dataflow, Value, dataflow_of
from .differences import Difference, difference
from .emulating import How, emulated
from .probes import Probe, TooMuch, array_of, names_of, probes_of, with_probes


ATOMICS = ("tt.atomic_rmw", "tt.atomic_cas")


@dataclass(frozen=True)
class First:
    """An operation whose result differs although nothing that it was made of does, or, in a loop, only what the operation itself has
    made in the turn before.

    op, type         of TTIR
    variable         to which it was assigned, or None
    file, line       of the program
    grid             (z, y, x), as is the program
    program, index   of the element that is farthest in ULP
    difference       of all elements in all programs, as they were when the operation ran for the last time
    """

    op: str
    type: str
    variable: str | None
    file: str
    line: int
    grid: tuple[int, ...]
    program: tuple[int, ...]
    index: tuple[int, ...]
    difference: Difference

    def __str__(self) -> str:
        name = f" ({self.variable})" if self.variable else ""
        where = f" at {self.file}:{self.line}" if self.file else ""
        found, element = self.difference, f" element {list(self.index)}" if self.index else ""
        program = program_name("zyx", self.grid, self.program)
        far = "NaN and a number" if found.ulps is None else f"{found.ulps} ULP"
        why = "; what an atomic returns depends on the order of threads" if self.op in ATOMICS else ""
        return (f"first operation that differs: {self.op}{name}{where}, {self.type}: {found.differing} of {found.elements} values, by {far} at "
                f"most: in program {program}{element} {found.ours!s} by the reference, {found.theirs!s} by {found.by}{why}")


def first_difference(ptx: Ptx, launch: Launch, arguments: tuple[Argument, ...], how: How, choices: Choices) -> First | str:
    """Runs the kernel once more on both sides, with stores of what its operations give; `launch` has its inputs as they were.  A text
    says why nothing was found."""
    try:
        return _looked_for(ptx, launch, arguments, how, choices)
    except (TooMuch, SyntaxProblem, ExportError, runtime.Error) as problem:
        return f"the first operation that differs could not be looked for: {problem}"


def _looked_for(ptx: Ptx, launch: Launch, arguments: tuple[Argument, ...], how: How, choices: Choices) -> First | str:
    module = read(ptx.ttir)
    programs = int(np.prod(launch.grid))
    flow = dataflow_of(module.entry())
    probes = probes_of(flow, programs)
    if not probes:
        return "no operation computes with what is in memory"
    text = with_probes(ptx.ttir, _entry_line(ptx.ttir), probes)
    try:
        probed = _compiled(text, ptx)
    except Exception as problem:  # of any kind: this is all of Triton's compiler
        return f"the first operation that differs could not be looked for: Triton does not compile the kernel with stores of all values: {problem}"
    theirs = _theirs(probed, launch, arguments, probes, programs, how)
    if isinstance(theirs, str):
        return theirs
    ours = _ours(text, launch, probes, programs, choices)
    differing = {one.value.name: one for one in probes if difference("", one.of(ours, programs), one.of(theirs, programs)).differing}
    first = _first(flow, differing, {one.value.name for one in probes})
    if first is None:
        return "no operation differs if the values of all of them are stored: what differs depends on how Triton compiles several together"
    return _told(first, first.of(ours, programs), first.of(theirs, programs), launch.grid)


def _entry_line(text: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith("tt.func public"))


# ---- both sides ----


def _compiled(text: str, ptx: Ptx) -> Ptx:
    """The PTX of a text after Triton's passes for TTIR."""
    with tempfile.TemporaryDirectory() as folder, for_nvidia(ptx.target):
        path = Path(folder) / f"{ptx.name}.ttir"
        path.write_text(text, encoding="utf-8")
        return ptx_from(triton.compile(str(path), target=gpu(ptx.target), options=ptx.settings), ptx.target, ptx.settings)


def _theirs(ptx: Ptx, launch: Launch, arguments: tuple[Argument, ...], probes: list[Probe], programs: int, how: How) -> dict[str, Any] | str:
    stored = {name: array_of(probes, name, programs) for name in names_of(probes)}
    done = emulated(ptx, emulator.load(ptx.text, f"{ptx.name}.ptx"), [*arguments, *(Address(name, 0) for name in stored)],
                    {**launch.inputs, **stored}, launch.grid, how)
    if done.run.trap:
        return f"the first operation that differs could not be looked for: with stores of all values there is a trap: {done.run.trap.message}"
    return {name: done.arrays[name] for name in stored}


def _ours(text: str, launch: Launch, probes: list[Probe], programs: int, choices: Choices) -> dict[str, np.ndarray]:
    stored = {name: array_of(probes, name, programs) for name in names_of(probes)}
    memories = _with(launch.memories, [Memory(name, memory_dtype(element), stored[name].size) for name, element in names_of(probes).items()])
    module = runtime.loads(convert(read(text), memories, choices).compact())
    given = {name.removesuffix(".before"): array for name, array in launch.inputs.items()} | stored
    inputs = {one.name: given[one.name.removesuffix(".before")] for one in module.params() if one.role != "output"}
    run = module.run(inputs, grid=launch.grid)
    return {name: run.outputs[name] for name in stored}


def _with(memories: Memories, more: list[Memory]) -> Memories:
    first = len(memories.memories)
    tensors = [Tensor(one.name, first + number, 0, one.dtype, (one.count,), (1,)) for number, one in enumerate(more)]
    return Memories((*memories.memories, *more), (*memories.tensors, *tensors))


# ---- judging ----


def _first(flow: Dataflow, differing: dict[str, Probe], probed: set[str]) -> Probe | None:
    """The first one that is made of equal values; else, in a loop, the first one that is made of equal ones and of what it feeds.  What
    atomics return depends on the order of threads, so that they are told last."""
    made_of = {name: flow.nearest(name, probed) & set(differing) for name, one in differing.items() if not one.value.is_carried}
    roots = [name for name, unequal in made_of.items() if not unequal]
    looped = [name for name, unequal in made_of.items()
              if unequal and all(differing[one].value.is_carried and flow.feeds(name, one) for one in unequal)]
    computed = [name for name in (*roots, *looped) if differing[name].value.op.name not in ATOMICS]
    return next((differing[name] for name in (*computed, *roots, *looped, *made_of)), None)


def _told(probe: Probe, ours: np.ndarray, theirs: np.ndarray, grid: tuple[int, ...]) -> First:
    found = difference("", ours, theirs)
    program, element = divmod(found.index or 0, probe.size)
    value: Value = probe.value
    index = tuple(map(int, np.unravel_index(element, value.type.shape))) if value.type.shape else ()
    at = _users(value.op.location)
    return First(value.op.name, str(value.type), at.name if at else None, shown(at.file) if at else "", at.line if at else 0,
                 grid, tuple(map(int, np.unravel_index(program, grid))), index, found)


def _users(location: Location | None) -> Location | None:
    """The innermost place that is not in Triton's own library."""
    library = str(Path(triton.__file__).parent)
    while location is not None and location.file.startswith(library) and location.caller is not None:
        location = location.caller
    return location
