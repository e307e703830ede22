"""Masks that are missing, too wide, or made from the wrong size: accesses outside their reference."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, outside
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers


@defect("ten elements are read in blocks of four without a mask",
        outside("load", (2,), "x_ref"), thread="ypapadop-amd/ggml#186", inputs=[numbers(10)])
class LoadWithoutMask:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[pl.ds(4 * pl.program_id(0), 4)]  # <load>
        return call(kernel, f32(10), x, grid=3, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = 2 * plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)
        return call(kernel, f32(10), x, grid=3, ins=WHOLE, outs=blocks(4))


@defect("the load is masked, the store is not",
        outside("store", (2,), "o_ref"), thread="Dao-AILab/flash-attention#2790", inputs=[numbers(10)])
class StoreWithoutMask:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[at] = 2 * plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)  # <store>
        return call(kernel, f32(10), x, grid=3)

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            x = plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)
            plgpu.store(o_ref.at[at], 2 * x, mask=at < 10)
        return call(kernel, f32(10), x, grid=3)


@defect("the mask lets the index through that equals the length",
        outside("load", (2,), "x_ref"), inputs=[numbers(10)])
class MaskOffByOne:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = plgpu.load(x_ref.at[at], mask=at <= 10, other=0.0)  # <load>
        return call(kernel, f32(10), x, grid=3, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = plgpu.load(x_ref.at[at], mask=at < 10, other=0.0)
        return call(kernel, f32(10), x, grid=3, ins=WHOLE, outs=blocks(4))


@defect("the mask compares with the length rounded up to whole blocks",
        outside("store", (2,), "o_ref"), inputs=[numbers(12)])
class MaskOfThePaddedLength:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            plgpu.store(o_ref.at[at], x_ref[at], mask=at < 4 * pl.num_programs(0))  # <store>
        return call(kernel, f32(10), x, grid=3)

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            plgpu.store(o_ref.at[at], x_ref[at], mask=at < 10)
        return call(kernel, f32(10), x, grid=3)


@defect("the place inside a block of heads is compared with the number of all heads",
        outside("load", (1,), "x_ref"), thread="NVIDIA/Megatron-LM#7103", inputs=[numbers(6)])
class MaskOfLocalHeads:
    def broken(x):
        def kernel(x_ref, o_ref):
            head = jnp.arange(4)
            o_ref[...] = plgpu.load(x_ref.at[4 * pl.program_id(0) + head], mask=head < 6, other=0.0)  # <load>
        return call(kernel, f32(6), x, grid=2, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            head = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = plgpu.load(x_ref.at[head], mask=head < 6, other=0.0)
        return call(kernel, f32(6), x, grid=2, ins=WHOLE, outs=blocks(4))


@defect("columns are masked, rows are not",
        outside("load", (1,), "x_ref"), thread="svg-project/Sparse-VideoGen#74", inputs=[numbers(3, 3)])
class RowsNotMasked:
    def broken(x):
        def kernel(x_ref, o_ref):
            row, column = 2 * pl.program_id(0) + jnp.arange(2)[:, None], jnp.arange(4)[None, :]
            mask = jnp.broadcast_to(column < 3, (2, 4))
            o_ref[...] = plgpu.load(x_ref.at[row, column], mask=mask, other=0.0)  # <load>
        return call(kernel, f32(3, 4), x, grid=2, ins=WHOLE, outs=pl.BlockSpec((2, 4), lambda i: (i, 0)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            row, column = 2 * pl.program_id(0) + jnp.arange(2)[:, None], jnp.arange(4)[None, :]
            o_ref[...] = plgpu.load(x_ref.at[row, column], mask=(row < 3) & (column < 3), other=0.0)
        return call(kernel, f32(3, 4), x, grid=2, ins=WHOLE, outs=pl.BlockSpec((2, 4), lambda i: (i, 0)))


@defect("a select between 0 and the element before reads the one before the first as well",
        outside("load", (0,), "x_ref"), thread="vllm-project/vllm-ascend#16275", inputs=[numbers(8)])
class ElementBeforeTheFirst:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = jnp.where(at == 0, 0.0, plgpu.load(x_ref.at[at - 1]))  # <load>
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = jnp.where(at == 0, 0.0, plgpu.load(x_ref.at[jnp.maximum(at - 1, 0)]))
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))


@defect("a difference of neighbours reads the one behind the last",
        outside("load", (1,), "x_ref"), also=["undefined-output"], inputs=[numbers(8)])
class NeighbourOfTheLast:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0)
            o_ref[...] = x_ref[pl.ds(at + 1, 4)] - x_ref[pl.ds(at, 4)]  # <load>
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 4 * pl.program_id(0) + jnp.arange(4)
            o_ref[...] = x_ref[jnp.minimum(at + 1, 7)] - x_ref[at]
        return call(kernel, f32(8), x, grid=2, ins=WHOLE, outs=blocks(4))


@defect("a loop that fetches one page ahead looks beyond the end of the page table",
        outside("ahead", (), "table_ref"), thread="ROCm/rocm-libraries#6932", inputs=[ints(1, 0, 2), numbers(3, 4)])
class PageAhead:
    def broken(table, pages):
        def kernel(table_ref, pages_ref, o_ref):
            def step(i, page):
                o_ref[pl.ds(i, 1), :] = pages_ref[pl.ds(page, 1), :]
                return table_ref[i + 1]  # <ahead>
            jax.lax.fori_loop(0, 3, step, table_ref[0])
        return call(kernel, f32(3, 4), table, pages)

    def repaired(table, pages):
        def kernel(table_ref, pages_ref, o_ref):
            def step(i, page):
                o_ref[pl.ds(i, 1), :] = pages_ref[pl.ds(page, 1), :]
                return table_ref[jnp.minimum(i + 1, 2)]
            jax.lax.fori_loop(0, 3, step, table_ref[0])
        return call(kernel, f32(3, 4), table, pages)


@defect("a slot of -1 that marks padding is used as an index",
        outside("store", (1,), "cache_ref"), thread="vllm-project/vllm#33326",
        inputs=[ints(2, -1, 0), numbers(3), numbers(3, seed=1)])
class PaddingSlot:
    def broken(slots, x, old):
        def kernel(slots_ref, x_ref, old_ref, cache_ref):
            i = pl.program_id(0)
            cache_ref[slots_ref[i]] = x_ref[i]  # <store>
        return call(kernel, f32(3), slots, x, old, grid=3, input_output_aliases={2: 0})

    def repaired(slots, x, old):
        def kernel(slots_ref, x_ref, old_ref, cache_ref):
            i = pl.program_id(0)

            @pl.when(slots_ref[i] >= 0)
            def _():
                cache_ref[slots_ref[i]] = x_ref[i]
        return call(kernel, f32(3), slots, x, old, grid=3, input_output_aliases={2: 0})


@defect("the lanes behind the end of a sequence look up pages that its table does not have",
        outside("page", (), "table_ref"), thread="vllm-project/vllm#56862", inputs=[ints(1, 0), numbers(2, 2)])
class TableShorterThanTheTile:
    def broken(table, cache):
        def kernel(table_ref, cache_ref, o_ref):
            token = jnp.arange(8)
            page = plgpu.load(table_ref.at[token // 2])  # <page>
            is_token = token < 4
            page = jnp.where(is_token, page, 0)
            o_ref[...] = plgpu.load(cache_ref.at[page, token % 2], mask=is_token, other=0.0)
        return call(kernel, f32(8), table, cache)

    def repaired(table, cache):
        def kernel(table_ref, cache_ref, o_ref):
            token = jnp.arange(8)
            is_token = token < 4
            page = plgpu.load(table_ref.at[token // 2], mask=is_token, other=0)
            o_ref[...] = plgpu.load(cache_ref.at[page, token % 2], mask=is_token, other=0.0)
        return call(kernel, f32(8), table, cache)


@defect("a loop over whole blocks of k goes beyond a k that is not a multiple of them",
        outside("x", (), "x_ref"), outside("y", (), "y_ref"), thread="triton-lang/triton#630",
        inputs=[numbers(2, 6), numbers(6, 2, seed=1)])
class TailOfK:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref):
            def step(k, total):
                x = x_ref[:, pl.ds(4 * k, 4)]  # <x>
                y = y_ref[pl.ds(4 * k, 4), :]  # <y>
                is_inside = 4 * k + jnp.arange(4) < 6
                return total + jnp.where(is_inside[None, :], x, 0.0) @ jnp.where(is_inside[:, None], y, 0.0)
            o_ref[...] = jax.lax.fori_loop(0, pl.cdiv(6, 4), step, jnp.zeros((2, 2)))
        return call(kernel, f32(2, 2), x, y)

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref):
            def step(k, total):
                return total + x_ref[:, pl.ds(2 * k, 2)] @ y_ref[pl.ds(2 * k, 2), :]
            o_ref[...] = jax.lax.fori_loop(0, pl.cdiv(6, 2), step, jnp.zeros((2, 2)))
        return call(kernel, f32(2, 2), x, y)


@defect("the end of the last segment is looked up in an array that holds the starts only",
        outside("end", (2,), "starts_ref"), inputs=[ints(0, 3, 5), numbers(8)])
class EndOfTheLastSegment:
    def broken(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            i = pl.program_id(0)
            end = starts_ref[i + 1]  # <end>
            end = jnp.where(i == 2, 8, end)
            at = jnp.arange(8)
            o_ref[i] = jnp.sum(jnp.where((starts_ref[i] <= at) & (at < end), x_ref[...], 0.0))
        return call(kernel, f32(3), starts, x, grid=3)

    def repaired(starts, x):
        def kernel(starts_ref, x_ref, o_ref):
            i = pl.program_id(0)
            end = jnp.where(i == 2, 8, starts_ref[jnp.minimum(i + 1, 2)])
            at = jnp.arange(8)
            o_ref[i] = jnp.sum(jnp.where((starts_ref[i] <= at) & (at < end), x_ref[...], 0.0))
        return call(kernel, f32(3), starts, x, grid=3)


@defect("the bounds of rows and columns are exchanged",
        outside("load", (1,), "x_ref"), inputs=[numbers(3, 4)])
class BoundsExchanged:
    def broken(x):
        def kernel(x_ref, o_ref):
            row, column = 2 * pl.program_id(0) + jnp.arange(2)[:, None], jnp.arange(4)[None, :]
            o_ref[...] = plgpu.load(x_ref.at[row, column], mask=(row < 4) & (column < 3), other=0.0)  # <load>
        return call(kernel, f32(3, 4), x, grid=2, ins=WHOLE, outs=pl.BlockSpec((2, 4), lambda i: (i, 0)))

    def repaired(x):
        def kernel(x_ref, o_ref):
            row, column = 2 * pl.program_id(0) + jnp.arange(2)[:, None], jnp.arange(4)[None, :]
            o_ref[...] = plgpu.load(x_ref.at[row, column], mask=(row < 3) & (column < 4), other=0.0)
        return call(kernel, f32(3, 4), x, grid=2, ins=WHOLE, outs=pl.BlockSpec((2, 4), lambda i: (i, 0)))


@defect("a token of the size of the vocabulary is looked up in the embedding",
        outside("embed", (1,), "table_ref"), inputs=[ints(2, 4, 1), numbers(4, 2)])
class TokenBeyondTheVocabulary:
    def broken(tokens, table):
        def kernel(tokens_ref, table_ref, o_ref):
            token = tokens_ref[pl.program_id(0)]
            row = table_ref[pl.ds(token, 1), :]  # <embed>
            o_ref[...] = jnp.where(token < 4, row, 0.0)
        return call(kernel, f32(3, 2), tokens, table, grid=3, ins=WHOLE, outs=pl.BlockSpec((1, 2), lambda i: (i, 0)))

    def repaired(tokens, table):
        def kernel(tokens_ref, table_ref, o_ref):
            token = tokens_ref[pl.program_id(0)]
            row = table_ref[pl.ds(jnp.minimum(token, 3), 1), :]
            o_ref[...] = jnp.where(token < 4, row, 0.0)
        return call(kernel, f32(3, 2), tokens, table, grid=3, ins=WHOLE, outs=pl.BlockSpec((1, 2), lambda i: (i, 0)))


@defect("the length of one array is the mask for another, shorter one",
        outside("bins", (), "bins_ref"), thread="triton-lang/triton#10336", inputs=[numbers(4), ints(10, 11, 12)])
class LengthOfTheOtherArray:
    def broken(x, bins):
        def kernel(x_ref, bins_ref, o_ref):
            at = jnp.arange(4)
            chosen = plgpu.load(bins_ref.at[at], mask=at < 4, other=0)  # <bins>
            o_ref[...] = jnp.where(at < 3, x_ref[...] + chosen, 0.0)
        return call(kernel, f32(4), x, bins)

    def repaired(x, bins):
        def kernel(x_ref, bins_ref, o_ref):
            at = jnp.arange(4)
            chosen = plgpu.load(bins_ref.at[at], mask=at < 3, other=0)
            o_ref[...] = jnp.where(at < 3, x_ref[...] + chosen, 0.0)
        return call(kernel, f32(4), x, bins)


@defect("the gate alone is loaded without the mask that its neighbours have",
        outside("gate", (1,), "gate_ref"), thread="fla-org/flash-linear-attention#1134",
        inputs=[numbers(6), numbers(6, seed=1)])
class OneOperandNotMasked:
    def broken(x, gate):
        def kernel(x_ref, gate_ref, o_ref):
            at = 3 * pl.program_id(0) + jnp.arange(4)
            mask = jnp.arange(4) < 3
            x = plgpu.load(x_ref.at[at], mask=mask, other=0.0)
            gate = plgpu.load(gate_ref.at[at])  # <gate>
            plgpu.store(o_ref.at[at], x * gate, mask=mask)
        return call(kernel, f32(6), x, gate, grid=2)

    def repaired(x, gate):
        def kernel(x_ref, gate_ref, o_ref):
            at = 3 * pl.program_id(0) + jnp.arange(4)
            mask = jnp.arange(4) < 3
            x = plgpu.load(x_ref.at[at], mask=mask, other=0.0)
            gate = plgpu.load(gate_ref.at[at], mask=mask, other=0.0)
            plgpu.store(o_ref.at[at], x * gate, mask=mask)
        return call(kernel, f32(6), x, gate, grid=2)


@defect("a store takes the stride of a wider row and runs over the end",
        outside("store", (2,), "o_ref"), thread="fla-org/flash-linear-attention#1136",
        inputs=[numbers(3), numbers(6, seed=1)])
class StrideOfAnotherArray:
    def broken(x, old):
        def kernel(x_ref, old_ref, o_ref):
            o_ref[3 * pl.program_id(0)] = x_ref[pl.program_id(0)]  # <store>
        return call(kernel, f32(6), x, old, grid=3, input_output_aliases={1: 0})

    def repaired(x, old):
        def kernel(x_ref, old_ref, o_ref):
            o_ref[2 * pl.program_id(0)] = x_ref[pl.program_id(0)]
        return call(kernel, f32(6), x, old, grid=3, input_output_aliases={1: 0})
