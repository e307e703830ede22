"""The memory that a launch has, and the tensors in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

from ..lowering.values import Tensor


@dataclass(frozen=True)
class Memory:
    """Memory that overlaps no other one: a parameter of our kernel, of one dimension."""

    name: str
    dtype: str
    count: int


@dataclass(frozen=True)
class Memories:
    """All memories of a launch, and the tensors in them; those of parameters have the names of these."""

    memories: tuple[Memory, ...]
    tensors: tuple[Tensor, ...]


def apart(sizes: Mapping[str, int], dtypes: Mapping[str, str]) -> Memories:
    """A memory for each parameter, which is all of it."""
    memories = tuple(Memory(name, dtypes[name], count) for name, count in sizes.items())
    tensors = tuple(Tensor(one.name, number, 0, one.dtype, (one.count,), (1,)) for number, one in enumerate(memories))
    return Memories(memories, tensors)
