"""Conversions and bits of all dtypes, as JAX has them."""

import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from tilegrind.ir import dtypes
from values import assert_as_jax, bits, in_kernel

RNG = np.random.default_rng(3)
NARROW = [name for name in dtypes.IR_NAMES if dtypes.bits(dtypes.IR_NAMES[name]) < 64]
REALS = np.array([0, -0.0, 0.2, 0.25, 0.3, 0.75, 1, 1.5, -2.5, 3, 5, 5.1, 6, 7.5, -8, 9, 100, 127.5, 200, 240,
                  248, 256, 300, 447, 464, 465, 57344, 61440, 65504, 65520, 7e4, 1e9, -3e9, 1e19, 3e38, np.inf,
                  -np.inf, np.nan, 1e-3, 2.0**-9, 2.0**-10, 1e-6, 1e-40], np.float32)


def elements(name):
    """Every code of the dtype up to 16 bits, else numbers of all sizes."""
    dtype = np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[name]))
    width = dtypes.bits(dtypes.IR_NAMES[name])
    if name == "bool":
        return np.array([False, True])
    if name == "float32":
        return np.concatenate([REALS, RNG.normal(size=200).astype(np.float32)])
    if width < 8:
        codes = np.arange(2**width).astype(np.int8)
        return codes.astype(dtype) if not dtypes.is_float(dtypes.IR_NAMES[name]) else \
            codes.astype(np.uint8).view(dtype)
    if width == 32:
        return RNG.integers(0, 2**32, 300, dtype=np.uint32).view(dtype)
    return np.arange(2**width).astype(f"u{width // 8}").view(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("source", NARROW)
def test_conversions(source):
    """Between all pairs of dtypes, every code of what has up to 16 bits."""
    x = elements(source)
    targets = [np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[name])) for name in NARROW]
    found = in_kernel(lambda x: [x.astype(target) for target in targets], x)
    wanted = jax.jit(lambda x: [x.astype(target) for target in targets])(x)
    for target, a, b in zip(targets, found, wanted, strict=True):
        differs = np.nonzero(bits(a) != bits(b))[0]
        for pair in ((source, target.name), (None, target.name), (source, None)):
            known = DIFFERENCES.get(pair, lambda value: False)
            differs = [i for i in differs if not known(x[i])]
        assert len(differs) == 0, (target, [(x[i], a[i], np.asarray(b)[i]) for i in differs[:5]])


# Where XLA's code for the CPU and the rule of docs/ir.md part, by source (None: any) and target.
DIFFERENCES = {
    # ml_dtypes rounds up, away from the nearest power of two
    (None, "float8_e8m0fnu"): lambda x: 2.0**-127 < float(x) < 1.5 * 2.0**-127,
    # XLA takes subnormals for zero
    (None, "bool"): lambda x: 0 < abs(float(x)) < 2.0**-126,
    # XLA gives the greatest and the least integer
    ("float4_e2m1fn", None): lambda x: abs(float(x)) == 6,
}

WIDTHS = [("uint8", "uint4"), ("int8", "int2"), ("uint4", "uint2"), ("int32", "int4"), ("uint16", "uint8"),
          ("float32", "float4_e2m1fn"), ("bfloat16", "int8"), ("float32", "float16"), ("int16", "uint2"),
          ("float8_e5m2", "uint4")]


@pytest.mark.parametrize("wide, narrow", WIDTHS)
def test_bits_of_other_widths(wide, narrow):
    dtype = np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[wide]))
    low = np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[narrow]))
    x = RNG.integers(-100, 100, (3, 5)).astype(np.int32).astype(dtype)
    assert_as_jax(lambda x: lax.bitcast_convert_type(x, low), x)
    assert_as_jax(lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, low), dtype), x)


@pytest.mark.parametrize("a, b", [("int4", "uint4"), ("float4_e2m1fn", "uint4"), ("int2", "uint2"),
                                  ("float8_e4m3fn", "int8"), ("bfloat16", "float16")])
def test_bits_of_the_same_width(a, b):
    for source, target in ((a, b), (b, a)):
        to = np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[target]))
        x = elements(source)
        x = x[~np.isnan(x.astype(np.float32))]  # a signalling NaN becomes quiet when it is loaded
        assert_as_jax(lambda x, to=to: lax.bitcast_convert_type(x, to), x)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("exponent, mantissa", [(8, 7), (5, 10), (5, 2), (4, 3), (8, 23), (3, 0), (8, 3), (2, 9)])
def test_reduce_precision(name, exponent, mantissa):
    x = elements(name)
    assert_as_jax(lambda x: lax.reduce_precision(x, exponent, mantissa), x[~np.isnan(x.astype(np.float32))])


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4"])
def test_arithmetic_of_few_bits(name):
    """Wraps, over all pairs."""
    dtype = np.dtype(dtypes.numpy_dtype(dtypes.IR_NAMES[name]))
    values = elements(name).astype(np.int64)
    a, b = (np.array(side) for side in zip(*itertools.product(values, values)))
    found = in_kernel(lambda a, b: (a + b, a - b, a * b, lax.max(a, b), a & b, a < b),
                      a.astype(dtype), b.astype(dtype))
    wanted = [x.astype(dtype) for x in (a + b, a - b, a * b, np.maximum(a, b), a & b)] + [a < b]
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(bits(x), bits(y))


def test_arithmetic_of_f4():
    """Each result rounded to the nearest value, ties to the even code, at most 6 in magnitude."""
    values = elements("float4_e2m1fn")
    a, b = (np.array(side) for side in zip(*itertools.product(values, values)))
    found = in_kernel(lambda a, b: (a + b, a - b, a * b), a, b)
    x, y = a.astype(np.float32), b.astype(np.float32)
    for one, exact in zip(found, (x + y, x - y, x * y), strict=True):
        np.testing.assert_array_equal(one.view(np.uint8), exact.astype(ml_dtypes.float4_e2m1fn).view(np.uint8))


def test_moving_few_bits():
    x = RNG.integers(-2, 2, (3, 7)).astype(ml_dtypes.int2)
    found = in_kernel(lambda x: (x.T, jnp.concatenate([x, x], 1), x[::-1], x.reshape(21)), x)
    for a, b in zip(found, (x.T, np.concatenate([x, x], 1), x[::-1], x.reshape(21)), strict=True):
        np.testing.assert_array_equal(bits(a), bits(b))
