"""Kernels of the suite that carry their source: Pallas functions of their inputs, which a runner on JAX can import.

Each takes its inputs and `interpret`, and gives its outputs.  The suite has this file; it needs nothing but JAX.
"""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def _like(x, shape=None, dtype=None):
    return jax.ShapeDtypeStruct(x.shape if shape is None else shape, dtype or x.dtype)


def add(x, y, *, interpret=False):
    """Whole arrays, one program."""
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    return pl.pallas_call(kernel, out_shape=_like(x), interpret=interpret)(x, y)


def scale_blocks(x, *, interpret=False):
    """Blocks of 8; the last one may reach beyond the array."""
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 3 - 1

    spec = pl.BlockSpec((8,), lambda i: (i,))
    return pl.pallas_call(kernel, out_shape=_like(x), grid=(pl.cdiv(x.shape[0], 8),), in_specs=[spec], out_specs=spec,
                          interpret=interpret)(x)


def transpose_blocks(x, *, interpret=False):
    """Blocks of 4 by 8, whose map exchanges the axes; edges on both."""
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].T

    rows, columns = x.shape
    return pl.pallas_call(kernel, out_shape=_like(x, (columns, rows)), grid=(pl.cdiv(rows, 4), pl.cdiv(columns, 8)),
                          in_specs=[pl.BlockSpec((4, 8), lambda i, j: (i, j))],
                          out_specs=pl.BlockSpec((8, 4), lambda i, j: (j, i)), interpret=interpret)(x)


def row_sums(x, *, interpret=False):
    """Blocks of 4 rows and 8 columns; what lies beyond the last column must not get into the sums."""
    rows, columns = x.shape

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        inside = jax.lax.broadcasted_iota(jnp.int32, (4, 8), 1) + pl.program_id(1) * 8 < columns
        o_ref[...] += jnp.sum(jnp.where(inside, x_ref[...], jnp.zeros((), x.dtype)), axis=1)

    return pl.pallas_call(kernel, out_shape=_like(x, (rows,)), grid=(pl.cdiv(rows, 4), pl.cdiv(columns, 8)),
                          in_specs=[pl.BlockSpec((4, 8), lambda i, j: (i, j))],
                          out_specs=pl.BlockSpec((4,), lambda i, j: (i,)), interpret=interpret)(x)


def row_maxima(x, *, interpret=False):
    """The greatest of each row; NaN wins."""
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.max(x_ref[...], axis=1)

    return pl.pallas_call(kernel, out_shape=_like(x, x.shape[:1]), interpret=interpret)(x)


def matmul(x, y, *, interpret=False):
    """Tiles of 8 by 8, the whole inner dimension at once."""
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)

    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(kernel, out_shape=_like(x, (m, n)), grid=(pl.cdiv(m, 8), pl.cdiv(n, 8)),
                          in_specs=[pl.BlockSpec((8, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 8), lambda i, j: (0, j))],
                          out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, j)), interpret=interpret)(x, y)


def softmax(x, *, interpret=False):
    """Rows, less their greatest element."""
    def kernel(x_ref, o_ref):
        raised = jnp.exp(x_ref[...] - jnp.max(x_ref[...], axis=1, keepdims=True))
        o_ref[...] = raised / jnp.sum(raised, axis=1, keepdims=True)

    spec = pl.BlockSpec((2, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(kernel, out_shape=_like(x), grid=(x.shape[0] // 2,), in_specs=[spec], out_specs=spec,
                          interpret=interpret)(x)


def layer_norm(x, scale, bias, *, interpret=False):
    """Mean and variance of each row in two passes."""
    def kernel(x_ref, scale_ref, bias_ref, o_ref):
        centred = x_ref[...] - jnp.mean(x_ref[...], axis=1, keepdims=True)
        variance = jnp.mean(centred * centred, axis=1, keepdims=True)
        o_ref[...] = centred * jax.lax.rsqrt(variance + 1e-5) * scale_ref[...] + bias_ref[...]

    return pl.pallas_call(kernel, out_shape=_like(x), interpret=interpret)(x, scale, bias)


def step_by_step(x, *, interpret=False):
    """A loop in the kernel: Horner's rule."""
    def kernel(x_ref, o_ref):
        value = x_ref[...]

        def turn(k, total):
            return total * value + jnp.asarray(k, value.dtype)
        o_ref[...] = jax.lax.fori_loop(0, 4, turn, jnp.ones_like(value))

    return pl.pallas_call(kernel, out_shape=_like(x), interpret=interpret)(x)


def take_rows(x, rows, *, interpret=False):
    """Loads at indices that are data."""
    def kernel(x_ref, rows_ref, o_ref):
        def copy(k, _):
            o_ref[k, :] = x_ref[rows_ref[k], :]
        jax.lax.fori_loop(0, rows.shape[0], copy, None)

    return pl.pallas_call(kernel, out_shape=_like(x, (rows.shape[0], x.shape[1])), interpret=interpret)(x, rows)


def as_dtype(x, *, dtype, interpret=False):
    """Conversion of an element type."""
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].astype(dtype)

    return pl.pallas_call(kernel, out_shape=_like(x, dtype=dtype), interpret=interpret)(x)


as_bf16 = functools.partial(as_dtype, dtype=jnp.bfloat16)
as_f16 = functools.partial(as_dtype, dtype=jnp.float16)
as_i32 = functools.partial(as_dtype, dtype=jnp.int32)
as_fp8 = functools.partial(as_dtype, dtype=jnp.float8_e4m3fn)
