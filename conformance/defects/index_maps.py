"""Index maps that choose the wrong block: element offsets, exchanged axes, one too far."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import Finding, defect, unwritten
from conformance.defects.shorthand import blocks, call, f32, ints, numbers


def block_outside(param, program):
    """Findings about blocks name the kernel's first line."""
    return Finding("block-outside-array", "kernel", program, param)


@defect("the map of an input returns the offset of an element, not the number of a block",
        block_outside("x_ref", (1,)), also=["undefined-output"], inputs=[numbers(8)])
class ElementOffset:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(8), x, grid=2, ins=pl.BlockSpec((4,), lambda i: (4 * i,)), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(8), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("the map of an output returns the offset of an element, so that all blocks but the first are dropped",
        block_outside("o_ref", (0, 1)), unwritten("o_ref", (0, 2)), thread="jax-ml/jax#38497", inputs=[numbers(1, 6)])
class ElementOffsetOfAnOutput:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(1, 6), x, grid=(1, 3), ins=blocks(1, 2),
                    outs=pl.BlockSpec((1, 2), lambda i, j: (i, 4 * j)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(1, 6), x, grid=(1, 3), ins=blocks(1, 2), outs=blocks(1, 2))


@defect("dimensions of one block are given block 1 instead of block 0",
        block_outside("x_ref", (0, 0)), also=["undefined-output"], thread="jax-ml/jax#23181",
        inputs=[numbers(1, 4, 1, 4)])
class OneForZero:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(1, 4, 1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2, 1, 2), lambda i, j: (1, i, 1, j)),
                    outs=pl.BlockSpec((1, 2, 1, 2), lambda i, j: (0, i, 0, j)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(1, 4, 1, 4), x, grid=(2, 2), ins=pl.BlockSpec((1, 2, 1, 2), lambda i, j: (0, i, 0, j)),
                    outs=pl.BlockSpec((1, 2, 1, 2), lambda i, j: (0, i, 0, j)))


@defect("rows and columns of the blocks of an input are exchanged",
        block_outside("x_ref", (0, 2)), also=["undefined-output"], inputs=[numbers(4, 6)])
class AxesExchanged:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4, 6), x, grid=(2, 3), ins=pl.BlockSpec((2, 2), lambda i, j: (j, i)), outs=blocks(2, 2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4, 6), x, grid=(2, 3), ins=blocks(2, 2), outs=blocks(2, 2))


@defect("the block after the current one is asked for, also after the last",
        block_outside("next_ref", (2,)), also=["undefined-output"], inputs=[numbers(6), numbers(6)])
class BlockAfterTheLast:
    def broken(x, y):
        def kernel(x_ref, next_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...] - next_ref[...]
        return call(kernel, f32(6), x, y, grid=3, ins=[blocks(2), pl.BlockSpec((2,), lambda i: (i + 1,))],
                    outs=blocks(2))

    def repaired(x, y):
        def kernel(x_ref, next_ref, o_ref):
            o_ref[...] = x_ref[...] - next_ref[...]
        return call(kernel, f32(6), x, y, grid=3,
                    ins=[blocks(2), pl.BlockSpec((2,), lambda i: (jnp.minimum(i + 1, 2),))], outs=blocks(2))


@defect("the block before the current one is asked for, also before the first",
        block_outside("last_ref", (0,)), also=["undefined-output"], inputs=[numbers(6), numbers(6)])
class BlockBeforeTheFirst:
    def broken(x, y):
        def kernel(x_ref, last_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...] - last_ref[...]
        return call(kernel, f32(6), x, y, grid=3, ins=[blocks(2), pl.BlockSpec((2,), lambda i: (i - 1,))],
                    outs=blocks(2))

    def repaired(x, y):
        def kernel(x_ref, last_ref, o_ref):
            o_ref[...] = x_ref[...] - last_ref[...]
        return call(kernel, f32(6), x, y, grid=3,
                    ins=[blocks(2), pl.BlockSpec((2,), lambda i: (jnp.maximum(i - 1, 0),))], outs=blocks(2))


@defect("the grid has one program more than there are blocks",
        block_outside("x_ref", (2,)), block_outside("o_ref", (2,)), inputs=[numbers(8)])
class OneProgramTooMany:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(8), x, grid=8 // 4 + 1, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]
        return call(kernel, f32(8), x, grid=pl.cdiv(8, 4), ins=blocks(4), outs=blocks(4))


@defect("blocks are taken from the end, counted from their number instead of from the last one",
        block_outside("x_ref", (0,)), also=["undefined-output"], inputs=[numbers(6)])
class ReversedOneTooFar:
    def broken(x):
        def kernel(x_ref, o_ref):  # <kernel>
            o_ref[...] = jnp.flip(x_ref[...])
        return call(kernel, f32(6), x, grid=3, ins=pl.BlockSpec((2,), lambda i: (3 - i,)), outs=blocks(2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.flip(x_ref[...])
        return call(kernel, f32(6), x, grid=3, ins=pl.BlockSpec((2,), lambda i: (2 - i,)), outs=blocks(2))


@defect("a table of experts that is 1-based chooses blocks",
        block_outside("weights_ref", (1,)), also=["undefined-output"], thread="sgl-project/sglang#30245",
        inputs=[ints(1, 3, 2), numbers(3, 2)])
class ExpertBeyondTheLast:
    def broken(experts, weights):
        def kernel(experts_ref, weights_ref, o_ref):  # <kernel>
            o_ref[...] = weights_ref[...]
        return call(kernel, f32(3, 2), experts, weights, grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((1, 2), lambda i, experts: (experts[i], 0))],
            out_specs=pl.BlockSpec((1, 2), lambda i, experts: (i, 0))))

    def repaired(experts, weights):
        def kernel(experts_ref, weights_ref, o_ref):
            o_ref[...] = weights_ref[...]
        return call(kernel, f32(3, 2), experts, weights, grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((1, 2), lambda i, experts: (experts[i] - 1, 0))],
            out_specs=pl.BlockSpec((1, 2), lambda i, experts: (i, 0))))


@defect("one map serves two inputs, of which the second has one block for each two of the first",
        block_outside("scale_ref", (2,)), also=["undefined-output"], inputs=[numbers(8), numbers(2, seed=1)])
class MapOfAnotherInput:
    def broken(x, scale):
        def kernel(x_ref, scale_ref, o_ref):  # <kernel>
            o_ref[...] = x_ref[...] * scale_ref[...]
        return call(kernel, f32(8), x, scale, grid=4, ins=[blocks(2), blocks(1)], outs=blocks(2))

    def repaired(x, scale):
        def kernel(x_ref, scale_ref, o_ref):
            o_ref[...] = x_ref[...] * scale_ref[...]
        return call(kernel, f32(8), x, scale, grid=4, ins=[blocks(2), pl.BlockSpec((1,), lambda i: (i // 2,))],
                    outs=blocks(2))
