"""Output blocks that a sequential grid comes back to after others: a pipeline has written them out by then."""

import jax.numpy as jnp
from jax.experimental import pallas as pl

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import blocks, call, f32, numbers

IN_ORDER = ["arbitrary", "arbitrary"]


def revisited(param, element, visit, program, other):
    """Program `other` visits the block of `element` and leaves it, and `program` visits it again."""
    return Finding("block-revisited", visit, program, param, element, visit, other)


@defect("the reduction runs over the outermost axis, so that each block is left and come back to",
        revisited("o_ref", (0, 0), "add", (1, 0), (0, 0)), thread="jax-ml/jax#23099", inputs=[numbers(2, 4)])
class ReductionOutermost:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda k, j: (k, j)),
                    outs=pl.BlockSpec((1, 2), lambda k, j: (0, j)), order=IN_ORDER)

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda j, k: (k, j)),
                    outs=pl.BlockSpec((1, 2), lambda j, k: (0, j)), order=IN_ORDER)


@defect("the middle one of three axes is reduced",
        revisited("o_ref", (0, 0), "add", (0, 1, 0), (0, 0, 0)), inputs=[numbers(2, 4), numbers(4, 4, seed=1)])
class ReductionInTheMiddle:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...] @ y_ref[...]  # <add>
        return call(kernel, f32(2, 4), x, y, grid=(1, 2, 2), order=["arbitrary"] * 3,
                    ins=[pl.BlockSpec((2, 2), lambda i, k, j: (i, k)), pl.BlockSpec((2, 2), lambda i, k, j: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, k, j: (i, j)))

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(2) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...] @ y_ref[...]
        return call(kernel, f32(2, 4), x, y, grid=(1, 2, 2), order=["arbitrary"] * 3,
                    ins=[pl.BlockSpec((2, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j))],
                    outs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)))


@defect("a remainder in the output's map comes round to the first block again",
        revisited("o_ref", (0,), "add", (2,), (0,)), thread="jax-ml/jax#30581", inputs=[numbers(8)])
class RoundRobin:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) < 2)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(4), x, grid=4, ins=blocks(2), outs=pl.BlockSpec((2,), lambda i: (i % 2,)),
                    order=["arbitrary"])

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) % 2 == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(4), x, grid=4, ins=pl.BlockSpec((2,), lambda i: (2 * (i % 2) + i // 2,)),
                    outs=pl.BlockSpec((2,), lambda i: (i // 2,)), order=["arbitrary"])


@defect("the shared block of an output alternates with that of another row",
        revisited("o_ref", (0, 0), "keep", (1, 0), (0, 0)), inputs=[numbers(2, 4)])
class RowsTakenInTurn:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.full_like(o_ref, -jnp.inf)
            o_ref[...] = jnp.maximum(o_ref[...], jnp.max(x_ref[...], keepdims=True))  # <keep>
        return call(kernel, f32(2, 1), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda k, i: (i, k)),
                    outs=pl.BlockSpec((1, 1), lambda k, i: (i, 0)), order=IN_ORDER)

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.full_like(o_ref, -jnp.inf)
            o_ref[...] = jnp.maximum(o_ref[...], jnp.max(x_ref[...], keepdims=True))
        return call(kernel, f32(2, 1), x, grid=(2, 2), ins=pl.BlockSpec((1, 2), lambda i, k: (i, k)),
                    outs=pl.BlockSpec((1, 1), lambda i, k: (i, 0)), order=IN_ORDER)
