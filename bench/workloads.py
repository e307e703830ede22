"""What is measured: each a Pallas kernel with its arguments, and the same function for XLA's compiler."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas.ops.gpu import attention, softmax


@dataclass(frozen=True)
class Workload:
    """`pallas` takes the arguments and `interpret`; `compiled` and `blas` take the arguments alone.

    required   least ratio of the time of JAX's interpreter to that of Tilegrind; None: no demand
    slowest    at the most as many times as long as XLA's compiled code; None: no demand
    slowest_blas   likewise OpenBLAS
    is_captured    the function computes the inputs of its pallas_call: they are taken from there
    sample     None, or as `pallas`, of which it runs the first of `sample_factor` equal parts of the grid on the
               same arrays: JAX's interpreter copies whole arrays in each program, whatever the program does, so
               that the whole takes `sample_factor` times as long"""

    name: str
    pallas: object
    args: tuple
    compiled: object
    required: float | None
    blas: object = None
    grid_semantics: object = None
    tolerance: float = 1e-5
    sample: object = None
    sample_factor: int = 1
    slowest: float | None = None
    slowest_blas: float | None = None
    is_captured: bool = False


def normal(seed, shape, dtype=jnp.float32):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


# ---- add ----

def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def add(x, y, block=1024, part=1, interpret=False):
    """With `part` > 1 only the first of so many equal parts."""
    spec = pl.BlockSpec((block,), lambda i: (i,))
    return pl.pallas_call(add_kernel, grid=(x.size // block // part,), in_specs=[spec, spec], out_specs=spec,
                          out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=interpret)(x, y)


def add_workload(log_size, required=None, part=1, slowest=None):
    """`part` is that of JAX's interpreter."""
    size = 1 << log_size
    return Workload(f"add 2^{log_size}, {size // 1024:,} programs", add, (normal(1, size), normal(2, size)),
                    jnp.add, required, sample=partial(add, part=part) if part > 1 else None, sample_factor=part,
                    slowest=slowest)


# ---- rows ----

def softmax_workload(rows, required=None, slowest=None):
    return Workload(f"softmax {rows} x 1024, a row a program", softmax.softmax, (normal(3, (rows, 1024)),),
                    jax.nn.softmax, required, slowest=slowest)


def normalised(x, gain, bias):
    """Layer norm over the last axis, as kernel and as function."""
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * gain + bias


def layer_norm_kernel(x_ref, gain_ref, bias_ref, o_ref):
    o_ref[...] = normalised(x_ref[...], gain_ref[...], bias_ref[...])


def layer_norm(x, gain, bias, rows=8, interpret=False):
    block = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    vector = pl.BlockSpec((x.shape[1],), lambda i: (0,))
    return pl.pallas_call(layer_norm_kernel, grid=(x.shape[0] // rows,), in_specs=[block, vector, vector],
                          out_specs=block, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
                          interpret=interpret)(x, gain, bias)


def layer_norm_workload(rows, required=None, slowest=None):
    args = (normal(4, (rows, 1024)), normal(5, 1024), normal(6, 1024))
    return Workload(f"layer norm {rows} x 1024, 8 rows a program", layer_norm, args, normalised, required,
                    slowest=slowest)


# ---- matmul ----

def matmul_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...])


def band_matmul(x, y, block, interpret=False):
    """Each program multiplies a band of rows with a band of columns."""
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        matmul_kernel, grid=(m // block, n // block),
        in_specs=[pl.BlockSpec((block, k), lambda i, j: (i, 0)), pl.BlockSpec((k, block), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype), interpret=interpret)(x, y)


def accumulating_kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.dot(x_ref[...], y_ref[...])


def matmul(x, y, block, interpret=False):
    """The last grid axis runs along k, and the programs along it add up in the output block."""
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        accumulating_kernel, grid=(m // block, n // block, k // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j, l: (i, l)),
                  pl.BlockSpec((block, block), lambda i, j, l: (l, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j, l: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype), interpret=interpret)(x, y)


def matmul_workload(size, block, required=None, slowest_blas=None):
    args = normal(7, (size, size)), normal(8, (size, size))
    return Workload(f"matmul {size}, blocks of {block}", partial(matmul, block=block), args, jnp.dot,
                    required, blas=np.matmul, grid_semantics=("parallel", "parallel", "arbitrary"),
                    tolerance=1e-4, slowest_blas=slowest_blas)


def bands_workload(size, block, required=None):
    args = normal(7, (size, size)), normal(8, (size, size))
    return Workload(f"matmul {size}, bands of {block}", partial(band_matmul, block=block), args, jnp.dot, required,
                    blas=np.matmul, tolerance=1e-4)


# ---- attention ----

def attention_workload(required=None, slowest=None):
    def pallas(q, k, v, interpret=False):
        return attention.mha(q, k, v, segment_ids=None, interpret=interpret)

    def compiled(q, k, v):
        return attention.mha_reference(q, k, v, segment_ids=None).astype(q.dtype)

    args = tuple(normal(seed, (2, 512, 4, 64), jnp.float16) for seed in (9, 10, 11))
    return Workload("attention f16, B2 S512 H4 D64", pallas, args, compiled, required, tolerance=4e-3,
                    slowest=slowest)


# Which part of the largest add JAX's interpreter runs.
SAMPLES = {"quick": 64, "default": 16, "full": 1}


def workloads(effort):
    """Functions that make one each, so that only one has its arrays in memory at a time."""
    return [
        lambda: add_workload(20, 500, slowest=1.5),
        lambda: add_workload(24, 1000, SAMPLES[effort], slowest=1.0),
        lambda: softmax_workload(4096, 300, slowest=2.2),
        lambda: layer_norm_workload(4096, 150, slowest=1.5),
        lambda: matmul_workload(1024, 128, 6, slowest_blas=1 / 0.85),
        lambda: matmul_workload(512, 128, slowest_blas=1 / 0.85),
        lambda: bands_workload(1024, 128),
        lambda: matmul_workload(256, 32, 8),
        lambda: bands_workload(256, 32),
        lambda: attention_workload(1, slowest=1.2),
    ]
