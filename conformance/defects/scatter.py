"""One program that stores to the same element twice in one op: which value stays is nobody's promise."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import blocks, call, f32, i32, ints, numbers


def duplicates(param, element, store, program):
    return Finding("scatter-duplicates", store, program, param, element)


@defect("rows are stored to slots of which two are the same",
        duplicates("cache_ref", (2,), "store", ()), inputs=[ints(2, 0, 2), numbers(3), numbers(4, seed=1)])
class TwoRowsOneSlot:
    def broken(slots, x, old):
        def kernel(slots_ref, x_ref, old_ref, cache_ref):
            cache_ref[slots_ref[...]] = x_ref[...]  # <store>
        return call(kernel, f32(4), slots, x, old, input_output_aliases={2: 0})

    def repaired(slots, x, old):
        def kernel(slots_ref, x_ref, old_ref, cache_ref):
            slots = slots_ref[...]
            is_repeated = jnp.any((slots[:, None] == slots[None, :]) & (jnp.arange(3)[:, None] < jnp.arange(3)), axis=1)
            plgpu.store(cache_ref.at[slots], x_ref[...], mask=~is_repeated)
        return call(kernel, f32(4), slots, x, old, input_output_aliases={2: 0})


@defect("a histogram is counted by a load, an addition and a store at indices that repeat",
        duplicates("counts_ref", (1,), "store", ()), thread="triton-lang/triton#5326",
        inputs=[ints(1, 3, 1, 1), ints(0, 0, 0, 0)])
class HistogramByStores:
    def broken(bins, zero):
        def kernel(bins_ref, zero_ref, counts_ref):
            bins = bins_ref[...]
            ones = counts_ref[bins] + jnp.arange(1, 5)
            counts_ref[bins] = ones  # <store>
        return call(kernel, i32(4), bins, zero, input_output_aliases={1: 0})

    def repaired(bins, zero):
        def kernel(bins_ref, zero_ref, counts_ref):
            bins = bins_ref[...]
            counts_ref[...] += jnp.sum(jnp.where(bins[:, None] == jnp.arange(4), 1, 0), axis=0)
        return call(kernel, i32(4), bins, zero, input_output_aliases={1: 0})


@defect("gradients of an embedding are stored by tokens that occur twice",
        duplicates("dw_ref", (1, 0), "store", (0,)), thread="jax-ml/jax#24117",
        inputs=[ints(1, 1, 0, 2), numbers(4, 2), numbers(3, 2, seed=1)])
class GradientOfARepeatedToken:
    def broken(tokens, dy, old):
        def kernel(tokens_ref, dy_ref, old_ref, dw_ref):
            tokens = tokens_ref[...]
            dw_ref[tokens, :] = dy_ref[...]  # <store>
        return call(kernel, f32(3, 2), tokens, dy, old, grid=1, input_output_aliases={2: 0})

    def repaired(tokens, dy, old):
        def kernel(tokens_ref, dy_ref, old_ref, dw_ref):
            one_hot = jnp.where(tokens_ref[...][:, None] == jnp.arange(3), 1.0, 0.0)
            dw_ref[...] = one_hot.T @ dy_ref[...]
        return call(kernel, f32(3, 2), tokens, dy, old, grid=1, input_output_aliases={2: 0})


@defect("lanes behind the end are all moved to the last element, which they store over",
        duplicates("o_ref", (5,), "store", (1,)), inputs=[numbers(8)])
class LanesMovedToTheLast:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[jnp.minimum(at, 5)] = x_ref[...]  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            plgpu.store(o_ref.at[at], x_ref[...], mask=at < 6)
        return call(kernel, f32(6), x, grid=2, ins=blocks(4))
