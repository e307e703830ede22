"""Rules for element-wise primitives, and for those that give a value as it is."""

from __future__ import annotations

from typing import Any

import ml_dtypes
from jax import lax

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, result_type, rule

# Primitives whose operation has the same name and operands, and no parameters that matter.
_UNARY = (
    "neg", "abs", "sign", "not", "square", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log",
    "log2", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "logistic", "erf", "erf_inv", "floor", "ceil", "is_finite", "population_count", "clz",
)
_BINARY = (
    "add", "sub", "mul", "div", "rem", "max", "min", "pow", "atan2", "nextafter", "and", "or",
    "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic", "eq", "ne", "lt", "le",
    "gt", "ge",
)
_OTHERS = ("clamp", "dynamic_slice", "dynamic_update_slice")


@rule("lax", *_UNARY, *_OTHERS)
def _plain(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn))]


@rule("lax", *_BINARY, "add_any")
def _binary(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """JAX allows a scalar literal with an array; an operation here takes operands of one shape."""
    result = result_type(eqn)
    name = "add" if eqn.primitive.name == "add_any" else eqn.primitive.name
    operands = [conv.builder.broadcast(value, result[1]) for value in operands]
    return [conv.builder.emit1(name, operands, result)]


@rule("lax", "eq_to", "lt_to", "le_to")
def _total_order(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Comparison of floats by sign and magnitude of their bits; of other dtypes the usual one."""
    name = eqn.primitive.name.removesuffix("_to")
    shape = result_type(eqn)[1]
    keys = [conv.builder.broadcast(value, shape) for value in operands]
    if dtypes.is_float(keys[0].dtype):
        keys = [key for value in keys for key in conv.expand(_ordered, [value])]
    return [conv.builder.emit1(name, keys, ("bool", shape))]


def _ordered(x: Any) -> Any:
    """Signed integers in the total order of the floats: for a negative float, all bits but the sign are inverted."""
    bits = dtypes.bits(dtypes.ir_dtype(x.dtype))
    code = lax.bitcast_convert_type(x, dtypes.numpy_dtype(f"i{bits}"))
    sign = lax.shift_right_arithmetic(code, lax.full_like(code, bits - 1))
    return lax.bitwise_xor(code, lax.bitwise_and(sign, lax.full_like(code, 2 ** (bits - 1) - 1)))


@rule("lax", "select_n")
def _select_n(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    which, *cases = operands
    result = result_type(eqn)
    cases = [conv.builder.broadcast(value, result[1]) for value in cases]
    return [conv.builder.emit1("select", [which, *cases], result)]


@rule("lax", "bitcast_convert_type")
def _bitcast(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.emit1("bitcast", operands, result_type(eqn))]


@rule("lax", "stop_gradient", "optimization_barrier", "copy", "copy_p", "name", "reshard", "pvary",
      "mesh_cast", "sharding_constraint", "tie", "stage")
@rule("triton", "max_contiguous")
@rule("state", "with_memory_space_constraint")
@rule("pallas", "with_memory_space_constraint")
def _identity(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del conv
    return operands[: len(eqn.outvars)]


@rule("pallas", "multiple_of")
def _multiple_of(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (value,) = operands
    for multiple in eqn.params["values"]:
        value = conv.builder.emit1("assume_multiple", [value], value.type, multiple=int(multiple))
    return [value]


@rule("lax", "one_minus_square")
def _one_minus_square(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """(1 + x) * (1 - x), as JAX lowers it."""
    del eqn
    build, (value,) = conv.builder, operands
    one = build.broadcast(build.constant(1, value.dtype), value.shape)
    factors = [build.emit1(op, [one, value], value.type) for op in ("add", "sub")]
    return [build.emit1("mul", factors, value.type)]


@rule("lax", "polynomial")
def _polynomial(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Horner's rule; the coefficients come lowest power first."""
    build, result = conv.builder, result_type(eqn)
    value, *coefficients = [build.broadcast(operand, result[1]) for operand in operands]
    total = coefficients.pop()
    for coefficient in reversed(coefficients):
        product = build.emit1("mul", [total, value], result)
        total = build.emit1("add", [product, coefficient], result)
    return [total]


@rule("triton", "elementwise_inline_asm", "elementwise_inline_asm_p")
def _inline_asm(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The assembly of `approx_tanh`, which becomes tanh; no other assembly is supported."""
    if not eqn.params["asm"].startswith("tanh.approx."):
        raise Unsupported("inline assembly is not supported")
    return [conv.builder.emit1("tanh", operands, result_type(eqn))]


@rule("lax", "reduce_precision")
def _reduce_precision(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    info = ml_dtypes.finfo(dtypes.numpy_dtype(operands[0].dtype))
    exponent, mantissa = eqn.params["exponent_bits"], eqn.params["mantissa_bits"]
    if exponent >= info.nexp and mantissa >= info.nmant:
        return operands
    return [conv.builder.emit1("reduce_precision", operands, operands[0].type,
                               exponent_bits=exponent, mantissa_bits=mantissa)]


@rule("lax", "mulhi")
def _mulhi(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The upper half of the product, which is computed in twice the width."""
    build, result = conv.builder, result_type(eqn)
    bits = dtypes.bits(result[0])
    if bits > 32:
        raise Unsupported(f"{result[0]} has no dtype of twice its width")
    wide = f"{result[0][0]}{2 * bits}"
    factors = [build.convert(build.broadcast(value, result[1]), wide) for value in operands]
    product = build.emit1("mul", factors, (wide, result[1]))
    width = build.broadcast(build.constant(bits, wide), result[1])
    return [build.convert(build.emit1("shift_right_logical", [product, width], product.type),
                          result[0])]


@rule("lax", "integer_pow")
def _integer_pow(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.emit1("integer_pow", operands, result_type(eqn), exponent=eqn.params["y"])]


@rule("lax", "round")
def _round(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    even = eqn.params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN
    rounding = "even" if even else "away"
    return [conv.builder.emit1("round", operands, result_type(eqn), rounding=rounding)]


@rule("lax", "convert_element_type")
def _convert(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.convert(operands[0], result_type(eqn)[0])]
