#!/usr/bin/env python3
"""Writes python/tilegrind/triton/rules/special_series.py: polynomials for functions of libdevice that we have no operation for.

Each goes through the values of its function at Chebyshev nodes of [-1, 1], in high precision, with the least number of
coefficients whose error, measured on a dense grid, is below 2^-54 of the greatest value.  The output depends only on this
file:  tools/libdevice_series.py > python/tilegrind/triton/rules/special_series.py
"""

from mpmath import besseli, besselj, bessely, cos, erfc, exp, fabs, log, mp, mpf, pi, sin, sqrt

mp.prec = 300

EDGE = 8  # between the series in x^2 and those in 1 / x


def interpolated(function, count):
    """Power-basis coefficients of the polynomial through `count` Chebyshev nodes, by Newton's divided differences."""
    nodes = [cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    table = [function(node) for node in nodes]
    for order in range(1, count):
        for k in range(count - 1, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - order])
    result = [mpf(0)]
    for k in range(count - 1, -1, -1):
        shifted = [mpf(0), *result]
        result = [a - nodes[k] * b for a, b in zip(shifted, [*result, mpf(0)])]
        result[0] += table[k]
    return result[:count]


def value_at(coefficients, x):
    value = mpf(0)
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def fitted(function):
    grid = [mpf(2 * k + 1) / 128 for k in range(-64, 64)]  # without -1, where x may be infinite
    wanted = [function(x) for x in grid]
    scale = max(map(fabs, wanted))
    count = 6
    while True:
        found = interpolated(function, count)
        if max(fabs(value_at(found, x) - value) for x, value in zip(grid, wanted)) < scale * mpf(2) ** -54:
            return found
        count += 1


# ---- the variables, from -1 to 1 ----


def of_square(v):
    """x for v = x^2 / 32 - 1."""
    return sqrt((v + 1) * EDGE**2 / 2)


def of_inverse_square(v):
    """x for v = 2 (8 / x)^2 - 1."""
    return EDGE / sqrt((v + 1) / 2)


def of_inverse(v):
    """x for v = 16 / x - 1."""
    return 2 * EDGE / (v + 1)


def of_share(v):
    """x for v = 2 t - 1, where t = 2 / (2 + x)."""
    return 4 / (v + 1) - 2


# ---- the functions ----


def modulus(order, take_sine):
    """P, or x Q, of Hankel's expansion of J and Y."""

    def function(v):
        x = of_inverse_square(v)
        angle = x - pi / 4 - order * pi / 2
        j, y = besselj(order, x), bessely(order, x)
        p, q = j * cos(angle) + y * sin(angle), y * cos(angle) - j * sin(angle)
        return sqrt(pi * x / 2) * (x * q if take_sine else p)

    return function


def off_zero(function):
    """Takes a function where it is 0 / 0 at x = 0 a little beside it."""
    return lambda v: function(max(of_square(v), mpf(2) ** -60))


def scaled_i(order):
    def function(v):
        x = of_inverse(v)
        return exp(-x) * sqrt(x) * besseli(order, x)

    return function


def share_of_erfcx(v):
    """erfcx(x) / t"""
    x = of_share(v)
    return exp(x * x) * erfc(x) * (v + 1) ** -1 * 2


SERIES = {
    "J0": (off_zero(lambda x: besselj(0, x)), "J0(x) by x^2"),
    "J1": (off_zero(lambda x: besselj(1, x) / x), "J1(x) / x by x^2"),
    "Y0": (off_zero(lambda x: bessely(0, x) - 2 / pi * log(x) * besselj(0, x)), "Y0(x) - 2 / pi log(x) J0(x) by x^2"),
    "Y1": (off_zero(lambda x: (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x),
           "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x by x^2"),
    "I0": (off_zero(lambda x: besseli(0, x)), "I0(x) by x^2"),
    "I1": (off_zero(lambda x: besseli(1, x) / x), "I1(x) / x by x^2"),
    "P0": (modulus(0, False), "P of order 0 by (8 / x)^2"),
    "Q0": (modulus(0, True), "x Q of order 0 by (8 / x)^2"),
    "P1": (modulus(1, False), "P of order 1 by (8 / x)^2"),
    "Q1": (modulus(1, True), "x Q of order 1 by (8 / x)^2"),
    "LARGE_I0": (scaled_i(0), "e^-x sqrt(x) I0(x) by 8 / x"),
    "LARGE_I1": (scaled_i(1), "e^-x sqrt(x) I1(x) by 8 / x"),
    "ERFCX": (share_of_erfcx, "erfcx(x) / t by t = 2 / (2 + x)"),
}


def main():
    print('"""Coefficients, those of the lowest powers first, of polynomials on [-1, 1].  tools/libdevice_series.py writes this file."""')
    for name, (function, means) in SERIES.items():
        words = [float(one).hex() for one in fitted(function)]
        print(f"\n# {means}\n{name} = [")
        for at in range(0, len(words), 4):
            print("    " + ", ".join(f'float.fromhex("{word}")' for word in words[at:at + 4]) + ",")
        print("]")


if __name__ == "__main__":
    main()
