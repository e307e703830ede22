"""Functions of libdevice on floats that round to nearest."""

from __future__ import annotations

import math
from typing import Any, Callable

from ...ir.builder import Value
from . import special
from .lanes import Lanes

Function = Callable[..., Value]

# Of libdevice by ours; each with `f` at its end is that of f32.
OPERATIONS = {
    "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atan2": "atan2", "atanh": "atanh",
    "cbrt": "cbrt", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "erf": "erf", "erfinv": "erf_inv", "exp": "exp", "exp2": "exp2",
    "expm1": "expm1", "fabs": "abs", "floor": "floor", "fma": "fma", "fmod": "rem", "log": "log", "log1p": "log1p", "log2": "log2",
    "nextafter": "nextafter", "pow": "pow", "powi": "pow", "rsqrt": "rsqrt", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt",
    "tan": "tan", "tanh": "tanh",
}
# Approximations of f32, which are rounded here.
FAST = {"fast_cosf": "cos", "fast_expf": "exp", "fast_log2f": "log2", "fast_logf": "log", "fast_powf": "pow", "fast_sinf": "sin",
        "fast_tanf": "tan", "fast_fdividef": "div"}


def _operation(name: str, **attrs: Any) -> Function:
    return lambda lanes, *operands: lanes(name, *operands, **attrs)


def _in_f64(function: Function) -> Function:
    """Of f32, computed in f64; operands that are integers stay."""

    def wide(lanes: Lanes, one: Value) -> Value:
        return lanes.convert(one, "f64") if one.dtype == "f32" else one

    return lambda lanes, *operands: lanes.convert(function(lanes, *(wide(lanes, one) for one in operands)), "f32")


# ---- functions of f64, as exact as f32 needs them ----


def _log10(lanes: Lanes, x: Value) -> Value:
    return lanes("div", lanes("log2", x), math.log2(10))


def _exp10(lanes: Lanes, x: Value) -> Value:
    return lanes("pow", lanes.number(10.0, x), x)


def _rcbrt(lanes: Lanes, x: Value) -> Value:
    return lanes("div", lanes.number(1.0, x), lanes("cbrt", x))


def _norm(lanes: Lanes, *operands: Value) -> Value:
    """Infinite where one is, also beside NaN."""
    squares = [lanes("square", one) for one in operands]
    total = squares[0]
    for square in squares[1:]:
        total = lanes("add", total, square)
    for square in squares:
        total = lanes.select(lanes("eq", square, math.inf), math.inf, total)
    return lanes("sqrt", total)


def _inverse_norm(lanes: Lanes, *operands: Value) -> Value:
    norm = _norm(lanes, *operands)
    return lanes("div", lanes.number(1.0, norm), norm)


IN_F64 = {"log10": _log10, "exp10": _exp10, "rcbrt": _rcbrt, "hypot": _norm, "norm3d": _norm, "norm4d": _norm, "rhypot": _inverse_norm,
          "rnorm3d": _inverse_norm, "rnorm4d": _inverse_norm, **special.IN_F64}

# ---- exact functions of any float ----


def _trunc(lanes: Lanes, x: Value) -> Value:
    return lanes.truncated(x)


def _fdim(lanes: Lanes, x: Value, y: Value) -> Value:
    return lanes.select(lanes("le", x, y), 0.0, lanes("sub", x, y))


def _saturate(lanes: Lanes, x: Value) -> Value:
    """NaN is 0."""
    return lanes("clamp", lanes.number(0.0, x), x, lanes.number(1.0, x), nan="drop")


def _is_inf(lanes: Lanes, x: Value) -> Value:
    return lanes("eq", lanes("abs", x), math.inf)


EXACT = {"trunc": _trunc, "fdim": _fdim, "rint": _operation("round", rounding="even"), "nearbyint": _operation("round", rounding="even"),
         "round": _operation("round", rounding="away")}

FUNCTIONS: dict[str, Function] = {
    **{name + end: _operation(op) for name, op in OPERATIONS.items() for end in ("", "f")},
    **{name + end: function for name, function in EXACT.items() for end in ("", "f")},
    **{name: _operation(op) for name, op in FAST.items()},
    **{name + "f": _in_f64(function) for name, function in IN_F64.items()},
    **{name + "f": _in_f64(function) for name, function in special.BESSEL.items()}, **special.BESSEL,
    "ldexpf": _in_f64(special.ldexp), "scalbnf": _in_f64(special.ldexp),
    "fast_log10f": _in_f64(_log10), "fast_exp10f": _in_f64(_exp10), "exp10": _exp10,
    "saturatef": _saturate,
    "finitef": _operation("is_finite"), "isfinited": _operation("is_finite"), "isinff": _is_inf, "isinfd": _is_inf,
    "isnanf": lambda lanes, x: lanes.is_nan(x), "isnand": lambda lanes, x: lanes.is_nan(x),
}
