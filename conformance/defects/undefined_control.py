"""Undefined values that decide where a kernel goes or what it touches: branches, loops, indices, masks."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers, vmem

# Values that a program stores on a path that an undefined condition chose are undefined as well.
FOLLOWS = ["undefined-output", "output-unwritten", "access-outside-ref"]


def condition(use, program, origin):
    """A branch, loop or check on line `use` that depends on undefined values that the line `origin` read."""
    return Finding("undefined-condition", use, program, there=origin)


def address(use, program, param, origin):
    """An index or mask of an access to `param` on line `use` that depends on undefined values that the line `origin` read."""
    return Finding("undefined-address", use, program, param, there=origin)


@defect("a branch depends on the maximum of a block with padding",
        condition("branch", (1,), "load"), also=FOLLOWS, inputs=[numbers(6)])
class BranchOnPadding:
    def broken(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]  # <load>
            o_ref[0] = 0.0

            @pl.when(jnp.max(x) > 3)  # <branch>
            def _():
                o_ref[0] = 1.0
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[0] = 0.0
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6

            @pl.when(jnp.max(jnp.where(is_inside, x, -jnp.inf)) > 3)
            def _():
                o_ref[0] = 1.0
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("the number of turns of a loop comes from a lane that the mask of its load turns off",
        condition("loop", (1,), "load"), also=FOLLOWS, inputs=[ints(2), numbers(4)])
class TurnsFromAMaskedLane:
    def broken(turns, x):
        def kernel(turns_ref, x_ref, o_ref):
            i = pl.program_id(0)
            turns = plgpu.load(turns_ref.at[pl.ds(i, 1)], mask=(i < 1)[None])  # <load>
            total = jax.lax.fori_loop(0, jnp.sum(turns), lambda k, total: total + x_ref[k], 0.0)  # <loop>
            o_ref[0] = jnp.where(i < 1, total, 0.0)
        return call(kernel, f32(2), turns, x, grid=2, ins=WHOLE, outs=blocks(1))

    def repaired(turns, x):
        def kernel(turns_ref, x_ref, o_ref):
            i = pl.program_id(0)
            turns = plgpu.load(turns_ref.at[pl.ds(i, 1)], mask=(i < 1)[None], other=0)
            total = jax.lax.fori_loop(0, jnp.sum(turns), lambda k, total: total + x_ref[k], 0.0)
            o_ref[0] = jnp.where(i < 1, total, 0.0)
        return call(kernel, f32(2), turns, x, grid=2, ins=WHOLE, outs=blocks(1))


@defect("a flag in scratch memory is tested before anyone has set it",
        condition("test", (0,), "load"), also=FOLLOWS, inputs=[numbers(4)])
class FlagNeverSet:
    def broken(x):
        def kernel(x_ref, o_ref, flag_ref):
            o_ref[...] = x_ref[...]
            is_set = flag_ref[0] == 1  # <load>

            @pl.when(is_set)  # <test>
            def _():
                o_ref[...] = -x_ref[...]
            flag_ref[0] = 1
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2), order=["arbitrary"],
                    scratch_shapes=[vmem(1, dtype=jnp.int32)])

    def repaired(x):
        def kernel(x_ref, o_ref, flag_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                flag_ref[0] = 0
            o_ref[...] = x_ref[...]

            @pl.when(flag_ref[0] == 1)
            def _():
                o_ref[...] = -x_ref[...]
            flag_ref[0] = 1
        return call(kernel, f32(4), x, grid=2, ins=blocks(2), outs=blocks(2), order=["arbitrary"],
                    scratch_shapes=[vmem(1, dtype=jnp.int32)])


@defect("an output is tested before it is written",
        condition("test", (), "load"), also=FOLLOWS, inputs=[numbers(4)])
class OutputTestedFirst:
    def broken(x):
        def kernel(x_ref, best_ref):
            best = best_ref[0]  # <load>
            candidate = jnp.max(x_ref[...])

            @pl.when(candidate > best)  # <test>
            def _():
                best_ref[0] = candidate
        return call(kernel, f32(1), x)

    def repaired(x):
        def kernel(x_ref, best_ref):
            best_ref[0] = -jnp.inf
            candidate = jnp.max(x_ref[...])

            @pl.when(candidate > best_ref[0])
            def _():
                best_ref[0] = candidate
        return call(kernel, f32(1), x)


@defect("a loop runs until a sum over padding is large enough",
        condition("while", (1,), "load"), also=FOLLOWS, inputs=[numbers(6)])
class LoopOnPadding:
    def broken(x):
        def kernel(x_ref, o_ref):
            step = jnp.sum(x_ref[...])  # <load>
            o_ref[0] = jax.lax.while_loop(lambda s: s < 2 * step, lambda s: s + 1, 0.0)  # <while>
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))

    def repaired(x):
        def kernel(x_ref, o_ref):
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            step = jnp.sum(jnp.where(is_inside, x_ref[...], 0.0))
            o_ref[0] = jax.lax.while_loop(lambda s: s < 2 * step, lambda s: s + 1, 0.0)
        return call(kernel, f32(2), x, grid=2, ins=blocks(4), outs=blocks(1))


@defect("indices are loaded with a mask and without a value for the other lanes, and then used unmasked",
        address("gather", (), "table_ref", "load"), also=FOLLOWS, inputs=[ints(3, 0, 2), numbers(4)])
class IndexFromAMaskedLane:
    def broken(indices, table):
        def kernel(indices_ref, table_ref, o_ref):
            at = jnp.arange(4)
            index = plgpu.load(indices_ref.at[at], mask=at < 3)  # <load>
            row = plgpu.load(table_ref.at[index])  # <gather>
            plgpu.store(o_ref.at[at], row, mask=at < 3)
        return call(kernel, f32(3), indices, table)

    def repaired(indices, table):
        def kernel(indices_ref, table_ref, o_ref):
            at = jnp.arange(4)
            index = plgpu.load(indices_ref.at[at], mask=at < 3, other=0)
            row = plgpu.load(table_ref.at[index])
            plgpu.store(o_ref.at[at], row, mask=at < 3)
        return call(kernel, f32(3), indices, table)


@defect("the padding of a block of indices is gathered by",
        address("gather", (1,), "table_ref", "load"), also=FOLLOWS, thread="vllm-project/vllm#53658",
        inputs=[ints(3, 0, 2, 1, 1, 0), numbers(4)])
class IndexFromPadding:
    def broken(indices, table):
        def kernel(indices_ref, table_ref, o_ref):
            index = indices_ref[...]  # <load>
            o_ref[...] = plgpu.load(table_ref.at[index])  # <gather>
        return call(kernel, f32(6), indices, table, grid=2, ins=[blocks(4), WHOLE], outs=blocks(4))

    def repaired(indices, table):
        def kernel(indices_ref, table_ref, o_ref):
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            index = jnp.where(is_inside, indices_ref[...], 0)
            o_ref[...] = plgpu.load(table_ref.at[index])
        return call(kernel, f32(6), indices, table, grid=2, ins=[blocks(4), WHOLE], outs=blocks(4))


@defect("the start of a slice is the sum of a block with padding",
        address("slice", (1,), "x_ref", "load"), also=[*FOLLOWS, "integer-overflow"], inputs=[ints(0, 1, 0, 1, 1, 0), numbers(8)])
class StartFromPadding:
    def broken(counts, x):
        def kernel(counts_ref, x_ref, o_ref):
            counts = counts_ref[...]  # <load>
            o_ref[...] = x_ref[pl.ds(jnp.sum(counts), 2)]  # <slice>
        return call(kernel, f32(4), counts, x, grid=2, ins=[blocks(4), WHOLE], outs=blocks(2))

    def repaired(counts, x):
        def kernel(counts_ref, x_ref, o_ref):
            is_inside = 4 * pl.program_id(0) + jnp.arange(4) < 6
            counts = jnp.where(is_inside, counts_ref[...], 0)
            o_ref[...] = x_ref[pl.ds(jnp.sum(counts), 2)]
        return call(kernel, f32(4), counts, x, grid=2, ins=[blocks(4), WHOLE], outs=blocks(2))


@defect("the mask of a store is compared with a length that was never written",
        address("store", (), "o_ref", "load"), also=FOLLOWS, inputs=[numbers(4)])
class MaskFromScratch:
    def broken(x):
        def kernel(x_ref, o_ref, length_ref):
            length = length_ref[0]  # <load>
            o_ref[...] = jnp.zeros(4)
            plgpu.store(o_ref.at[...], x_ref[...], mask=jnp.arange(4) < length)  # <store>
        return call(kernel, f32(4), x, scratch_shapes=[vmem(1, dtype=jnp.int32)])

    def repaired(x):
        def kernel(x_ref, o_ref, length_ref):
            length_ref[0] = 3
            length = length_ref[0]
            o_ref[...] = jnp.zeros(4)
            plgpu.store(o_ref.at[...], x_ref[...], mask=jnp.arange(4) < length)
        return call(kernel, f32(4), x, scratch_shapes=[vmem(1, dtype=jnp.int32)])


@defect("which of two ways a switch goes is read from the output of another branch that did not run",
        condition("switch", (0,), "load"), also=FOLLOWS, inputs=[numbers(4)])
class SwitchOnAnUnwrittenChoice:
    def broken(x):
        def kernel(x_ref, o_ref, choice_ref):
            i = pl.program_id(0)

            @pl.when(i == 1)
            def _():
                choice_ref[0] = 1
            choice = choice_ref[0]  # <load>
            o_ref[0] = jax.lax.cond(choice == 1, lambda: jnp.max(x_ref[...]), lambda: jnp.min(x_ref[...]))  # <switch>
        return call(kernel, f32(2), x, grid=2, ins=blocks(2), outs=blocks(1), order=["arbitrary"],
                    scratch_shapes=[vmem(1, dtype=jnp.int32)])

    def repaired(x):
        def kernel(x_ref, o_ref, choice_ref):
            i = pl.program_id(0)
            choice_ref[0] = i
            choice = choice_ref[0]
            o_ref[0] = jax.lax.cond(choice == 1, lambda: jnp.max(x_ref[...]), lambda: jnp.min(x_ref[...]))
        return call(kernel, f32(2), x, grid=2, ins=blocks(2), outs=blocks(1), order=["arbitrary"],
                    scratch_shapes=[vmem(1, dtype=jnp.int32)])
