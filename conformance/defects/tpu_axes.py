"""Axes of a TPU's grid: what is declared parallel, and blocks that are left and come back to where nobody declares anything."""

import jax.numpy as jnp
from jax._src.state.primitives import ref_addupdate
from jax.experimental import pallas as pl

from conformance.defects.corpus import Finding, defect, race, undefined
from conformance.defects.shorthand import blocks, call, f32, i32, ints, numbers, vmem


def revisited(param, element, visit, program, other):
    """At line `visit` a block that was left before may hold anything."""
    return Finding("block-revisited", visit, program, param, element, visit, other)


@defect("rows are summed into one block along an axis that is declared parallel, so that another core may run a part of it",
        race("o_ref", (0,), ("init|add", (0,)), ("add", (1,))), inputs=[numbers(3, 2)])
class SumAlongParallelAxis:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(2), x, grid=3, ins=pl.BlockSpec((None, 2), lambda i: (i, 0)),
                    outs=pl.BlockSpec((2,), lambda i: (0,)), order=["parallel"])

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(2), x, grid=3, ins=pl.BlockSpec((None, 2), lambda i: (i, 0)),
                    outs=pl.BlockSpec((2,), lambda i: (0,)))


@defect("of the three axes of a product all are declared parallel, also the one that is summed over",
        race("o_ref", (0, 0), ("init|add", (0, 0, 0)), ("add", (0, 0, 1))),
        inputs=[numbers(2, 4), numbers(4, 2, seed=1)])
class ProductAllParallel:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            o_ref[...] += x_ref[...] @ y_ref[...]  # <add>
        return call(kernel, f32(2, 2), x, y, grid=(1, 1, 2), order=["parallel"] * 3,
                    ins=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)))

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...] @ y_ref[...]
        return call(kernel, f32(2, 2), x, y, grid=(1, 1, 2),
                    ins=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)))


@defect("programs of a parallel axis count by an update in place, which is no atomic there",
        race("o_ref", (0,), ("init|count", (0,)), ("count", (1,))), inputs=[ints(1, 0, 1, 1)])
class CountedByUpdates:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)  # <init>
            ref_addupdate(o_ref, ..., jnp.sum(x_ref[...], keepdims=True))  # <count>
        return call(kernel, i32(1), x, grid=2, ins=blocks(2), outs=pl.BlockSpec((1,), lambda i: (0,)), order=["parallel"])

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            ref_addupdate(o_ref, ..., jnp.sum(x_ref[...], keepdims=True))
        return call(kernel, i32(1), x, grid=2, ins=blocks(2), outs=pl.BlockSpec((1,), lambda i: (0,)))


@defect("scratch is to carry a running sum along an axis that is declared parallel",
        undefined("o_ref", (2,), "store", (1,), "add"), inputs=[numbers(4)])
class CarryAlongParallelAxis:
    def broken(x):
        def kernel(x_ref, o_ref, sum_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                sum_ref[...] = jnp.zeros_like(sum_ref)
            sum_ref[...] += x_ref[...]  # <add>
            o_ref[...] = sum_ref[...]  # <store>
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2), scratch_shapes=[vmem(2)],
                    order=["parallel"])

    def repaired(x):
        def kernel(x_ref, o_ref, sum_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                sum_ref[...] = jnp.zeros_like(sum_ref)
            sum_ref[...] += x_ref[...]
            o_ref[...] = sum_ref[...]
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2), scratch_shapes=[vmem(2)])


@defect("the axis that is summed over is the outermost one: each block is left for the others and come back to",
        revisited("o_ref", (0, 0), "add", (1, 0), (0, 0)), inputs=[numbers(2, 4)])
class SumOutermost:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda k, j: (k, j)),
                    outs=pl.BlockSpec((1, 2), lambda k, j: (0, j)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda j, k: (k, j)),
                    outs=pl.BlockSpec((1, 2), lambda j, k: (0, j)))


@defect("even and odd programs fill the halves of each of two blocks in turn",
        revisited("o_ref", (0,), "half", (2,), (0,)), inputs=[numbers(4)])
class HalvesInTurn:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[pl.ds(pl.program_id(0) // 2, 1)] = x_ref[...]  # <half>
        return call(kernel, f32(4), x, grid=4, ins=blocks(1), outs=pl.BlockSpec((2,), lambda i: (i % 2,)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[pl.ds(pl.program_id(0) % 2, 1)] = x_ref[...]
        return call(kernel, f32(4), x, grid=4, ins=pl.BlockSpec((1,), lambda i: (i // 2 + i % 2 * 2,)),
                    outs=pl.BlockSpec((2,), lambda i: (i // 2,)))


@defect("the statistics of all rows are kept beside each row's block, and another row comes between",
        revisited("max_ref", (0, 0), "keep", (1, 0), (0, 0)), inputs=[numbers(2, 4)])
class StatisticsBesideRows:
    def broken(x):
        def kernel(x_ref, o_ref, max_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                max_ref[...] = jnp.full_like(max_ref, -jnp.inf)
            max_ref[...] = jnp.maximum(max_ref[...], jnp.max(x_ref[...], keepdims=True))  # <keep>
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, [f32(2, 4), f32(2, 1)], x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda k, i: (i, k)),
                    outs=[pl.BlockSpec((1, 2), lambda k, i: (i, k)), pl.BlockSpec((1, 1), lambda k, i: (i, 0))])

    def repaired(x):
        def kernel(x_ref, o_ref, max_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                max_ref[...] = jnp.full_like(max_ref, -jnp.inf)
            max_ref[...] = jnp.maximum(max_ref[...], jnp.max(x_ref[...], keepdims=True))
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, [f32(2, 4), f32(2, 1)], x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda i, k: (i, k)),
                    outs=[pl.BlockSpec((1, 2), lambda i, k: (i, k)), pl.BlockSpec((1, 1), lambda i, k: (i, 0))])
