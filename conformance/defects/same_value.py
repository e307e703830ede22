"""Programs that write the same value to the same element: a race that no result shows."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, race
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, numbers


def same(param, element, one, two):
    return race(param, element, one, two, kind="race-same-value")


@defect("no program asks for its place in the grid, so all of them write all of the output",
        same("o_ref", (0,), ("store", (0,)), ("store", (1,))), thread="thunlp/TritonBench#10",
        also=["program-independent"], inputs=[numbers(4)])
class ProgramIdIgnored:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]  # <store>
        return call(kernel, f32(4), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(4), x, grid=1)


@defect("every program that finds a negative element sets the same flag",
        same("flag_ref", (0,), ("set", (0,)), ("set", (1,))), inputs=[-numbers(8)])
class FlagSetByMany:
    def broken(x):
        def kernel(x_ref, flag_ref):
            @pl.when(jnp.min(x_ref[...]) < 0)
            def _():
                flag_ref[0] = 1  # <set>
        return call(kernel, i32(1), x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, flag_ref):
            flag_ref[0] = jnp.where(jnp.min(x_ref[...]) < 0, 1, 0)
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the window of the last program is moved inside, over elements of the one before",
        same("o_ref", (2,), ("store", (0,)), ("store", (1,))), inputs=[numbers(6)])
class LastWindowMovedInside:
    def broken(x):
        def kernel(x_ref, o_ref):
            window = pl.ds(jnp.minimum(4 * pl.program_id(0), 2), 4)
            o_ref[window] = jnp.sqrt(x_ref[window])  # <store>
        return call(kernel, f32(6), x, grid=2, ins=WHOLE, outs=WHOLE)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.sqrt(x_ref[...])
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("the mean of a row is stored by the programs of all its column blocks",
        same("mean_ref", (0, 0), ("mean", (0, 0)), ("mean", (0, 1))), inputs=[numbers(2, 4)])
class RowStatisticByColumns:
    def broken(x):
        def kernel(x_ref, o_ref, mean_ref):
            mean = jnp.sum(x_ref[...], axis=1, keepdims=True) / 4
            mean_ref[...] = mean  # <mean>
            o_ref[...] = x_ref[:, pl.ds(2 * pl.program_id(1), 2)] - mean
        return call(kernel, [f32(2, 4), f32(2, 1)], x, grid=(2, 2), ins=pl.BlockSpec((1, 4), lambda i, j: (i, 0)),
                    outs=[blocks(1, 2), pl.BlockSpec((1, 1), lambda i, j: (i, 0))])

    def repaired(x):
        def kernel(x_ref, o_ref, mean_ref):
            mean = jnp.sum(x_ref[...], axis=1, keepdims=True) / 4

            @pl.when(pl.program_id(1) == 0)
            def _():
                mean_ref[...] = mean
            o_ref[...] = x_ref[:, pl.ds(2 * pl.program_id(1), 2)] - mean
        return call(kernel, [f32(2, 4), f32(2, 1)], x, grid=(2, 2), ins=pl.BlockSpec((1, 4), lambda i, j: (i, 0)),
                    outs=[blocks(1, 2), pl.BlockSpec((1, 1), lambda i, j: (i, 0))])


@defect("every program clears the row that pads the output",
        same("o_ref", (2, 0), ("clear", (0,)), ("clear", (1,))), inputs=[numbers(2, 2)])
class PadRowClearedByAll:
    def broken(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i, :] = x_ref[i, :]
            o_ref[2, :] = jnp.zeros(2)  # <clear>
        return call(kernel, f32(3, 2), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            is_pad = i == 2
            o_ref[i, :] = jnp.where(is_pad, 0.0, x_ref[jnp.where(is_pad, 0, i), :])
        return call(kernel, f32(3, 2), x, grid=3)


@defect("the length of the output is stored by each of the programs that make it",
        same("length_ref", (0,), ("length", (0,)), ("length", (1,))), inputs=[numbers(4)])
class LengthStoredByAll:
    def broken(x):
        def kernel(x_ref, o_ref, length_ref):
            o_ref[...] = x_ref[...] + 1
            length_ref[0] = 2 * pl.num_programs(0)  # <length>
        return call(kernel, [f32(4), i32(1)], x, grid=2, ins=blocks(2), outs=[blocks(2), WHOLE])

    def repaired(x):
        def kernel(x_ref, o_ref, length_ref):
            o_ref[...] = x_ref[...] + 1

            @pl.when(pl.program_id(0) == 0)
            def _():
                length_ref[0] = 2 * pl.num_programs(0)
        return call(kernel, [f32(4), i32(1)], x, grid=2, ins=blocks(2), outs=[blocks(2), WHOLE])


@defect("two programs store the pad value behind a row, because the widths of both are rounded up",
        same("o_ref", (4,), ("store", (0,)), ("store", (1,))), inputs=[numbers(4)])
class PadValueStoredTwice:
    def broken(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 2 * pl.program_id(0) + lane
            x = plgpu.load(x_ref.at[at], mask=at < 4, other=0.0)
            place = jnp.where(lane < 2, at, jnp.minimum(2 + lane, 5))
            o_ref[place] = jnp.where(lane < 2, x, 0.0)  # <store>
        return call(kernel, f32(6), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 2 * pl.program_id(0) + lane
            x = plgpu.load(x_ref.at[at], mask=at < 4, other=0.0)
            is_last = pl.program_id(0) == 1
            plgpu.store(o_ref.at[at], jnp.where(lane < 2, x, 0.0), mask=(lane < 2) | is_last)
        return call(kernel, f32(6), x, grid=2)
