"""Products of matrices."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Type, Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..ttir.syntax import Op

# Products of parts of f32 factors, by number of the part, the greatest first; the sum goes from the least to the greatest.
PARTS_OF_TF32 = {"tf32x3": [(1, 0), (0, 1), (0, 0)]}
PARTS_OF_BF16 = {"bf16x3": [(1, 0), (0, 1), (0, 0)], "bf16x6": [(1, 1), (2, 0), (0, 2), (1, 0), (0, 1), (0, 0)]}


@rule("tt.dot")
def _dot(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """The sum of products, and then the third operand."""
    a, b, c = conv.numbers(operands)
    result = number_type(op.outputs[0])
    precision = str(op.attributes.get("inputPrecision", "ieee")) if a.dtype == "f32" else "ieee"
    return conv.builder.emit1("add", [_with_precision(conv, a, b, result, precision), c], result)


def _with_precision(conv: Converter, a: Value, b: Value, result: Type, precision: str) -> Value:
    if precision == "tf32":
        return product(conv, a, b, result, precision="default")  # dialect `triton` rounds factors to tf32
    if precision == "ieee":
        return product(conv, a, b, result, precision="highest") if a.dtype == "f32" else product(conv, a, b, result)
    if precision in PARTS_OF_TF32:
        return _of_parts(conv, [_tf32_parts(conv, one) for one in (a, b)], PARTS_OF_TF32[precision], result)
    if precision in PARTS_OF_BF16:
        return _of_parts(conv, [_bf16_parts(conv, one) for one in (a, b)], PARTS_OF_BF16[precision], result)
    raise Unsupported(f"the precision {precision} is not supported")


def product(conv: Converter, a: Value, b: Value, result: Type, **attrs: Any) -> Value:
    """The product of matrices, or of a batch of them in the first dimension."""
    batch = list(range(len(a.shape) - 2))
    return conv.builder.emit1("dot_general", [a, b], result, lhs_contract=[len(a.shape) - 1], rhs_contract=[len(a.shape) - 2],
                              lhs_batch=batch, rhs_batch=batch, **attrs)


def _of_parts(conv: Converter, factors: list[list[Value]], pairs: list[tuple[int, int]], result: Type) -> Value:
    """The sum of products of parts.  Those of lesser parts are 0 where they are NaN: infinities have no lesser part."""
    lefts, rights = factors
    total: Value | None = None
    for left, right in pairs:
        attrs = {"precision": "highest"} if lefts[left].dtype == "f32" else {}
        one = product(conv, lefts[left], rights[right], result, **attrs)
        if (left, right) == (0, 0):
            total = _without_nan(conv, total)
        total = one if total is None else conv.builder.emit1("add", [total, one], result)
    return total


def _without_nan(conv: Converter, value: Value) -> Value:
    is_nan = conv.builder.emit1("ne", [value, value], ("bool", value.shape))
    zero = conv.builder.broadcast(conv.builder.constant(0, value.dtype), value.shape)
    return conv.builder.emit1("select", [is_nan, value, zero], value.type)


def _tf32_parts(conv: Converter, value: Value) -> list[Value]:
    great = tf32(conv, value)
    return [great, tf32(conv, conv.builder.emit1("sub", [value, great], value.type))]


def tf32(conv: Converter, value: Value) -> Value:
    """`value` with the 10 bits of a tf32's fraction, rounded to nearest, ties away from zero; infinities and NaN as they are."""
    builder, kind = conv.builder, ("u32", value.shape)
    bits = builder.emit1("bitcast", [value], kind)
    half, kept = (builder.broadcast(builder.constant(number, "u32"), value.shape) for number in (0x1000, 0xFFFFE000))
    rounded = builder.emit1("and", [builder.emit1("add", [bits, half], kind), kept], kind)
    is_finite = builder.emit1("is_finite", [value], ("bool", value.shape))
    return builder.emit1("bitcast", [builder.emit1("select", [is_finite, bits, rounded], kind)], value.type)


def _bf16_parts(conv: Converter, value: Value) -> list[Value]:
    parts: list[Value] = []
    for _ in range(3):
        parts.append(conv.builder.convert(value, "bf16"))
        value = conv.builder.emit1("sub", [value, conv.builder.convert(parts[-1], "f32")], value.type)
    return parts
