"""Minimal kernels on which each kind of mutant applies, with inputs that show it."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu


@dataclass(frozen=True)
class Row:
    """A call of `pallas_call` and its inputs; how many sites the kind has; the semantics of the grid's axes."""

    call: object
    inputs: tuple
    sites: int = 1
    semantics: object = None


def normal(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def call_of(kernel, shape, dtype=np.float32, **options):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, dtype), **options)


def blocks(*shape, of=None):
    return pl.BlockSpec(shape, of or (lambda i: (i,) + (0,) * (len(shape) - 1)))


def pointwise(function, *inputs, dtype=np.float32, **options):
    """A kernel of one program that applies a function to whole arrays."""
    def kernel(*refs):
        refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

    shape = jax.eval_shape(function, *inputs).shape
    return Row(call_of(kernel, shape, dtype), inputs, **options)


# -- loops --

X = normal(8, 16)
INTEGERS = np.arange(1, 129, dtype=np.int32).reshape(8, 16) * 97


def sum_kernel(x_ref, o_ref):
    o_ref[...] = lax.fori_loop(0, 8, lambda i, total: total + x_ref[i], jnp.zeros(x_ref.shape[1:], x_ref.dtype))


def sum_while_kernel(x_ref, o_ref):
    """The number of steps is known when it runs only."""
    steps = 6 + pl.program_id(0)
    o_ref[...] = lax.fori_loop(0, steps, lambda i, total: total + x_ref[i], jnp.zeros(16, jnp.float32))


def sum_from_kernel(x_ref, o_ref):
    o_ref[...] = lax.fori_loop(1, 8, lambda i, total: total + x_ref[i], x_ref[0])


def sum_in_grid_kernel(x_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += x_ref[...]
    o_ref[...] = sum_ref[...]


SUM = Row(call_of(sum_kernel, (16,)), (X,))
INT_SUM = Row(call_of(sum_kernel, (16,), np.int32), (INTEGERS,))
WHILE_SUM = Row(call_of(sum_while_kernel, (16,), grid=(1,)), (X,))
GRID_SUM = Row(call_of(sum_in_grid_kernel, (1, 16), grid=(8,), in_specs=[blocks(1, 16)],
                       out_specs=blocks(1, 16, of=lambda i: (0, 0)),
                       scratch_shapes=[pltpu.VMEM((1, 16), jnp.float32)]), (X,))

A, B = normal(8, 32), normal(32, 8, seed=1)
DOT = pointwise(lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float32), A, B)

# -- masks --


def padded_kernel(x_ref, o_ref, *, other):
    """Sums of rows of 5 in a block of 8."""
    lanes = jnp.arange(8)
    x = plgpu.load(x_ref.at[0, lanes], mask=lanes < 5, other=other)
    o_ref[0] = jnp.sum(x)


def padded(other):
    return Row(call_of(functools.partial(padded_kernel, other=other), (3,), grid=(3,), in_specs=[blocks(1, 8)],
                       out_specs=blocks(1)), (normal(3, 8),))


def causal(x):
    rows, columns = lax.broadcasted_iota(jnp.int32, (8, 8), 0), lax.broadcasted_iota(jnp.int32, (8, 8), 1)
    return jnp.where(rows >= columns, x, 0.0)


CAUSAL = pointwise(causal, normal(8, 8))

# -- the grid --


def copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


GRID = Row(call_of(copy_kernel, (8, 8), grid=(2, 4), in_specs=[blocks(4, 2, of=lambda i, j: (i, j))],
                   out_specs=blocks(4, 2, of=lambda i, j: (i, j))), (normal(8, 8),))


def with_sites(row, sites):
    return Row(row.call, row.inputs, sites, row.semantics)


def heads_kernel(x_ref, o_ref):
    head = lax.rem(pl.program_id(0), 2)
    o_ref[...] = x_ref[pl.ds(head, 1), :]


HEADS = Row(call_of(heads_kernel, (4, 8), grid=(4,), out_specs=blocks(1, 8)), (normal(2, 8),))


def last_wins_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


LAST_WINS = Row(call_of(last_wins_kernel, (1, 16), grid=(8,), in_specs=[blocks(1, 16)],
                        out_specs=blocks(1, 16, of=lambda i: (0, 0))), (X,), semantics="arbitrary")

