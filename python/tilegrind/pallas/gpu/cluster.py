"""The blocks of a cluster of Mosaic GPU: they run at the same time and reach each other's shared memory and barriers.

A cluster is one program, whose threads are those of all its blocks.  What each block has of its own is one array for all of them,
whose first dimensions are those of the cluster; a block sees its own part, and by its coordinates that of another one.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterator, Sequence

from ...ir.builder import Builder, Value
from ...ir.errors import Unsupported

Coordinates = Sequence[Value]


class Cluster:
    """names, shape   of its axes, as the mesh has them
    first_axis        the number of the first of them in the grid of the kernel"""

    def __init__(self, builder: Builder, names: Sequence[Any], shape: Sequence[int], first_axis: int) -> None:
        self.shape = tuple(shape)
        self._builder = builder
        self._names = tuple(names)
        self._first_axis = first_axis
        self._wholes: dict[int, Value] = {}  # by the id of the part that is the block's own

    def own(self, whole: Value) -> Value:
        """This block's part of an array that has one for each block."""
        return self._part(whole, self._here())

    def of_peer(self, own: Value, at: Coordinates) -> Value:
        """The part of the block at these coordinates that corresponds to this block's.  Raises Unsupported if it has none."""
        if own.id not in self._wholes:
            raise Unsupported("of memory that is not shared within a cluster, no other block has a part")
        return self._part(self._wholes[own.id], at)

    def whole(self, part: Value) -> Value | None:
        """The array of which the reference is a block's part."""
        return self._wholes.get(part.id)

    def parts(self, whole: Value) -> list[int]:
        """The ids of the references to parts of an array."""
        return [part for part, of in self._wholes.items() if of is whole]

    def _part(self, whole: Value, at: Coordinates) -> Value:
        shape = whole.shape[len(self.shape):]
        index = [["at"] for _ in self.shape] + [["slice", 0, extent, 1] for extent in shape]
        part = self._builder.view(whole, list(at), shape, index)
        self._wholes[part.id] = whole
        return part

    def _here(self) -> list[Value]:
        axes = range(self._first_axis, self._first_axis + len(self.shape))
        return [self._builder.emit1("program_id", [], ("i32", ()), axis=axis) for axis in axes]

    def axes(self, names: Any) -> tuple[int, ...]:
        """The axes of these names, which may be in groups, in the order of the cluster.  Raises Unsupported if there is no such
        axis."""
        names = list(_flat(names))
        unknown = [name for name in names if name not in self._names]
        if unknown:
            raise Unsupported(f"{unknown[0]!r} is no axis of the cluster")
        return tuple(number for number, name in enumerate(self._names) if name in names)

    def size(self, axes: Sequence[int]) -> int:
        """How many blocks differ in no coordinates but these."""
        return math.prod(self.shape[axis] for axis in axes)

    def rank(self, axes: Sequence[int]) -> Value:
        """The number of this block among those; the last axis counts fastest."""
        build, here = self._builder, self._here()
        rank = build.i32(0)
        for axis in axes:
            scaled = build.emit1("mul", [rank, build.i32(self.shape[axis])], ("i32", ()))
            rank = build.emit1("add", [scaled, here[axis]], ("i32", ()))
        return rank

    def members(self, axes: Sequence[int]) -> Iterator[Coordinates]:
        """The coordinates of those blocks, by rank."""
        here = self._here()
        for choice in itertools.product(*(range(self.shape[axis]) for axis in axes)):
            yield self.moved(dict(zip(axes, choice)), here)

    def by_first(self, axes: Sequence[int], do: Callable[[], None]) -> None:
        """Appends what `do` does for the first of those blocks only."""
        build = self._builder
        is_other = build.emit1("ne", [self.rank(axes), build.i32(0)], ("bool", ()))
        with build.region() as leads:
            do()
        with build.region() as follows:
            pass
        build.emit("switch", [is_other], [], [leads, follows])

    def moved(self, to: dict[int, int | Value], here: Coordinates | None = None) -> list[Value]:
        """The coordinates of the block that differs from this one on the axes in `to`, where it has those."""
        at = list(self._here() if here is None else here)
        for axis, number in to.items():
            at[axis] = self._builder.as_i32(number)
        return at

    def reached(self, groups: Sequence[Any]) -> Iterator[Coordinates]:
        """The coordinates of this block, and of those that differ from it within one of the groups of axes."""
        here = self._here()
        yield here
        for names in groups:
            axes = self.axes(names)
            for step in range(1, self.size(axes)):
                yield self._stepped(here, axes, step)

    def arrivals(self, groups: Sequence[Any]) -> int:
        """How many blocks reach this one in that way."""
        return sum(self.size(self.axes(names)) - 1 for names in groups) + 1

    def _stepped(self, here: Coordinates, axes: Sequence[int], step: int) -> list[Value]:
        """The block whose rank along these axes is greater by `step`, around the end."""
        build = self._builder
        rank = build.emit1("add", [self.rank(axes), build.i32(step)], ("i32", ()))
        at = list(here)
        for axis in reversed(axes):
            extent = build.i32(self.shape[axis])
            at[axis] = build.emit1("rem", [rank, extent], ("i32", ()))
            rank = build.emit1("div", [rank, extent], ("i32", ()))
        return at


def _flat(names: Any) -> Iterator[Any]:
    if isinstance(names, (tuple, list)):
        for name in names:
            yield from _flat(name)
    else:
        yield names
