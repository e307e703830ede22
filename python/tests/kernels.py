"""Kernels that several tests of the interpreter inside JAX call."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

X = np.arange(8.0, dtype=np.float32)


def shaped(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def blocks_of_two(kernel, size=8, dtype=jnp.float32, **options):
    spec = pl.BlockSpec((2,), lambda i: (i,))
    return pl.pallas_call(kernel, out_shape=shaped(size, dtype=dtype), grid=(size // 2,), in_specs=[spec],
                          out_specs=spec, interpret=True, **options)


def outside(x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(pl.program_id(0) * 3, 2)]


def outside_call(x):
    """The second of its programs loads one element behind the end of four."""
    return pl.pallas_call(outside, out_shape=shaped(4), grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (0,))],
                          out_specs=pl.BlockSpec((2,), lambda i: (i,)), interpret=True)(x)


OUTSIDE_PLACE = f"kernels.py:{outside.__code__.co_firstlineno + 1} (outside)"
