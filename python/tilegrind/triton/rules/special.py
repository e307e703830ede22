"""Functions of libdevice that are sums of series: Bessel's, erfc and its kin, and the gamma function.

All are expressions of f64.  J, Y and I are within 2^-45 of the exact value, or of 1 where that is less than 1, but for large |x|,
where they lose what sine and cosine do not; the others are for f32, whose last bit they leave in doubt only next to ties."""

from __future__ import annotations

import math
from typing import Callable, Sequence

from ...ir.builder import Value
from . import special_series as series
from .lanes import Lanes

Function = Callable[..., Value]

EDGE = 8.0  # between the two series of a Bessel function


def _sum(lanes: Lanes, coefficients: Sequence[float], v: Value) -> Value:
    """The polynomial at v."""
    total = lanes.number(coefficients[-1], v)
    for coefficient in reversed(coefficients[:-1]):
        total = lanes("fma", total, v, coefficient)
    return total


# ---- Bessel functions ----


def _near(lanes: Lanes, coefficients: Sequence[float], x: Value) -> Value:
    """A series in x^2, up to 8."""
    return _sum(lanes, coefficients, lanes("fma", lanes("square", x), 2 / EDGE**2, -1.0))


def _wave(lanes: Lanes, order: int, x: Value) -> tuple[Value, Value]:
    """J and Y beyond 8, by Hankel's expansion; 0 at infinity."""
    p_series, q_series = ((series.P0, series.Q0), (series.P1, series.Q1))[order]
    inverse = lanes("div", lanes.number(EDGE, x), x)
    v = lanes("fma", lanes("square", inverse), 2.0, -1.0)
    p, q = _sum(lanes, p_series, v), lanes("mul", _sum(lanes, q_series, v), lanes("mul", inverse, 1 / EDGE))
    sine, cosine = _of_shifted_angle(lanes, order, x)
    size = lanes("sqrt", lanes("mul", inverse, 1 / (math.pi * EDGE)))  # with 1 / sqrt(2) of the angle
    j = lanes("sub", lanes("mul", p, cosine), lanes("mul", q, sine))
    y = lanes("add", lanes("mul", p, sine), lanes("mul", q, cosine))
    is_far = lanes("eq", x, math.inf)
    return lanes.select(is_far, 0.0, lanes("mul", size, j)), lanes.select(is_far, 0.0, lanes("mul", size, y))


def _of_shifted_angle(lanes: Lanes, order: int, x: Value) -> tuple[Value, Value]:
    """sqrt(2) times the sine and cosine of x - pi / 4 - order pi / 2."""
    sine, cosine = lanes("sin", x), lanes("cos", x)
    first, second = lanes("sub", sine, cosine), lanes("add", sine, cosine)
    return (first, second) if order == 0 else (lanes("neg", second), first)


def _one_like(lanes: Lanes, x: Value) -> Value:
    """1 with the sign of x."""
    return lanes.with_sign(lanes.number(1.0, x), x)


