"""Padding of edge blocks and lanes that a mask turns off, where they get into a result."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, undefined
from conformance.defects.shorthand import blocks, call, f32, i32, ints, numbers

ROWS = pl.BlockSpec((2, 4), lambda i: (i, 0))
ROW_SUMS = pl.BlockSpec((2, 1), lambda i: (i, 0))
WINDOWS = pl.BlockSpec((pl.Element(3, (1, 1)),), lambda i: (i,))


def inside(length, block=4):
    """A mask of the lanes of this program's block that are inside an array."""
    return block * pl.program_id(0) + jnp.arange(block) < length


@defect("the sum of an edge block takes the padding with it",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class SumOfAnEdgeBlock:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(x)  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.sum(jnp.where(inside(6), x, 0.0))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the maximum of an edge block may be one of the padding",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class MaximumOfAnEdgeBlock:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.max(x)  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.max(jnp.where(inside(6), x, -jnp.inf))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("padding along k is multiplied and added up",
        undefined("o_ref", (0, 0), "store", (1,), "x|y"), thread="pytorch/helion#2062",
        inputs=[numbers(2, 6), numbers(6, 2, seed=1)])
class PaddedK:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            x = x_ref[...]  # <x>
            y = y_ref[...]  # <y>
            o_ref[...] += x @ y  # <store>
        return call(kernel, f32(2, 2), x, y, grid=2, order=["arbitrary"],
                    ins=[pl.BlockSpec((2, 4), lambda k: (0, k)), pl.BlockSpec((4, 2), lambda k: (k, 0))])

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            x = jnp.where(inside(6)[None, :], x_ref[...], 0.0)
            y = jnp.where(inside(6)[:, None], y_ref[...], 0.0)
            o_ref[...] += x @ y
        return call(kernel, f32(2, 2), x, y, grid=2, order=["arbitrary"],
                    ins=[pl.BlockSpec((2, 4), lambda k: (0, k)), pl.BlockSpec((4, 2), lambda k: (k, 0))])


@defect("of the two sides of a product only one is masked: zero times padding is still padding",
        undefined("o_ref", (0, 0), "store", (1,), "y"), thread="vllm-project/vllm#30887",
        inputs=[numbers(2, 6), numbers(6, 2, seed=1)])
class OneSideMasked:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            x = jnp.where(inside(6)[None, :], x_ref[...], 0.0)
            y = y_ref[...]  # <y>
            o_ref[...] += x @ y  # <store>
        return call(kernel, f32(2, 2), x, y, grid=2, order=["arbitrary"],
                    ins=[pl.BlockSpec((2, 4), lambda k: (0, k)), pl.BlockSpec((4, 2), lambda k: (k, 0))])

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            x = jnp.where(inside(6)[None, :], x_ref[...], 0.0)
            y = jnp.where(inside(6)[:, None], y_ref[...], 0.0)
            o_ref[...] += x @ y
        return call(kernel, f32(2, 2), x, y, grid=2, order=["arbitrary"],
                    ins=[pl.BlockSpec((2, 4), lambda k: (0, k)), pl.BlockSpec((4, 2), lambda k: (k, 0))])


@defect("a mask is multiplied with instead of selected by",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class MultipliedByTheMask:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(x * inside(6))  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.sum(jnp.where(inside(6), x, 0.0))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the mean is masked, the deviation from it is not, so that the variance takes the padding",
        undefined("o_ref", (0, 0), "store", (0,), "load"), thread="unslothai/unsloth#1867", inputs=[numbers(2, 3)])
class VarianceWithPadding:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            mask = jnp.arange(4) < 3
            mean = jnp.sum(jnp.where(mask, x, 0.0), axis=1, keepdims=True) / 3
            o_ref[...] = jnp.sum((x - mean) ** 2, axis=1, keepdims=True) / 3  # <store>
        return call(kernel, f32(2, 1), x, grid=1, ins=ROWS, outs=ROW_SUMS)

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            mask = jnp.arange(4) < 3
            mean = jnp.sum(jnp.where(mask, x, 0.0), axis=1, keepdims=True) / 3
            o_ref[...] = jnp.sum(jnp.where(mask, x - mean, 0.0) ** 2, axis=1, keepdims=True) / 3
        return call(kernel, f32(2, 1), x, grid=1, ins=ROWS, outs=ROW_SUMS)


@defect("a softmax masks its exponentials after the maximum has already seen the padding",
        undefined("o_ref", (0, 0), "store", (0,), "load"), thread="verl-project/verl#2899", inputs=[numbers(2, 3)])
class MaskedAfterTheMaximum:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            weight = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
            weight = jnp.where(jnp.arange(4) < 3, weight, 0.0)
            o_ref[...] = weight / jnp.sum(weight, axis=1, keepdims=True)  # <store>
        return call(kernel, f32(2, 3), x, grid=1, ins=ROWS, outs=ROWS)

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where(jnp.arange(4) < 3, x_ref[...], -jnp.inf)
            weight = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
            o_ref[...] = weight / jnp.sum(weight, axis=1, keepdims=True)
        return call(kernel, f32(2, 3), x, grid=1, ins=ROWS, outs=ROWS)


@defect("a scan from the end starts in the padding",
        undefined("o_ref", (4,), "store", (1,), "load"), inputs=[numbers(6)])
