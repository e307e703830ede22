"""What loops and conditions carry: numbers as they are, a pointer by its offsets, a descriptor or a block pointer by its
pointer and its numbers.

A pointer that goes from one array to another is carried by its virtual address.  That it does is only seen when what is inside has
been converted; then that is converted once more."""

from __future__ import annotations

from typing import Callable, Collection, Iterator, Sequence, TypeVar

from ...ir.builder import Value
from . import pointers
from .converter import Converter
from .errors import Unsupported
from .values import Boxed, Meaning, Pointers

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
    """The values that stand for the meanings while a region runs."""
    return [value for number, one in enumerate(meanings) for value in _parts(conv, one, number in moving)]


def _parts(conv: Converter, one: Meaning, moves: bool) -> list[Value]:
    if isinstance(one, Boxed):
        return [_offsets(conv, one.base, moves), *one.parts]
    return [_offsets(conv, one, moves)] if isinstance(one, Pointers) else [one]


def _offsets(conv: Converter, one: Pointers, moves: bool) -> Value:
    if moves or one.known is None:
        return pointers.virtual(conv, one)
    offsets = conv.builder.constant(0, "i64") if one.offsets is None else conv.builder.convert(one.offsets, "i64")
    return conv.builder.broadcast(offsets, one.shape)


def as_carried(conv: Converter, values: Sequence[Value], like: Sequence[Meaning],
               moving: frozenset[int] = frozenset()) -> list[Meaning]:
    """The meanings of carried values, pointers into the memory of those in `like`, or any if they move."""
    left = iter(values)
    return [_meaning(conv, left, one, number in moving) for number, one in enumerate(like)]


def _meaning(conv: Converter, left: Iterator[Value], like: Meaning, moves: bool) -> Meaning:
    if isinstance(like, Boxed):
        base = _pointers(conv, next(left), like.base, moves)
        return like.of(base, [next(left) for _ in like.parts])
    return _pointers(conv, next(left), like, moves) if isinstance(like, Pointers) else next(left)


def _pointers(conv: Converter, value: Value, like: Pointers, moves: bool) -> Pointers:
    return pointers.unknown(conv.memories.places, like.pointee, value) if moves else like.at(value, like.shape)


def check_same_memory(before: Sequence[Meaning], after: Sequence[Meaning], moving: frozenset[int] = frozenset()) -> None:
    """Raises Moving where a pointer is one into another array afterwards, and Unsupported where it is none, or boxes have other
    extents."""
    found = []
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        if isinstance(one, Boxed):
            if not isinstance(other, Boxed) or one.of(other.base, other.parts) != other:
                raise Unsupported("a descriptor or block pointer that becomes one with other boxes or padding is not supported")
            one, other = one.base, other.base
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
