"""Rules for TPU primitives that compute values from values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from jax import lax

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, refuse, result_type, rule


@rule("pallas", "reciprocal")
def _reciprocal(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """1 / x, also for the approximate reciprocal, which approximates it."""
    build, result = conv.builder, result_type(eqn)
    one = build.broadcast(build.constant(1, operands[0].dtype), operands[0].shape)
    return [build.convert(build.emit1("div", [one, *operands], operands[0].type), result[0])]


@rule("tpu", "roll")
def _roll(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """r[i] = x[i - shift] along the axis; each step along `stride_axis` shifts by `stride` more."""
    value, shift = operands
    axis, stride = eqn.params["axis"], eqn.params["stride"]
    if stride is None:
        return [_rolled(conv, value, shift, axis)]
    build, along = conv.builder, eqn.params["stride_axis"]
    layer = value.shape[:along] + (1,) + value.shape[along + 1 :]
    layers = []
    for i in range(value.shape[along]):
        start = [i if dim == along else 0 for dim in range(len(layer))]
        part = build.emit1("slice", [value], (value.dtype, layer), start=start,
                           stride=[1] * len(layer))
        further = build.constant(i * stride % max(value.shape[axis], 1), shift.dtype)
        size = build.constant(max(value.shape[axis], 1), shift.dtype)
        turn = build.emit1("rem", [shift, size], shift.type)
        layers.append(_rolled(conv, part, build.emit1("add", [turn, further], shift.type), axis))
    return [build.emit1("concatenate", layers, value.type, axis=along)]


def _rolled(conv: Converter, value: Value, shift: Value, axis: int) -> Value:
    """A slice of `value` concatenated with itself along the axis."""
    build, extent = conv.builder, value.shape[axis]
    if extent == 0:
        return value
    twice = value.shape[:axis] + (2 * extent,) + value.shape[axis + 1 :]
    doubled = build.emit1("concatenate", [value, value], (value.dtype, twice), axis=axis)
    size = build.constant(extent, shift.dtype)
    turn = build.emit1("rem", [shift, size], shift.type)
    start = build.emit1("sub", [size, turn], shift.type)
    # A negative shift leaves a negative remainder, and so a start beyond the extent.
    start = build.emit1("rem", [start, size], shift.type)
    zero = build.constant(0, shift.dtype)
    starts = [start if dim == axis else zero for dim in range(len(value.shape))]
    return build.emit1("dynamic_slice", [doubled, *starts], value.type)


@rule("tpu", "bitcast")
def _bitcast(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The bits of elements that are neighbours in the last dimension but one, lowest first."""
    build, (value,), (dtype, shape) = conv.builder, operands, result_type(eqn)
    *outer, rows, columns = value.shape
    rank, given, wanted = len(shape), dtypes.bits(value.dtype), dtypes.bits(dtype)
    swapped = [*range(rank - 1), rank, rank - 1]
    if given < wanted:
        packing = wanted // given
        parts = build.reshape(value, (*outer, rows // packing, packing, columns))
        turned = build.emit1("transpose", [parts],
                             (value.dtype, (*outer, rows // packing, columns, packing)),
                             permutation=swapped)
        return [build.emit1("bitcast", [turned], (dtype, shape))]
    if given == wanted:
        return [build.emit1("bitcast", [value], (dtype, shape))]
    packing = given // wanted
    parts = build.emit1("bitcast", [value], (dtype, (*outer, rows, columns, packing)))
    turned = build.emit1("transpose", [parts], (dtype, (*outer, rows, packing, columns)),
                         permutation=swapped)
    return [build.reshape(turned, shape)]


def _unsigned(bits: int) -> np.dtype:
    return dtypes.numpy_dtype(f"u{bits}")


@rule("tpu", "pack_elementwise")
def _pack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Each operand as the narrow dtype, side by side from the lowest bits on."""
    narrow = np.dtype(eqn.params["packed_dtype"])
    bits = dtypes.bits(dtypes.ir_dtype(narrow))
    whole = _unsigned(dtypes.bits(operands[0].dtype))

    def pack(*parts: Any) -> Any:
        total = None
        for position, part in enumerate(parts):
            code = lax.bitcast_convert_type(lax.convert_element_type(part, narrow), _unsigned(bits))
            shift = lax.full(part.shape, position * bits, whole)
            placed = lax.shift_left(lax.convert_element_type(code, whole), shift)
            total = placed if total is None else lax.bitwise_or(total, placed)
        return total

    return conv.expand(pack, operands)


@rule("tpu", "unpack_elementwise")
def _unpack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The part number `index` of each word, counted from the lowest bits."""
    narrow = np.dtype(eqn.params["packed_dtype"])
    bits, index = dtypes.bits(dtypes.ir_dtype(narrow)), eqn.params["index"]
    whole = _unsigned(dtypes.bits(operands[0].dtype))

    def unpack(word: Any) -> Any:
        word = lax.bitcast_convert_type(word, whole)
        shifted = lax.shift_right_logical(word, lax.full(word.shape, index * bits, whole))
        code = lax.convert_element_type(shifted, _unsigned(bits))
        return lax.convert_element_type(lax.bitcast_convert_type(code, narrow),
                                        np.dtype(eqn.params["unpacked_dtype"]))

    return conv.expand(unpack, operands)


@rule("tpu", "stochastic_round")
def _stochastic_round(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Adds the bits that are cut off and as many of the lowest random bits: if the sum carries, the result is the neighbour
    in the narrow dtype that is further from zero, else the one nearer to zero."""
    if operands[0].dtype != "f32":
        raise Unsupported(f"stochastic rounding of {operands[0].dtype} is not supported")
    target = np.dtype(eqn.params["target_dtype"])
    info = ml_dtypes.finfo(target)
    if info.nexp > 8 or info.nmant > 21:
        raise Unsupported(f"stochastic rounding to {dtypes.ir_dtype(target)} is not supported")

    def rounded(x: Any, random: Any) -> Any:
        def all_of(number: int) -> Any:
            return lax.full(x.shape, number, np.uint32)

        bits = lax.bitcast_convert_type(x, np.uint32)
        size = lax.bitwise_and(bits, all_of(0x7FFFFFFF))
        sign = lax.bitwise_xor(bits, size)
        exponent = lax.max(lax.shift_right_logical(size, all_of(23)), all_of(1))
        hidden = lax.select(lax.lt(size, all_of(1 << 23)), all_of(0), all_of(1 << 23))
        digits = lax.bitwise_or(lax.bitwise_and(size, all_of((1 << 23) - 1)), hidden)
        least = all_of(info.minexp + 127)  # below this exponent fewer digits remain
        short = lax.sub(lax.max(exponent, least), exponent)
        cut = lax.min(lax.add(all_of(23 - info.nmant), short), all_of(31))
        mask = lax.sub(lax.shift_left(all_of(1), cut), all_of(1))
        total = lax.add(digits, lax.bitwise_and(random, mask))
        kept = lax.shift_left(lax.shift_right_logical(total, cut), cut)
        # kept * 2^(exponent - 150), in two steps that are exact
        scale = lax.bitcast_convert_type(lax.shift_left(exponent, all_of(23)), np.float32)
        value = lax.mul(lax.mul(lax.convert_element_type(kept, np.float32),
                                lax.full(x.shape, 2.0**-23, np.float32)), scale)
        value = lax.bitcast_convert_type(
            lax.bitwise_or(lax.bitcast_convert_type(value, np.uint32), sign), np.float32)
        finite = lax.lt(size, all_of(0x7F800000))
        return lax.convert_element_type(lax.select(finite, value, x), target)

    return conv.expand(rounded, operands)


refuse("tpu", "prng_seed", "prng_random_bits", "prng_split", "prng_join",
       reason="the generator is the hardware's own, and its bits are not defined elsewhere")
