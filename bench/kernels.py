"""Kernels that move, sort, scan and gather, and those of JAX's wheel that are more than one pallas_call long."""

from functools import partial
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas.ops.gpu import decode_attention, paged_attention
from jax.experimental.pallas.ops.tpu import flash_attention
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm

from workloads import Workload, normal


# ---- one operation, in blocks of rows ----

def rows_workload(name, function, shape, rows, **options):
    """`function` of an array, `rows` rows a program."""
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    def pallas(x, interpret=False):
        spec = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
        return pl.pallas_call(kernel, grid=(x.shape[0] // rows,), in_specs=[spec], out_specs=spec,
                              out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=interpret)(x)

    return Workload(f"{name} {shape[0]} x {shape[1]}", pallas, (normal(30, shape),), function, None, **options)


def transpose_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].T


def transpose(x, block=256, interpret=False):
    return pl.pallas_call(
        transpose_kernel, grid=(x.shape[0] // block, x.shape[1] // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct(x.shape[::-1], x.dtype), interpret=interpret)(x)


def transpose_workload(size):
    return Workload(f"transpose {size} x {size}", transpose, (normal(31, (size, size)),), jnp.transpose, None)


def gather_kernel(table_ref, rows_ref, o_ref):
    o_ref[...] = jnp.take(table_ref[...], rows_ref[...], axis=0)


def gather(table, rows, block=256, interpret=False):
    """The rows of a table, each program `block` of them."""
    return pl.pallas_call(
        gather_kernel, grid=(rows.size // block,),
        in_specs=[pl.BlockSpec(table.shape, lambda i: (0, 0)), pl.BlockSpec((block,), lambda i: (i,))],
        out_specs=pl.BlockSpec((block, table.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((rows.size, table.shape[1]), table.dtype), interpret=interpret)(table, rows)


def gather_workload(table_rows, count, width):
    rows = jnp.asarray(np.random.default_rng(32).integers(0, table_rows, count), jnp.int32)
    args = normal(33, (table_rows, width)), rows
    return Workload(f"gather {count} rows of {width}", gather, args, lambda t, r: jnp.take(t, r, axis=0), None)


# ---- of JAX's wheel ----

def flash(q, k, v, interpret=False):
    """It has no argument `interpret`: its calls get one on their way."""
    with mock.patch.object(pl, "pallas_call", partial(pl.pallas_call, interpret=interpret)):
        return flash_attention.flash_attention(q, k, v)


def flash_workload():
    args = tuple(normal(seed, (2, 4, 512, 64)) for seed in (34, 35, 36))
    return Workload("flash attention f32, B2 H4 S512 D64", flash, args,
                    lambda q, k, v: flash_attention.mha_reference(q, k, v, None), None, tolerance=1e-4,
                    is_captured=True)


def decode_workload():
    args = normal(37, (2, 16, 64), jnp.float16), *(normal(s, (2, 2048, 64), jnp.float16) for s in (38, 39))
    return Workload("decode attention f16, B2 H16 S2048 D64", decode_attention.mqa, args,
                    decode_attention.mqa_reference, None, tolerance=4e-3, is_captured=True)


def paged_reference(q, k_pages, v_pages, tables, lengths):
    def whole(pages):  # [batch, positions, heads, width]
        heads, _, _, width = pages.shape
        return jnp.moveaxis(pages[:, tables].reshape(heads, len(tables), -1, width), 0, 2)

    return paged_attention.paged_attention_reference(q, whole(k_pages), whole(v_pages), lengths)


def paged_workload():
    pages, page, heads, width = 256, 16, 2, 64
    tables = jnp.asarray(np.random.default_rng(40).permutation(pages).reshape(4, 64), jnp.int32)
    args = (normal(41, (4, 16, width)), normal(42, (heads, pages, page, width)),
            normal(43, (heads, pages, page, width)), tables, jnp.full(4, 1024, jnp.int32))
    return Workload("paged attention f32, B4 H16 S1024 D64", paged_attention.paged_attention, args,
                    paged_reference, None, tolerance=1e-4, is_captured=True)


def gmm_workload():
    sizes = jnp.asarray([300, 212, 384, 128], jnp.int32)
    args = normal(44, (1024, 512)), normal(45, (4, 512, 512)), sizes
    return Workload("megablox gmm 1024 x 512 x 512, 4 groups", gmm, args, jax.lax.ragged_dot, None,
                    tolerance=1e-4, is_captured=True)


def kernels():
    """Functions that make one workload each."""
    return [
        flash_workload,
        decode_workload,
        paged_workload,
        gmm_workload,
        partial(rows_workload, "sort", partial(jnp.sort, axis=-1), (256, 1024), 8),
        partial(gather_workload, 4096, 16384, 64),
        partial(rows_workload, "cumsum", partial(jnp.cumsum, axis=-1), (1024, 1024), 8, tolerance=1e-3),
        partial(transpose_workload, 2048),
    ]
