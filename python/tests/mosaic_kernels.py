"""What the tests of Mosaic GPU's kernels share: short forms of launches, runs in several orders, findings and refusals."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp

ORDERS = ("sequential", "reversed", "shuffled:1", "interleaved:5")
TILES = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))


def tiles(dtype):
    """Transforms of a factor with rows of up to 128 bytes, as products take it."""
    swizzle = min(128, 64 * jnp.dtype(dtype).itemsize)
    return plgpu.TilingTransform((8, swizzle // jnp.dtype(dtype).itemsize)), plgpu.SwizzleTransform(swizzle)


def launch_of(body, *, out, scratch=(), **options):
    return plgpu.kernel(body, out_type=out, scratch_types=list(scratch), **options)


def loaded(ref, **options):
    """`plgpu.load`, whose slices are an argument in JAX 0.10 alone."""
    slices = [()] if "idx" in inspect.signature(plgpu.load).parameters else []
    return plgpu.load(ref, *slices, **options)


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def ints(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def numbers(*shape):
    return jnp.arange(np.prod(shape), dtype=jnp.float32).reshape(shape)


def runs(launch, *args, orders=ORDERS):
    """The results in each order."""
    for order in orders:
        with tp.interpreter(order=order):
            yield np.asarray(launch(*args))


def kinds_among(among, launch, *args, order="sequential"):
    """Which of these kinds of findings end one run."""
    with pytest.raises(jax.errors.JaxRuntimeError) as raised, tp.interpreter(order=order):
        jax.block_until_ready(launch(*args))
    return {kind for kind in among if kind in str(raised.value)}


def found(launch, *args):
    """The kinds of findings of all checks in all orders."""
    with tp.check(on_finding="collect") as checked:
        jax.block_until_ready(launch(*args))
    return {finding.kind for finding in checked.findings}


def refusal(launch, *args):
    with pytest.raises(tp.ExportError) as raised:
        tp.export(launch, *args)
    return str(raised.value)
