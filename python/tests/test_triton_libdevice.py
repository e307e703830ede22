"""Functions of libdevice, against numpy, exact fractions and the C library."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tilegrind.triton import ExportError
from tilegrind.triton.rules.libdevice import FUNCTIONS
from ttir_ops import COUNT, run, tensor

INF, NAN = math.inf, math.nan
I32, I64, F32, F64 = "i32", "i64", "f32", "f64"
ONES = 0xFFFFFFFF


def call(name, sources, target, *inputs):
    """The results for the inputs, a list for each operand."""
    operands = ", ".join("%x %y %z".split()[:len(sources)])
    kinds = ", ".join(tensor(kind) for kind in sources)
    attributes = f'{{libname = "", libpath = "", pure = true, symbol = "__nv_{name}"}}'
    line = f"tt.extern_elementwise {operands} {attributes} : ({kinds}) -> {tensor(target)}"
    return run(line, sources, target, *inputs)[:max(map(len, inputs))].tolist()


# ---- nearest ----

POINTS = np.float32([0.1, 0.7, -0.3, 2.5, 0.9, 1.5, -0.8, 1e-3])


@pytest.mark.parametrize("name, wanted", [
    ("exp", np.exp), ("log", np.log), ("sin", np.sin), ("tanh", np.tanh), ("log1p", np.log1p), ("cbrt", np.cbrt), ("rint", np.rint),
    ("trunc", np.trunc), ("floor", np.floor), ("fabs", np.abs), ("exp2", np.exp2), ("rsqrt", lambda x: 1 / np.sqrt(x))])
def test_operations(name, wanted):
    with np.errstate(invalid="ignore"):
        for kind, end, dtype in ((F32, "f", np.float32), (F64, "", np.float64)):
            exact = wanted(POINTS.astype(np.float64)).astype(dtype)
            np.testing.assert_allclose(call(name + end, [kind], kind, POINTS), exact, rtol=4e-16 if kind == F64 else 0)


@pytest.mark.parametrize("name, wanted", [("log10f", np.log10), ("exp10f", lambda x: 10.0**x), ("rcbrtf", lambda x: 1 / np.cbrt(x)),
                                          ("fast_log10f", np.log10), ("fast_exp10f", lambda x: 10.0**x)])
def test_functions_of_f32_through_f64(name, wanted):
    points = np.abs(POINTS)
    assert call(name, [F32], F32, points) == wanted(points.astype(np.float64)).astype(np.float32).tolist()


def test_of_half_turns():
    points = np.float32([0, -0.0, 1, -1, 0.5, 1e10, 2.25, -1.75])
    assert call("sinpif", [F32], F32, points) == pytest.approx([0, 0, 0, 0, 1, 0, math.sqrt(0.5), math.sqrt(0.5)], rel=1e-7)
    assert np.signbit(call("sinpif", [F32], F32, points)).tolist()[:4] == [False, True, False, True]
    assert call("cospif", [F32], F32, points) == pytest.approx([1, 1, -1, -1, 0, 1, math.sqrt(0.5), math.sqrt(0.5)], rel=1e-7)
    assert np.isnan(call("sinpif", [F32], F32, [INF, NAN])).all()


def test_norms_do_not_overflow_and_are_infinite_beside_nan():
    assert call("hypotf", [F32, F32], F32, [3e38, 3, INF, NAN], [1e38, 4, NAN, 1])[:3] == [float(np.float32(math.hypot(np.float32(3e38), np.float32(1e38)))), 5, INF]
    assert np.isnan(call("hypotf", [F32, F32], F32, [NAN], [1]))
    assert call("norm3df", [F32] * 3, F32, [2], [3], [6]) == [7]
    assert call("rnorm3df", [F32] * 3, F32, [2], [3], [6]) == [float(np.float32(1 / 7))]
    assert call("rhypotf", [F32] * 2, F32, [3], [4]) == [float(np.float32(0.2))]


def test_powers_by_integers_and_others():
    assert call("powif", [F32, I32], F32, [2, -3], [-2, 3]) == [0.25, -27]
    assert call("powf", [F32, F32], F32, [2, 1], [0.5, NAN]) == [float(np.float32(math.sqrt(2))), 1]
    assert call("fmaf", [F32] * 3, F32, [2], [3], [4]) == [10]
    assert call("fdimf", [F32, F32], F32, [3, 1], [1, 3]) == [2, 0]
    assert call("ldexpf", [F32, I32], F32, [1.5, 2.0**-149, 3, 1 + 2**-23, INF], [3, 200, -1000, -127, -5]) == [12, 2.0**51, 0, 2.0**-127, INF]
    assert call("saturatef", [F32], F32, [NAN, -1, 0.5, 7]) == [0, 0, 0.5, 1]
    assert call("roundf", [F32], F32, [2.5, -0.5, 3.5]) == [3, -1, 4]
    assert call("copysign", [F64, F64], F64, [3, -2], [-0.0, 1]) == [-3, 2]


def test_of_kinds_of_floats():
    values = [1, INF, -INF, NAN]
    assert call("isinff", [F32], I32, values) == [0, 1, 1, 0]
    assert call("isnand", [F64], I32, values) == [0, 0, 0, 1]
    assert call("finitef", [F32], I32, values) == [1, 0, 0, 0]
    assert call("signbitf", [F32], I32, [-0.0, 0, -1, 1]) == [1, 0, 1, 0]


# ---- series ----

# By mpmath, at 1/4, 3/2, 31/4, 19/2 and 121/4.
BESSEL = {
    "j0": [0.9844359292958527, 0.5118276717359181, 0.22523406912010668, -0.19392874768742235, -0.05443267228961778],
    "j1": [0.12402597732272692, 0.5579365079100996, 0.1916025921891178, 0.16126443075752986, -0.135377822725874],
    "y0": [-0.9315730249300587, 0.38244892379775886, 0.17676987751364717, 0.17121062620272384, -0.1344600176566395],
    "y1": [-2.7041052293152825, -0.4123086269739113, -0.21433222865940804, 0.20317989938720768, 0.05221822074062348],
    "cyl_bessel_i0": [1.015686141223608, 1.646723189772891, 338.5137537472759, 1753.4809905273228, 999495401052.5316],
    "cyl_bessel_i1": [0.12597910894546793, 0.9816664285779075, 315.85248092400343, 1658.4530777821342, 982833517945.7871],
}
OF_F32 = {
    "erfcf": ([-1.5, 0.5, 4, 9], [1.9661051034927368, 0.4795001149177551, 1.5417258580896487e-08, 4.137031708073991e-37]),
    "erfcxf": ([-2, 0.5, 4, 1000], [108.94090270996094, 0.6156903505325317, 0.1369994580745697, 0.0005641892785206437]),
    "normcdff": ([-12.5, -3, 0.25, 3], [3.732564416972243e-36, 0.0013498980551958084, 0.5987063050270081, 0.998650074005127]),
    "tgammaf": ([-2.5, 0.25, 5, 34.5], [-0.9453087449073792, 3.625609874725342, 24.0, 5.04462063421064e+37]),
    "lgammaf": ([-2.5, 0.25, 5, 1000000.0], [-0.056243717670440674, 1.288022518157959, 3.178053855895996, 12815505.0]),
}


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions(name):
    points = [0.25, 1.5, 7.75, 9.5, 30.25]
    assert call(name, [F64], F64, points) == pytest.approx(BESSEL[name], rel=2.0**-45, abs=2.0**-45)
    assert call(name + "f", [F32], F32, points) == pytest.approx(BESSEL[name], rel=2.0**-23, abs=2.0**-45)


def test_bessel_functions_of_other_operands():
    assert call("j0", [F64], F64, [0, -1.5, INF, -INF]) == pytest.approx([1, BESSEL["j0"][1], 0, 0], rel=2.0**-45)
    assert call("j1", [F64], F64, [0, -1.5, INF]) == pytest.approx([0, -BESSEL["j1"][1], 0], rel=2.0**-45)
    assert np.signbit(call("j1", [F64], F64, [-0.0])[0])
    for name in ("y0", "y1"):
        assert call(name, [F64], F64, [0, INF]) == [-INF, 0]
        assert np.isnan(call(name, [F64], F64, [-1, NAN, -INF])).all()
    assert call("cyl_bessel_i0", [F64], F64, [0, -1.5, INF, -INF]) == pytest.approx([1, BESSEL["cyl_bessel_i0"][1], INF, INF])
    assert call("cyl_bessel_i1", [F64], F64, [-1.5, INF, -INF]) == pytest.approx([-BESSEL["cyl_bessel_i1"][1], INF, -INF])
    assert np.isnan([call(name, [F64], F64, [NAN])[0] for name in BESSEL]).all()


@pytest.mark.parametrize("name", OF_F32)
def test_series_of_f32(name):
    points, wanted = OF_F32[name]
    assert call(name, [F32], F32, points) == wanted
    assert np.isnan(call(name, [F32], F32, [NAN])[0])


def test_series_of_f32_at_their_ends():
    assert call("erfcf", [F32], F32, [0, INF, -INF, 11]) == [1, 0, 2, 0]
    assert call("erfcxf", [F32], F32, [0, INF, -INF, -10]) == [1, 0, INF, INF]
    assert call("normcdff", [F32], F32, [0, INF, -INF]) == [0.5, 1, 0]
    assert call("tgammaf", [F32], F32, [0, -0.0, INF, 1, 2, 36, 4, -200.5]) == [INF, -INF, INF, 1, 1, INF, 6, 0]
    assert np.isnan(call("tgammaf", [F32], F32, [-1, -3, -INF])).all()
    assert call("lgammaf", [F32], F32, [0, -1, INF, -INF, 1, 2]) == pytest.approx([INF, INF, INF, INF, 0, 0], abs=1e-14)


# ---- bits ----


def test_of_bits():
    assert call("brev", [I32], I32, [1, 0x0000F00D]) == [-(1 << 31), int(f"{0xF00D:032b}"[::-1], 2) - (1 << 32)]
    assert call("brevll", [I64], I64, [2]) == [1 << 62]
    assert call("ffs", [I32], I32, [0, 1, 8, -(1 << 31)]) == [0, 1, 4, 32]
    assert call("ffsll", [I64], I32, [0, 1 << 40]) == [0, 41]
    assert call("clz", [I32], I32, [0, 1, -1]) == [32, 31, 0]
    assert call("popcll", [I64], I32, [-1, 5]) == [64, 2]
    assert call("byte_perm", [I32] * 3, I32, [0x33221100], [0x77665544], [0x7531, 0x0246]) == [0x77553311, 0x00224466]


def test_of_integers_that_cannot_overflow():
    assert call("hadd", [I32, I32], I32, [2147483647, -3], [2147483645, 0]) == [2147483646, -2]
    assert call("rhadd", [I32, I32], I32, [2147483647, -3], [2147483646, 0]) == [2147483647, -1]
    assert call("uhadd", [I32, I32], I32, [-1], [-3]) == [-2]
    assert call("urhadd", [I32, I32], I32, [-1], [-2]) == [-1]
    assert call("mulhi", [I32, I32], I32, [-1, 65536], [1, 65536]) == [-1, 1]
    assert call("umul64hi", [I64, I64], I64, [-1], [-1]) == [-2]
    assert call("mul24", [I32, I32], I32, [0x00FFFFFF, 0x01000003], [2, 2]) == [-2, 6]
    assert call("umul24", [I32, I32], I32, [0x00FFFFFF], [2]) == [0x01FFFFFE]
    assert call("sad", [I32] * 3, I32, [-5], [7], [100]) == [112]
    assert call("usad", [I32] * 3, I32, [-1], [1], [10]) == [8]


def test_of_bits_of_floats():
    assert call("float_as_int", [F32], I32, [-1.0]) == [-0x40800000]
    assert call("int_as_float", [I32], F32, [0x3F800000]) == [1.0]
    assert call("double2hiint", [F64], I32, [1.0]) == [0x3FF00000]
    assert call("double2loint", [F64], I32, [1 + 2**-52]) == [1]
    assert call("hiloint2double", [I32, I32], F64, [0x3FF00000], [1]) == [1 + 2**-52]


# ---- directed rounding ----

WAYS = {"rd": -INF, "ru": INF}
RANDOM = np.random.default_rng(5)


def operands(count):
    """f32 of many sizes, of which neighbours are near to each other."""
    values = RANDOM.standard_normal((count, COUNT)) * 2.0**RANDOM.integers(-60, 60, (count, COUNT))
    values[:, :4] = values[:1, :4] * (1 + RANDOM.integers(-3, 4, (count, 4)) * 2.0**-23)
    return values.astype(np.float32)


def directed(exact, mode):
    """The f32 that a fraction is rounded to."""
    near = np.float32(float(exact))
    for way in (-INF, INF):  # float(exact) is rounded itself
        other = np.nextafter(near, np.float32(way))
        near = min((near, other), key=lambda one: abs(Fraction(float(one)) - exact))
    found = Fraction(float(near))
    if mode == "rn" or found == exact:
        return float(near)
    if mode == "rz":
        return float(near) if abs(found) < abs(exact) else float(np.nextafter(near, np.float32(0)))
    is_there = found < exact if mode == "rd" else found > exact
    return float(near) if is_there else float(np.nextafter(near, np.float32(WAYS[mode])))


ARITHMETIC = {"fadd": lambda x, y: x + y, "fsub": lambda x, y: x - y, "fmul": lambda x, y: x * y, "fdiv": lambda x, y: x / y,
              "fmaf": lambda x, y, z: x * y + z, "frcp": lambda x: 1 / x}


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_rounding_by_name(name, mode):
    function = ARITHMETIC[name]
    arity = function.__code__.co_argcount
    for _ in range(6):
        values = operands(arity)
        exact = [function(*map(Fraction, map(float, column))) for column in values.T]
        assert call(f"{name}_{mode}", [F32] * arity, F32, *values) == [directed(one, mode) for one in exact]


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_roots_by_rounding(mode):
    """A root is on the side of an f32 that their squares tell."""
    values = np.abs(operands(1)[0])
    for value, root in zip(values.astype(float), call(f"fsqrt_{mode}", [F32], F32, values)):
        below, above = (float(np.nextafter(np.float32(root), np.float32(way))) for way in (0, INF))
        square, low, high = (Fraction(one) ** 2 for one in (root, below, above))
        if mode == "ru":
            assert low < Fraction(value) <= square
        elif mode == "rn":
            assert ((Fraction(below) + Fraction(root)) / 2) ** 2 <= Fraction(value) <= ((Fraction(above) + Fraction(root)) / 2) ** 2
        else:
            assert square <= Fraction(value) < high


def test_a_sum_of_opposites_is_minus_zero_downward():
    for mode, negative in {"rn": False, "rz": False, "ru": False, "rd": True}.items():
        assert np.signbit(call(f"fadd_{mode}", [F32, F32], F32, [1.5], [-1.5])[0]) == negative
        assert not np.signbit(call(f"fadd_{mode}", [F32, F32], F32, [0.0], [0.0])[0])
        assert np.signbit(call(f"fmaf_{mode}", [F32] * 3, F32, [1.5], [2], [-3])[0]) == negative


def test_directed_results_stay_finite_or_not():
    most = float(np.finfo(np.float32).max)
    assert call("fadd_rz", [F32, F32], F32, [most], [most]) == [most]
    assert call("fadd_rd", [F32, F32], F32, [most, -most], [most, -most]) == [most, -INF]
    assert call("fadd_ru", [F32, F32], F32, [most, INF], [most, 1]) == [INF, INF]
    assert call("fmul_ru", [F32, F32], F32, [1e-30], [1e-30]) == [2.0**-149]
    assert call("fdiv_rd", [F32, F32], F32, [1, 1], [0, INF]) == [INF, 0]


def test_conversions_by_rounding():
    for mode, wanted in {"rn": [2, -2, 4], "rz": [2, -2, 3], "rd": [2, -3, 3], "ru": [3, -2, 4]}.items():
        assert call(f"float2int_{mode}", [F32], I32, [2.5, -2.5, 3.5]) == wanted
    assert call("float2uint_rz", [F32], I32, [4e9]) == [4000000000 - (1 << 32)]
    assert call("double2ll_rd", [F64], I64, [-1.5]) == [-2]
    for mode, wanted in {"rn": 16777216, "rz": 16777216, "rd": 16777216, "ru": 16777218}.items():
        assert call(f"int2float_{mode}", [I32], F32, [16777217]) == [wanted]
        assert call(f"double2float_{mode}", [F64], F32, [16777217]) == [wanted]
    assert call("uint2float_rn", [I32], F32, [-1]) == [4294967296]
    assert call("ull2double_rn", [I64], F64, [-1]) == [2.0**64]
    assert call("llrintf", [F32], I64, [2.5, 3.5]) == [2, 4]
    assert call("llround", [F64], I64, [2.5, -3.5]) == [3, -4]


# ---- refusals ----


@pytest.mark.parametrize("name", ["erfcinvf", "nothing", "dadd_rz"])
def test_what_is_not_there_is_refused_by_name(name):
    assert name not in FUNCTIONS
    with pytest.raises(ExportError, match=f"tt.extern_elementwise: the function __nv_{name} is not supported"):
        call(name, [F32], F32, [1])
