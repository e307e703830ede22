"""Kernels that work in place: a program reads what another has overwritten, or takes two arrays for one."""

import jax.numpy as jnp
from jax.experimental import pallas as pl

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.shorthand import WHOLE, blocks, call, f32, ints, numbers


def assumed(use, program, param, element, write):
    """Line `use` reads by one name an element that line `write` wrote by another."""
    return Finding("alias-assumed", use, program, param, element, there=write, other=program)


@defect("a stencil in place reads neighbours that other programs have already updated",
        race("x_ref", (2,), ("read", (0,)), ("write", (1,))), thread="omlins/ParallelStencil.jl#73",
        inputs=[numbers(5)])
class StencilInPlace:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 2 * pl.program_id(0)
            new = x_ref[pl.ds(at, 2)] + x_ref[pl.ds(at + 1, 2)]  # <read>
            o_ref[pl.ds(at, 2)] = new  # <write>
        return call(kernel, f32(5), x, grid=2, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = 2 * pl.program_id(0)
            o_ref[...] = x_ref[pl.ds(at, 2)] + x_ref[pl.ds(at + 1, 2)]
        return call(kernel, f32(4), x, grid=2, ins=WHOLE, outs=blocks(2))


@defect("an array is reversed in place, so that each half destroys what the other reads",
        race("x_ref", (0,), ("write", (0,)), ("read", (1,))), inputs=[numbers(4)])
class ReversedInPlace:
    def broken(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            part = jnp.flip(x_ref[pl.ds(2 - 2 * i, 2)])  # <read>
            o_ref[pl.ds(2 * i, 2)] = part  # <write>
        return call(kernel, f32(4), x, grid=2, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = jnp.flip(x_ref[pl.ds(2 - 2 * pl.program_id(0), 2)])
        return call(kernel, f32(4), x, grid=2, ins=WHOLE, outs=blocks(2))


@defect("a shift by one in place overwrites the element that the next program still has to read",
        race("x_ref", (2,), ("write", (0,)), ("read", (1,))), inputs=[numbers(5)])
class ShiftedInPlace:
    def broken(x):
        def kernel(x_ref, o_ref):
            at = 2 * pl.program_id(0)
            part = x_ref[pl.ds(at, 2)]  # <read>
            o_ref[pl.ds(at + 1, 2)] = part  # <write>
        return call(kernel, f32(5), x, grid=2, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            part = x_ref[...]
            o_ref[pl.ds(1, 4)] = part[:4]
        return call(kernel, f32(5), x, grid=1, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})


@defect("the two halves of a rotation in place are different programs, and each reads both",
        race("x_ref", (0,), ("write", (0,)), ("second", (1,))), thread="flagos-ai/FlagGems#5142",
        inputs=[numbers(4)])
class RotatedInPlace:
    def broken(x):
        def kernel(x_ref, o_ref):
            i = pl.program_id(0)
            mine = pl.ds(2 * i, 2)
            first = x_ref[mine]
            second = x_ref[pl.ds(2 - 2 * i, 2)]  # <second>
            o_ref[mine] = first + jnp.where(i == 0, -second, second)  # <write>
        return call(kernel, f32(4), x, grid=2, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            at = pl.program_id(0)
            first, second = x_ref[at], x_ref[at + 2]
            o_ref[at] = first - second
            o_ref[at + 2] = second + first
        return call(kernel, f32(4), x, grid=2, ins=WHOLE, outs=WHOLE, input_output_aliases={0: 0})


@defect("a shared array is changed for a moment and restored, while other programs do the same",
        race("q_ref", (1,), ("keep|erase|sum|restore", (0,)), ("keep|erase|sum|restore", (1,))),
        thread="vllm-project/vllm#23829", inputs=[numbers(4), ints(1, 1)])
class ErasedAndRestored:
    def broken(p, token):
        def kernel(p_ref, token_ref, q_ref, o_ref):
            i = pl.program_id(0)
            kept = q_ref[token_ref[i]]  # <keep>
            q_ref[token_ref[i]] = 0.0  # <erase>
            o_ref[i] = jnp.sum(q_ref[...])  # <sum>
            q_ref[token_ref[i]] = kept  # <restore>
        return call(kernel, [f32(4), f32(2)], p, token, grid=2, ins=WHOLE, outs=[WHOLE, WHOLE],
                    input_output_aliases={0: 0})

    def repaired(p, token):
        def kernel(p_ref, token_ref, q_ref, o_ref):
            i = pl.program_id(0)
            o_ref[i] = jnp.sum(jnp.where(jnp.arange(4) == token_ref[i], 0.0, q_ref[...]))
        return call(kernel, [f32(4), f32(2)], p, token, grid=2, ins=WHOLE, outs=[WHOLE, WHOLE],
                    input_output_aliases={0: 0})


@defect("one program commits the new state in place while the others still read the old one",
        race("state_ref", (0,), ("commit", (0,)), ("old", (1,))), thread="lightseekorg/tokenspeed#857",
        inputs=[numbers(2), numbers(4, seed=1)])
class StateCommittedTooSoon:
    def broken(state, x):
        def kernel(state_ref, x_ref, new_ref, o_ref):
            old = state_ref[...]  # <old>
            o_ref[...] = x_ref[...] * old

            @pl.when(pl.program_id(0) == 0)
            def _():
                new_ref[...] = old + 1  # <commit>
        return call(kernel, [f32(2), f32(4)], state, x, grid=2, ins=[WHOLE, blocks(2)], outs=[WHOLE, blocks(2)],
                    input_output_aliases={0: 0})

    def repaired(state, x):
        def kernel(state_ref, x_ref, new_ref, o_ref):
            old = state_ref[...]
            o_ref[...] = x_ref[...] * old

            @pl.when(pl.program_id(0) == 0)
            def _():
                new_ref[...] = old + 1
        return call(kernel, [f32(2), f32(4)], state, x, grid=2, ins=[WHOLE, blocks(2)], outs=[WHOLE, blocks(2)])


@defect("the gradient of a dilated window is added to overlapping places of one array",
        race("dx_ref", (2,), ("right|left", (0,)), ("left|right", (1,))), thread="jmschrei/cherimoya#25",
        inputs=[numbers(4), numbers(5, seed=1)])
class WindowGradient:
    def broken(dy, old):
        def kernel(dy_ref, old_ref, dx_ref):
            at = 2 * pl.program_id(0)
            dx_ref[pl.ds(at, 2)] += dy_ref[...]  # <left>
            dx_ref[pl.ds(at + 1, 2)] += 2 * dy_ref[...]  # <right>
        return call(kernel, f32(5), dy, old, grid=2, ins=[blocks(2), WHOLE], outs=WHOLE, input_output_aliases={1: 0})

    def repaired(dy, old):
        def kernel(dy_ref, old_ref, dx_ref):
            at = 2 * pl.program_id(0)
            dx_ref[pl.ds(at, 2)] += dy_ref[...]
            dx_ref[pl.ds(at + 1, 2)] += 2 * dy_ref[...]
        return call(kernel, f32(5), dy, old, grid=2, ins=[blocks(2), WHOLE], outs=WHOLE, input_output_aliases={1: 0},
                    order=["arbitrary"])


@defect("the input is read again after its alias, the output, was written",
        assumed("again", (), "x_ref", (0,), "write"), inputs=[numbers(4)])
class InputReadAfterTheOutput:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = 2 * x_ref[...]  # <write>
            o_ref[:2] = x_ref[:2] + 1  # <again>
        return call(kernel, f32(4), x, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            x = x_ref[...]
            o_ref[...] = 2 * x
            o_ref[:2] = x[:2] + 1
        return call(kernel, f32(4), x, input_output_aliases={0: 0})


@defect("what one step of a loop stores to the output, the next one reads from the aliased input",
        assumed("read", (), "x_ref", (1,), "write"), inputs=[numbers(3)])
class ChainThroughTheAlias:
    def broken(x):
        def kernel(x_ref, o_ref):
            for i in range(2):
                taken = x_ref[i]  # <read>
                o_ref[i + 1] = taken + 1  # <write>
        return call(kernel, f32(3), x, input_output_aliases={0: 0})

    def repaired(x):
        def kernel(x_ref, o_ref):
            taken = x_ref[0]
            o_ref[0] = taken
            for i in range(2):
                o_ref[i + 1] = taken + i + 1
        return call(kernel, f32(3), x, input_output_aliases={0: 0})
