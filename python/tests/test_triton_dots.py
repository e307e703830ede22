"""Products of matrices in Triton, in each precision, and with scales."""

import ml_dtypes
import numpy as np
import pytest
from triton_texts import launch, run

from tilegrind.triton import ExportError

RNG = np.random.default_rng(0)


def multiplied(name, x, y, z):
    o = np.zeros((16, 16), np.float32)
    run(f"multiply_{name}", x, y, z, o)
    return o


def tf32(x):
    """Rounded to 10 bits of fraction, ties away from zero."""
    return ((x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)


def chain(x, y):
    """Sums of products from the first to the last, each rounded once."""
    total = np.zeros((16, 16), np.float32)
    for k in range(16):
        total = (total.astype(np.float64) + x[:, k:k + 1].astype(np.float64) * y[k:k + 1]).astype(np.float32)
    return total


@pytest.fixture
def factors():
    return RNG.standard_normal((3, 16, 16), np.float32)


def test_tf32_rounds_the_factors(factors):
    x, y, z = factors
    np.testing.assert_array_equal(multiplied("tf32", x, y, z), chain(tf32(x), tf32(y)) + z)


def test_ieee_rounds_nothing_before(factors):
    x, y, z = factors
    np.testing.assert_allclose(multiplied("ieee", x, y, z), chain(x, y) + z, rtol=0, atol=2e-6)


def test_three_products_of_tf32(factors):
    x, y, z = factors
    great, small = [tf32(one) for one in (x, y)], [tf32(one - tf32(one)) for one in (x, y)]
    total = chain(small[0], great[1]) + chain(great[0], small[1])
    np.testing.assert_array_equal(multiplied("tf32x3", x, y, z), total + chain(great[0], great[1]) + z)


@pytest.mark.parametrize("name, pairs", [("bf16x3", [(1, 0), (0, 1), (0, 0)]),
                                         ("bf16x6", [(1, 1), (2, 0), (0, 2), (1, 0), (0, 1), (0, 0)])])
def test_products_of_bf16_parts(name, pairs, factors):
    x, y, z = factors
    parts = []
    for one in (x, y):
        parts.append([])
        for _ in range(3):
            parts[-1].append(one.astype(ml_dtypes.bfloat16).astype(np.float32))
            one = one - parts[-1][-1]
    total = np.zeros((16, 16), np.float32)
    for left, right in pairs:
        total = total + chain(parts[0][left], parts[1][right])
    np.testing.assert_array_equal(multiplied(name, x, y, z), total + z)


@pytest.mark.parametrize("name, error", [("ieee", 2e-6), ("tf32", 2e-2), ("tf32x3", 1e-5), ("bf16x3", 2e-3), ("bf16x6", 1e-5)])
def test_errors_are_those_of_the_precision(name, error, factors):
    x, y, z = factors
    exact = x.astype(np.float64) @ y + z
    assert np.abs(multiplied(name, x, y, z) - exact).max() < error


@pytest.mark.parametrize("name", ["tf32x3", "bf16x3", "bf16x6"])
def test_infinite_factors_have_no_lesser_part(name):
    x, y, z = np.zeros((3, 16, 16), np.float32)
    x[0, 0], y[0, :] = np.inf, 2
    o = multiplied(name, x, y, z)
    assert (o[0] == np.inf).all() and not o[1:].any()


def test_unknown_precisions_are_refused(factors):
    x, y, z = factors
    with pytest.raises(ExportError, match=r"kernels.py:\d+: tt.dot: the precision tf19 is not supported"):
        launch("multiply_tf32x3", x, y, z, x, replace=[("inputPrecision = tf32x3", "inputPrecision = tf19")])


def test_batches():
    x, y = RNG.standard_normal((2, 2, 16, 16)).astype(np.float16)
    o = np.zeros((2, 16, 16), np.float32)
    run("multiply_batch", x, y, o)
    np.testing.assert_array_equal(o, [chain(a.astype(np.float32), b.astype(np.float32)) for a, b in zip(x, y)])


# ---- scales ----

E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def long_chain(x, y):
    total = np.zeros((16, 16), np.float32)
    for k in range(x.shape[1]):
        total = (total.astype(np.float64) + x[:, k:k + 1].astype(np.float64) * y[k:k + 1]).astype(np.float32)
    return total


def test_two_elements_a_byte_and_a_scale_for_32():
    x, xs = RNG.integers(0, 256, (16, 32)).astype(np.uint8), RNG.integers(120, 134, (16, 2)).astype(np.uint8)
    y, ys = RNG.integers(0, 120, (64, 16)).astype(np.uint8), RNG.integers(120, 134, (16, 2)).astype(np.uint8)
    o = np.zeros((16, 16), np.float32)
    run("multiply_scaled", x, xs, y, ys, o)
    left = E2M1[np.stack([x & 15, x >> 4], 2).reshape(16, 64)] * np.exp2(xs.astype(np.float32) - 127).repeat(32, axis=1)
    right = y.view(ml_dtypes.float8_e4m3fn).astype(np.float32) * np.exp2(ys.astype(np.float32) - 127).repeat(32, axis=1).T
    np.testing.assert_array_equal(o, long_chain(left, right))


def test_bytes_of_two_rows_and_one_side_without_scales():
    x, xs = RNG.integers(0, 256, (8, 32)).astype(np.uint8), RNG.integers(120, 134, (16, 1)).astype(np.uint8)
    y = RNG.standard_normal((32, 16)).astype(ml_dtypes.bfloat16)
    o = np.zeros((16, 16), np.float32)
    run("multiply_one_scale", x, xs, y, o)
    left = E2M1[np.stack([x & 15, x >> 4], 1).reshape(16, 32)] * np.exp2(xs.astype(np.float32) - 127)
    np.testing.assert_array_equal(o, long_chain(left, y.astype(np.float32)))


def test_the_scale_255_is_nan():
    x, xs, y = np.full((8, 32), 0x22, np.uint8), np.full((16, 1), 127, np.uint8), np.ones((32, 16), ml_dtypes.bfloat16)
    xs[3] = 255
    o = np.zeros((16, 16), np.float32)
    run("multiply_one_scale", x, xs, y, o)
    assert np.isnan(o[3]).all() and (np.delete(o, 3, 0) == 32).all()


def test_unknown_elements_are_refused():
    x, xs, y = np.zeros((8, 32), np.uint8), np.zeros((16, 1), np.uint8), np.zeros((32, 16), ml_dtypes.bfloat16)
    with pytest.raises(ExportError, match=r"kernels.py:\d+: tt.dot_scaled: elements e3m2 are not supported"):
        launch("multiply_one_scale", x, xs, y, np.zeros((16, 16), np.float32), replace=[("rhs = bf16", "rhs = e3m2")])
