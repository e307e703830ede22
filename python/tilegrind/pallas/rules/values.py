"""Rules for arithmetic, shape, reduction and product primitives, which compute values from values.

rearrange.py has those that move elements to positions which depend on values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from jax import lax

from ..ir import dtypes
from ..ir.builder import Value
from ..ir.errors import Unsupported
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


@rule("triton", "debug_barrier", "debug_barrier_p")
@rule("pallas", "delay")
def _nothing(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del conv, eqn, operands
    return []


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


# -- shape --


@rule("lax", "reshape", "squeeze", "expand_dims")
def _reshape(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if eqn.params.get("dimensions") is not None and eqn.primitive.name == "reshape":
        raise Unsupported("a reshape that permutes dimensions is not supported")
    return [conv.builder.reshape(operands[0], result_type(eqn)[1])]


@rule("lax", "broadcast_in_dim")
def _broadcast_in_dim(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if len(operands) != 1:
        raise Unsupported("the result has a symbolic extent")
    dims = list(eqn.params["broadcast_dimensions"])
    return [conv.builder.emit1("broadcast_in_dim", operands, result_type(eqn), dims=dims)]


@rule("state", "broadcast_to")
def _broadcast_to(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.broadcast(operands[0], result_type(eqn)[1])]


@rule("lax", "iota")
def _iota(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if operands:
        raise Unsupported("the result has a symbolic extent")
    return [conv.builder.emit1("iota", [], result_type(eqn), axis=eqn.params["dimension"])]


@rule("lax", "transpose")
def _transpose(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    permutation = [int(dim) for dim in eqn.params["permutation"]]
    return [conv.builder.emit1("transpose", operands, result_type(eqn), permutation=permutation)]


@rule("lax", "rev")
def _rev(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axes = sorted(eqn.params["dimensions"])
    return [conv.builder.emit1("rev", operands, result_type(eqn), axes=axes)]


@rule("lax", "slice")
def _slice(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    start = list(eqn.params["start_indices"])
    stride = list(eqn.params["strides"] or [1] * len(start))
    return [conv.builder.emit1("slice", operands, result_type(eqn), start=start, stride=stride)]


def _part(conv: Converter, value: Value, axis: int, start: int, size: int) -> Value:
    """The `size` elements of `value` from `start` on along `axis`."""
    shape = list(value.shape)
    shape[axis] = size
    first = [start if dim == axis else 0 for dim in range(len(shape))]
    return conv.builder.emit1("slice", [value], (value.dtype, tuple(shape)), start=first,
                              stride=[1] * len(shape))


@rule("lax", "split")
def _split(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    parts, start = [], 0
    for size in eqn.params["sizes"]:
        parts.append(_part(conv, operands[0], eqn.params["axis"], start, size))
        start += size
    return parts


@rule("lax", "unstack")
def _unstack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (value,) = operands
    axis = eqn.params["axis"] % len(value.shape)
    shape = value.shape[:axis] + value.shape[axis + 1 :]
    return [conv.builder.reshape(_part(conv, value, axis, i, 1), shape)
            for i in range(value.shape[axis])]


@rule("lax", "stack")
def _stack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    dtype, shape = result_type(eqn)
    axis = eqn.params["axis"] % len(shape)
    layer = shape[:axis] + (1,) + shape[axis + 1 :]
    layers = [conv.builder.reshape(value, layer) for value in operands]
    return [conv.builder.emit1("concatenate", layers, (dtype, shape), axis=axis)]


@rule("lax", "concatenate")
def _concatenate(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axis = eqn.params["dimension"]
    return [conv.builder.emit1("concatenate", operands, result_type(eqn), axis=axis)]


@rule("lax", "pad")
def _pad(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    low, high, interior = ([int(entry[k]) for entry in eqn.params["padding_config"]]
                           for k in range(3))
    return [conv.builder.emit1("pad", operands, result_type(eqn), low=low, high=high,
                               interior=interior)]


@rule("lax", "tile")
def _tile(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Repetitions; a leading dimension that the operand lacks gets extent 1 first."""
    (value,) = operands
    reps = [int(count) for count in eqn.params["reps"]]
    value = conv.builder.reshape(value, (1,) * (len(reps) - len(value.shape)) + value.shape)
    return [conv.builder.emit1("tile", [value], result_type(eqn), reps=reps)]


@rule("lax", "empty", "empty2")
def _empty(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    return [conv.builder.emit1("undefined", [], result_type(eqn))]


# -- reductions, scans, products --


@rule("lax", "reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or",
      "reduce_xor")
def _reduce(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axes = sorted(int(axis) for axis in eqn.params["axes"])
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), axes=axes)]


