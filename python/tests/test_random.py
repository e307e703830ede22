"""Random bits inside kernels are those of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from tilegrind.pallas import ExportError, export
from values import assert_as_jax

IMPLS = ["threefry2x32", "threefry4x32", "philox2x32", "philox4x32"]
SEED = np.uint32(7)


@pytest.mark.parametrize("impl", IMPLS)
def test_bits_of_a_seed(impl):
    assert_as_jax(lambda s: jax.random.bits(jax.random.key(s, impl=impl), (5, 7)), SEED)


@pytest.mark.parametrize("width", [8, 16, 32])
def test_widths(width):
    dtype = f"uint{width}"
    assert_as_jax(lambda s: jax.random.bits(jax.random.key(s), (33,), dtype), SEED)


@pytest.mark.parametrize("impl", IMPLS)
def test_split_and_fold_in(impl):
    def draw(s):
        keys = jax.random.split(jax.random.key(s, impl=impl), 3)
        folded = jax.random.fold_in(keys[1], 9)
        return jax.random.bits(folded, (4,)), jax.random.key_data(keys)

    assert_as_jax(draw, SEED)


def test_shapes_of_keys():
    def draw(s):
        keys = jax.random.split(jax.random.key(s), (2, 3))
        turned = jnp.concatenate([keys.T, keys.T[::-1]], axis=0)
        picked = turned.reshape(12)[jnp.arange(3) * 5]
        wide = jnp.broadcast_to(picked, (2, 3))
        return jax.random.key_data(wide), jax.vmap(jax.random.bits)(picked)

    assert_as_jax(draw, SEED)


def test_keys_from_their_words():
    words = jax.random.key_data(jax.random.key(3))
    assert_as_jax(lambda w: jax.random.bits(jax.random.wrap_key_data(w), (6,)), words)


def test_distributions():
    assert_as_jax(lambda s: (jax.random.uniform(jax.random.key(s), (40,)),
                             jax.random.randint(jax.random.key(s), (40,), 3, 99),
                             jax.random.bernoulli(jax.random.key(s), 0.3, (40,))), SEED)


def test_keys_carried_by_a_loop():
    def draw(s):
        def step(_, carry):
            key, total = carry
            key, one = jax.random.split(key)
            return key, total ^ jax.random.bits(one, (8,))

        start = jax.random.key(s), jnp.zeros(8, jnp.uint32)
        return jax.lax.fori_loop(0, 3, step, start)[1]

    assert_as_jax(draw, SEED)


def refusal(kernel, *inputs):
    with pytest.raises(ExportError) as caught:
        export(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.uint32)), *inputs)
    return str(caught.value)


def test_references_to_keys_are_refused():
    def kernel(k_ref, o_ref):
        o_ref[...] = jax.random.bits(k_ref[...], (8,))

    assert "key_data" in refusal(kernel, jax.random.key(0))


def test_what_has_no_form_on_words_is_refused():
    def kernel(s_ref, o_ref):
        keys = jax.random.split(jax.random.key(s_ref[...]), 4)
        o_ref[...] = jax.random.bits(jax.lax.dynamic_slice(keys, (s_ref[...],), (1,))[0], (8,))

    assert "array of random keys" in refusal(kernel, SEED)
