"""Companion kernels from Python: what JAX computes lies within the bounds of the contract `ieee`."""

import functools
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

from tilegrind import runtime
from tilegrind.errors import Error
from tilegrind.pallas import export

ROOT = Path(__file__).resolve().parent.parent.parent


def softmax(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def layer_norm(x_ref, o_ref):
    x = x_ref[...]
    mean = jnp.mean(x, axis=1, keepdims=True)
    o_ref[...] = (x - mean) * jax.lax.rsqrt(jnp.mean((x - mean) ** 2, axis=1, keepdims=True) + 1e-5)


def product(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], x_ref[...].T, preferred_element_type=jnp.float32)


def masked(x_ref, o_ref):
    x = x_ref[...]
    kept = jax.lax.broadcasted_iota(jnp.int32, x.shape, 0) >= jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
    e = jnp.exp(jnp.where(kept, x, -jnp.inf))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def judged(kernel, x):
    """What JAX computes, what Tilegrind does, R and B."""
    spec = pl.BlockSpec((16, 16), lambda i: (i, 0))
    call = functools.partial(pl.pallas_call(
        kernel, grid=(x.shape[0] // 16,), in_specs=[spec], out_specs=spec,
        out_shape=jax.ShapeDtypeStruct((x.shape[0], 16), jnp.float32), interpret=True))
    companion = runtime.loads(export(call, x).dumps()).companion("ieee")
    outputs = companion.run({companion.params()[0].name: np.asarray(x)}).outputs
    name = next(name for name in outputs if name + " exact" in outputs)
    got = np.asarray(jax.jit(call)(x), np.float64)
    return got, outputs[name], outputs[name + " exact"], outputs[name + " bound"]


@pytest.mark.parametrize("kernel, dtype", [(softmax, "float32"), (layer_norm, "float32"), (masked, "float32"),
                                           (product, "float32"), (product, "bfloat16")])
def test_what_jax_computes_is_within(kernel, dtype):
    x = jnp.asarray(np.random.default_rng(1).standard_normal((64, 16)), dtype)
    got, reference, exact, bound = judged(kernel, x)
    assert np.all(np.isfinite(bound)) and np.median(bound / np.maximum(np.abs(exact), 1e-30)) < 1e-3
    assert np.all(np.abs(got - exact) <= bound) and np.all(np.abs(reference - exact) <= bound)


@pytest.mark.parametrize("kernel", [softmax, layer_norm, product, masked])
def test_wrong_results_are_outside(kernel):
    x = jnp.asarray(np.random.default_rng(2).standard_normal((64, 16)), jnp.float32)
    got, _, exact, bound = judged(kernel, x)
    for wrong in (np.zeros_like(got), np.full_like(got, got.mean()), np.roll(got, 1, 0), got.astype(jnp.bfloat16),
                  got * (1 + 2.0**-7), -got):
        assert np.any(np.abs(np.asarray(wrong, np.float64) - exact) > bound)


def test_products_of_whole_numbers_are_exact():
    x = jnp.asarray(np.random.default_rng(3).integers(-3, 4, (64, 16)), jnp.float32)
    got, reference, exact, bound = judged(product, x)
    assert np.all(bound == 0) and np.array_equal(got, exact) and np.array_equal(reference, exact)


def test_a_contract_that_there_is_not():
    with pytest.raises(Error, match='there is no contract "none"; there are: reference ieee cuda opencl-full'):
        runtime.load(ROOT / "examples" / "add.json").companion("none")


def of_contract(contract, kernel, x):
    """What XLA computes of one block, and what is expected of it."""
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)
    companion = runtime.loads(export(call, x).dumps()).companion(contract)
    outputs = companion.run({companion.params()[0].name: np.asarray(x)}).outputs
    name = next(name for name in outputs if name + " exact" in outputs)
    return np.asarray(jax.jit(call)(x), np.float64), outputs[name + " exact"], outputs[name + " bound"]


def kernel_of(function):
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])
    return kernel


SMALL = {"copied": lambda x: x, "scaled": lambda x: x * jnp.float32(2.0**60), "halved": lambda x: x * jnp.float32(0.5),
         "inverse": lambda x: 1 / x, "root": jnp.sqrt, "added": lambda x: x + jnp.float32(1e-40), "sum": lambda x: x + jnp.sum(x),
         "product": lambda x: x * x * jnp.float32(2.0**120), "exp": lambda x: jnp.exp(x * jnp.float32(1e37) - 95)}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.filterwarnings("ignore:(invalid value|divide by zero)")
def test_contracts_that_let_subnormals_be_flushed(name):
    least = float(np.finfo(np.float32).smallest_normal)
    x = np.float32(least) * np.concatenate([np.random.default_rng(5).uniform(0, 3, 60), [0, 1, 0.5, 2.0**-23]]).astype(np.float32)
    got, exact, bound = of_contract("xla-cpu", kernel_of(SMALL[name]), x)
    known = np.isfinite(bound) & (got != exact)
    assert np.all(np.abs(got - exact)[known] <= bound[known])
    flushed = np.where(np.abs(got) < least, 0, got)
    assert np.all(np.abs(flushed - exact)[known] <= bound[known])
    if name != "inverse":  # what is divided by may be taken for 0
        assert np.all(np.isfinite(bound))


def test_contracts_that_keep_subnormals():
    x = np.full(8, 1e-40, np.float32)
    _, exact, bound = of_contract("ieee", kernel_of(lambda x: x), x)
    assert np.all(np.abs(0 - exact) > bound)


@pytest.mark.parametrize("quotient, simplified", [
    (lambda x: x / jnp.sqrt(x), lambda x: x * (1 / np.sqrt(x.astype(np.float64)) * (1 + 4 * 2.0**-23)).astype(np.float32)),
    (lambda x: x / 3.0, lambda x: x * np.float32(1 / np.float32(3)))], ids=["by a root", "by a constant"])
def test_quotients_that_xla_makes_products_of(quotient, simplified):
    """Of exact operands the bound of a quotient that is rounded to nearest is less than what XLA may do."""
    x = np.arange(1, 65, dtype=np.float32) ** 2
    _, exact, bound = of_contract("xla-cpu", kernel_of(quotient), x)
    assert np.all(np.abs(simplified(x) - exact) <= bound)
    _, exact, bound = of_contract("ieee", kernel_of(quotient), x)
    assert np.any(np.abs(simplified(x) - exact) > bound)
