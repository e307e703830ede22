"""Programs whose blocks, windows or indices overlap, so that they write the same elements."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import defect, race, unwritten
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers


@defect("the output's index map leaves out the second axis of the grid",
        race("o_ref", (0, 0), ("store", (0, 0)), ("store", (0, 1))), unwritten("o_ref", (0, 2)),
        thread="pytorch/helion#2599", inputs=[numbers(4, 4)])
class MapWithoutAnAxis:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...]  # <store>
        return call(kernel, f32(4, 4), x, grid=(2, 2), ins=blocks(2, 2),
                    outs=pl.BlockSpec((2, 2), lambda i, j: (i, 0)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4, 4), x, grid=(2, 2), ins=blocks(2, 2), outs=blocks(2, 2))


@defect("the kernel reads one axis of a grid of two, and stores by it alone",
        race("o_ref", (0,), ("store", (0, 0)), ("store", (0, 1))), thread="pytorch/helion#1251",
        inputs=[numbers(4)])
class OneAxisOfTwo:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[pl.program_id(0)] = x_ref[2 * pl.program_id(0) + pl.program_id(1)]  # <store>
        return call(kernel, f32(2), x, grid=(2, 2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 2 * pl.program_id(0) + pl.program_id(1)
            o_ref[at] = x_ref[at]
        return call(kernel, f32(4), x, grid=(2, 2))


@defect("windows of four elements are written three apart",
        race("o_ref", (3,), ("store", (0,)), ("store", (1,))), inputs=[numbers(8)])
class StrideBelowTheBlock:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]  # <store>
        return call(kernel, f32(7), x, grid=2, ins=blocks(4),
                    outs=pl.BlockSpec((pl.Element(4),), lambda i: (3 * i,)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(8), x, grid=2, ins=blocks(4),
                    outs=pl.BlockSpec((pl.Element(4),), lambda i: (4 * i,)))


@defect("the start of a slice counts blocks of three, its length is four",
        race("o_ref", (3,), ("store", (0,)), ("store", (1,))), inputs=[numbers(8)])
class SliceStartOffByOne:
    def broken(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[pl.ds(3 * i, 4)] = x_ref[pl.ds(4 * i, 4)]  # <store>
        return call(kernel, f32(7), x, grid=2, ins=WHOLE, outs=WHOLE)

    def repaired(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[pl.ds(4 * i, 4)] = x_ref[pl.ds(4 * i, 4)]
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=WHOLE)


@defect("a remainder takes blocks beyond the last one back to the first instead of masking them",
        race("o_ref", (0,), ("store", (0,)), ("store", (3,))), thread="ModelTC/LightLLM#1369", inputs=[numbers(8)])
class WrappedAround:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = pl.program_id(0) % 3
            o_ref[at] = x_ref[at] + pl.program_id(0)  # <store>
        return call(kernel, f32(3), x, grid=4)

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = pl.program_id(0)

            @pl.when(at < 3)
            def _():
                o_ref[at] = x_ref[at] + at
        return call(kernel, f32(3), x, grid=4)


@defect("lanes beyond a group of three pass a mask that knows the whole array only",
        race("o_ref", (3,), ("store", (0,)), ("store", (1,))), thread="flagos-ai/FlagGems#4985", inputs=[numbers(6)])
class MaskOfTheWholeArray:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 3 * pl.program_id(0) + jnp.arange(4)
            x = plgpu.load(x_ref.at[at], mask=at < 6, other=0.0)
            plgpu.store(o_ref.at[at], x - jnp.max(x), mask=at < 6)  # <store>
        return call(kernel, f32(6), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 3 * pl.program_id(0) + lane
            x = plgpu.load(x_ref.at[at], mask=lane < 3, other=0.0)
            plgpu.store(o_ref.at[at], x - jnp.max(x), mask=lane < 3)
        return call(kernel, f32(6), x, grid=2)


@defect("the page table names the same page for two programs",
        race("pages_ref", (0, 0), ("store", (0,)), ("store", (1,))), unwritten("pages_ref", (1, 0)),
        thread="thunlp/TritonBench#15", inputs=[ints(0, 0), numbers(2, 4)])
class SharedPage:
    def broken(table, x):
        def kernel(table_ref, x_ref, pages_ref):  # <kernel>
            pages_ref[...] = x_ref[...]  # <store>
        return call(kernel, f32(2, 4), table, x, grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(2,), in_specs=[pl.BlockSpec((1, 4), lambda i, table: (i, 0))],
            out_specs=pl.BlockSpec((1, 4), lambda i, table: (table[i], 0))))

    def repaired(table, x):
        def kernel(table_ref, x_ref, pages_ref):
            pages_ref[...] = x_ref[...]
        return call(kernel, f32(2, 4), table, x, grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(2,), in_specs=[pl.BlockSpec((1, 4), lambda i, table: (i, 0))],
            out_specs=pl.BlockSpec((1, 4), lambda i, table: (table[i] + i, 0))))


@defect("all sequences start at row 0, so that each one stores its rows over those of the others",
        race("o_ref", (0,), ("store", (0,)), ("store", (1,))), thread="thunlp/TritonBench#13",
        inputs=[ints(0, 0, 2), numbers(4)])
class StartsOfZero:
    def broken(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[pl.ds(starts_ref[i], 2)] = x_ref[pl.ds(2 * i, 2)]  # <store>
        return call(kernel, f32(2), starts, x, grid=2)

    def repaired(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[pl.ds(starts_ref[i + 1], 2)] = x_ref[pl.ds(2 * i, 2)]

        return call(kernel, f32(4), starts, x, grid=2)


@defect("the last, smaller group of a swizzled grid visits one tile twice and another never",
        race("o_ref", (2, 0), ("store", (4,)), ("store", (5,))), unwritten("o_ref", (2, 1)),
        thread="flashinfer-ai/flashinfer#3283", inputs=[numbers(3, 2)])
class SwizzleOfThePartialGroup:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            p = pl.program_id(0)
            first = 2 * (p // 4)
            rows = jnp.minimum(3 - first, 2)
            row, column = first + p % rows, (p % 4) // 2
            o_ref[row, column] = x_ref[row, column] + p  # <store>
        return call(kernel, f32(3, 2), x, grid=6)

    def repaired(x):
        def kernel(x_ref, o_ref):
            p = pl.program_id(0)
            first = 2 * (p // 4)
            rows = jnp.minimum(3 - first, 2)
            row, column = first + (p % 4) % rows, (p % 4) // rows
            o_ref[row, column] = x_ref[row, column] + p
        return call(kernel, f32(3, 2), x, grid=6)


@defect("the columns beyond an odd width are written as well, into the row of the next head",
        race("o_ref", (3,), ("store", (0,)), ("store", (1,))), thread="sgl-project/sglang#35096", inputs=[numbers(8)])
class ColumnsBeyondTheRow:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 3 * pl.program_id(0) + jnp.arange(4)
            o_ref[at] = x_ref[at] - jnp.min(x_ref[at])  # <store>
        return call(kernel, f32(7), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            lane = jnp.arange(4)
            at = 3 * pl.program_id(0) + lane
            plgpu.store(o_ref.at[at], x_ref[at] - jnp.min(x_ref[at]), mask=lane < 3)
        return call(kernel, f32(6), x, grid=2)


@defect("batch and head are told apart by the same quotient",
        race("o_ref", (0, 0), ("store", (0,)), ("store", (1,))), unwritten("o_ref", (0, 1)), inputs=[numbers(4)])
class QuotientForRemainder:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            p = pl.program_id(0)
            o_ref[p // 2, p // 2] = x_ref[p]  # <store>
        return call(kernel, f32(2, 2), x, grid=4)

    def repaired(x):
        def kernel(x_ref, o_ref):
            p = pl.program_id(0)
            o_ref[p // 2, p % 2] = x_ref[p]
        return call(kernel, f32(2, 2), x, grid=4)


@defect("a whole head is copied first and its rotated half stored over it by another program",
        race("o_ref", (0,), ("copy", (0,)), ("rotate", (1,))), thread="vllm-project/vllm#46685", inputs=[numbers(4)])
class CopiedAndRotated:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = x_ref[...]  # <copy>

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[:2] = -x_ref[:2]  # <rotate>
        return call(kernel, f32(4), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[2:] = x_ref[2:]

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[:2] = -x_ref[:2]
        return call(kernel, f32(4), x, grid=2)


@defect("a transposed store takes the row for both of its indices",
        race("o_ref", (0, 0), ("store", (0, 0)), ("store", (0, 1))), unwritten("o_ref", (0, 1)), inputs=[numbers(2, 2)])
class TransposedStore:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            i, j = pl.program_id(0), pl.program_id(1)
            o_ref[i, i] = x_ref[i, j]  # <store>
        return call(kernel, f32(2, 2), x, grid=(2, 2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            i, j = pl.program_id(0), pl.program_id(1)
            o_ref[j, i] = x_ref[i, j]
        return call(kernel, f32(2, 2), x, grid=(2, 2))


@defect("every program clears the whole of an array of which it then fills its own row",
        race("o_ref", (0, 0), ("clear|fill", (0,)), ("clear", (1,))), also=["race-same-value"],
        inputs=[numbers(2, 2)])
class ClearedByAll:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.zeros_like(o_ref)  # <clear>
            i = pl.program_id(0)
            o_ref[i, :] = x_ref[i, :]  # <fill>
        return call(kernel, f32(2, 2), x, grid=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i, :] = x_ref[i, :]
        return call(kernel, f32(2, 2), x, grid=2)