def _j0(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", x)
    return lanes.select(lanes("gt", size, EDGE), _wave(lanes, 0, size)[0], _near(lanes, series.J0, size))


def _j1(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", x)
    near = lanes("mul", _near(lanes, series.J1, size), size)
    found = lanes.select(lanes("gt", size, EDGE), _wave(lanes, 1, size)[0], near)
    return lanes("mul", found, _one_like(lanes, x))


def _y0(lanes: Lanes, x: Value) -> Value:
    """Less the logarithm times J; NaN below 0."""
    slope = lanes("mul", lanes("mul", lanes("log", x), _near(lanes, series.J0, x)), 2 / math.pi)
    near = lanes("add", slope, _near(lanes, series.Y0, x))
    return lanes.select(lanes("gt", x, EDGE), _wave(lanes, 0, x)[1], near)


def _y1(lanes: Lanes, x: Value) -> Value:
    """Less the logarithm times J and 1 / x; NaN below 0."""
    j = lanes("mul", _near(lanes, series.J1, x), x)
    slope = lanes("sub", lanes("mul", lanes("log", x), j), lanes("div", lanes.number(1.0, x), x))
    near = lanes("fma", slope, 2 / math.pi, lanes("mul", _near(lanes, series.Y1, x), x))
    near = lanes.select(lanes("eq", x, 0.0), -math.inf, near)
    return lanes.select(lanes("gt", x, EDGE), _wave(lanes, 1, x)[1], near)


def _far_i(lanes: Lanes, coefficients: Sequence[float], size: Value) -> Value:
    """e^x as the square of a root, which is finite as long as the result is; infinite at infinity."""
    share = _sum(lanes, coefficients, lanes("sub", lanes("div", lanes.number(2 * EDGE, size), size), 1.0))
    half = lanes("exp", lanes("mul", size, 0.5))
    found = lanes("mul", lanes("mul", half, lanes("div", share, lanes("sqrt", size))), half)
    return lanes.select(lanes("eq", size, math.inf), size, found)


def _i0(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", x)
    return lanes.select(lanes("gt", size, EDGE), _far_i(lanes, series.LARGE_I0, size), _near(lanes, series.I0, size))


def _i1(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", x)
    near = lanes("mul", _near(lanes, series.I1, size), size)
    found = lanes.select(lanes("gt", size, EDGE), _far_i(lanes, series.LARGE_I1, size), near)
    return lanes("mul", found, _one_like(lanes, x))


# ---- erfc, for f32 ----


def _erfcx_of_size(lanes: Lanes, size: Value) -> Value:
    """e^(x^2) erfc(x) of x from 0 on."""
    share = lanes("div", lanes.number(2.0, size), lanes("add", size, 2.0))
    return lanes("mul", share, _sum(lanes, series.ERFCX, lanes("fma", share, 2.0, -1.0)))


def _erfc(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", x)
    found = lanes("mul", lanes("exp", lanes("neg", lanes("square", x))), _erfcx_of_size(lanes, size))
    return lanes.select(lanes("lt", x, 0.0), lanes("sub", lanes.number(2.0, x), found), found)


def _erfcx(lanes: Lanes, x: Value) -> Value:
    found = _erfcx_of_size(lanes, lanes("abs", x))
    twice = lanes("mul", lanes("exp", lanes("square", x)), 2.0)
    return lanes.select(lanes("lt", x, 0.0), lanes("sub", twice, found), found)


def _normcdf(lanes: Lanes, x: Value) -> Value:
    return lanes("mul", _erfc(lanes, lanes("mul", x, -math.sqrt(0.5))), 0.5)


# ---- the gamma function, for f32 ----

# Lanczos: gamma(z + 1) = sqrt(2 pi) (z + 7.5)^(z + 0.5) e^-(z + 7.5) (first + sum of c / (z + k)).
SHIFT = 7.5
FIRST = 0.99999999999980993
LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
           -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7]


def _lanczos(lanes: Lanes, z: Value) -> Value:
    total = lanes.number(FIRST, z)
    for k, coefficient in enumerate(LANCZOS, 1):
        total = lanes("add", total, lanes("div", lanes.number(coefficient, z), lanes("add", z, float(k))))
    return total


def _reflected(lanes: Lanes, x: Value) -> tuple[Value, Value, Value]:
    """Whether x is below 1/2, what the function is taken at less 1, and sin(pi x)."""
    is_low = lanes("lt", x, 0.5)
    return is_low, lanes.select(is_low, lanes("neg", x), lanes("sub", x, 1.0)), sinpi(lanes, x)


def _tgamma(lanes: Lanes, x: Value) -> Value:
    """Beyond 100 as at 100: both are beyond f32."""
    is_low, z, sine = _reflected(lanes, x)
    z = lanes("min", z, 100.0, nan="propagate")
    base = lanes("add", z, SHIFT)
    power = lanes("mul", lanes("pow", base, lanes("add", z, 0.5)), lanes("exp", lanes("neg", base)))
    found = lanes("mul", lanes("mul", power, _lanczos(lanes, z)), math.sqrt(2 * math.pi))
    low = lanes("div", lanes.number(math.pi, x), lanes("mul", sine, found))
    is_pole = lanes("and", lanes("lt", x, 0.0), lanes("eq", x, lanes("floor", x)))
    return lanes.select(is_pole, math.nan, lanes.select(is_low, low, found))


def _lgamma(lanes: Lanes, x: Value) -> Value:
    """log |gamma|, infinite at the poles and at infinity."""
    is_low, z, sine = _reflected(lanes, x)
    base = lanes("add", z, SHIFT)
    power = lanes("sub", lanes("mul", lanes("add", z, 0.5), lanes("log", base)), base)
    found = lanes("add", power, lanes("log", lanes("mul", _lanczos(lanes, z), math.sqrt(2 * math.pi))))
    low = lanes("sub", lanes("log", lanes("div", lanes.number(math.pi, x), lanes("abs", sine))), found)
    is_far = lanes("eq", lanes("abs", x), math.inf)
    return lanes.select(is_far, math.inf, lanes.select(is_low, low, found))


# ---- half turns ----


def _half_turns(lanes: Lanes, x: Value) -> Value:
    """x less the nearest even integer, exactly: from -1 to 1; NaN of infinities."""
    turns = lanes("mul", lanes("round", lanes("mul", x, 0.5), rounding="even"), 2.0)
    return lanes("sub", x, turns)


def sinpi(lanes: Lanes, x: Value) -> Value:
    """sin(pi x), with the sign of x where it is 0."""
    rest = _half_turns(lanes, x)
    size = lanes("abs", rest)
    near = lanes.select(lanes("gt", size, 0.5), lanes("sub", lanes.number(1.0, size), size), size)
    sine = lanes.with_sign(lanes("sin", lanes("mul", near, math.pi)), rest)
    return lanes.select(lanes("eq", sine, 0.0), lanes.with_sign(sine, x), sine)


def cospi(lanes: Lanes, x: Value) -> Value:
    size = lanes("abs", _half_turns(lanes, x))
    return lanes("sin", lanes("mul", lanes("sub", lanes.number(0.5, size), size), math.pi))


def ldexp(lanes: Lanes, x: Value, n: Value) -> Value:
    """x 2^n, exactly where x is an f32: farther than 2^400 every f32 is 0 or infinite."""
    power = lanes("clamp", lanes.number(-400, n), n, lanes.number(400, n))
    bits = lanes("shift_left", lanes("add", lanes.convert(power, "i64"), 1023), 52)
    return lanes("mul", x, lanes.bitcast(bits, "f64"))


IN_F64: dict[str, Function] = {"sinpi": sinpi, "cospi": cospi, "erfc": _erfc, "erfcx": _erfcx, "normcdf": _normcdf, "tgamma": _tgamma,
                               "lgamma": _lgamma}
BESSEL: dict[str, Function] = {"j0": _j0, "j1": _j1, "y0": _y0, "y1": _y1, "cyl_bessel_i0": _i0, "cyl_bessel_i1": _i1}
