"""A kernel whose values are also stored where they can be looked at: the text of its TTIR, with a store behind each of them.

A value has a place in an array of its dtype, for each program, and what is there in the end is from the last time that it was computed."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Sequence

import numpy as np

from ...ir import dtypes
from ..lowering import values as meanings
from .dataflow import Dataflow, Value

_MOVES = ("tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans", "tt.join", "tt.split", "tt.cat", "tt.unsplat", "scf.for",
          "scf.if", "scf.while", "arith.constant")
_STORED = {"i1": "i8"}  # as which dtype, where it is another one
_KNOWN = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i1", "i8", "i16", "i32", "i64")
MOST_BYTES = 1 << 29


class TooMuch(Exception):
    """The values take more memory than there is for them."""


@dataclass(frozen=True)
class Probe:
    """Where a value is: `start` is the index of the first program's, in the array `array`."""

    value: Value
    element: str
    array: str
    start: int

    @property
    def size(self) -> int:
        return prod(self.value.type.shape or ())

    def of(self, arrays: dict[str, np.ndarray], programs: int) -> np.ndarray:
        """The values of all programs, a row for each."""
        return arrays[self.array][self.start:self.start + programs * self.size].reshape(programs, self.size)


def probes_of(flow: Dataflow, programs: int) -> list[Probe]:
    """A probe for each value that is computed of data; not for those that only move elements.  Raises TooMuch."""
    starts: dict[str, int] = {}
    found = []
    for value in flow.values.values():
        if not _is_probed(flow, value):
            continue
        element = _STORED.get(value.type.element, value.type.element)
        array = f"probed_{element.lower()}"
        found.append(Probe(value, element, array, starts.get(array, 0)))
        starts[array] = found[-1].start + programs * found[-1].size
    if sum(array_of(found, name, programs).nbytes for name in starts) > MOST_BYTES:
        raise TooMuch(f"the values of its operations take more than {MOST_BYTES >> 20} MiB")
    return found


def _is_probed(flow: Dataflow, value: Value) -> bool:
    is_move = not value.is_carried and value.op.name in _MOVES
    return value.line is not None and value.type is not None and value.type.element in _KNOWN and not is_move and flow.is_data(value.name)


def array_of(probes: Sequence[Probe], name: str, programs: int) -> np.ndarray:
    """The array of that name, all 0."""
    own = [one for one in probes if one.array == name]
    return np.zeros(max(one.start + programs * one.size for one in own), dtypes.numpy_dtype(meanings.memory_dtype(own[0].element)))


def names_of(probes: Sequence[Probe]) -> dict[str, str]:
    """The arrays, in the order of the kernel's additional parameters, with the types of their elements."""
    return {one.array: one.element for one in probes}


def with_probes(text: str, entry_line: int, probes: Sequence[Probe]) -> str:
    """The text of a kernel with stores; its function begins in that line."""
    lines = text.split("\n")
    behind: dict[int, list[str]] = {entry_line: _position()}
    for number, probe in enumerate(probes):
        behind.setdefault(probe.value.line, []).extend(_stores(probe, f"%probe{number}"))
    lines[entry_line - 1] = _with_parameters(lines[entry_line - 1], names_of(probes))
    return "\n".join(one for number, line in enumerate(lines, 1) for one in (line, *behind.get(number, ())))


def _with_parameters(line: str, arrays: dict[str, str]) -> str:
    at = max(line.rfind(") attributes {"), line.rfind(") {"))
    added = ", ".join(f"%{name}: !tt.ptr<{element}> {{tt.divisibility = 16 : i32}}" for name, element in arrays.items())
    return f"{line[:at]}{'' if line[:at].endswith('(') else ', '}{added}{line[at:]}"


def _position() -> list[str]:
    """The number of the program, as `%probed_program`."""
    lines = [f"%probed_{axis} = tt.get_program_id {axis} : i32" for axis in "xyz"]
    lines += [f"%probed_n{axis} = tt.get_num_programs {axis} : i32" for axis in "xy"]
    return lines + ["%probed_a = arith.muli %probed_z, %probed_ny : i32", "%probed_b = arith.addi %probed_a, %probed_y : i32",
                    "%probed_c = arith.muli %probed_b, %probed_nx : i32", "%probed_program = arith.addi %probed_c, %probed_x : i32"]


def _stores(probe: Probe, p: str) -> list[str]:
    """The lines that store a value; `p` begins the names of theirs."""
    kind, n, element = probe.value.type, probe.size, probe.element
    held, lines = probe.value.name, []
    if element != kind.element:
        lines.append(f"{p}w = arith.extui {held} : {kind} to {kind.of(element)}")
        held = f"{p}w"
    lines += [f"{p}s = arith.constant {probe.start} : i32", f"{p}n = arith.constant {n} : i32", f"{p}m = arith.muli %probed_program, {p}n : i32",
              f"{p}o = arith.addi {p}s, {p}m : i32", f"{p}p = tt.addptr %{probe.array}, {p}o : !tt.ptr<{element}>, i32"]
    if kind.shape is None:
        return [*lines, f"tt.store {p}p, {held} : !tt.ptr<{element}>"]
    flat, pointers = f"tensor<{n}x{element}>", f"tensor<{n}x!tt.ptr<{element}>>"
    if len(kind.shape) != 1:
        lines.append(f"{p}f = tt.reshape {held} : {kind.of(element)} -> {flat}")
        held = f"{p}f"
    return [*lines, f"{p}r = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32>",
            f"{p}q = tt.splat {p}p : !tt.ptr<{element}> -> {pointers}",
            f"{p}a = tt.addptr {p}q, {p}r : {pointers}, tensor<{n}xi32>", f"tt.store {p}a, {held} : {pointers}"]
