"""Programs of a parallel grid that count on the ones before them."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, race
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, ints, numbers, zeros


@defect("each program adds its block to one sum that all of them share",
        race("o_ref", (0,), ("init|add", (0,)), ("add", (1,))), inputs=[numbers(8)])
class SumOverPrograms:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            o_ref[...] += jnp.sum(x_ref[...], keepdims=True)  # <add>
        return call(kernel, f32(1), x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += jnp.sum(x_ref[...], keepdims=True)
        return call(kernel, f32(1), x, grid=2, ins=blocks(4), order=["arbitrary"])


@defect("the first store is guarded by the program id, the last one is not",
        race("o_ref", (0,), ("init|last", (0,)), ("last", (1,))), thread="jax-ml/jax#37183", inputs=[numbers(4)])
class UnguardedFinalStore:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[0] = 0.0  # <init>
            o_ref[0] = x_ref[pl.program_id(0)]  # <last>
        return call(kernel, f32(1), x, grid=4)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[0] = x_ref[pl.program_id(0)]
        return call(kernel, f32(4), x, grid=4, outs=blocks(1))


@defect("a running maximum in one element that every program reads and writes",
        race("o_ref", (0,), ("init|keep", (0,)), ("keep", (1,))), inputs=[numbers(8)])
class RunningMaximum:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[0] = -jnp.inf  # <init>
            o_ref[0] = jnp.maximum(o_ref[0], jnp.max(x_ref[...]))  # <keep>
        return call(kernel, f32(1), x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[0] = jnp.max(x_ref[...])
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("a scan takes its carry from the element that the program before should have written",
        race("o_ref", (3,), ("store", (0,)), ("carry", (1,))), thread="pytorch/pytorch#198208", inputs=[numbers(8)])
class CarryFromNeighbour:
    def broken(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            mine = pl.ds(4 * i, 4)
            before = plgpu.load(o_ref.at[pl.ds(4 * i - 1, 1)], mask=(i > 0)[None], other=0.0)  # <carry>
            o_ref[mine] = before + jnp.cumsum(x_ref[mine])  # <store>
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=WHOLE)

    def repaired(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            before = jnp.sum(jnp.where(jnp.arange(8) < 4 * i, x_ref[...], 0.0))
            o_ref[...] = before + jnp.cumsum(x_ref[pl.ds(4 * i, 4)])
        return call(kernel, f32(8), x, grid=2, outs=blocks(4))


@defect("the first program fills a table that the others read at once",
        race("table_ref", (0,), ("fill", (0,)), ("use", (1,))), inputs=[numbers(4)])
class TableOfTheFirst:
    def broken(x):
        def kernel(x_ref, o_ref, table_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                table_ref[...] = 2 * x_ref[...]  # <fill>
            o_ref[...] = table_ref[...] + i  # <use>
        return call(kernel, [f32(8), f32(4)], x, grid=2, outs=[blocks(4), WHOLE])

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...] + pl.program_id(0)
        return call(kernel, f32(8), x, grid=2, outs=blocks(4))


@defect("the last program divides by the sums that all the others are still writing",
        race("sums_ref", (0,), ("sum", (0,)), ("divide", (1,))), inputs=[numbers(8)])
class NormalisedByTheLast:
    def broken(x):
        def kernel(x_ref, sums_ref, o_ref):
            i = pl.program_id(0)
            sums_ref[i] = jnp.sum(x_ref[...])  # <sum>

            @pl.when(i == 1)
            def _():
                o_ref[...] = sums_ref[...] / sums_ref[0]  # <divide>
        return call(kernel, [f32(2), f32(2)], x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, sums_ref, o_ref):
            i = pl.program_id(0)
            sums_ref[i] = jnp.sum(x_ref[...])

            @pl.when(i == 1)
            def _():
                o_ref[...] = sums_ref[...] / sums_ref[0]
        return call(kernel, [f32(2), f32(2)], x, grid=2, ins=blocks(4), order=["arbitrary"])


@defect("each program of the rows adds its part of a weight gradient to the same row",
        race("dw_ref", (0, 0), ("init|add", (0,)), ("add", (1,))),
        thread="open-lm-engine/accelerated-model-architectures#480",
        inputs=[numbers(4, 4), numbers(4, 4, seed=1)])
class WeightGradient:
    def broken(x, dy):
        def kernel(x_ref, dy_ref, dw_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                dw_ref[...] = jnp.zeros_like(dw_ref)  # <init>
            dw_ref[...] += jnp.sum(x_ref[...] * dy_ref[...], axis=0, keepdims=True)  # <add>
        return call(kernel, f32(1, 4), x, dy, grid=2, ins=pl.BlockSpec((2, 4), lambda i: (i, 0)))

    def repaired(x, dy):
        def kernel(x_ref, dy_ref, dw_ref):
            dw_ref[...] = jnp.sum(x_ref[...] * dy_ref[...], axis=0, keepdims=True)
        return call(kernel, f32(2, 4), x, dy, grid=2, ins=pl.BlockSpec((2, 4), lambda i: (i, 0)),
                    outs=pl.BlockSpec((1, 4), lambda i: (i, 0)))


@defect("programs of different key blocks add to the gradient of the same query without atomics",
        race("dq_ref", (0, 0), ("add", (0, 0)), ("add", (0, 1))), thread="Dao-AILab/flash-attention#1496",
        inputs=[zeros(4, 2), numbers(4, 4, seed=1), numbers(4, 2, seed=2)])
class QueryGradient:
    def broken(zero, ds, k):
        def kernel(zero_ref, ds_ref, k_ref, dq_ref):
            dq_ref[...] += ds_ref[...] @ k_ref[...]  # <add>
        return call(kernel, f32(4, 2), zero, ds, k, grid=(2, 2),
                    ins=[pl.BlockSpec((2, 2), lambda i, j: (i, 0)), blocks(2, 2),
                         pl.BlockSpec((2, 2), lambda i, j: (j, 0))],
                    outs=pl.BlockSpec((2, 2), lambda i, j: (i, 0)), input_output_aliases={0: 0})

    def repaired(zero, ds, k):
        def kernel(zero_ref, ds_ref, k_ref, dq_ref):
            dq_ref[...] += ds_ref[...] @ k_ref[...]
        return call(kernel, f32(4, 2), zero, ds, k, grid=(2, 2),
                    ins=[pl.BlockSpec((2, 2), lambda i, j: (i, 0)), blocks(2, 2),
                         pl.BlockSpec((2, 2), lambda i, j: (j, 0))],
                    outs=pl.BlockSpec((2, 2), lambda i, j: (i, 0)), input_output_aliases={0: 0},
                    order=["parallel", "arbitrary"])


@defect("a matrix product accumulates along k, and k is declared parallel",
        race("o_ref", (0, 0), ("init|add", (0, 0, 0)), ("add", (0, 0, 1))),
        inputs=[numbers(4, 4), numbers(4, 4, seed=1)])
class ProductOverParallelK:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            o_ref[...] += x_ref[...] @ y_ref[...]  # <add>
        return call(kernel, f32(4, 4), x, y, grid=(2, 2, 2),
                    ins=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)), order=["parallel", "parallel", "parallel"])

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...] @ y_ref[...]
        return call(kernel, f32(4, 4), x, y, grid=(2, 2, 2),
                    ins=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)), order=["parallel", "parallel", "arbitrary"])


@defect("the semantics of the grid name the wrong axis as the one that goes in order",
        race("o_ref", (0, 0), ("init|add", (0, 0)), ("add", (0, 1))), inputs=[numbers(2, 8)])
class SemanticsOfTheOtherAxis:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            o_ref[...] += jnp.sum(x_ref[...], axis=1, keepdims=True)  # <add>
        return call(kernel, f32(2, 1), x, grid=(2, 2), ins=blocks(1, 4),
                    outs=pl.BlockSpec((1, 1), lambda i, j: (i, 0)), order=["arbitrary", "parallel"])

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += jnp.sum(x_ref[...], axis=1, keepdims=True)
        return call(kernel, f32(2, 1), x, grid=(2, 2), ins=blocks(1, 4),
                    outs=pl.BlockSpec((1, 1), lambda i, j: (i, 0)), order=["parallel", "arbitrary"])


@defect("split along k: each part of a product is stored over the others",
        race("o_ref", (0, 0), ("store", (0,)), ("store", (1,))),
        inputs=[numbers(2, 4), numbers(4, 2, seed=1)])
class SplitKStored:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            o_ref[...] = x_ref[...] @ y_ref[...]  # <store>
        return call(kernel, f32(2, 2), x, y, grid=2,
                    ins=[pl.BlockSpec((2, 2), lambda k: (0, k)), pl.BlockSpec((2, 2), lambda k: (k, 0))])

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            o_ref[0] = x_ref[...] @ y_ref[...]
        return call(kernel, f32(2, 2, 2), x, y, grid=2,
                    ins=[pl.BlockSpec((2, 2), lambda k: (0, k)), pl.BlockSpec((2, 2), lambda k: (k, 0))],
                    outs=pl.BlockSpec((1, 2, 2), lambda k: (k, 0, 0)))


@defect("the state of an online softmax lives in outputs that all key blocks update",
        race("m_ref", (0,), ("start|keep", (0,)), ("keep", (1,))),
        race("l_ref", (0,), ("begin|scale", (0,)), ("scale", (1,))), inputs=[numbers(8)])
class OnlineSoftmaxState:
    def broken(x):
        def kernel(x_ref, m_ref, l_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                m_ref[0] = -1e9  # <start>
                l_ref[0] = 0.0  # <begin>
            shift = jnp.max(x_ref[...])
            l_ref[0] = l_ref[0] + jnp.sum(jnp.exp(x_ref[...] - shift))  # <scale>
            m_ref[0] = jnp.maximum(m_ref[0], shift)  # <keep>
        return call(kernel, [f32(1), f32(1)], x, grid=2, ins=blocks(4))

    def repaired(x):
        def kernel(x_ref, m_ref, l_ref):
            shift = jnp.max(x_ref[...])
            l_ref[0] = jnp.sum(jnp.exp(x_ref[...] - shift))
            m_ref[0] = shift
        return call(kernel, [f32(2), f32(2)], x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("program i writes the cell that program i + 1 takes as its state",
        race("state_ref", (1,), ("pass", (0,)), ("take", (1,))), inputs=[numbers(4)])
class StateHandedOn:
    def broken(x):
        def kernel(x_ref, state_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                state_ref[0] = 1.0
            taken = state_ref[i]  # <take>
            state_ref[i + 1] = taken + x_ref[i]  # <pass>
            o_ref[i] = taken
        return call(kernel, [f32(3), f32(2)], x, grid=2)

    def repaired(x):
        def kernel(x_ref, state_ref, o_ref):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                state_ref[0] = 1.0
            taken = state_ref[i]
            state_ref[i + 1] = taken + x_ref[i]
            o_ref[i] = taken
        return call(kernel, [f32(3), f32(2)], x, grid=2, order=["arbitrary"])


@defect("rows are appended at a position that every program reads and moves on",
        race("end_ref", (0,), ("append", (0,)), ("append", (1,))),
        inputs=[numbers(4), ints(0)])
class AppendAtTheEnd:
    def broken(x, start):
        def kernel(x_ref, start_ref, end_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = x_ref[i]
            end_ref[0] = end_ref[0] + 1  # <append>
        return call(kernel, [i32(1), f32(4)], x, start, grid=4, input_output_aliases={1: 0})

    def repaired(x, start):
        def kernel(x_ref, start_ref, end_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = x_ref[i]
            end_ref[i] = start_ref[0] + 1
        return call(kernel, [i32(4), f32(4)], x, start, grid=4)