@rule("lax", "argmax", "argmin")
def _arg_reduce(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (axis,) = eqn.params["axes"]
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), axis=int(axis))]


@rule("lax", "cumsum", "cumprod", "cummax", "cummin")
def _running(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    attrs: dict[str, Any] = {"axis": eqn.params["axis"]}
    if eqn.params["reverse"]:
        attrs["reverse"] = True
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), **attrs)]


@rule("lax", "cumlogsumexp")
def _cumlogsumexp(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """log2(n) steps over the whole operand, each of which combines twice as many elements as the last."""
    axis, reverse = eqn.params["axis"], eqn.params["reverse"]

    def scan(x: Any) -> Any:
        distance, extent = 1, x.shape[axis]
        low = lax.full((), -np.inf, x.dtype)
        while distance < extent:
            padding = [(0, 0, 0)] * x.ndim
            padding[axis] = (-distance, distance, 0) if reverse else (distance, -distance, 0)
            x = _logaddexp(x, lax.pad(x, low, padding))
            distance *= 2
        return x

    return conv.expand(scan, operands)


def _logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), as in JAX."""
    delta = lax.sub(a, b)
    usual = lax.add(lax.max(a, b), lax.log1p(lax.exp(lax.neg(lax.abs(delta)))))
    return lax.select(lax.ne(delta, delta), lax.add(a, b), usual)


@rule("lax", "dot_general")
def _dot_general(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = eqn.params["dimension_numbers"]
    attrs: dict[str, Any] = {
        "lhs_contract": list(lhs_contract),
        "rhs_contract": list(rhs_contract),
        "lhs_batch": list(lhs_batch),
        "rhs_batch": list(rhs_batch),
    }
    precision = _precision(eqn.params["precision"])
    if precision is not None:
        attrs["precision"] = precision
    result = result_type(eqn)
    lhs, rhs = _same_dtype(conv, *operands, result[0])
    lhs, rhs = (_as_preset_takes(conv, side, eqn.params["precision"]) for side in (lhs, rhs))
    return [conv.builder.emit1("dot_general", [lhs, rhs], result, **attrs)]


# The dtype to which an algorithm preset rounds its operands.  Presets that split operands into several parts (X3, X6, X9) come
# near to f32, so they use f32.
_PRESET_OPERANDS = {
    "F16_F16_F16": "f16", "F16_F16_F32": "f16", "BF16_BF16_BF16": "bf16", "BF16_BF16_F32": "bf16",
    "TF32_TF32_F32": "tf32",
}


def _as_preset_takes(conv: Converter, value: Value, precision: Any) -> Value:
    """`value` rounded to the dtype that the algorithm preset multiplies."""
    kind = _PRESET_OPERANDS.get(getattr(precision, "name", ""))
    if kind is None or value.dtype not in ("f32", "f64"):
        return value
    if kind == "tf32":
        return conv.builder.emit1("reduce_precision", [value], value.type, exponent_bits=8,
                                  mantissa_bits=10)
    return conv.builder.convert(value, kind)


def _same_dtype(conv: Converter, lhs: Value, rhs: Value, result: str) -> tuple[Value, Value]:
    """Both operands in a dtype that holds each of them exactly: for products of mixed fp8, for instance, or of integers
    with a float sum."""
    pair = (lhs.dtype, rhs.dtype)
    float_sum = dtypes.is_float(result) and not any(map(dtypes.is_float, pair))
    if lhs.dtype == rhs.dtype and not float_sum:
        return lhs, rhs
    if float_sum:
        dtype = "f64" if result == "f64" else "f32"
    elif any(map(dtypes.is_float, pair)):
        dtype = "f64" if "f64" in pair else "f32"
    else:
        dtype = "i64" if any(name.endswith(("64", "u32")) for name in pair) else "i32"
    return conv.builder.convert(lhs, dtype), conv.builder.convert(rhs, dtype)


def _precision(precision: Any) -> str | None:
    """The spelling of JAX's precision; of two that differ, the more precise one."""
    if precision is None:
        return None
    if isinstance(precision, tuple):
        names = [side.name.lower() for side in precision if side is not None]
        return max(names, key=("default", "high", "highest").index, default=None)
    name = getattr(precision, "name", str(precision)).upper()
    if name in ("DEFAULT", "HIGH", "HIGHEST"):
        return name.lower()
    return "highest" if name in ("F32_F32_F32", "F64_F64_F64") else "default"

