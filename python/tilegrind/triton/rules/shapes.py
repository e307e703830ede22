"""Constants, and operations that make arrays of other shapes; pointers follow by their offsets."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering import ranks
from ..lowering.values import Pointers, dims_of, shape_of
from ..ttir.syntax import Bits, Literal, Op
from ..ttir.types import Type


@rule("arith.constant")
def _constant(conv: Converter, op: Op, operands: list[Any]) -> Value:
    dtype, shape = number_type(op.outputs[0])
    (value,) = op.words
    value = value.values if isinstance(value, Literal) else value
    elements = _elements(value, dtype)
    if not shape:
        return conv.builder.constant(elements, dtype)
    if elements.ndim == 0 or elements.size == 1:
        return conv.builder.broadcast(conv.builder.constant(elements.reshape(()), dtype), shape)
    return conv.builder.constant(elements.reshape(shape), dtype, shape)


def _elements(value: Any, dtype: str) -> np.ndarray:
    numpy = dtypes.numpy_dtype(dtype)
    if isinstance(value, bytes):
        return np.frombuffer(value, numpy)
    if isinstance(value, Bits):
        width = numpy.itemsize
        return np.frombuffer(value.bits.to_bytes(width, "little"), numpy)[0]
    if isinstance(value, list):
        return np.array([_elements(one, dtype) for one in value], numpy)
    return np.asarray(value).astype(numpy)


@rule("ub.poison")
def _poison(conv: Converter, op: Op, operands: list[Any]) -> Value:
    return conv.builder.emit1("undefined", [], number_type((op.outputs or op.inputs)[0]))


@rule("tt.make_range")
def _range(conv: Converter, op: Op, operands: list[Any]) -> Value:
    start, end = op.attributes["start"], op.attributes["end"]
    kind = ("i32", (end - start,))
    count = conv.builder.emit1("iota", [], kind, axis=0)
    if not start:
        return count
    return conv.builder.emit1("add", [count, conv.builder.broadcast(conv.builder.constant(start, "i32"), kind[1])], kind)


def _reshaped(conv: Converter, value: Any, before: Type, after: Type, change: Callable[[Value], Value]) -> Any:
    """Applies `change` to a value, or to the offsets of pointers."""
    if not isinstance(value, Pointers):
        return change(value)
    if value.offsets is None:
        return value.at(None, shape_of(after))
    return value.at(change(conv.builder.broadcast(value.offsets, shape_of(before))), shape_of(after))


@rule("tt.splat")
def _splat(conv: Converter, op: Op, operands: list[Any]) -> Any:
    (value,) = operands
    shape = shape_of(op.outputs[0])
    return value.at(value.offsets, shape) if isinstance(value, Pointers) else conv.builder.broadcast(value, shape)


@rule("tt.broadcast")
def _broadcast(conv: Converter, op: Op, operands: list[Any]) -> Any:
    (value,) = operands
    before, after = dims_of(op.inputs[0]), dims_of(op.outputs[0])
    if isinstance(value, Pointers) and len(after) <= ranks.MOST:
        return value.at(value.offsets, after)  # they stay small
    return _reshaped(conv, value, op.inputs[0], op.outputs[0], lambda one: ranks.broadcast(conv.builder, one, before, after))


@rule("tt.unsplat")
def _unsplat(conv: Converter, op: Op, operands: list[Any]) -> Any:
    """The element of an array that has one."""
    element = Type(op.inputs[0].element)
    return _reshaped(conv, operands[0], op.inputs[0], element, lambda value: conv.builder.reshape(value, ()))


@rule("tt.expand_dims", "tt.reshape")
def _reshape(conv: Converter, op: Op, operands: list[Any]) -> Any:
    shape = shape_of(op.outputs[0])
    return _reshaped(conv, operands[0], op.inputs[0], op.outputs[0], lambda value: conv.builder.reshape(value, shape))


@rule("tt.trans")
def _transpose(conv: Converter, op: Op, operands: list[Any]) -> Any:
    dims, order = dims_of(op.inputs[0]), list(op.attributes["order"])
    return _reshaped(conv, operands[0], op.inputs[0], op.outputs[0], lambda value: ranks.transpose(conv.builder, value, dims, order))


@rule("tt.cat")
def _cat(conv: Converter, op: Op, operands: list[Any]) -> Value:
    values = conv.numbers(operands)
    return conv.builder.emit1("concatenate", values, number_type(op.outputs[0]), axis=0)


@rule("tt.join")
def _join(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """Two arrays side by side in a new last dimension."""
    dtype, shape = number_type(op.outputs[0])
    values = conv.numbers(operands)
    count = math.prod(values[0].shape)
    columns = [conv.builder.reshape(value, (count, 1)) for value in values]
    return conv.builder.reshape(conv.builder.emit1("concatenate", columns, (dtype, (count, 2)), axis=1), shape)


@rule("tt.split")
def _split(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    (value,) = conv.numbers(operands)
    columns = conv.builder.reshape(value, (math.prod(value.shape) // 2, 2))
    return [conv.builder.reshape(part(conv, columns, 1, number, 1), shape_of(op.outputs[0])) for number in range(2)]


def part(conv: Converter, value: Value, axis: int, start: int, size: int, stride: int = 1) -> Value:
    """`size` elements of `value` along an axis."""
    shape = tuple(size if dim == axis else extent for dim, extent in enumerate(value.shape))
    starts = [start if dim == axis else 0 for dim in range(len(shape))]
    strides = [stride if dim == axis else 1 for dim in range(len(shape))]
    return conv.builder.emit1("slice", [value], (value.dtype, shape), start=starts, stride=strides)
