"""Arithmetic beyond what it is defined for: division, shifts, offsets, conversions, broken promises, checks."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, ints, numbers


def at(kind, line, program, param=None):
    return Finding(kind, line, program, param)


@defect("the mean of a segment divides by its length, also where the segment is empty",
        at("division-by-zero", "divide", (1,)), dialect="triton", inputs=[ints(6, 5, 8), ints(2, 0, 4)])
class MeanOfAnEmptySegment:
    def broken(sums, lengths):
        def kernel(sums_ref, lengths_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jnp.where(lengths_ref[i] > 0, sums_ref[i] // lengths_ref[i], 0)  # <divide>
        return call(kernel, i32(3), sums, lengths, grid=3)

    def repaired(sums, lengths):
        def kernel(sums_ref, lengths_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jnp.where(lengths_ref[i] > 0, sums_ref[i] // jnp.maximum(lengths_ref[i], 1), 0)
        return call(kernel, i32(3), sums, lengths, grid=3)


@defect("lanes that a mask turns off are loaded as 0 and divided by",
        at("division-by-zero", "divide", ()), thread="triton-lang/triton-cpu#142", dialect="triton",
        inputs=[ints(6, 5, 8), ints(2, 1, 4)])
class DivisorOfMaskedLanes:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            lane = jnp.arange(4)
            x = plgpu.load(x_ref.at[lane], mask=lane < 3, other=0)
            y = plgpu.load(y_ref.at[lane], mask=lane < 3, other=0)
            plgpu.store(o_ref.at[lane], x // y, mask=lane < 3)  # <divide>
        return call(kernel, i32(3), x, y)

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            lane = jnp.arange(4)
            x = plgpu.load(x_ref.at[lane], mask=lane < 3, other=0)
            y = plgpu.load(y_ref.at[lane], mask=lane < 3, other=1)
            plgpu.store(o_ref.at[lane], x // y, mask=lane < 3)
        return call(kernel, i32(3), x, y)


@defect("a remainder by the number of groups, of which there may be none",
        at("division-by-zero", "remainder", (0,)), thread="triton-lang/triton#4676", dialect="triton",
        inputs=[ints(0), ints(4, 5)])
class RemainderByNoGroups:
    def broken(groups, x):
        def kernel(groups_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jax.lax.rem(x_ref[i], groups_ref[0])  # <remainder>
        return call(kernel, i32(2), groups, x, grid=2)

    def repaired(groups, x):
        def kernel(groups_ref, x_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jax.lax.rem(x_ref[i], jnp.maximum(groups_ref[0], 1))
        return call(kernel, i32(2), groups, x, grid=2)


@defect("the fifth byte of a word is shifted out by its whole width",
        at("shift-too-far", "shift", ()), dialect="triton", inputs=[ints(0x04030201)])
class FifthByteOfAWord:
    def broken(x):
        def kernel(x_ref, o_ref):
            byte = jnp.arange(5)
            o_ref[...] = (x_ref[0] >> (8 * byte)) & 255  # <shift>
        return call(kernel, i32(5), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            byte = jnp.arange(4)
            o_ref[...] = (x_ref[0] >> (8 * byte)) & 255
        return call(kernel, i32(4), x)


@defect("a power of two is made by a shift of 32",
        at("shift-too-far", "shift", (1,)), dialect="triton", inputs=[ints(3, 32)])
class PowerOfTwoTooLarge:
    def broken(bits):
        def kernel(bits_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jnp.int32(1) << bits_ref[i]  # <shift>
        return call(kernel, i32(2), bits, grid=2)

    def repaired(bits):
        def kernel(bits_ref, o_ref):
            i = pl.program_id(0)
            is_small = bits_ref[i] < 32
            o_ref[i] = jnp.where(is_small, jnp.int32(1) << jnp.minimum(bits_ref[i], 31), 0)
        return call(kernel, i32(2), bits, grid=2)


@defect("a row times the stride of a large array overflows 32 bits before it is an address",
        at("integer-overflow", "offset", (2,)), thread="fla-org/flash-linear-attention#1080",
        also=["access-outside-ref", "undefined-output"], inputs=[numbers(3)])
class RowTimesStride:
    def broken(x):
        def kernel(x_ref, o_ref):
            offset = pl.program_id(0) * 2**30  # <offset>
            plgpu.store(o_ref.at[pl.ds(pl.program_id(0), 1)], x_ref[pl.ds(offset // 2**30, 1)])
        return call(kernel, f32(3), x, grid=3)

    def repaired(x):
        def kernel(x_ref, o_ref):
            row = pl.program_id(0)
            plgpu.store(o_ref.at[pl.ds(row, 1)], x_ref[pl.ds(row, 1)])
        return call(kernel, f32(3), x, grid=3)


@defect("the strides of a state and of a slot are multiplied in 32 bits",
        at("integer-overflow", "offset", ()), thread="databricks/megablocks#185", also=["access-outside-ref"],
        inputs=[ints(70000), ints(65536), numbers(4)])
class SlotTimesStride:
    def broken(slot, stride, x):
        def kernel(slot_ref, stride_ref, x_ref, o_ref):
            offset = slot_ref[0] * stride_ref[0]  # <offset>
            o_ref[...] = x_ref[pl.ds(jnp.abs(offset) % 4, 1)]
        return call(kernel, f32(1), slot, stride, x)

    def repaired(slot, stride, x):
        def kernel(slot_ref, stride_ref, x_ref, o_ref):
            offset = (slot_ref[0] % 4) * (stride_ref[0] % 4)
            o_ref[...] = x_ref[pl.ds(offset % 4, 1)]
        return call(kernel, f32(1), slot, stride, x)


@defect("offsets of many blocks are added up in 32 bits",
        at("integer-overflow", "sum", ()), thread="triton-lang/triton#6748", also=["access-outside-ref"],
        inputs=[ints(2000000000, 2000000000), numbers(4)])
class SumOfOffsets:
    def broken(offsets, x):
        def kernel(offsets_ref, x_ref, o_ref):
            offset = offsets_ref[0] + offsets_ref[1]  # <sum>
            o_ref[...] = x_ref[pl.ds(offset & 3, 1)]
        return call(kernel, f32(1), offsets, x)

    def repaired(offsets, x):
        def kernel(offsets_ref, x_ref, o_ref):
            offset = (offsets_ref[0] & 3) + (offsets_ref[1] & 3)
            o_ref[...] = x_ref[pl.ds(offset & 3, 1)]
        return call(kernel, f32(1), offsets, x)


@defect("the lengths of all sequences are added up in 32 bits for the place behind them",
        at("integer-overflow", "sum", ()), inputs=[ints(2000000000, 2000000000, 5), numbers(4)])
class SumOfLengths:
    def broken(lengths, x):
        def kernel(lengths_ref, x_ref, o_ref):
            behind = jnp.sum(lengths_ref[...])  # <sum>
            o_ref[...] = x_ref[pl.ds(behind & 3, 1)]
        return call(kernel, f32(1), lengths, x)

    def repaired(lengths, x):
        def kernel(lengths_ref, x_ref, o_ref):
            behind = jnp.sum(lengths_ref[...] & 3)
            o_ref[...] = x_ref[pl.ds(behind & 3, 1)]
        return call(kernel, f32(1), lengths, x)


@defect("the starts of sequences, running sums of their lengths, run beyond 32 bits",
        at("integer-overflow", "starts", ()), inputs=[ints(2000000000, 2000000000, -2000000000), numbers(4)])
class StartsOfSequences:
    def broken(lengths, x):
        def kernel(lengths_ref, x_ref, o_ref):
            starts = jnp.cumsum(lengths_ref[...])  # <starts>
            o_ref[...] = x_ref[pl.ds(starts[1] & 3, 1)]
        return call(kernel, f32(1), lengths, x)

    def repaired(lengths, x):  # the last one comes back, and is right
        def kernel(lengths_ref, x_ref, o_ref):
            starts = jnp.cumsum(lengths_ref[...])
            o_ref[...] = x_ref[pl.ds(starts[2] & 3, 1)]
        return call(kernel, f32(1), lengths, x)


@defect("an index and the strides of a large array are multiplied in 32 bits, by a dot",
        at("integer-overflow", "offset", ()), inputs=[ints(50000, 3), ints(65536, 1), numbers(4)])
class IndexTimesStrides:
    def broken(index, strides, x):
        def kernel(index_ref, strides_ref, x_ref, o_ref):
            offset = jnp.dot(index_ref[...], strides_ref[...])  # <offset>
            o_ref[...] = x_ref[pl.ds(offset & 3, 1)]
        return call(kernel, f32(1), index, strides, x)

    def repaired(index, strides, x):
        def kernel(index_ref, strides_ref, x_ref, o_ref):
            offset = jnp.dot(index_ref[...] & 3, strides_ref[...] & 3)
            o_ref[...] = x_ref[pl.ds(offset & 3, 1)]
        return call(kernel, f32(1), index, strides, x)


@defect("a value is converted to 8 bits without being clamped",
        at("float-to-int-range", "convert", (0,)), thread="ROCm/aiter#4637", inputs=[100 * numbers(4)])
class QuantisedWithoutAClamp:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = (x_ref[...] - 100).astype(jnp.int8).astype(jnp.int32)  # <convert>
        return call(kernel, i32(4), x, grid=2, ins=blocks(2), outs=blocks(2))

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.clip(x_ref[...] - 100, -128, 127).astype(jnp.int8).astype(jnp.int32)
        return call(kernel, i32(4), x, grid=2, ins=blocks(2), outs=blocks(2))


@defect("NaN, made by zero over zero, is converted to an integer",
        at("float-to-int-range", "convert", ()), thread="pytorch/ao#4271", inputs=[numbers(4) - 1])
class NanToInteger:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[...] = (x / x).astype(jnp.int32)  # <convert>
        return call(kernel, i32(4), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[...] = jnp.where(x == 0, 0.0, x / jnp.where(x == 0, 1.0, x)).astype(jnp.int32)
        return call(kernel, i32(4), x)


@defect("infinity, the distance to no neighbour, becomes an index",
        at("float-to-int-range", "convert", ()), inputs=[numbers(4)])
class InfinityToIndex:
    def broken(x):
        def kernel(x_ref, o_ref):
            nearest = jnp.min(jnp.where(x_ref[...] > 9, x_ref[...], jnp.inf))
            index = nearest.astype(jnp.int32)  # <convert>
            o_ref[...] = x_ref[pl.ds(jnp.clip(index, 0, 3), 1)]
        return call(kernel, f32(1), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            nearest = jnp.min(jnp.where(x_ref[...] > 9, x_ref[...], 9.0))
            index = nearest.astype(jnp.int32)
            o_ref[...] = x_ref[pl.ds(jnp.clip(index, 0, 3), 1)]
        return call(kernel, f32(1), x)


@defect("the start of a slice is promised to be a multiple of four, and is one of three",
        at("multiple-of-broken", "promise", (1,)), inputs=[numbers(8)])
class MultipleOfThree:
    def broken(x):
        def kernel(x_ref, o_ref):
            start = pl.multiple_of(3 * pl.program_id(0), 4)  # <promise>
            o_ref[...] = x_ref[pl.ds(start, 4)]
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            start = pl.multiple_of(4 * pl.program_id(0), 4)
            o_ref[...] = x_ref[pl.ds(start, 4)]
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))


@defect("starts of sequences, which can be any number, are promised to be multiples of two",
        at("multiple-of-broken", "promise", (1,)), thread="ROCm/aiter#5428", inputs=[ints(0, 3), numbers(8)])
class MultipleOfAnyStart:
    def broken(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            start = pl.multiple_of(starts_ref[pl.program_id(0)], 2)  # <promise>
            o_ref[...] = x_ref[pl.ds(start, 2)]
        return call(kernel, f32(4), starts, x, grid=2, ins=WHOLE, outs=blocks(2))

    def repaired(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            start = starts_ref[pl.program_id(0)]
            o_ref[...] = x_ref[pl.ds(start, 2)]
        return call(kernel, f32(4), starts, x, grid=2, ins=WHOLE, outs=blocks(2))


@defect("a program without a tile of its own checks that it has one",
        at("check-failed", "check", (2,)), thread="ROCm/aiter#3407", inputs=[numbers(2)])
class TileThatIsNotThere:
    def broken(x):
        def kernel(x_ref, o_ref):
            tile = pl.program_id(0)
            pl.debug_check(tile < 2, "no such tile")  # <check>

            @pl.when(tile < 2)
            def _():
                o_ref[tile] = 2 * x_ref[tile]
        return call(kernel, f32(2), x, grid=3)

    def repaired(x):
        def kernel(x_ref, o_ref):
            tile = pl.program_id(0)

            @pl.when(tile < 2)
            def _():
                pl.debug_check(tile < 2, "no such tile")
                o_ref[tile] = 2 * x_ref[tile]
        return call(kernel, f32(2), x, grid=3)


@defect("a table that a kernel checks to be sorted is not",
        at("check-failed", "check", ()), inputs=[ints(0, 4, 2), numbers(8)])
class TableNotSorted:
    def broken(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            starts = starts_ref[...]
            pl.debug_check(jnp.all(starts[1:] >= starts[:-1]), "starts go down")  # <check>
            o_ref[...] = x_ref[starts]
        return call(kernel, f32(3), starts, x)

    def repaired(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            starts = jnp.sort(starts_ref[...])
            pl.debug_check(jnp.all(starts[1:] >= starts[:-1]), "starts go down")
            o_ref[...] = x_ref[starts]
        return call(kernel, f32(3), starts, x)
