"""How the memory of a launch differs, between the reference and another backend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, Mapping

import numpy as np

from ...comparison import UNCOUNTED, compare
from ..launch.memories import Memories
from ..running.launches import Launch


@dataclass(frozen=True)
class Difference:
    """How a memory is in the end, by the reference and by the other backend.

    name       of the parameter, or of all that are in this memory
    elements   of it, and `differing`, those whose bits differ; NaNs of any bits are alike
    largest    difference of two values; infinite where one of them is no number
    ulps       largest distance in ULP; None: between NaN and a number
    index      in memory, of the element that is farthest in ULP, and `ours` and `theirs`, its values
    by         the other backend, for people
    shape      of the only tensor in this memory, if that is all of it; else None
    """

    name: str
    elements: int
    differing: int
    largest: float
    ulps: int | None
    index: int | None
    ours: Any = None
    theirs: Any = None
    by: str = "Triton's PTX"
    shape: tuple[int, ...] | None = None

    @property
    def place(self) -> list[int] | int | None:
        """The index in the tensor, where it is known, else that in memory."""
        return self.index if self.index is None or not self.shape else [int(one) for one in np.unravel_index(self.index, self.shape)]

    def within(self, ulps: int, most: float) -> bool:
        """Whether no element differs by more than both of these."""
        return not self.differing or (self.ulps is not None and self.ulps <= ulps) or self.largest <= most

    def __str__(self) -> str:
        if not self.differing:
            return f"{self.name}: all {self.elements} equal"
        far = "as far as NaN from a number" if self.ulps is None else f"by {self.ulps} ULP"
        return (f"{self.name}: {self.differing} of {self.elements} differ, {far} and {self.largest:.3g} at most: "
                f"at {self.place} {self.ours!s} by the reference, {self.theirs!s} by {self.by}")


def differences(launch: Launch, theirs: Mapping[str, np.ndarray], by: str = "Triton's PTX") -> list[Difference]:
    """Of each memory in `theirs`, which has them by the names of the launch's inputs; the launch has ended."""
    found = [difference(name.removesuffix(".before"), launch.inputs[name], array, by) for name, array in theirs.items()]
    return [replace(one, shape=_shape(launch.memories, one.name)) for one in found]


def _shape(memories: Memories, name: str) -> tuple[int, ...] | None:
    number = next(number for number, one in enumerate(memories.memories) if one.name == name)
    tensors = [one for one in memories.tensors if one.memory == number]
    first, steps = tensors[0], _dense(tensors[0].shape)
    is_all = len(tensors) == 1 and first.offset == 0 and first.strides == steps and prod(first.shape) == memories.memories[number].count
    return first.shape if is_all else None


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a row-major tensor, in elements."""
    return tuple(prod(shape[place + 1:]) for place in range(len(shape)))


def difference(name: str, ours: np.ndarray, theirs: np.ndarray, by: str = "Triton's PTX") -> Difference:
    """Of two arrays of one dtype and shape."""
    found = compare(theirs, ours)
    if found.worst is None:
        return Difference(name, found.count, 0, 0.0, 0, None, by=by)
    ours, theirs = ours.reshape(-1), theirs.reshape(-1)
    ulps = None if found.worst_ulps == UNCOUNTED else found.worst_ulps
    return Difference(name, found.count, found.differing, _largest(ours, theirs), ulps, found.worst, ours[found.worst], theirs[found.worst], by)


def _largest(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference of two values that differ; infinite where it is no number."""
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    is_same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        distance = np.where(is_same, 0.0, np.abs(a - b))
    return float(np.where(np.isnan(distance), np.inf, distance).max())
