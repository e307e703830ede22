"""A launch of a kernel that is ready to run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping

import numpy as np

from ... import runtime
from ..launch.memories import Memories
from .undefined import Undefined


@dataclass(frozen=True)
class Address:
    """A parameter that is a pointer: the input of our module with the memory that it points into, and the byte there."""

    input: str
    offset: int


@dataclass(frozen=True)
class Number:
    """A parameter that is a number: the input of our module that has it."""

    input: str


Argument = Address | Number


def argument_of(name: str, places: Mapping[str, tuple[str, int]], inputs: Mapping[str, np.ndarray]) -> Argument:
    """The argument of a parameter; `places` has the memory and the byte of those that are pointers."""
    if name not in places:
        return Number(name)
    memory, offset = places[name]
    return Address(f"{memory}.before" if f"{memory}.before" in inputs else memory, offset)


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel.

    name       of the kernel
    module     ours, which has it alone
    inputs     by name; memory that the kernel writes is there as `x.before`, and is the same as the output `x`
    grid       (z, y, x)
    outputs    the memory that the launch writes to, by name
    undefined  which of it is undefined
    arguments  what each parameter of Triton's kernel gets; a text says why that is more than numbers and addresses in the inputs
    memories   of which the inputs are, and the tensors in them
    made_of    the source that Triton has compiled, and its options, as it gives them to a launcher; None where they are not known
    """

    name: str
    module: runtime.Module
    inputs: dict[str, np.ndarray]
    grid: tuple[int, ...]
    outputs: dict[str, np.ndarray]
    undefined: Undefined
    memories: Memories = Memories((), ())
    arguments: tuple[Argument, ...] | str = "what the kernel gets is not known"
    made_of: tuple[Any, Any] | None = None

    def kept(self) -> Launch:
        """The launch with copies of its inputs, as they are before it changes them."""
        return replace(self, inputs={name: array.copy() for name, array in self.inputs.items()})
