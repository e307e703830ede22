"""Elements that indices choose: `gather` along an axis, and histograms."""

from __future__ import annotations

import math
from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.values import dims_of, shape_of
from ..ttir.syntax import Op
from .checks import check_all


@rule("tt.gather")
def _gather(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """An index outside is undefined in Triton: the element is undefined, and a finding says which."""
    value, index = conv.numbers(operands)
    dims, wanted, axis = dims_of(op.inputs[0]), dims_of(op.inputs[1]), op.attributes["axis"]
    _check_inside(conv, index, dims[axis], wanted)
    before, after = math.prod(dims[:axis]), math.prod(dims[axis + 1:])
    value = conv.builder.reshape(value, (before, dims[axis], after))
    index = conv.builder.reshape(index, (before, wanted[axis], after, 1))
    found = conv.builder.emit1("gather", [value, index], (value.dtype, index.shape[:-1]), offset_dims=[], collapsed_dims=[1],
                               start_index_map=[1], operand_batch=[0, 2], indices_batch=[0, 2], slice_sizes=[1, 1, 1], mode="fill")
    return conv.builder.reshape(found, shape_of(op.outputs[0]))


def _check_inside(conv: Converter, index: Value, extent: int, dims: tuple[int, ...]) -> None:
    builder, boolean = conv.builder, ("bool", index.shape)
    first, end = (builder.broadcast(builder.constant(number, index.dtype), index.shape) for number in (0, extent))
    is_inside = builder.emit1("and", [builder.emit1("ge", [index, first], boolean), builder.emit1("lt", [index, end], boolean)], boolean)
    check_all(conv, is_inside, dims, f"gather: an index is outside 0 to {extent - 1}")


@rule("tt.histogram")
def _histogram(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """Counts of 0, 1, 2 ...; other elements, and those that are masked off, count nowhere."""
    builder, (values, *masks) = conv.builder, conv.numbers(operands)
    result = number_type(op.outputs[0])
    values = builder.convert(values, "i64")
    for mask in masks:
        nowhere = builder.broadcast(builder.constant(-1, "i64"), values.shape)
        values = builder.emit1("select", [mask, nowhere, values], values.type)
    counts = builder.broadcast(builder.constant(0, result[0]), result[1])
    ones = builder.broadcast(builder.constant(1, result[0]), values.shape)
    where = builder.reshape(values, (*values.shape, 1))
    return builder.emit1("scatter", [counts, where, ones], result, offset_dims=[], collapsed_dims=[0], start_index_map=[0], operand_batch=[],
                         indices_batch=[], mode="drop", combine="add")
