"""64-bit dtypes through every kind of operation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from values import assert_as_jax, in_kernel

RNG = np.random.default_rng(5)
WIDE = np.concatenate([RNG.integers(-2**63, 2**63, 60), [0, -1, 1, 2**63 - 1, -2**63, 2**53 + 1, -2**31 - 1]])
REALS = np.concatenate([RNG.normal(size=40), RNG.normal(size=20) * 1e300, [0.0, -0.0, np.inf, -np.inf, np.nan,
                                                                          5e-324, 1.5]])


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


INTEGERS = {
    "neg": lambda x, y: -x, "abs": lambda x, y: abs(x), "sign": lambda x, y: lax.sign(x),
    "not": lambda x, y: ~x, "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div,
    "rem": lax.rem, "max": lax.max, "min": lax.min, "and": lax.bitwise_and, "or": lax.bitwise_or,
    "xor": lax.bitwise_xor, "shift_left": lambda x, y: x << (y & 63),
    "shift_right": lambda x, y: x >> (y & 63),
    "shift_logical": lambda x, y: lax.shift_right_logical(x, y & 63), "eq": lax.eq, "lt": lax.lt,
    "ge": lax.ge, "clz": lambda x, y: lax.clz(x), "pow": lambda x, y: lax.integer_pow(x, 5),
    "population_count": lambda x, y: lax.population_count(x),
    "clamp": lambda x, y: lax.clamp(x.dtype.type(3), x, x.dtype.type(2**40)),
    "select": lambda x, y: jnp.where(x > y, x, y), "sum": lambda x, y: jnp.sum(x),
    "max of": lambda x, y: x.max(), "prod": lambda x, y: x.prod(), "argmin": lambda x, y: jnp.argmin(x),
    "cumsum": lambda x, y: jnp.cumsum(x), "sort": lambda x, y: jnp.sort(x),
    "argsort": lambda x, y: jnp.argsort(x), "top_k": lambda x, y: lax.top_k(x, 9),
    "gather": lambda x, y: x[jnp.abs(y % 60)], "scatter": lambda x, y: x.at[jnp.abs(y % 60)].add(y),
    "iota": lambda x, y: lax.iota(x.dtype, 67) + x, "pad": lambda x, y: lax.pad(x, x[0], [(2, -1, 3)]),
    "bits": lambda x, y: lax.bitcast_convert_type(x, jnp.uint8),
    "dot": lambda x, y: jnp.dot(x.reshape(1, -1), y.reshape(-1, 1)),
    "reals": lambda x, y: (x.astype(jnp.float64), x.astype(jnp.float32)),
    "small": lambda x, y: (x.astype(jnp.int8), x.astype(jnp.uint32), x != 0),
}


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers(name, dtype):
    x = WIDE.astype(dtype)
    y = np.roll(x, 1)
    assert_as_jax(INTEGERS[name], x, y)


FLOATS = {
    "arithmetic": lambda x, y: (x + y, x - y, x * y, x / y, lax.rem(x, y)),
    "order": lambda x, y: (lax.max(x, y), lax.min(x, y), x < y, x == y, jnp.sort(x), jnp.argsort(x)),
    "rounding": lambda x, y: (jnp.floor(x), jnp.ceil(x), jnp.round(x), lax.sign(x), abs(x), -x),
    "next": lambda x, y: lax.nextafter(x, jnp.where(jnp.isnan(y), 0.0, y)),
    "finite": lambda x, y: lax.is_finite(x), "square root": lambda x, y: jnp.sqrt(abs(x)),
    "top_k": lambda x, y: lax.top_k(x, 5),
    "integers": lambda x, y: (x.astype(jnp.int64), x.astype(jnp.int32), x.astype(jnp.uint64), x.astype(jnp.int8)),
    "narrow": lambda x, y: (x.astype(jnp.float32), x.astype(jnp.float16), x.astype(jnp.bfloat16)),
    "bits": lambda x, y: (lax.bitcast_convert_type(x, jnp.int64), lax.bitcast_convert_type(x, jnp.uint16)),
    "precision": lambda x, y: lax.reduce_precision(x, 8, 23),
    "argmax": lambda x, y: (jnp.argmax(x), jnp.argmin(x), x.max(), x.min()),
    "scans": lambda x, y: (lax.cummax(x), lax.cummin(x)),
}


FLUSHED = ("arithmetic", "order", "rounding", "square root")  # where XLA takes subnormals for zero


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name):
    if name == "narrow":
        x = REALS[(abs(REALS) < 1e30) & (abs(REALS) > 1e-30)]  # XLA takes subnormals for zero
    else:
        x = REALS[abs(REALS) != 5e-324] if name in FLUSHED else REALS
    assert_as_jax(FLOATS[name], x, np.roll(x, 1))


ELEMENTARY = ("exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic erf "
              "cbrt rsqrt erf_inv").split()


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary(name):
    x = RNG.uniform(0.01, 0.99, 200) + (1 if name == "acosh" else 0)
    found, = in_kernel(getattr(lax, name), x)
    wanted = np.asarray(jax.jit(getattr(lax, name))(x))
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_products_of_doubles():
    a, b = RNG.normal(size=(7, 33)), RNG.normal(size=(33, 5))
    found, = in_kernel(jnp.dot, a, b)
    np.testing.assert_allclose(found, a @ b, rtol=1e-13, atol=1e-13)  # terms may cancel


def test_random_words():
    assert_as_jax(lambda s: (jax.random.bits(jax.random.key(s), (9,), jnp.uint64),
                             jax.random.uniform(jax.random.key(s), (9,))), np.uint32(5))


def test_loop_with_a_wide_counter():
    assert_as_jax(lambda x: lax.fori_loop(jnp.int64(2), jnp.int64(2**33) // 2**30, lambda i, a: a * 3 + i, x),
                  WIDE)
