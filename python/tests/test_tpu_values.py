"""Primitives of the TPU that compute: against JAX where it has them, else against numpy."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from tilegrind.pallas import ExportError, export
from values import assert_as_jax, bits, in_kernel

RNG = np.random.default_rng(2)
X = RNG.normal(size=(6, 10)).astype(np.float32)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shift", [0, 1, 5, 27])
def test_roll(axis, shift):
    assert_as_jax(lambda x: pltpu.roll(x, shift, axis), X)


@pytest.mark.parametrize("shift", [-23, -1, 0, 4, 64])
def test_roll_by_a_value(shift):
    assert_as_jax(lambda x, s: pltpu.roll(x, s, 1), X, np.int32(shift))


@pytest.mark.parametrize("stride", [0, 1, 3, 12])
def test_strided_roll(stride):
    assert_as_jax(lambda x, s: (pltpu.roll(x, s, 1, stride=stride, stride_axis=0),
                                pltpu.roll(x, 2, 0, stride=stride, stride_axis=1)), X, np.int32(-4))


@pytest.mark.parametrize("source, target", [
    (jnp.float32, jnp.int32), (jnp.float32, jnp.bfloat16), (jnp.float32, jnp.uint8),
    (jnp.uint16, jnp.uint32), (jnp.int8, jnp.float32), (jnp.int8, jnp.int4), (jnp.uint4, jnp.uint16)])
def test_bitcast_changes_the_last_but_one_dimension(source, target):
    x = RNG.integers(-100, 100, (3, 8, 5)).astype(np.int32).astype(source)
    assert_as_jax(lambda x: pltpu.bitcast(x, target), x)


@pytest.mark.parametrize("approx", [False, True])
def test_reciprocal(approx):
    """The approximate one is the exact one."""
    reciprocal = (pltpu if hasattr(pltpu, "reciprocal") else pl).reciprocal
    found, = in_kernel(lambda x: reciprocal(x, approx=approx), X)
    np.testing.assert_array_equal(found, np.float32(1) / X)


@pytest.mark.parametrize("source, packed", [
    (np.float32, ml_dtypes.bfloat16), (np.int32, np.int16), (np.uint32, np.uint8),
    (np.int8, ml_dtypes.int4), (np.int32, ml_dtypes.uint4)])
def test_pack_and_unpack(source, packed):
    """The parts of a word, from its lowest bits on."""
    width = jnp.dtype(source).itemsize * 8
    narrow = ml_dtypes.finfo(packed).bits if packed == ml_dtypes.bfloat16 else ml_dtypes.iinfo(packed).bits
    count = width // narrow
    parts = [RNG.integers(-100, 100, (4, 8)).astype(source) for _ in range(count)]
    word, = in_kernel(lambda *xs: pltpu.pack_elementwise(xs, packed_dtype=packed), *parts)
    assert word.dtype == f"uint{width}"
    for position, part in enumerate(parts):
        code = word >> (position * narrow) & ((1 << narrow) - 1)
        exact = part.astype(np.float32).view(np.uint32) + 0x8000 >> 16 if narrow == 16 and \
            source == np.float32 else part.astype(np.int64) & ((1 << narrow) - 1)
        np.testing.assert_array_equal(code.astype(np.int64), exact.astype(np.int64))
        back, = in_kernel(lambda w, i=position: pltpu.unpack_elementwise(
            w, index=i, packed_dtype=packed, unpacked_dtype=source), word)
        np.testing.assert_array_equal(back, part.astype(packed).astype(source))


def stochastic(x, random, target):
    """By exact arithmetic: the cut-off bits and the random ones below them carry, or do not."""
    info = ml_dtypes.finfo(target)
    if not np.isfinite(x):
        return np.float32(x).astype(target)
    mantissa, exponent = np.frexp(np.float64(abs(x)))  # mantissa in [0.5, 1)
    own = max(int(exponent) - 1, -126)
    digits = int(np.ldexp(mantissa, int(exponent) - own + 23))
    cut = min(23 - info.nmant + max(0, int(info.minexp) - own), 31)
    total = digits + (int(random) & ((1 << cut) - 1)) >> cut
    return np.float32(np.copysign(np.ldexp(np.float64(total), cut + own - 23), x)).astype(target)


@pytest.mark.parametrize("target", ["bfloat16", "float8_e5m2", "float8_e4m3fn",
                                    "float8_e4m3b11fnuz"])
def test_stochastic_round(target):
    target = np.dtype(getattr(ml_dtypes, target))
    x = np.concatenate([RNG.normal(size=200), RNG.normal(size=100) * 1e-3, RNG.normal(size=50) * 1e-40,
                        [0.0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, 448, 465, 1e-45, 1.0, -2.0]])
    x = x.astype(np.float32)
    random = RNG.integers(0, 2**32, x.shape, dtype=np.uint32)
    found, = in_kernel(lambda x, r: pltpu.stochastic_round(x, r, target_dtype=target), x, random)
    wanted = np.array([stochastic(a, r, target) for a, r in zip(x, random)], target)
    np.testing.assert_array_equal(bits(found), bits(wanted))


def test_stochastic_round_is_right_on_average():
    x = np.full(20000, 1 + 2.0**-9, np.float32)  # a quarter of the way to the next bfloat16
    random = RNG.integers(0, 2**32, x.shape, dtype=np.uint32)
    found, = in_kernel(lambda x, r: pltpu.stochastic_round(x, r, target_dtype=jnp.bfloat16), x, random)
    ups = (found.astype(np.float32) > 1).mean()
    assert set(np.unique(found.astype(np.float32))) == {1, 1 + 2.0**-7} and abs(ups - 0.25) < 0.02


def refusal(kernel, *inputs, dtype=jnp.float32):
    with pytest.raises(ExportError) as caught:
        export(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), dtype)), *inputs)
    return str(caught.value)


def test_generator_of_the_hardware_is_refused():
    def kernel(o_ref):
        pltpu.prng_seed(1)
        o_ref[...] = pltpu.prng_random_bits((8, 128))

    assert "prng_seed: the generator is the hardware's own" in refusal(kernel, dtype=jnp.int32)


def test_stochastic_round_to_other_dtypes_is_refused():
    def kernel(x_ref, o_ref):
        r = lax.full((8, 128), 0, jnp.uint32)
        o_ref[...] = pltpu.stochastic_round(x_ref[...], r, target_dtype=jnp.float32)

    assert "stochastic rounding to f32" in refusal(kernel, np.zeros((8, 128), np.float32))
