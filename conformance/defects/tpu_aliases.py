"""Outputs that are an input's alias, where each of the two has a copy of its block: an output's begins with nothing, and goes back whole."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import blocks, call, f32, i32, ints, numbers, vmem

FIRST = pl.BlockSpec((2,), lambda i: (0,))


def unfetched(line, program, param, element):
    """At line `line` a program reads elements that were not loaded into the output's block, or leaves them unwritten."""
    return Finding("alias-unfetched", line, program, param, element)


def assumed(use, program, param, element, write, other):
    """Line `use` reads by one name an element that an earlier program wrote by another."""
    return Finding("alias-assumed", use, program, param, element, there=write, other=other)


@defect("the gradient is added to an output that is expected to hold the old one",
        unfetched("add", (0,), "o_ref", (0,)), inputs=[numbers(4), numbers(4, seed=1)])
class AddedToTheAlias:
    def broken(old, x):
        def kernel(old_ref, x_ref, o_ref):
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(4), old, x, grid=2, ins=blocks(2), outs=blocks(2), input_output_aliases={0: 0})

    def repaired(old, x):
        def kernel(old_ref, x_ref, o_ref):
            o_ref[...] = old_ref[...] + x_ref[...]
        return call(kernel, f32(4), old, x, grid=2, ins=blocks(2), outs=blocks(2), input_output_aliases={0: 0})


@defect("a cache is updated in one row, the others are to stay as they were",
        unfetched("row", (), "o_ref", (0, 0)), inputs=[ints(1), numbers(2), numbers(3, 2, seed=1)])
class RowOfTheCache:
    def broken(at, row, cache):
        def kernel(at_ref, row_ref, cache_ref, o_ref):
            o_ref[at_ref[0]] = row_ref[...]  # <row>
        return call(kernel, f32(3, 2), at, row, cache, input_output_aliases={2: 0})

    def repaired(at, row, cache):
        def kernel(at_ref, row_ref, cache_ref, o_ref):
            o_ref[...] = row_ref[...]
        return call(kernel, f32(3, 2), at, row, cache, input_output_aliases={2: 0}, grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, in_specs=[pl.BlockSpec((2,), lambda at: (0,)), pl.BlockSpec((None, 2), lambda at: (at[0], 0))],
            out_specs=pl.BlockSpec((None, 2), lambda at: (at[0], 0))))


@defect("only the left half of each block is scaled in place",
        unfetched("scale", (0,), "o_ref", (2,)), inputs=[numbers(8)])
class HalfOfTheBlock:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[:2] = 2 * x_ref[:2]  # <scale>
        return call(kernel, f32(8), x, grid=2, ins=blocks(4), outs=blocks(4), input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[:2] = 2 * x_ref[:2]
            o_ref[2:] = x_ref[2:]
        return call(kernel, f32(8), x, grid=2, ins=blocks(4), outs=blocks(4), input_output_aliases={0: 0})


@defect("blocks whose flag is not set are skipped, and are to stay as they were",
        unfetched("kernel", (1,), "o_ref", (2,)), inputs=[ints(1, 0, 1), numbers(6)])
class SkippedBlocks:
    def broken(flags, x):
        def kernel(flags_ref, x_ref, o_ref):  # <kernel>
            @pl.when(flags_ref[pl.program_id(0)] > 0)
            def _():
                o_ref[...] = -x_ref[...]
        return call(kernel, f32(6), flags, x, grid=3, ins=[pl.BlockSpec((3,), lambda i: (0,)), blocks(2)], outs=blocks(2),
                    input_output_aliases={1: 0})

    def repaired(flags, x):
        def kernel(flags_ref, x_ref, o_ref):
            o_ref[...] = jnp.where(flags_ref[pl.program_id(0)] > 0, -x_ref[...], x_ref[...])
        return call(kernel, f32(6), flags, x, grid=3, ins=[pl.BlockSpec((3,), lambda i: (0,)), blocks(2)], outs=blocks(2),
                    input_output_aliases={1: 0})


@defect("an output is an alias for the sake of its memory, and its block is never written",
        unfetched("kernel", (), "kept_ref", (0,)), inputs=[numbers(4)])
class AliasForTheMemory:
    def broken(x):
        def kernel(x_ref, kept_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...] + 1
        return call(kernel, [f32(4), f32(4)], x, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, kept_ref, o_ref):
            kept_ref[...] = x_ref[...]
            o_ref[...] = x_ref[...] + 1
        return call(kernel, [f32(4), f32(4)], x, input_output_aliases={0: 0})


@defect("the first step of a sum is to find the start value in the aliased output",
        unfetched("add", (0,), "o_ref", (0,)), inputs=[numbers(2), numbers(4, seed=1)])
class StartValueInTheAlias:
    def broken(start, x):
        def kernel(start_ref, x_ref, o_ref):
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(2), start, x, grid=2, ins=[FIRST, blocks(2)], outs=FIRST, input_output_aliases={0: 0})

    def repaired(start, x):
        def kernel(start_ref, x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = start_ref[...]
            o_ref[...] += x_ref[...]
        return call(kernel, f32(2), start, x, grid=2, ins=[FIRST, blocks(2)], outs=FIRST, input_output_aliases={0: 0})


@defect("each program reads by the input's name what the one before has stored by the output's",
        assumed("before", (2,), "x_ref", (2,), "store", (1,)), inputs=[numbers(6)])
class BlockBeforeByTheInput:
    def broken(x):
        def kernel(x_ref, o_ref):
            before = x_ref[...]  # <before>
            o_ref[...] = before + 1  # <store>
        return call(kernel, f32(6), x, grid=3, ins=pl.BlockSpec((2,), lambda i: (jnp.maximum(i - 1, 0),)), outs=blocks(2),
                    input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref, before_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                before_ref[...] = x_ref[...]
            before_ref[...] += 1
            o_ref[...] = before_ref[...]
        return call(kernel, f32(6), x, grid=3, ins=pl.BlockSpec((2,), lambda i: (0,)), outs=blocks(2),
                    input_output_aliases={0: 0}, scratch_shapes=[vmem(2)])


@defect("a sum goes around through memory: stored by the output, fetched again as the input",
        assumed("old", (2,), "sum_ref", (0,), "store", (0,)), inputs=[ints(0, 0, 0, 0), ints(1, 2, 3, 4, 5, 6, 7, 8)])
class AroundThroughMemory:
    def broken(zero, x):
        def kernel(sum_ref, x_ref, o_ref):
            old = sum_ref[...]  # <old>
            o_ref[...] = old + x_ref[...]  # <store>
        turn = pl.BlockSpec((2,), lambda i: (i % 2,))
        return call(kernel, i32(4), zero, x, grid=4, ins=[turn, blocks(2)], outs=turn, input_output_aliases={0: 0})

    def repaired(zero, x):
        def kernel(sum_ref, x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = sum_ref[...]
            o_ref[...] += x_ref[...]
        turn = pl.BlockSpec((2,), lambda j, k: (j,))
        return call(kernel, i32(4), zero, x, grid=(2, 2), ins=[turn, pl.BlockSpec((2,), lambda j, k: (2 * k + j,))], outs=turn,
                    input_output_aliases={0: 0})
