"""What loops and conditions carry: numbers as they are, and a pointer by its offsets.

A pointer that goes from one array to another is carried by its virtual address.  That it does is only seen when what is inside has
been converted; then that is converted once more."""

from __future__ import annotations

from typing import Callable, Collection, Sequence, TypeVar

from ...ir.builder import Value
from . import pointers
from .converter import Converter
from .errors import Unsupported
from .values import Meaning, Pointers

Result = TypeVar("Result")


class Moving(Exception):
    """Pointers at these positions go from one array to another."""

    def __init__(self, positions: Collection[int]) -> None:
        super().__init__(positions)
        self.positions = frozenset(positions)


def settled(attempt: Callable[[frozenset[int]], Result]) -> Result:
    """What `attempt` gives for the positions of pointers that move; it raises Moving where there are more of them."""
    moving: frozenset[int] = frozenset()
    while True:
        try:
            return attempt(moving)
        except Moving as more:
            moving |= more.positions


def carried(conv: Converter, meanings: Sequence[Meaning], moving: frozenset[int] = frozenset()) -> list[Value]:
    """The value that stands for each meaning while a region runs."""
    return [_value(conv, one, number in moving) for number, one in enumerate(meanings)]


def _value(conv: Converter, one: Meaning, moves: bool) -> Value:
    if not isinstance(one, Pointers):
        return one
    if moves or one.known is None:
        return pointers.virtual(conv, one)
    offsets = conv.builder.constant(0, "i64") if one.offsets is None else conv.builder.convert(one.offsets, "i64")
    return conv.builder.broadcast(offsets, one.shape)


def as_carried(conv: Converter, values: Sequence[Value], like: Sequence[Meaning],
               moving: frozenset[int] = frozenset()) -> list[Meaning]:
    """The meanings of carried values, pointers into the memory of those in `like`, or any if they move."""
    return [_meaning(conv, value, one, number in moving) for number, (value, one) in enumerate(zip(values, like))]


def _meaning(conv: Converter, value: Value, one: Meaning, moves: bool) -> Meaning:
    if not isinstance(one, Pointers):
        return value
    return pointers.unknown(conv.memories.places, one.pointee, value) if moves else one.at(value, one.shape)


def check_same_memory(before: Sequence[Meaning], after: Sequence[Meaning], moving: frozenset[int] = frozenset()) -> None:
    """Raises Moving where a pointer is one into another array afterwards, and Unsupported where it is none."""
    found = []
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if isinstance(one, Pointers) != isinstance(other, Pointers):
            raise Unsupported("a pointer in the place of a number")
        if isinstance(one, Pointers) and number not in moving and not _is_same(one, other):
            found.append(number)
    if found:
        raise Moving(found)


def _is_same(one: Pointers, other: Pointers) -> bool:
    if one.known is not None or other.known is not None:
        return one.known is other.known
    return {place.number for place in other.options} <= {place.number for place in one.options}
