"""What loops and conditions carry: numbers as they are, and a pointer by its offsets."""

from __future__ import annotations

from typing import Sequence

from ...ir.builder import Value
from .converter import Converter
from .errors import Unsupported
from .values import Meaning, Pointers


def carried(conv: Converter, meanings: Sequence[Meaning]) -> list[Value]:
    """The value that stands for each meaning while a region runs."""
    return [_offsets(conv, one) if isinstance(one, Pointers) else one for one in meanings]


def _offsets(conv: Converter, one: Pointers) -> Value:
    offsets = conv.builder.constant(0, "i64") if one.offsets is None else conv.builder.convert(one.offsets, "i64")
    return conv.builder.broadcast(offsets, one.shape)


def as_carried(values: Sequence[Value], like: Sequence[Meaning]) -> list[Meaning]:
    """The meanings of carried values, pointers into the memory of those in `like`."""
    return [one.at(value, one.shape) if isinstance(one, Pointers) else value for value, one in zip(values, like)]


def check_same_memory(before: Sequence[Meaning], after: Sequence[Meaning]) -> None:
    """Raises Unsupported where a pointer is one into another array afterwards."""
    for one, other in zip(before, after, strict=True):
        if isinstance(one, Pointers) and (not isinstance(other, Pointers) or one.ref is not other.ref):
            raise Unsupported("a pointer that goes from one array to another is not supported")
