"""Products of matrices of small floats with a scale for some neighbours along k each, as microscaling formats have them.

The reference multiplies elements and scales in f32, which is exact but at the ends of its range."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..ttir.syntax import Op
from .dot import product

# Dtypes by Triton's names; those of a byte or less come as i8.
FORMATS = {"e2m1": "f4e2m1fn", "e4m3": "f8e4m3fn", "e5m2": "f8e5m2", "bf16": "bf16", "fp16": "f16"}
SCALES = "f8e8m0fnu"


@rule("tt.dot_scaled")
def _dot_scaled(conv: Converter, op: Op, operands: list[Any]) -> Value:
    values = conv.numbers(operands)
    scaled = {place for word, place in zip(op.words, op.behind) if word == "scale"}
    a = _factor(conv, op, "lhs", values, scaled)
    b = _factor(conv, op, "rhs", values, scaled)
    result = number_type(op.outputs[0])
    return conv.builder.emit1("add", [product(conv, a, b, result, precision="highest"), values[0]], result)


def _factor(conv: Converter, op: Op, side: str, values: list[Value], scaled: set[int]) -> Value:
    """Takes a factor, and its scale if it has one, from the front of `values`, which is left with what stands behind; f32."""
    place = len(op.operands) - len(values)
    elements = _elements(conv, op, side, values.pop(0))
    if place + 1 not in scaled:
        return elements
    return conv.builder.emit1("mul", [elements, _scale(conv, values.pop(0), elements, side)], elements.type)


def _elements(conv: Converter, op: Op, side: str, value: Value) -> Value:
    name = str(op.attributes[side])
    if name not in FORMATS:
        raise Unsupported(f"elements {name} are not supported")
    if name == "e2m1":
        value = _halves(conv, value, along_last=(side == "lhs") == op.attributes.get(f"{side}_k_pack", True))
    elif value.dtype == "i8":
        value = conv.builder.emit1("bitcast", [value], (FORMATS[name], value.shape))
    return conv.builder.convert(value, "f32")


def _halves(conv: Converter, value: Value, along_last: bool) -> Value:
    """Both elements of each byte, the lower bits first, side by side in the last dimension or the one before."""
    builder, (*batch, rows, columns) = conv.builder, value.shape
    pairs = builder.emit1("bitcast", [value], (FORMATS["e2m1"], (*value.shape, 2)))
    if along_last:
        return builder.reshape(pairs, (*batch, rows, 2 * columns))
    rank = len(pairs.shape)
    order = [*range(rank - 2), rank - 1, rank - 2]
    pairs = builder.emit1("transpose", [pairs], (pairs.dtype, (*batch, rows, 2, columns)), permutation=order)
    return builder.reshape(pairs, (*batch, 2 * rows, columns))


def _scale(conv: Converter, scale: Value, elements: Value, side: str) -> Value:
    """The scale of each element: rows of scales are those of the left factor, and columns of the right one."""
    builder, (*batch, rows, groups) = conv.builder, scale.shape
    if scale.dtype == "i8":
        scale = builder.emit1("bitcast", [scale], (SCALES, scale.shape))
    scale = builder.convert(scale, "f32")
    depth = elements.shape[-1 if side == "lhs" else -2]
    wide = (*batch, rows, groups, depth // groups)
    scale = builder.broadcast(builder.reshape(scale, (*batch, rows, groups, 1)), wide)
    scale = builder.reshape(scale, (*batch, rows, depth))
    if side == "lhs":
        return scale
    order = [*range(len(batch)), len(batch) + 1, len(batch)]
    return builder.emit1("transpose", [scale], (scale.dtype, (*batch, depth, rows)), permutation=order)
