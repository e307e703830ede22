"""The devices of a mesh on which one kernel runs at the same time, whose programs reach each other's memory.

Such a kernel is one for all devices: the axes of the mesh are the first axes of its grid, and its arrays and semaphores have one part
for each device.  A program sees the part of its own device, and by coordinates in the mesh that of another one.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterator, Mapping, Sequence

import jax

from ...ir.builder import Builder, Value
from ...ir.errors import Unsupported

Coordinates = Sequence[Value]


class Devices:
    """names, shape  of the axes of the mesh"""

    def __init__(self, axes: Mapping[Any, int]) -> None:
        self.names: tuple[Any, ...] = tuple(axes)
        self.shape: tuple[int, ...] = tuple(axes.values())
        # By the id of a device's part: the whole, and the axes of the grid that choose a block's part of that.
        self._wholes: dict[int, tuple[Value, tuple[int, ...]]] = {}
        self._semaphores: dict[Any, Value] = {}

    def axes(self) -> list[tuple[int, Any, str]]:
        """Size, name and semantics of the axes of the grid that tell devices apart."""
        return [(size, name, "parallel") for size, name in zip(self.shape, self.names)]

    def own(self, build: Builder, whole: Value, axes: Sequence[int] = ()) -> Value:
        """This device's part of an array that has one for each device and, along these axes of the grid, for each block."""
        return self._part(build, whole, axes, self.here(build))

    def of_peer(self, build: Builder, own: Value, at: Coordinates) -> Value:
        """The part of the device at these coordinates that corresponds to this device's.  Raises Unsupported if it has none."""
        if own.id not in self._wholes:
            raise Unsupported("only whole arrays of the kernel and semaphores can be reached on another device")
        return self._part(build, *self._wholes[own.id], at)

    def has(self, part: Value) -> bool:
        """Whether the reference is to a device's part."""
        return part.id in self._wholes

    def again(self, build: Builder, part: Value) -> Value:
        """That part of this device, where the reference `part` cannot be seen."""
        return self.own(build, *self._wholes[part.id])

    def semaphores(self, build: Builder, key: Any, make: Callable[[Value], None], shape: Sequence[int] = ()) -> Value:
        """This device's part of semaphores of that shape, the same for the same `key`; `make` is given the whole of new ones."""
        if key not in self._semaphores:
            self._semaphores[key] = build.value("sem", (*self.shape, *shape), is_ref=True)
            make(self._semaphores[key])
        return self.own(build, self._semaphores[key])

    def _part(self, build: Builder, whole: Value, axes: Sequence[int], at: Coordinates) -> Value:
        operands = [*at, *_program_ids(build, axes)]
        shape = whole.shape[len(operands) :]
        index = [["at"] for _ in operands] + [["slice", 0, extent, 1] for extent in shape]
        part = build.view(whole, operands, shape, index)
        self._wholes[part.id] = whole, tuple(axes)
        return part

    def here(self, build: Builder) -> list[Value]:
        return _program_ids(build, range(len(self.shape)))

    def members(self, build: Builder, names: Any) -> Iterator[Coordinates]:
        """The coordinates of the devices that differ from this one on no axes but these, in their order in the mesh."""
        names = names if isinstance(names, (tuple, list)) else (names,)
        axes = sorted(self._axis(name) for name in names)
        here = self.here(build)
        for choice in itertools.product(*(range(self.shape[axis]) for axis in axes)):
            at = list(here)
            for axis, number in zip(axes, choice):
                at[axis] = build.i32(number)
            yield at

    def named(self, build: Builder, device: Any, kind: Any) -> Coordinates:
        """The coordinates of the device that an operation names: by its coordinates, all of them or those of some axes, or by its
        number.  Raises Unsupported if they are not those of a device of the mesh."""
        if isinstance(device, dict):
            return self._moved(build, device)
        if getattr(kind, "name", "MESH") == "LOGICAL":
            return self._split(build, device, range(len(self.shape)))
        numbers = jax.tree.leaves(device)
        if len(numbers) != len(self.shape):
            raise Unsupported(f"{len(numbers)} coordinates do not name a device of a mesh of {len(self.shape)} axes")
        return [build.as_i32(number) for number in numbers]

    def _moved(self, build: Builder, to: dict[Any, Any]) -> Coordinates:
        """The device that differs from this one on the axes in `to`; axes in a tuple count as one."""
        at = self.here(build)
        for name, number in to.items():
            axes = [self._axis(one) for one in (name if isinstance(name, tuple) else (name,))]
            for axis, coordinate in zip(axes, self._split(build, number, axes)):
                at[axis] = coordinate
        return at

    def _split(self, build: Builder, number: Any, axes: Sequence[int]) -> list[Value]:
        """The coordinates on these axes of a number that counts along them, the last axis fastest."""
        if len(axes) == 1:
            return [build.as_i32(number)]
        found, inner = [], math.prod(self.shape[axis] for axis in axes)
        for axis in axes:
            inner //= self.shape[axis]
            above = build.emit1("div", [build.as_i32(number), build.i32(inner)], ("i32", ()))
            # Of the first axis no remainder is taken, so that a number that no device has is found to be outside.
            found.append(above if axis == axes[0] else build.emit1("rem", [above, build.i32(self.shape[axis])], ("i32", ())))
        return found

    def _axis(self, name: Any) -> int:
        if name not in self.names:
            raise Unsupported(f"{name!r} is not an axis of the mesh of devices")
        return self.names.index(name)


def _program_ids(build: Builder, axes: Sequence[int]) -> list[Value]:
    return [build.emit1("program_id", [], ("i32", ()), axis=axis) for axis in axes]


# -- a launch on all devices --


def gathered(devices: Devices, array: Any) -> Any:
    """The parts of an array that all devices have, by their coordinates."""
    parts = jax.lax.all_gather(array, devices.names)
    return parts.reshape((*devices.shape, *array.shape))


def own_part(devices: Devices, parts: Any) -> Any:
    """The part of the device on which this runs."""
    rank = len(devices.shape)
    parts = parts.reshape((math.prod(devices.shape), *parts.shape[rank:]))
    return jax.lax.dynamic_index_in_dim(parts, jax.lax.axis_index(devices.names), keepdims=False)
