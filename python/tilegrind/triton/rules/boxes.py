"""Boxes of a tensor in memory: where their elements are, and which of them lie inside the tensor."""

from __future__ import annotations

from typing import Sequence

from ...ir.builder import Value
from ..lowering.converter import Converter
from ..lowering.values import Boxed, Pointers
from .pointers import advanced


def indices(conv: Converter, starts: Sequence[Value], box: Sequence[int]) -> list[Value]:
    """The indices of a box along each dimension, i64, each of a shape that broadcasts to that of the box."""
    return [counted(conv, start, box[dim], len(box), dim) for dim, start in enumerate(starts)]


def counted(conv: Converter, start: Value, extent: int, rank: int, dim: int) -> Value:
    """start, start + 1, ... along a dimension, i64."""
    kind = ("i64", tuple(extent if one == dim else 1 for one in range(rank)))
    first = conv.builder.broadcast(conv.builder.convert(start, "i64"), kind[1])
    return conv.builder.emit1("add", [first, conv.builder.emit1("iota", [], kind, axis=dim)], kind)


def elements(conv: Converter, one: Boxed, places: Sequence[Value], shape: tuple[int, ...]) -> tuple[Pointers, Value]:
    """Pointers to the elements with these indices along each dimension, and which of them are inside the tensor."""
    return where(conv, one, places, shape), inside(conv, one, places, shape, range(len(places)))


def where(conv: Converter, one: Boxed, places: Sequence[Value], shape: tuple[int, ...]) -> Pointers:
    offsets = [_with_scalar(conv, "mul", place, stride) for place, stride in zip(places, one.strides)]
    found = advanced(conv, one.base.at(one.base.offsets, shape), _folded(conv, "add", offsets, shape))
    return found.at(conv.builder.broadcast(found.offsets, shape), shape)


def inside(conv: Converter, one: Boxed, places: Sequence[Value], shape: tuple[int, ...], dims: Sequence[int]) -> Value:
    """Which elements are inside the tensor, as far as these dimensions tell."""
    return _folded(conv, "and", [_is_inside(conv, places[dim], one.extents[dim]) for dim in dims], shape)


def _is_inside(conv: Converter, place: Value, extent: Value) -> Value:
    builder, boolean = conv.builder, ("bool", place.shape)
    first = builder.broadcast(builder.constant(0, "i64"), place.shape)
    below = builder.emit1("lt", [place, builder.broadcast(extent, place.shape)], boolean)
    return builder.emit1("and", [builder.emit1("ge", [place, first], boolean), below], boolean)


def _with_scalar(conv: Converter, op: str, array: Value, scalar: Value) -> Value:
    return conv.builder.emit1(op, [array, conv.builder.broadcast(scalar, array.shape)], array.type)


def _folded(conv: Converter, op: str, values: Sequence[Value], shape: tuple[int, ...]) -> Value:
    wide = [conv.builder.broadcast(value, shape) for value in values]
    total = wide[0]
    for one in wide[1:]:
        total = conv.builder.emit1(op, [total, one], total.type)
    return total
