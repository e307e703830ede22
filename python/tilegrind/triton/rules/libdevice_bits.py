"""Functions of libdevice on integers, and on the bits of floats."""

from __future__ import annotations

from typing import Callable

from ...ir import dtypes
from ...ir.builder import Value
from .lanes import Lanes

Function = Callable[..., Value]


def _as(dtype: str) -> Function:
    return lambda lanes, x: lanes.bitcast(x, dtype)


def _in_unsigned(function: Function) -> Function:
    """Of the operands as unsigned integers; so is the result until it is given."""
    return lambda lanes, *operands: lanes.signed(function(lanes, *map(lanes.unsigned, operands)))


# ---- counting and moving bits ----


def _reversed(lanes: Lanes, x: Value) -> Value:
    """Halves are exchanged, then quarters in each, down to single bits."""
    width = dtypes.bits(x.dtype)
    part = width // 2
    while part:
        low = sum(((1 << part) - 1) << at for at in range(0, width, 2 * part))
        high = lanes("shift_right_logical", x, part)
        x = lanes("or", lanes("and", high, low), lanes("shift_left", lanes("and", x, low), part))
        part //= 2
    return x


def _first_set(lanes: Lanes, x: Value) -> Value:
    """The place of the lowest bit that is set, from 1; 0 of none."""
    lowest = lanes("and", x, lanes("neg", x))
    return lanes("sub", lanes.number(dtypes.bits(x.dtype), x), lanes("clz", lowest))


def _byte_perm(lanes: Lanes, x: Value, y: Value, selector: Value) -> Value:
    """Byte i of the result is that of y:x whose number is in the three lowest bits of digit i of the selector."""
    both = lanes("or", lanes("shift_left", lanes.convert(y, "u64"), 32), lanes.convert(x, "u64"))
    result = None
    for digit in range(4):
        number = lanes("and", lanes("shift_right_logical", selector, 4 * digit), 7)
        shift = lanes.convert(lanes("mul", number, 8), "u64")
        byte = lanes("and", lanes.convert(lanes("shift_right_logical", both, shift), "u32"), 0xFF)
        byte = lanes("shift_left", byte, 8 * digit) if digit else byte
        result = byte if result is None else lanes("or", result, byte)
    return result


# ---- arithmetic that cannot overflow ----


def _half_sum(lanes: Lanes, x: Value, y: Value) -> Value:
    shift = "shift_right_arithmetic" if dtypes.is_signed(x.dtype) else "shift_right_logical"
    return lanes("add", lanes("and", x, y), lanes(shift, lanes("xor", x, y), 1))


def _half_sum_up(lanes: Lanes, x: Value, y: Value) -> Value:
    shift = "shift_right_arithmetic" if dtypes.is_signed(x.dtype) else "shift_right_logical"
    return lanes("sub", lanes("or", x, y), lanes(shift, lanes("xor", x, y), 1))


def _distance_and(lanes: Lanes, x: Value, y: Value, z: Value) -> Value:
    """|x - y| + z"""
    distance = lanes("sub", lanes("max", x, y), lanes("min", x, y))
    return lanes("add", lanes.bitcast(distance, z.dtype), z)


def _low_24(lanes: Lanes, x: Value) -> Value:
    shift = "shift_right_arithmetic" if dtypes.is_signed(x.dtype) else "shift_right_logical"
    return lanes(shift, lanes("shift_left", x, 8), 8)


def _mul24(lanes: Lanes, x: Value, y: Value) -> Value:
    return lanes("mul", _low_24(lanes, x), _low_24(lanes, y))


def _operation(name: str) -> Function:
    return lambda lanes, *operands: lanes(name, *operands)


# ---- bits of floats ----


def _copysign(lanes: Lanes, x: Value, y: Value) -> Value:
    return lanes.with_sign(x, y)


def _sign_bit(lanes: Lanes, x: Value) -> Value:
    bits = lanes.signed(x)
    return lanes("lt", bits, 0)


def _high_word(lanes: Lanes, x: Value) -> Value:
    return lanes.convert(lanes("shift_right_logical", lanes.unsigned(x), 32), "i32")


def _low_word(lanes: Lanes, x: Value) -> Value:
    return lanes.convert(lanes.unsigned(x), "i32")


def _of_words(lanes: Lanes, high: Value, low: Value) -> Value:
    upper = lanes("shift_left", lanes.convert(lanes.unsigned(high), "u64"), 32)
    return lanes.bitcast(lanes("or", upper, lanes.convert(lanes.unsigned(low), "u64")), "f64")


FUNCTIONS: dict[str, Function] = {
    "abs": _operation("abs"), "llabs": _operation("abs"),
    "brev": _in_unsigned(_reversed), "brevll": _in_unsigned(_reversed), "byte_perm": _in_unsigned(_byte_perm),
    "clz": _operation("clz"), "clzll": _operation("clz"), "popc": _operation("population_count"), "popcll": _operation("population_count"),
    "ffs": _first_set, "ffsll": _first_set,
    "hadd": _half_sum, "rhadd": _half_sum_up, "uhadd": _in_unsigned(_half_sum), "urhadd": _in_unsigned(_half_sum_up),
    "mul24": _mul24, "umul24": _in_unsigned(_mul24), "sad": _distance_and, "usad": _in_unsigned(_distance_and),
    "mulhi": _operation("mul_high"), "mul64hi": _operation("mul_high"),
    "umulhi": _in_unsigned(_operation("mul_high")), "umul64hi": _in_unsigned(_operation("mul_high")),
    "copysign": _copysign, "copysignf": _copysign, "signbitf": _sign_bit, "signbitd": _sign_bit,
    "float_as_int": _as("i32"), "float_as_uint": _as("i32"), "int_as_float": _as("f32"), "uint_as_float": _as("f32"),
    "double_as_longlong": _as("i64"), "longlong_as_double": _as("f64"),
    "double2hiint": _high_word, "double2loint": _low_word, "hiloint2double": _of_words,
}