class ScanFromTheEnd:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[...] = jax.lax.cumsum(x, reverse=True)  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[...] = jax.lax.cumsum(jnp.where(inside(6), x, 0.0), reverse=True)
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("the greatest of a row may be found among the lanes that pad it",
        undefined("o_ref", (1,), "store", (1,), "load"), thread="triton-lang/triton#10814", inputs=[-numbers(6)])
class ArgmaxOfPadding:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.argmax(x).astype(jnp.int32)  # <store>
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where(inside(6), x_ref[...], -jnp.inf)
            o_ref[0] = jnp.argmax(x).astype(jnp.int32)
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the lanes that a load's mask turns off have no value, and the maximum takes them",
        undefined("scale_ref", (0,), "store", (), "load"), thread="ROCm/aiter#4288", inputs=[numbers(6)])
class MaskedLoadWithoutOther:
    def broken(x):
        def kernel(x_ref, scale_ref):
            at = jnp.arange(8)
            x = plgpu.load(x_ref.at[at], mask=at < 6)  # <load>
            scale_ref[0] = jnp.max(jnp.abs(x)) / 127  # <store>
        return call(kernel, f32(1), x)

    def repaired(x):
        def kernel(x_ref, scale_ref):
            at = jnp.arange(8)
            x = plgpu.load(x_ref.at[at], mask=at < 6, other=0.0)
            scale_ref[0] = jnp.max(jnp.abs(x)) / 127
        return call(kernel, f32(1), x)


@defect("the mask is one element too wide",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class MaskOneTooWide:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(jnp.where(inside(7), x, 0.0))  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.sum(jnp.where(inside(6), x, 0.0))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the mask is made from the lane instead of the place in the array",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class MaskOfTheLane:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(jnp.where(jnp.arange(4) < 6, x, 0.0))  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.sum(jnp.where(inside(6), x, 0.0))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("rows are masked where the columns have the padding",
        undefined("o_ref", (0, 0), "store", (0,), "load"), inputs=[numbers(2, 3)])
class MaskAlongTheWrongAxis:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            x = jnp.where((jnp.arange(2) < 3)[:, None], x, 0.0)
            o_ref[...] = jnp.sum(x, axis=1, keepdims=True)  # <store>
        return call(kernel, f32(2, 1), x, grid=1, ins=ROWS, outs=ROW_SUMS)

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where((jnp.arange(4) < 3)[None, :], x_ref[...], 0.0)
            o_ref[...] = jnp.sum(x, axis=1, keepdims=True)
        return call(kernel, f32(2, 1), x, grid=1, ins=ROWS, outs=ROW_SUMS)


@defect("padding is sorted in among the elements",
        undefined("o_ref", (4,), "store", (1,), "load"), inputs=[numbers(6)])
class PaddingSortedIn:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[...] = jnp.sort(x)  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where(inside(6), x_ref[...], jnp.inf)
            o_ref[...] = jnp.sort(x)
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("elements are counted with the padding, which is zero only by chance",
        undefined("o_ref", (1,), "store", (1,), "load"), thread="pytorch/pytorch#178871",
        inputs=[ints(1, 0, 1, 1, 1, 0)])
class PaddingCounted:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(jnp.where(x != 0, 1, 0))  # <store>
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where(inside(6), x_ref[...], 0)
            o_ref[0] = jnp.sum(jnp.where(x != 0, 1, 0))
        return call(kernel, i32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("a block is reversed, which puts its padding where the output keeps it",
        undefined("o_ref", (4,), "store", (1,), "load"), inputs=[numbers(6)])
class EdgeBlockReversed:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[...] = jnp.flip(x)  # <store>
        return call(kernel, f32(6), x, grid=2, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.flip(x_ref[...])
        return call(kernel, f32(6), x, grid=3, ins=blocks(2), outs=blocks(2))


@defect("the output's blocks are wider than the input's last one, which is stored whole",
        undefined("o_ref", (6,), "store", (1,), "load"), inputs=[numbers(6)])
class PaddingKept:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[...] = 2 * x  # <store>
        return call(kernel, f32(8), x, grid=2, ins=blocks(4), outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = jnp.where(inside(6), x_ref[...], 0.0)
            o_ref[...] = 2 * x
        return call(kernel, f32(8), x, grid=2, ins=blocks(4), outs=blocks(4))


@defect("the padding around an element block is added to a stencil at the border",
        undefined("o_ref", (0,), "store", (0,), "load"), inputs=[numbers(4)])
class StencilAtTheBorder:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.sum(x)  # <store>
        return call(kernel, f32(4), x, grid=4, ins=WINDOWS, outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = pl.program_id(0) - 1 + jnp.arange(3)
            o_ref[0] = jnp.sum(jnp.where((at >= 0) & (at < 4), x_ref[...], 0.0))
        return call(kernel, f32(4), x, grid=4, ins=WINDOWS, outs=blocks(1))


@defect("the product of an edge block takes the padding as if it were one",
        undefined("o_ref", (1,), "store", (1,), "load"), inputs=[numbers(6)])
class ProductOfAnEdgeBlock:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = jnp.prod(x)  # <store>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = jnp.prod(jnp.where(inside(6), x, 1.0))
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))
