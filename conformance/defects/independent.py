"""Grids of several programs that all compute the same: the place in the grid was forgotten."""

import jax.numpy as jnp
from jax.experimental import pallas as pl

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import WHOLE, blocks, call, f32, numbers


def independent(store, param):
    """Every program leaves the same in its block of `param`."""
    return Finding("program-independent", store, (0,), param, (0,))


@defect("every program reads the first block and stores it into its own",
        independent("store", "o_ref"), inputs=[numbers(8)])
class FirstBlockForAll:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[pl.ds(0, 4)]  # <store>
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[pl.ds(4 * pl.program_id(0), 4)]
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))


@defect("an input without an index map is the whole array for each program, which stores the sum of all rows",
        independent("store", "o_ref"), inputs=[numbers(2, 4)])
class InputWithoutAMap:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.sum(x_ref[...], keepdims=True)[0]  # <store>
        return call(kernel, f32(2), x, grid=2, outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.sum(x_ref[...], keepdims=True)[0]
        return call(kernel, f32(2), x, grid=2, ins=pl.BlockSpec((1, 4), lambda i: (i, 0)), outs=blocks(1))


@defect("the input's index map is constant",
        independent("store", "o_ref"), thread="pytorch/helion#2599", inputs=[numbers(8)])
class ConstantMap:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = -x_ref[...]  # <store>
        return call(kernel, f32(8), x, grid=2, ins=pl.BlockSpec((4,), lambda i: (0,)), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = -x_ref[...]
        return call(kernel, f32(8), x, grid=2, ins=pl.BlockSpec((4,), lambda i: (i,)), outs=blocks(4))
