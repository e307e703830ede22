"""`compat="jax"`: masked accesses that reach outside give what JAX's interpreter gives, and no findings."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind.pallas as tp
from jax._src.pallas.primitives import swap
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

X = jnp.arange(1, 9, dtype=jnp.float32)
TABLE = jnp.arange(24, dtype=jnp.float32).reshape(6, 4)
LANES = 4
# Programs of one grid: before the array, over its start, inside, over its end, behind it.
STARTS = jnp.array([-40, -20, -13, -12, -11, -9, -8, -6, -4, -3, -1, 0, 2, 4, 5, 7, 8, 9, 23, 24, 40], jnp.int32)
MASKS = {"first": lambda lane: lane < 2, "last": lambda lane: lane >= 2, "odd": lambda lane: lane % 2 == 1,
         "all": lambda lane: lane >= 0, "none": lambda lane: lane < 0}


def lanes(count=LANES):
    return jax.lax.iota(jnp.int32, count)


INDICES = {"slice": lambda start: pl.ds(start, LANES), "even": lambda start: start + lanes(),
           "array": lambda start: start + lanes() * lanes()}


def compare(kernel, x):
    """Runs the kernel from each of STARTS in both; two outputs of 8 elements for each."""
    def call(starts, x):  # a new function for each test: JAX traces it anew
        def body(starts_ref, x_ref, *out_refs):
            kernel(starts_ref[pl.program_id(0)], x_ref, *out_refs)

        return pl.pallas_call(
            body, grid=starts.shape, interpret=True,
            in_specs=[pl.BlockSpec(starts.shape, lambda i: (0,)), pl.BlockSpec(x.shape, lambda i: (0,) * x.ndim)],
            out_specs=[pl.BlockSpec((None, 8), lambda i: (i, 0))] * 2,
            out_shape=[jax.ShapeDtypeStruct((starts.size, 8), jnp.float32)] * 2)(starts, x)

    expected = call(STARTS, x)
    with tp.interpreter(compat="jax"):
        found = jax.jit(call)(STARTS, x)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(other, one)  # what is NaN in one is NaN in the other


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("index", INDICES)
def test_loads(index, mask):
    def kernel(start, x_ref, o_ref, p_ref):
        part, on = x_ref.at[INDICES[index](start)], MASKS[mask](lanes())
        o_ref[...] = p_ref[...] = jnp.zeros(8, jnp.float32)
        o_ref[:LANES] = plgpu.load(part, mask=on, other=-5.0)
        p_ref[:LANES] = plgpu.load(part, mask=on)  # what memory holds where the mask is off

    compare(kernel, X)


# Where two indices are one, JAX stores what was there before for the lane that is off: not told apart here.
@pytest.mark.parametrize("index, mask", [*(("slice", mask) for mask in MASKS), ("even", "all"), ("even", "none"),
                                         ("array", "all"), ("array", "none")])
def test_stores(index, mask):
    def kernel(start, x_ref, o_ref, p_ref):
        o_ref[...], p_ref[...] = x_ref[...], -x_ref[...]
        value, on = 10.0 + lanes().astype(jnp.float32), MASKS[mask](lanes())
        plgpu.store(o_ref.at[INDICES[index](start)], value, mask=on)
        p_ref[:LANES] = swap(p_ref, INDICES[index](start), value, mask=on)

    compare(kernel, X)


def test_positions():
    def kernel(start, x_ref, o_ref, p_ref):
        o_ref[...], p_ref[...] = x_ref[...], -x_ref[...]
        o_ref[0] = plgpu.load(x_ref.at[start], mask=start < 100, other=3.0)
        plgpu.store(p_ref.at[start], 9.0, mask=start < 100)

    compare(kernel, X)


def test_two_dimensions():
    def kernel(start, x_ref, o_ref, p_ref):
        part = x_ref.at[pl.ds(start, 4), pl.ds(-start, 2)]
        row = jax.lax.broadcasted_iota(jnp.int32, (4, 2), 0)
        o_ref[...] = plgpu.load(part, mask=row < 3, other=-5.0).reshape(8)
        p_ref[...] = plgpu.load(part, mask=row != 1).reshape(8)

    compare(kernel, TABLE)


def test_a_reference_without_strides():
    """Element by element: rows of 3 of the 4 columns do not follow each other."""
    def kernel(start, x_ref, o_ref, p_ref):
        flat = x_ref.at[:, 1:].reshape(18)
        o_ref[...] = plgpu.load(flat.at[pl.ds(start, 8)], mask=lanes(8) < 5, other=-5.0)
        p_ref[...] = plgpu.load(flat.at[pl.ds(start, 8)], mask=lanes(8) < 5)

    compare(kernel, TABLE)


def test_blocks_at_an_edge():
    def kernel(x_ref, o_ref):
        o_ref[...] = plgpu.load(x_ref.at[pl.ds(1 + pl.program_id(0), 5)], mask=lanes(5) != 2)

    def call(x):
        return pl.pallas_call(kernel, grid=(2,), interpret=True, in_specs=[pl.BlockSpec((5,), lambda i: (i,))],
                              out_specs=pl.BlockSpec((5,), lambda i: (i,)), out_shape=jax.ShapeDtypeStruct((10,), jnp.float32))(x)

    expected = call(X)
    with tp.interpreter(compat="jax"):
        np.testing.assert_array_equal(jax.jit(lambda x: call(x))(X), expected)
