"""Functions of libdevice that say how they round: rn, rz (toward zero), rd (down) or ru (up).

Those of f32 are computed in f64 by round-to-odd: cut off, with the last bit set if anything was lost.  So what is left tells
on which side of each f32 the exact result is.  Those of f64 are only there to nearest."""

from __future__ import annotations

import math
from typing import Callable

from ...ir import dtypes
from ...ir.builder import Value
from .lanes import Lanes

Function = Callable[..., Value]

MODES = ("rn", "rz", "rd", "ru")


def _rounded(lanes: Lanes, exact: Value, mode: str) -> Value:
    """An f64 as an f32."""
    if mode == "rn":
        return lanes.convert(exact, "f32")
    cut = lanes.convert(exact, "f32", rounding="zero")
    if mode == "rz":
        return cut
    way = math.inf if mode == "ru" else -math.inf
    wanted = lanes("lt" if mode == "ru" else "gt", lanes.convert(cut, "f64"), exact)
    return lanes.select(wanted, lanes("nextafter", cut, way), cut)


def _to_odd(lanes: Lanes, near: Value, error: Value) -> Value:
    """`near`, the f64 nearest to an exact result, which is `error` more, or a multiple of it with the same sign."""
    bits = lanes.unsigned(near)
    is_outward = lanes("eq", lanes("lt", error, 0.0), lanes("lt", near, 0.0))
    cut = lanes("sub", bits, lanes.select(is_outward, lanes.number(0, bits), 1))
    odd = lanes.bitcast(lanes("or", cut, 1), "f64")
    is_off = lanes("gt", lanes("abs", error), 0.0)  # not of NaN
    return lanes.select(lanes("and", is_off, lanes("is_finite", near)), odd, near)


def _sum(lanes: Lanes, x: Value, y: Value) -> Value:
    near = lanes("add", x, y)
    rest = lanes("sub", near, x)
    error = lanes("add", lanes("sub", x, lanes("sub", near, rest)), lanes("sub", y, rest))
    return _to_odd(lanes, near, error)


def _difference(lanes: Lanes, x: Value, y: Value) -> Value:
    return _sum(lanes, x, lanes("neg", y))


def _product(lanes: Lanes, x: Value, y: Value) -> Value:
    return lanes("mul", x, y)  # exact


def _product_and_sum(lanes: Lanes, x: Value, y: Value, z: Value) -> Value:
    return _sum(lanes, lanes("mul", x, y), z)


def _quotient(lanes: Lanes, x: Value, y: Value) -> Value:
    near = lanes("div", x, y)
    rest = lanes("fma", lanes("neg", near), y, x)
    return _to_odd(lanes, near, lanes("mul", rest, lanes.with_sign(lanes.number(1.0, y), y)))


def _inverse(lanes: Lanes, x: Value) -> Value:
    return _quotient(lanes, lanes.number(1.0, x), x)


def _root(lanes: Lanes, x: Value) -> Value:
    near = lanes("sqrt", x)
    return _to_odd(lanes, near, lanes("fma", lanes("neg", near), near, x))


# By the operation of f32; what it is in f64, and to nearest.
ARITHMETIC: dict[str, tuple[Function, str]] = {
    "add": (_sum, "add"), "sub": (_difference, "sub"), "mul": (_product, "mul"), "div": (_quotient, "div"), "sqrt": (_root, "sqrt"),
}


# Of sums, which of the operands turn the sign of the result.
SIGNED = {_sum: (0, 1), _difference: (0, 1), _product_and_sum: (0, 2)}


def _of_f32(function: Function, mode: str) -> Function:
    """A sum of opposite numbers is 0, but -0 downward: there it is the negative of that of the negative operands upward."""
    if mode == "rd" and function in SIGNED:
        upward = _of_f32(function, "ru")
        return lambda lanes, *operands: lanes("neg", upward(lanes, *(
            lanes("neg", one) if at in SIGNED[function] else one for at, one in enumerate(operands))))
    return lambda lanes, *operands: _rounded(lanes, function(lanes, *(lanes.convert(one, "f64") for one in operands)), mode)


def _nearest(name: str) -> Function:
    return lambda lanes, *operands: lanes(name, *operands)


def _nearest_inverse(lanes: Lanes, x: Value) -> Value:
    return lanes("div", lanes.number(1.0, x), x)


# ---- conversions ----

INTEGERS = {"int": "i32", "uint": "u32", "ll": "i64", "ull": "u64"}
WHOLE: dict[str, Function] = {
    "rn": lambda lanes, x: lanes("round", x, rounding="even"), "rz": lambda lanes, x: x,
    "rd": lambda lanes, x: lanes("floor", x), "ru": lambda lanes, x: lanes("ceil", x)}


def _to_integer(dtype: str, mode: str) -> Function:
    return lambda lanes, x: lanes.signed(lanes.convert(WHOLE[mode](lanes, x), dtype))


def _of_integer(dtype: str, to: str) -> Function:
    return lambda lanes, x: lanes.convert(lanes.bitcast(x, dtype), to)


def _int_to_f32(dtype: str, mode: str) -> Function:
    """Of an integer of 32 bits, which an f64 holds."""
    return lambda lanes, x: _rounded(lanes, lanes.convert(lanes.bitcast(x, dtype), "f64"), mode)


def _double_to_f32(mode: str) -> Function:
    return lambda lanes, x: _rounded(lanes, x, mode)


FUNCTIONS: dict[str, Function] = {
    **{f"f{name}_{mode}": _of_f32(function, mode) for name, (function, _) in ARITHMETIC.items() for mode in MODES},
    **{f"f{name}_rn": _nearest(op) for name, (_, op) in ARITHMETIC.items()},
    **{f"d{name}_rn": _nearest(op) for name, (_, op) in ARITHMETIC.items()},
    **{f"fmaf_{mode}": _of_f32(_product_and_sum, mode) for mode in MODES},
    **{f"frcp_{mode}": _of_f32(_inverse, mode) for mode in MODES},
    "fmaf_rn": _nearest("fma"), "fma_rn": _nearest("fma"), "frcp_rn": _nearest_inverse, "drcp_rn": _nearest_inverse,
    "frsqrt_rn": _nearest("rsqrt"),
    **{f"{source}2{name}_{mode}": _to_integer(dtype, mode)
       for source in ("float", "double") for name, dtype in INTEGERS.items() for mode in MODES},
    **{f"{name}2float_{mode}": _int_to_f32(dtype, mode) for name, dtype in INTEGERS.items() if dtypes.bits(dtype) == 32 for mode in MODES},
    **{f"{name}2float_rn": _of_integer(dtype, "f32") for name, dtype in INTEGERS.items()},
    **{f"{name}2double_rn": _of_integer(dtype, "f64") for name, dtype in INTEGERS.items()},
    **{f"double2float_{mode}": _double_to_f32(mode) for mode in MODES},
    **{f"llrint{end}": _to_integer("i64", "rn") for end in ("", "f")},
    **{f"llround{end}": lambda lanes, x: lanes.convert(lanes("round", x, rounding="away"), "i64") for end in ("", "f")},
}
