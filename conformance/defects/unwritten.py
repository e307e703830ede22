"""Outputs with holes: elements that no program writes."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, unwritten
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers


@defect("the number of programs is rounded down, so that the rest of the array gets none",
        unwritten("o_ref", (8,)), inputs=[numbers(10)])
class GridRoundedDown:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(10), x, grid=10 // 4, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(10), x, grid=pl.cdiv(10, 4), ins=blocks(4), outs=blocks(4))


@defect("groups without rows skip their block and leave it as it was allocated",
        unwritten("o_ref", (1, 0)), thread="vllm-project/vllm#46408", inputs=[ints(2, 0, 1), numbers(3, 2)])
class EmptyGroup:
    def broken(sizes, x):
        def kernel(sizes_ref, x_ref, o_ref):  # <kernel>
            i = pl.program_id(0)

            @pl.when(sizes_ref[i] > 0)
            def _():
                o_ref[...] = x_ref[...] * sizes_ref[i]
        return call(kernel, f32(3, 2), sizes, x, grid=3, ins=[WHOLE, pl.BlockSpec((1, 2), lambda i: (i, 0))],
                    outs=pl.BlockSpec((1, 2), lambda i: (i, 0)))

    def repaired(sizes, x):
        def kernel(sizes_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[...] = jnp.where(sizes_ref[i] > 0, x_ref[...] * sizes_ref[i], 0.0)
        return call(kernel, f32(3, 2), sizes, x, grid=3, ins=[WHOLE, pl.BlockSpec((1, 2), lambda i: (i, 0))],
                    outs=pl.BlockSpec((1, 2), lambda i: (i, 0)))


@defect("the columns behind the first block of a row are never reached",
        unwritten("o_ref", (0, 4)), thread="facebookresearch/xformers#785", inputs=[numbers(2, 6)])
class ColumnsBehindTheBlock:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            column = jnp.arange(4)
            row = pl.program_id(0)
            x = plgpu.load(x_ref.at[row, column], mask=column < 6, other=0.0)
            plgpu.store(o_ref.at[row, column], 2 * x, mask=column < 6)
        return call(kernel, f32(2, 6), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            row = pl.program_id(0)

            def step(i, _):
                column = 4 * i + jnp.arange(4)
                x = plgpu.load(x_ref.at[row, column], mask=column < 6, other=0.0)
                plgpu.store(o_ref.at[row, column], 2 * x, mask=column < 6)
            jax.lax.fori_loop(0, 2, step, None)
        return call(kernel, f32(2, 6), x, grid=2)


@defect("the second output is forgotten",
        unwritten("scale_ref", (0,)), inputs=[numbers(4)])
class ForgottenOutput:
    def broken(x):
        def kernel(x_ref, o_ref, scale_ref):  # <kernel>
            o_ref[...] = x_ref[...] / jnp.max(x_ref[...])
        return call(kernel, [f32(4), f32(1)], x)

    def repaired(x):
        def kernel(x_ref, o_ref, scale_ref):
            o_ref[...] = x_ref[...] / jnp.max(x_ref[...])
            scale_ref[0] = jnp.max(x_ref[...])
        return call(kernel, [f32(4), f32(1)], x)


@defect("the number of tile groups is rounded down, which drops a band of tiles",
        unwritten("o_ref", (2, 0)), thread="tile-ai/tilelang#2433", inputs=[numbers(3, 4)])
class PartialGroupDropped:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            for group in range(3 // 2):
                for row in range(2 * group, min(2 * group + 2, 3)):
                    o_ref[row, :] = 2 * x_ref[row, :]
        return call(kernel, f32(3, 4), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            for group in range(pl.cdiv(3, 2)):
                for row in range(2 * group, min(2 * group + 2, 3)):
                    o_ref[row, :] = 2 * x_ref[row, :]
        return call(kernel, f32(3, 4), x)


@defect("the rows of a segment beyond the greatest length are never given a gradient",
        unwritten("dx_ref", (2, 0)), thread="pytorch/FBGEMM#5754", inputs=[ints(3), numbers(3, 2)])
class RowsBeyondTheGreatestLength:
    def broken(length, dy):
        def kernel(length_ref, dy_ref, dx_ref):  # <kernel>
            row = jnp.arange(2)[:, None]
            kept = jnp.broadcast_to(row < length_ref[0], (2, 2))
            plgpu.store(dx_ref.at[:2, :], dy_ref[:2, :], mask=kept)
        return call(kernel, f32(3, 2), length, dy)

    def repaired(length, dy):
        def kernel(length_ref, dy_ref, dx_ref):
            row = jnp.arange(3)[:, None]
            dx_ref[...] = jnp.where((row < length_ref[0]) & (row < 2), dy_ref[...], 0.0)
        return call(kernel, f32(3, 2), length, dy)


@defect("the rows behind the last sequence of a packed batch are left as they were allocated",
        unwritten("o_ref", (3, 0)), thread="fla-org/flash-linear-attention#892", inputs=[ints(0, 2, 3), numbers(4, 2)])
class RowsBehindTheLastSequence:
    def broken(starts, x):
        def kernel(starts_ref, x_ref, o_ref):  # <kernel>
            i = pl.program_id(0)

            def step(row, _):
                o_ref[pl.ds(row, 1), :] = 2 * x_ref[pl.ds(row, 1), :]
            jax.lax.fori_loop(starts_ref[i], starts_ref[i + 1], step, None)
        return call(kernel, f32(4, 2), starts, x, grid=2)

    def repaired(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            i = pl.program_id(0)

            def step(row, _):
                o_ref[pl.ds(row, 1), :] = 2 * x_ref[pl.ds(row, 1), :]
            end = jnp.where(i == pl.num_programs(0) - 1, 4, starts_ref[i + 1])
            jax.lax.fori_loop(starts_ref[i], end, step, None)
        return call(kernel, f32(4, 2), starts, x, grid=2)


@defect("only the even elements of an interleaved pair are stored",
        unwritten("o_ref", (1,)), inputs=[numbers(4)])
class OddElements:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            pair = 2 * jnp.arange(2)
            o_ref[pair] = x_ref[pair] - x_ref[pair + 1]
        return call(kernel, f32(4), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            pair = 2 * jnp.arange(2)
            o_ref[pair] = x_ref[pair] - x_ref[pair + 1]
            o_ref[pair + 1] = x_ref[pair] + x_ref[pair + 1]
        return call(kernel, f32(4), x)


@defect("the mask of a store leaves out the last element",
        unwritten("o_ref", (9,)), inputs=[numbers(10)])
class MaskOneTooShort:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            at = 4 * pl.program_id(0) + jnp.arange(4)
            x = plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)
            plgpu.store(o_ref.at[at], 2 * x, mask=at < 9)
        return call(kernel, f32(10), x, grid=3)

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            x = plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)
            plgpu.store(o_ref.at[at], 2 * x, mask=at < 10)
        return call(kernel, f32(10), x, grid=3)


@defect("a persistent loop strides by the number of programs but stops one turn early",
        unwritten("o_ref", (4,)), thread="fla-org/flash-linear-attention#906", inputs=[numbers(6)])
class PersistentLoopTooShort:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            first = pl.program_id(0)

            def step(turn, _):
                at = first + 2 * turn
                o_ref[at] = 2 * x_ref[at]
            jax.lax.fori_loop(0, 6 // 2 - 1, step, None)
        return call(kernel, f32(6), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            first = pl.program_id(0)

            def step(turn, _):
                at = first + 2 * turn
                o_ref[at] = 2 * x_ref[at]
            jax.lax.fori_loop(0, 6 // 2, step, None)
        return call(kernel, f32(6), x, grid=2)


@defect("one side of a branch stores nothing",
        unwritten("o_ref", (2,)), inputs=[numbers(4)])
class BranchWithoutAStore:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            is_first = pl.program_id(0) == 0

            @pl.when(is_first)
            def _():
                o_ref[...] = x_ref[...]

            @pl.when(~is_first)
            def _():
                o_ref[...] = -x_ref[...]
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2))


@defect("a flat grid is read as rows of which only the first column is ever addressed",
        unwritten("o_ref", (0, 2)), thread="bledden/triton-msl#6", inputs=[numbers(2, 4)])
class FlatIdOfTheFirstColumn:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            row, column = pl.program_id(0), 0
            o_ref[row, pl.ds(2 * column, 2)] = x_ref[row, pl.ds(2 * column, 2)]
        return call(kernel, f32(2, 4), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            row, column = pl.program_id(0) // 2, pl.program_id(0) % 2
            o_ref[row, pl.ds(2 * column, 2)] = x_ref[row, pl.ds(2 * column, 2)]
        return call(kernel, f32(2, 4), x, grid=4)
