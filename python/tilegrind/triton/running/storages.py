"""Arrays of a program as memory of a launch: those that overlap are tensors in one memory, and a launch writes right there.

A tensor lies in a *storage*, which is what was allocated: that of a torch tensor, or the array that a numpy array is a view of."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Iterable

import numpy as np

from ...ir import dtypes
from ..launch.memories import Memories, Memory
from ..lowering.values import Tensor
from .arrays import as_numpy


@dataclass(frozen=True)
class Passed:
    """An array that was passed for a parameter, or that a launch may reach.

    name        of the parameter
    dtype       ours, of its elements
    array       the elements, of a dtype as wide
    start, end  addresses of its storage
    """

    name: str
    dtype: str
    array: np.ndarray
    start: int
    end: int

    @property
    def address(self) -> int:
        return self.array.ctypes.data

    @property
    def size(self) -> int:
        return self.array.dtype.itemsize


@dataclass(frozen=True)
class Bound:
    """What a launch runs on.

    memories   and the tensors in them: the same for all launches that can share a module
    arrays     the memory itself, by name
    addresses  of its first byte, by name
    passed     the arrays of each memory, by name
    """

    memories: Memories
    arrays: dict[str, np.ndarray]
    addresses: dict[str, int]
    passed: dict[str, list[Passed]]

    def check_writable(self, names: Iterable[str]) -> None:
        """Raises ValueError if a memory that a kernel writes is one of a numpy array that is read-only."""
        for name in names:
            for one in self.passed[name]:
                if not one.array.flags.writeable:
                    raise ValueError(f"{one.name}: the array is read-only, and the kernel writes to its memory")


def passed(name: str, argument: Any, dtype: str) -> Passed:
    """Raises TypeError for what is no array, and ValueError for one that no kernel can run on; both name the parameter."""
    try:
        array = as_numpy(argument)
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"{name}: {problem}") from None
    wanted = dtypes.numpy_dtype(dtype)
    if array.dtype.itemsize != wanted.itemsize:
        raise ValueError(f"{name}: an array of {array.dtype} as one of {dtype}")
    if any(stride < 0 for stride in array.strides):
        raise ValueError(f"{name}: its strides are {array.strides}; negative ones are not supported")
    if any(stride % array.dtype.itemsize for stride in array.strides):
        raise ValueError(f"{name}: its strides, {array.strides} bytes, are no multiples of its elements' size")
    start, end = storage_of(argument, array)
    return Passed(name, dtype, array, start, end)


def storage_of(argument: Any, array: np.ndarray) -> tuple[int, int]:
    """The addresses where the storage of an array begins and ends; `array` has its elements."""
    if hasattr(argument, "untyped_storage"):
        storage = argument.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    if not isinstance(argument, np.ndarray) and hasattr(argument, "base"):
        return storage_of(argument.base, array)  # of a triton.TensorWrapper
    return np.lib.array_utils.byte_bounds(owner_of(array))


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that one of numpy is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def bind(arrays: list[Passed]) -> Bound:
    """Groups arrays by what they overlap with."""
    groups: list[list[Passed]] = []
    for one in sorted(arrays, key=lambda one: (one.start, -one.end)):
        if groups and one.start < max(other.end for other in groups[-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    order = {id(one): number for number, one in enumerate(arrays)}
    groups = [sorted(group, key=lambda one: order[id(one)]) for group in groups]
    groups.sort(key=lambda group: order[id(group[0])])
    return _bound(groups)


def _bound(groups: list[list[Passed]]) -> Bound:
    memories, tensors, found = [], [], Bound(Memories((), ()), {}, {}, {})
    for number, group in enumerate(groups):
        memory, first = _memory(group)
        memories.append(memory)
        tensors += [(one, Tensor(one.name, number, one.address - first, one.dtype, one.array.shape,
                                 tuple(stride // one.size for stride in one.array.strides))) for one in group]
        found.arrays[memory.name] = _array(memory, first)
        found.addresses[memory.name] = first
        found.passed[memory.name] = group
    return Bound(Memories(tuple(memories), tuple(tensor for _, tensor in tensors)), found.arrays, found.addresses, found.passed)


def _memory(group: list[Passed]) -> tuple[Memory, int]:
    """The memory of arrays that overlap, and its address: of elements of their dtype, or of bytes where the elements do not fit each
    other."""
    start, end = min(one.start for one in group), max(one.end for one in group)
    name = ", ".join(dict.fromkeys(one.name for one in group))
    size = group[0].size
    first = start + (group[0].address - start) % size
    if all(one.size == size and (one.address - first) % size == 0 for one in group):
        return Memory(name, group[0].dtype, (end - first) // size), first
    return Memory(name, "u8", end - start), start


def _array(memory: Memory, address: int) -> np.ndarray:
    """The memory at an address; whoever owns it keeps it meanwhile."""
    dtype = dtypes.numpy_dtype(memory.dtype)
    size = memory.count * dtype.itemsize
    if size <= 0:
        return np.empty(0, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