# -- formulas --


def online_softmax_kernel(x_ref, v_ref, o_ref):
    def step(i, carry):
        highest, total, result = carry
        x = x_ref[:, pl.ds(i * 8, 8)]
        now = jnp.maximum(highest, jnp.max(x, axis=1))
        factor, weights = jnp.exp(highest - now), jnp.exp(x - now[:, None])
        added = jnp.dot(weights, v_ref[pl.ds(i * 8, 8), :])
        return now, total * factor + jnp.sum(weights, axis=1), result * factor[:, None] + added

    start = (jnp.full(8, -jnp.inf), jnp.zeros(8), jnp.zeros((8, 4)))
    _, total, result = lax.fori_loop(0, 4, step, start)
    o_ref[...] = result / total[:, None]


ONLINE = Row(call_of(online_softmax_kernel, (8, 4)), (normal(8, 32), normal(32, 4, seed=1)))
SOFTMAX = pointwise(lambda x: jnp.exp(x - jnp.max(x, axis=1, keepdims=True)), normal(8, 16))
NORM = pointwise(lambda x: x / jnp.sqrt(jnp.sum(x * x, axis=1, keepdims=True) / 12 + 1e-3), normal(4, 12))
RSQRT = pointwise(lambda x: lax.rsqrt(x + 1e-3), abs(normal(8)))
LINEAR = pointwise(lambda x, y, b: jnp.exp(x) + b, normal(8), normal(8, seed=1), normal(8, seed=2))
SCALED = pointwise(lambda x: x * 0.12345, normal(8))


def gelu(x):
    return 0.5 * x * (1 + lax.erf(x / np.float32(np.sqrt(2))))


# -- corners --


def atomic_kernel(x_ref, zeros_ref, o_ref):
    plgpu.atomic_add(o_ref, (pl.ds(0, 4),), x_ref[...])


ATOMIC = Row(call_of(atomic_kernel, (4,), grid=(4,), in_specs=[blocks(4), blocks(4, of=lambda i: (0,))],
                     out_specs=blocks(4, of=lambda i: (0,)), input_output_aliases={1: 0}),
             (normal(16), np.zeros(4, np.float32)))


def dma_kernel(x_ref, o_ref, buffer, sem):
    copy = pltpu.make_async_copy(x_ref, buffer, sem)
    copy.start()
    copy.wait()
    o_ref[...] = buffer[...] + 1


DMA = Row(call_of(dma_kernel, (8,), in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
                  scratch_shapes=[pltpu.VMEM((8,), jnp.float32), pltpu.SemaphoreType.DMA]), (normal(8),))

TIES = np.array([[1, 7, 7, 2], [3, 3, 1, 3]], np.float32)
WITH_NAN = np.array([1, np.nan, -2, 3], np.float32)
SIGNED = np.array([-7, 7, -3, 4], np.int32)
DIVISORS = np.array([3, -3, 2, -3], np.int32)

INDICES = np.arange(8, dtype=np.int32)

