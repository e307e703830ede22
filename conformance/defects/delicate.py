"""Pairs whose repaired kernel looks almost as suspicious as the broken one, and is right all the same."""

import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, race, undefined, unwritten
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, ints, numbers, vmem


@defect("two programs interleave their elements, one of them from the wrong start",
        race("o_ref", (0,), ("store", (0,)), ("store", (1,))), unwritten("o_ref", (1,)), inputs=[numbers(6)])
class InterleavedElements:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            i = pl.program_id(0)
            o_ref[2 * jnp.arange(3)] = x_ref[...] + i  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(3))

    def repaired(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i + 2 * jnp.arange(3)] = x_ref[...] + i
        return call(kernel, f32(6), x, grid=2, ins=blocks(3))


@defect("rows are scattered by an array that should be a permutation and names one row twice",
        race("o_ref", (2, 0), ("store", (1,)), ("store", (3,))), unwritten("o_ref", (1, 0)),
        inputs=[ints(3, 2, 0, 2, 1), numbers(4, 2)])
class NearlyAPermutation:
    def broken(order, x):
        def kernel(order_ref, x_ref, o_ref):  # <kernel>
            i = pl.program_id(0)
            o_ref[pl.ds(order_ref[i], 1), :] = x_ref[pl.ds(i, 1), :]  # <store>
        return call(kernel, f32(4, 2), order, x, grid=4)

    def repaired(order, x):
        def kernel(order_ref, x_ref, o_ref):
            i = pl.program_id(0)
            to = jnp.where(i == 3, order_ref[4], order_ref[i])
            o_ref[pl.ds(to, 1), :] = x_ref[pl.ds(i, 1), :]
        return call(kernel, f32(4, 2), order, x, grid=4)


@defect("lanes of neighbouring programs overlap, and the mask that keeps them apart is one too wide",
        race("o_ref", (2,), ("store", (0,)), ("store", (1,))), inputs=[numbers(7)])
class OverlapKeptApartByAMask:
    def broken(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 2 * pl.program_id(0) + lane
            plgpu.store(o_ref.at[at], x_ref[at] + pl.program_id(0), mask=lane < 3)  # <store>
        return call(kernel, f32(5), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 2 * pl.program_id(0) + lane
            is_mine = (lane < 2) | (pl.program_id(0) == 1) & (lane < 3)
            plgpu.store(o_ref.at[at], x_ref[at] + pl.program_id(0), mask=is_mine)
        return call(kernel, f32(5), x, grid=2)


@defect("the sum of a padded block is stored and put right afterwards, but not by the last program",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class PutRightAfterwards:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(x)  # <store>

            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[0] = 0.0
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.sum(x)

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[0] = 0.0
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("bits of the padding get into a sum, although most of them are masked off by an `and`",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[ints(1, 2, 3, 4, 5, 6)])
class PaddingMaskedByAnd:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            o_ref[0] = jnp.sum(x & jnp.where(is_inside, -1, 1))  # <store>
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            o_ref[0] = jnp.sum(x & jnp.where(is_inside, -1, 0))
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("NaN in the input is a value like any other; NaN of the padding is none",
        undefined("o_ref", (1,), "store", (1,), "load"),
        inputs=[np.asarray([1, np.nan, 3, 4, 5, np.nan], np.float32)])
class NanThatIsAValue:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.max(x)  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            o_ref[0] = jnp.max(jnp.where(is_inside, x, -jnp.inf))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("scratch memory is written half by half, and one half is forgotten",
        undefined("o_ref", (2,), "store", (), "load"), inputs=[numbers(4)])
class ScratchHalfByHalf:
    def broken(x):
        def kernel(x_ref, o_ref, half_ref):
            half_ref[:2] = x_ref[:2]
            whole = half_ref[...]  # <load>
            o_ref[...] = 2 * whole  # <store>
        return call(kernel, f32(4), x, scratch_shapes=[vmem(4)])

    def repaired(x):
        def kernel(x_ref, o_ref, half_ref):
            half_ref[:2] = x_ref[:2]
            half_ref[2:] = x_ref[2:]
            whole = half_ref[...]
            o_ref[...] = 2 * whole
        return call(kernel, f32(4), x, scratch_shapes=[vmem(4)])


@defect("a block is reversed twice, so that its padding is outside again, or once too little",
        undefined("o_ref", (4,), "store", (1,), "load"), inputs=[numbers(6)])
class ReversedTwice:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = jnp.flip(x_ref[...])  # <load>
            o_ref[...] = jnp.flip(jnp.flip(x + 1))  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.flip(x_ref[...])
            o_ref[...] = jnp.flip(x + 1)
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("a carry goes along the arbitrary axis in scratch memory, and its first row starts from none",
        undefined("o_ref", (0, 0), "store", (0, 0), "carry"), inputs=[numbers(2, 4)])
class CarryInAChain:
    def broken(x):
        def kernel(x_ref, o_ref, carry_ref):
            before = carry_ref[...]  # <carry>
            total = before + x_ref[...]
            o_ref[...] = total  # <store>
            carry_ref[...] = total
        return call(kernel, f32(2, 4), x, grid=(2, 2), ins=blocks(1, 2), outs=blocks(1, 2),
                    order=["parallel", "arbitrary"], scratch_shapes=[vmem(1, 2)])

    def repaired(x):
        def kernel(x_ref, o_ref, carry_ref):
            before = jnp.where(pl.program_id(1) == 0, 0.0, carry_ref[...])
            total = before + x_ref[...]
            o_ref[...] = total
            carry_ref[...] = total
        return call(kernel, f32(2, 4), x, grid=(2, 2), ins=blocks(1, 2), outs=blocks(1, 2),
                    order=["parallel", "arbitrary"], scratch_shapes=[vmem(1, 2)])


@defect("all programs read a table and one of them also writes it",
        race("table_ref", (0,), ("read", (0,)), ("write", (1,))), inputs=[numbers(2), numbers(4, seed=1)])
class TableReadByAll:
    def broken(table, x):
        def kernel(old_ref, x_ref, table_ref, o_ref):
            o_ref[...] = x_ref[...] + table_ref[0]  # <read>

            @pl.when(pl.program_id(0) == 1)
            def _():
                table_ref[0] = 0.0  # <write>
        return call(kernel, [f32(2), f32(4)], table, x, grid=2, ins=[WHOLE, blocks(2)], outs=[WHOLE, blocks(2)],
                    input_output_aliases={0: 0})

    def repaired(table, x):
        def kernel(old_ref, x_ref, table_ref, o_ref):
            o_ref[...] = x_ref[...] + table_ref[0]

            @pl.when(pl.program_id(0) == 1)
            def _():
                table_ref[1] = 0.0
        return call(kernel, [f32(2), f32(4)], table, x, grid=2, ins=[WHOLE, blocks(2)], outs=[WHOLE, blocks(2)],
                    input_output_aliases={0: 0})
