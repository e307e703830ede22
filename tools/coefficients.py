#!/usr/bin/env python3
"""Writes interp/elementwise/elementary_coefficients.h: polynomials and split constants.

Each polynomial interpolates its function at Chebyshev nodes in high precision, with the least degree whose
error, measured on a dense grid, is below the stated bound; the coefficients are then rounded to f64 or f32.  The
output depends only on this file:  tools/coefficients.py > interp/elementwise/elementary_coefficients.h
"""
import struct

from mpmath import mp, mpf, cos, pi, sqrt, exp, log, atan, atanh, sin, erf, erfc, erfinv, fabs, inf

mp.prec = 400


def to_hex(value):
    """The f64 nearest to value, as C source."""
    return float(value).hex()


def to_hex_f32(value):
    """The f32 nearest to value, as C source."""
    return struct.unpack("f", struct.pack("f", float(value)))[0].hex() + "F"


def interpolate(function, low, high, count):
    """Power-basis coefficients of the polynomial through `count` Chebyshev nodes of [low, high]."""
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    table = [function(x) for x in nodes]
    for order in range(1, count):  # Newton's divided differences
        for k in range(count - 1, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - order])
    result = [mpf(0)]
    for k in range(count - 1, -1, -1):  # result = result * (x - nodes[k]) + table[k]
        shifted = [mpf(0)] + result
        result = [a - nodes[k] * b for a, b in zip(shifted, result + [mpf(0)])]
        result[0] += table[k]
    return result[:count]


def largest_error(function, weight, low, high, coefficients):
    worst = mpf(0)
    for k in range(1, 200):
        x = low + (high - low) * k / 200
        value = mpf(0)
        for c in reversed(coefficients):
            value = value * x + c
        worst = max(worst, fabs((value - function(x)) * weight(x)))
    return worst


def horner(indent, result, x, coefficients, c_type="double", fma="tg_fma", hexed=to_hex):
    print(f"{indent}{c_type} {result} = {hexed(coefficients[-1])};")
    for c in reversed(coefficients[:-1]):
        print(f"{indent}{result} = {fma}({result}, {x}, {hexed(c)});")


def fit(means, function, weight, low, high, bound):
    """Coefficients of the least degree whose error is below `bound`; emits the comment about them."""
    low, high = mpf(low), mpf(high)
    count = 2
    while True:
        coefficients = interpolate(function, low, high, count)
        if largest_error(function, weight, low, high, coefficients) < bound:
            break
        count += 1
    error = largest_error(function, weight, low, high, coefficients)
    print(f"/* {means};\n * x in [{mp.nstr(low, 5)}, {mp.nstr(high, 5)}], error of the result before"
          f" rounding below 2^{int(mp.floor(log(error, 2))) + 1}. */")
    return coefficients


def polynomial_f32(name, means, function, weight, low, high, bound):
    """Emits tg_poly_<name>(x) in f32."""
    coefficients = fit(means, function, weight, low, high, bound)
    print(f"TG_FORM float tg_poly_{name}(float x)\n{{")
    horner("    ", "r", "x", coefficients, "float", "tg_fma_f32", to_hex_f32)
    print("    return r;\n}\n")


def polynomial(name, means, function, weight, low, high, bound, is_split=False):
    """Emits tg_poly_<name>(x), Horner with fma.  `weight` converts its error into that of the whole result.  With `is_split`,
    even and odd powers are summed in parallel, which takes half as long where latency limits the speed."""
    coefficients = fit(means, function, weight, low, high, bound)
    print(f"TG_FORM double tg_poly_{name}(double x)\n{{")
    if is_split:
        print("    const double square = x * x;")
        horner("    ", "even", "square", coefficients[::2])
        horner("    ", "odd", "square", coefficients[1::2])
        print("    return tg_fma(odd, x, even);\n}\n")
    else:
        horner("    ", "r", "x", coefficients)
        print("    return r;\n}\n")