ROWS = {
    "last-step-dropped": SUM,
    "first-step-twice": SUM,
    "term-dropped": DOT,
    "accumulator-uninitialised": GRID_SUM,
    "initial-value-twice": Row(call_of(sum_from_kernel, (16,)), (X,)),
    "accumulator-bf16": SUM,
    "accumulator-f16": DOT,
    "accumulator-i16": Row(INT_SUM.call, (INTEGERS * 97,)),
    "accumulator-i8": INT_SUM,
    "operand-bf16": DOT,
    "operand-tf32": DOT,
    "operand-e4m3": DOT,
    "mask-strictness": CAUSAL,
    "mask-shifted": CAUSAL,
    "mask-all-true": padded(0.0),
    "other-zero": padded(1.0),
    "other-one": padded(0.0),
    "other-minus-inf": padded(0.0),
    "index-map-swapped": with_sites(GRID, 2),
    "index-map-off-by-one": with_sites(GRID, 2),
    "element-for-block-index": with_sites(GRID, 4),
    "neighbours-rows": with_sites(GRID, 2),
    "quotient-for-remainder": HEADS,
    "grid-one-short": with_sites(GRID, 2),
    "axis-reversed": LAST_WINS,
    "subtraction-reversed": pointwise(lambda x, y: x - y, normal(8), normal(8, seed=1)),
    "division-reversed": pointwise(lambda x, y: x / y, normal(8), normal(8, seed=1)),
    "shift-reversed": pointwise(lax.shift_left, INDICES, INDICES + 1, dtype=np.int32),
    "select-reversed": CAUSAL,
    "maximum-not-subtracted": SOFTMAX,
    "accumulator-not-rescaled": with_sites(ONLINE, 2),
    "scale-dropped": SCALED,
    "scale-squared": SCALED,
    "exp-of-other-base": pointwise(jnp.exp, normal(8)),
    "log-of-other-base": pointwise(jnp.log, abs(normal(8))),
    "gelu-other-form": pointwise(gelu, normal(8)),
    "bias-left-out": LINEAR,
    "op-as-identity": pointwise(jnp.tanh, normal(8)),
    "mean-by-n-minus-1": NORM,
    "mean-by-padded-n": NORM,
    "epsilon-dropped": RSQRT,
    "epsilon-times-10": RSQRT,
    "epsilon-outside-root": RSQRT,
    "constant-3-digits": SCALED,
    "reduction-other-axis": pointwise(lambda x: jnp.sum(x, axis=1), normal(8, 8)),
    "reciprocal-12-bits": RSQRT,
    "convert-toward-zero": pointwise(lambda x: x.astype(jnp.float16), normal(32), dtype=np.float16),
    "last-of-ties": pointwise(lambda x: jnp.argmax(x, axis=1).astype(jnp.int32), TIES, dtype=np.int32),
    "nan-skipped": pointwise(lambda x: jnp.maximum(x, 0), WITH_NAN),
    "remainder-sign": pointwise(lax.rem, SIGNED, DIVISORS, dtype=np.int32),
    "atomic-as-store": ATOMIC,
    "copy-awaited-late": DMA,
}

# More kernels on which a kind applies in another way.
OTHER_ROWS = [
    ("last-step-dropped", WHILE_SUM),
    ("last-step-dropped", GRID_SUM),
    ("first-step-twice", WHILE_SUM),
    ("first-step-twice", GRID_SUM),
    ("term-dropped", pointwise(lambda x: jnp.sum(x, axis=1), X)),
    ("accumulator-uninitialised", SUM),
    ("accumulator-bf16", GRID_SUM),
    ("accumulator-bf16", pointwise(lambda x: jnp.sum(x, axis=1), X)),
    ("accumulator-bf16", pointwise(jnp.dot, A.astype(np.float16), B.astype(np.float16), dtype=np.float16)),
    ("accumulator-i8", pointwise(lambda x: jnp.sum(x, axis=1), INTEGERS, dtype=np.int32)),
    ("operand-bf16", pointwise(lambda a, b: jnp.dot(a, b.astype(jnp.float32)), A, B.astype(jnp.bfloat16))),
    ("mask-all-true", CAUSAL),
    ("mask-strictness", pointwise(lambda x: jnp.where(jnp.arange(8) < 5, x, 0.0), normal(8))),
    ("other-one", CAUSAL),
    ("other-minus-inf", CAUSAL),
    ("axis-reversed", GRID_SUM),
    ("gelu-other-form", pointwise(functools.partial(jax.nn.gelu, approximate=True), normal(8))),
    ("maximum-not-subtracted", ONLINE),
    ("epsilon-outside-root", NORM),
    ("mean-by-n-minus-1", pointwise(lambda x: jnp.sum(x, axis=1) * np.float32(1 / 12), normal(4, 12))),
    ("reciprocal-12-bits", pointwise(lambda x, y: x / y, normal(8), normal(8, seed=1))),
    ("nan-skipped", pointwise(lambda x: jnp.max(x, axis=1), np.stack([WITH_NAN, TIES[0]]))),
    ("remainder-sign", pointwise(jnp.remainder, SIGNED, DIVISORS, dtype=np.int32)),
    ("convert-toward-zero", pointwise(lambda x: x.astype(jnp.bfloat16), normal(32), dtype=jnp.bfloat16)),
    ("neighbours-rows", HEADS),
]
