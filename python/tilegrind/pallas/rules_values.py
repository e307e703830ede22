"""Rules for arithmetic, shape, reduction and product primitives: values in, values out."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from jax import lax

from . import dtypes
from .builder import Value
from .converter import Converter, result_type, rule
from .errors import Unsupported

# Primitives whose operation has the same name and operands, and no parameters that matter.
_UNARY = (
    "neg", "abs", "sign", "not", "square", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log",
    "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
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
    """JAX lets a scalar literal meet an array; an operation here takes operands of one shape."""
    result = result_type(eqn)
    name = "add" if eqn.primitive.name == "add_any" else eqn.primitive.name
    operands = [conv.builder.broadcast(value, result[1]) for value in operands]
    return [conv.builder.emit1(name, operands, result)]


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


@rule("lax", "log2")
def _log2(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """log(x) times 1 / ln 2, as JAX lowers it."""
    del eqn
    build, (value,) = conv.builder, operands
    scale = build.broadcast(build.constant(1.4426950408889634, value.dtype), value.shape)
    natural = build.emit1("log", [value], value.type)
    return [build.emit1("mul", [natural, scale], value.type)]


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
    """The assembly of `approx_tanh`, which stands for tanh; nothing else has a meaning here."""
    if not eqn.params["asm"].startswith("tanh.approx."):
        raise Unsupported("inline assembly is not supported")
    return [conv.builder.emit1("tanh", operands, result_type(eqn))]


@rule("pallas", "reciprocal")
def _reciprocal(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """1 / x; the approximate one in bfloat16, as JAX's own interpreter has it."""
    (value,) = operands
    dtype = "bf16" if eqn.params["approx"] else value.dtype
    value = conv.builder.convert(value, dtype)
    one = conv.builder.broadcast(conv.builder.constant(1, dtype), value.shape)
    quotient = conv.builder.emit1("div", [one, value], value.type)
    return [conv.builder.convert(quotient, result_type(eqn)[0])]


@rule("lax", "reduce_precision")
def _reduce_precision(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del conv
    info = ml_dtypes.finfo(dtypes.numpy_dtype(operands[0].dtype))
    if (eqn.params["exponent_bits"], eqn.params["mantissa_bits"]) != (info.nexp, info.nmant):
        raise Unsupported("only a reduction to the dtype's own precision is supported")
    return operands


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


@rule("tpu", "roll")
def _roll(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """r[i] = x[i - shift]: a window into x laid twice along the axis."""
    value, shift = operands
    if eqn.params["stride"] is not None:
        raise Unsupported("a roll with a stride is not supported")
    build, axis = conv.builder, eqn.params["axis"]
    extent = value.shape[axis]
    twice = value.shape[:axis] + (2 * extent,) + value.shape[axis + 1 :]
    doubled = build.emit1("concatenate", [value, value], (value.dtype, twice), axis=axis)
    size = build.constant(extent, shift.dtype)
    turn = build.emit1("rem", [shift, size], shift.type)
    start = build.emit1("sub", [size, turn], shift.type)
    # A negative shift leaves a negative remainder, and so a start beyond the extent.
    start = build.emit1("rem", [start, size], shift.type)
    zero = build.constant(0, shift.dtype)
    starts = [start if dim == axis else zero for dim in range(len(value.shape))]
    return [build.emit1("dynamic_slice", [doubled, *starts], value.type)]


@rule("lax", "empty", "empty2")
def _empty(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    return [conv.builder.emit1("undefined", [], result_type(eqn))]


@rule("lax", "gather")
def _gather(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    dnums, modes = eqn.params["dimension_numbers"], lax.GatherScatterMode
    mode = modes.from_any(eqn.params["mode"])
    if mode not in (modes.PROMISE_IN_BOUNDS, modes.CLIP, modes.FILL_OR_DROP):
        raise Unsupported(f"gather mode {mode} is not supported")
    attrs: dict[str, Any] = {
        "offset_dims": list(dnums.offset_dims),
        "collapsed_dims": list(dnums.collapsed_slice_dims),
        "start_index_map": list(dnums.start_index_map),
        "operand_batch": list(dnums.operand_batching_dims),
        "indices_batch": list(dnums.start_indices_batching_dims),
        "slice_sizes": list(eqn.params["slice_sizes"]),
        "mode": "fill" if mode == modes.FILL_OR_DROP else "clip",
    }
    if mode == modes.FILL_OR_DROP:
        attrs["fill"] = _fill_value(operands[0].dtype, eqn.params["fill_value"])
    return [conv.builder.emit1("gather", operands, result_type(eqn), **attrs)]


def _fill_value(dtype: str, given: Any) -> Any:
    """What a gather reads outside: the given value, or JAX's default for the dtype."""
    if given is None:
        if dtypes.is_float(dtype):
            given = np.nan
        elif dtype == "bool":
            given = True
        else:
            bits = int(dtype[1:])
            given = -(2 ** (bits - 1)) if dtypes.is_signed(dtype) else 2**bits - 1
    return dtypes.literal(np.asarray(given).astype(dtypes.numpy_dtype(dtype)))


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
    lhs, rhs = _same_dtype(conv, *operands)
    return [conv.builder.emit1("dot_general", [lhs, rhs], result_type(eqn), **attrs)]


def _same_dtype(conv: Converter, lhs: Value, rhs: Value) -> tuple[Value, Value]:
    """Both operands in one dtype that holds either exactly: products of mixed fp8, for instance."""
    if lhs.dtype == rhs.dtype:
        return lhs, rhs
    pair = (lhs.dtype, rhs.dtype)
    if any(map(dtypes.is_float, pair)):
        dtype = "f64" if "f64" in pair else "f32"
    else:
        dtype = "i64" if any(name.endswith(("64", "u32")) for name in pair) else "i32"
    return conv.builder.convert(lhs, dtype), conv.builder.convert(rhs, dtype)


def _precision(precision: Any) -> str | None:
    """The spelling of JAX's precision, of the more precise side where they differ."""
    if precision is None:
        return None
    if isinstance(precision, tuple):
        names = [side.name.lower() for side in precision if side is not None]
        return max(names, key=("default", "high", "highest").index, default=None)
    name = getattr(precision, "name", str(precision)).upper()
    if name in ("DEFAULT", "HIGH", "HIGHEST"):
        return name.lower()
    return "highest" if name in ("F32_F32_F32", "F64_F64_F64") else "default"