def parts(name, value, count, bits=53, last=53, suffix=""):
    """TG_<name>_0 .. : the first parts have `bits` significant bits, the last `last`."""
    value = mpf(value)
    for k in range(count):
        width = bits if k < count - 1 else last
        if value == 0:
            part = mpf(0)
        else:
            scale = mpf(2) ** (width - 1 - int(mp.floor(log(fabs(value), 2))))
            part = mp.nint(value * scale) / scale
        print(f"#define TG_{name}_{k} {to_hex(part)}{suffix}")
        value -= part


def series(limit, term):
    """Sum of term(k) for k below limit."""
    return sum((term(k) for k in range(limit)), mpf(0))


def bits_of_two_over_pi(words):
    """The fraction bits of 2/pi, 64 bits per word."""
    with mp.workprec(64 * words + 64):
        value = int(mp.floor(2 / +pi * mpf(2) ** (64 * words)))
    return [(value >> (64 * (words - 1 - k))) & (2**64 - 1) for k in range(words)]


def main():
    print("/* Written by tools/coefficients.py; do not edit. */")
    print("#ifndef TG_INTERP_LANES_ELEMENTARY_COEFFICIENTS_H\n#define TG_INTERP_LANES_ELEMENTARY_COEFFICIENTS_H\n")
    print('#include "interp/elementwise/elementary_dd.h"\n')
    ln2 = log(mpf(2))
    print("/* Split constants: their sum is the number; TG_LN2_0 and _1 leave room for an 11-bit factor. */")
    parts("LN2", ln2, 3, 42)
    parts("LN2D", ln2, 2)
    parts("LOG2E", 1 / ln2, 2)
    parts("TWO_OVER_PI", 2 / pi, 1)
    parts("HALF_PI", pi / 2, 3)
    parts("QUARTER_PI", pi / 4, 2)
    parts("TWO_OVER_SQRT_PI", 2 / sqrt(pi), 2)
    parts("ERF_SECOND", -2 / sqrt(pi) / 3, 2)
    parts("HALF_SQRT_PI", sqrt(pi) / 2, 2)
    parts("TAN_PI_8", sqrt(mpf(2)) - 1, 1)
    for d in (3, 5, 7, 6, 24, 120):
        parts(f"ONE_OVER_{d}", mpf(1) / d, 2)
    print("/* In f32; TG_LN2F_0 leaves room for an 8-bit factor. */")
    parts("LN2F", ln2, 2, 15, 24, "F")
    print(f"#define TG_LN2F {to_hex_f32(ln2)}")
    parts("LOG2EF", 1 / ln2, 1, last=24, suffix="F")
    print()
    print("/* The bits of 2/pi below the point. */")
    print("static const uint64_t tg_two_over_pi_bits[20] = {")
    words = [f"0x{w:016x}," for w in bits_of_two_over_pi(20)]
    for k in range(0, len(words), 4):
        print("    " + " ".join(words[k:k + 4]))
    print("};\n")

    half = mpf("0.3468")
    polynomial("exp", "(e^x - 1 - x) / x^2",
               lambda x: series(40, lambda k: x**k / mp.factorial(k + 2)), lambda x: x * x, -half, half, mpf(2)**-64)
    polynomial("exp_short", "(e^x - 1 - x) / x^2",
               lambda x: series(40, lambda k: x**k / mp.factorial(k + 2)), lambda x: x * x, -half, half, mpf(2)**-54,
               is_split=True)
    polynomial_f32("exp_fast", "(e^x - 1 - x) / x^2",
                   lambda x: series(40, lambda k: x**k / mp.factorial(k + 2)), lambda x: x * x, -half, half, mpf(2)**-26)
    polynomial("expm1", "2 (e^x - 1 - x - x^2 / 2) / x^3",
               lambda x: series(40, lambda k: 2 * x**k / mp.factorial(k + 3)), lambda x: x * x / 2, -half, half, mpf(2)**-64)
    polynomial("exp6", "the terms of e^x from x^6 on, over x^6",
               lambda x: series(40, lambda k: x**k / mp.factorial(k + 6)), lambda x: x**6, -half, half, mpf(2)**-76)
    z = mpf("0.02945")
    polynomial("log", "(2 atanh(s) - 2 s) / s^3 for x = s^2",
               lambda x: series(80, lambda k: 2 * x**k / (2 * k + 3)), lambda x: x, 0, z, mpf(2)**-64)
    polynomial("log4", "the terms of atanh(s) / s from x^4 on, over x^4, for x = s^2",
               lambda x: series(90, lambda k: x**k / (2 * k + 9)), lambda x: x**4, 0, z, mpf(2)**-84)
    z = mpf("0.6175")
    polynomial("sin", "(sin(r) - r) / r^3 for x = r^2",
               lambda x: series(60, lambda k: (-1)**(k + 1) * x**k / mp.factorial(2 * k + 3)), lambda x: x, 0, z, mpf(2)**-62)
    polynomial("cos", "(cos(r) - 1 + r^2 / 2) / r^4 for x = r^2",
               lambda x: series(60, lambda k: (-1)**k * x**k / mp.factorial(2 * k + 4)), lambda x: x * x, 0, z, mpf(2)**-62)
    z = mpf("0.17158")
    polynomial("atan4", "the terms of atan(s) / s from x^4 on, over x^4, for x = s^2",
               lambda x: series(170, lambda k: (-1)**k * x**k / (2 * k + 9)), lambda x: x**4, 0, z, mpf(2)**-66)
    two = 2 / sqrt(pi)
    polynomial("erf4", "(erf(y) / y - 2 / sqrt(pi) (1 - x / 3)) / x^2 for x = y^2",
               lambda x: two * series(70, lambda k: (-1)**k * x**k / (mp.factorial(k + 2) * (2 * k + 5))),
               lambda x: x * x, 0, mpf("0.5626"), mpf(2)**-62)

    def erfcx(u):  # u = (y - 2.5) / (y + 2.5)
        y = mpf(5) / 2 * (1 + u) / (1 - u)
        return exp(y * y) * erfc(y) * (1 + 2 * y)
    low, high = (mpf(3) / 4 - mpf(5) / 2) / (mpf(3) / 4 + mpf(5) / 2), (6 - mpf(5) / 2) / (6 + mpf(5) / 2)
    middle = erfcx(mpf(0))
    parts("ERFCX_MIDDLE", middle, 2)
    def slope(x):
        x = x if fabs(x) > mpf(10)**-40 else mpf(10)**-40
        return (erfcx(x) - middle) / x
    polynomial("erfcx", "(e^(y^2) erfc(y) (1 + 2 y) - its value at x = 0) / x for x = (y - 2.5) / (y + 2.5)",
               slope, lambda x: x, low, high, mpf(2)**-60)

    def inverse_near(w):  # x = sqrt(1 - e^-w)
        x = sqrt(-mp.expm1(-w)) if w > mpf(10)**-40 else mpf(10)**-30
        return erfinv(x) / x
    mp.prec = 160
    polynomial("erf_inv_near", "erf_inv(y) / y for x = -log(1 - y^2)", inverse_near, lambda x: 1, 0, mpf("0.71"), mpf(2)**-32)

    def inverse_far(s):  # 1 - y = e^-(s^2); root of erfc by Newton
        c = exp(-s * s)
        y = s
        for _ in range(60):
            step = (erfc(y) - c) / (2 / sqrt(pi) * exp(-y * y))
            y += step
            if fabs(step) < mpf(10)**-40:
                break
        return y
    polynomial("erf_inv_far", "erf_inv(y) for x = sqrt(-log(1 - y))", inverse_far, lambda x: 1,
               mpf("1.11"), mpf("6.07"), mpf(2)**-30)
    print("#endif")


main()
