"""Accumulators that nobody set to zero: outputs and scratch that are read before they are written."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from conformance.defects.corpus import defect, undefined
from conformance.defects.shorthand import WHOLE, blocks, call, f32, i32, ints, numbers, vmem

IN_ORDER = ["arbitrary"]


@defect("an output is added to that was never set to zero",
        undefined("o_ref", (0,), "add", (1,), "add"), thread="triton-lang/triton#2183", inputs=[numbers(8)])
class OutputNeverCleared:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(4), x, grid=2, ins=blocks(4), order=IN_ORDER)

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(4), x, grid=2, ins=blocks(4), order=IN_ORDER)


@defect("the accumulator is cleared by the second program instead of the first",
        undefined("o_ref", (0, 0), "add", (0, 1), "add"), inputs=[numbers(2, 4)])
class ClearedOnTheWrongAxis:
    def broken(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]  # <add>
        return call(kernel, f32(2, 2), x, grid=(2, 2), ins=blocks(1, 2), outs=pl.BlockSpec((1, 2), lambda i, k: (i, 0)),
                    order=["parallel", "arbitrary"])

    def repaired(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(1) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        return call(kernel, f32(2, 2), x, grid=(2, 2), ins=blocks(1, 2), outs=pl.BlockSpec((1, 2), lambda i, k: (i, 0)),
                    order=["parallel", "arbitrary"])


@defect("the accumulator in scratch memory is never cleared",
        undefined("o_ref", (0,), "store", (1,), "add"), thread="tile-ai/tilelang#2936", inputs=[numbers(8)])
class ScratchNeverCleared:
    def broken(x):
        def kernel(x_ref, o_ref, acc_ref):
            acc_ref[...] += x_ref[...]  # <add>

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = acc_ref[...]  # <store>
        return call(kernel, f32(4), x, grid=2, ins=blocks(4), order=IN_ORDER, scratch_shapes=[vmem(4)])

    def repaired(x):
        def kernel(x_ref, o_ref, acc_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                acc_ref[...] = jnp.zeros_like(acc_ref)
            acc_ref[...] += x_ref[...]

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = acc_ref[...]
        return call(kernel, f32(4), x, grid=2, ins=blocks(4), order=IN_ORDER, scratch_shapes=[vmem(4)])


@defect("scratch memory is cleared once, by the very first program, and not for each row of the grid",
        undefined("o_ref", (1, 0), "store", (1, 1), "add"), inputs=[numbers(2, 4)])
class StaleScratch:
    def broken(x):
        def kernel(x_ref, o_ref, acc_ref):
            i, k = pl.program_id(0), pl.program_id(1)

            @pl.when((i == 0) & (k == 0))
            def _():
                acc_ref[...] = jnp.zeros_like(acc_ref)
            acc_ref[...] += x_ref[...]  # <add>

            @pl.when(k == 1)
            def _():
                o_ref[...] = acc_ref[...]  # <store>
        return call(kernel, f32(2, 2), x, grid=(2, 2), ins=blocks(1, 2), outs=pl.BlockSpec((1, 2), lambda i, k: (i, 0)),
                    order=["parallel", "arbitrary"], scratch_shapes=[vmem(1, 2)])

    def repaired(x):
        def kernel(x_ref, o_ref, acc_ref):
            k = pl.program_id(1)

            @pl.when(k == 0)
            def _():
                acc_ref[...] = jnp.zeros_like(acc_ref)
            acc_ref[...] += x_ref[...]

            @pl.when(k == 1)
            def _():
                o_ref[...] = acc_ref[...]
        return call(kernel, f32(2, 2), x, grid=(2, 2), ins=blocks(1, 2), outs=pl.BlockSpec((1, 2), lambda i, k: (i, 0)),
                    order=["parallel", "arbitrary"], scratch_shapes=[vmem(1, 2)])


@defect("the sums of an online softmax are cleared, its running maximum is not",
        undefined("o_ref", (0,), "store", (1,), "keep"), inputs=[numbers(8)])
class MaximumNeverStarted:
    def broken(x):
        def kernel(x_ref, o_ref, m_ref, l_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                l_ref[...] = jnp.zeros_like(l_ref)
            m = jnp.maximum(m_ref[...], jnp.max(x_ref[...], keepdims=True))  # <keep>
            l_ref[...] += jnp.sum(jnp.exp(x_ref[...] - m), keepdims=True)
            m_ref[...] = m

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = m_ref[...] + l_ref[...]  # <store>
        return call(kernel, f32(1), x, grid=2, ins=blocks(4), order=IN_ORDER, scratch_shapes=[vmem(1), vmem(1)])

    def repaired(x):
        def kernel(x_ref, o_ref, m_ref, l_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                l_ref[...] = jnp.zeros_like(l_ref)
                m_ref[...] = jnp.full_like(m_ref, -jnp.inf)
            m = jnp.maximum(m_ref[...], jnp.max(x_ref[...], keepdims=True))
            l_ref[...] += jnp.sum(jnp.exp(x_ref[...] - m), keepdims=True)
            m_ref[...] = m

            @pl.when(pl.program_id(0) == 1)
            def _():
                o_ref[...] = m_ref[...] + l_ref[...]
        return call(kernel, f32(1), x, grid=2, ins=blocks(4), order=IN_ORDER, scratch_shapes=[vmem(1), vmem(1)])


@defect("atomics add to an output that keeps what its memory held before",
        undefined("o_ref", (0,), "add", (1,), "add"), thread="ByteDance-Seed/Triton-distributed#184",
        inputs=[ints(1, 2, 3, 4), ints(0)])
class AtomicsOnUnclearedMemory:
    def broken(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            plgpu.atomic_add(o_ref, (slice(None),), jnp.sum(x_ref[...], keepdims=True))  # <add>
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE])

    def repaired(x, zero):
        def kernel(x_ref, zero_ref, o_ref):
            plgpu.atomic_add(o_ref, (slice(None),), jnp.sum(x_ref[...], keepdims=True))
        return call(kernel, i32(1), x, zero, grid=2, ins=[blocks(2), WHOLE], input_output_aliases={1: 0})


@defect("the accumulator is cleared after it was first added to",
        undefined("o_ref", (0,), "store", (0,), "add"), inputs=[numbers(2)])
class ClearedTooLate:
    def broken(x):
        def kernel(x_ref, o_ref, acc_ref):
            acc_ref[...] += x_ref[...]  # <add>
            o_ref[...] = acc_ref[...]  # <store>
            acc_ref[...] = jnp.zeros_like(acc_ref)
        return call(kernel, f32(2), x, grid=1, ins=pl.BlockSpec((2,), lambda i: (i,)), scratch_shapes=[vmem(2)])

    def repaired(x):
        def kernel(x_ref, o_ref, acc_ref):
            acc_ref[...] = jnp.zeros_like(acc_ref)
            acc_ref[...] += x_ref[...]
            o_ref[...] = acc_ref[...]
        return call(kernel, f32(2), x, grid=1, ins=pl.BlockSpec((2,), lambda i: (i,)), scratch_shapes=[vmem(2)])


@defect("only the first two rows of the accumulator are cleared",
        undefined("o_ref", (2,), "store", (), "add"), inputs=[numbers(4)])
class ClearedInPart:
    def broken(x):
        def kernel(x_ref, o_ref, acc_ref):
            acc_ref[:2] = jnp.zeros(2)
            acc_ref[...] += x_ref[...]  # <add>
            o_ref[...] = acc_ref[...]  # <store>
        return call(kernel, f32(4), x, scratch_shapes=[vmem(4)])

    def repaired(x):
        def kernel(x_ref, o_ref, acc_ref):
            acc_ref[...] = jnp.zeros(4)
            acc_ref[...] += x_ref[...]
            o_ref[...] = acc_ref[...]
        return call(kernel, f32(4), x, scratch_shapes=[vmem(4)])


@defect("whether the accumulator starts from a bias depends on a flag, and without it nothing clears it",
        undefined("o_ref", (0,), "store", (), "add"), inputs=[ints(0), numbers(4), numbers(4, seed=1)])
class ClearedOnlyWithABias:
    def broken(flag, bias, x):
        def kernel(flag_ref, bias_ref, x_ref, o_ref, acc_ref):
            @pl.when(flag_ref[0] == 1)
            def _():
                acc_ref[...] = bias_ref[...]
            acc_ref[...] += x_ref[...]  # <add>
            o_ref[...] = acc_ref[...]  # <store>
        return call(kernel, f32(4), flag, bias, x, scratch_shapes=[vmem(4)])

    def repaired(flag, bias, x):
        def kernel(flag_ref, bias_ref, x_ref, o_ref, acc_ref):
            acc_ref[...] = jnp.where(flag_ref[0] == 1, bias_ref[...], 0.0)
            acc_ref[...] += x_ref[...]
            o_ref[...] = acc_ref[...]
        return call(kernel, f32(4), flag, bias, x, scratch_shapes=[vmem(4)])


@defect("memory of a scope is added to in a loop and was never written before it",
        undefined("o_ref", (0,), "store", (), "add"), inputs=[numbers(3, 2)])
class ScopedMemoryNeverCleared:
    def broken(x):
        def kernel(x_ref, o_ref):
            def scope(acc_ref):
                def step(i, _):
                    acc_ref[...] += x_ref[pl.ds(i, 1), :]  # <add>
                jax.lax.fori_loop(0, 3, step, None)
                o_ref[...] = acc_ref[0, :]  # <store>
            pl.run_scoped(scope, vmem(1, 2))
        return call(kernel, f32(2), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            def scope(acc_ref):
                acc_ref[...] = jnp.zeros((1, 2))

                def step(i, _):
                    acc_ref[...] += x_ref[pl.ds(i, 1), :]
                jax.lax.fori_loop(0, 3, step, None)
                o_ref[...] = acc_ref[0, :]
            pl.run_scoped(scope, vmem(1, 2))
        return call(kernel, f32(2), x)


@defect("a counter in an output is taken to start at zero",
        undefined("count_ref", (0,), "count", (), "count"), inputs=[ints(1, 0, 1, 1)])
class CounterTakenToBeZero:
    def broken(x):
        def kernel(x_ref, count_ref):
            count_ref[0] = count_ref[0] + jnp.sum(x_ref[...])  # <count>
        return call(kernel, i32(1), x)

    def repaired(x):
        def kernel(x_ref, count_ref):
            count_ref[0] = jnp.sum(x_ref[...])
        return call(kernel, i32(1), x)


@defect("an output is read as if it were the input of the same name in another framework",
        undefined("o_ref", (0,), "update", (), "update"), thread="jax-ml/jax#24656", inputs=[numbers(4)])
class OutputTakenForTheInput:
    def broken(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = o_ref[...] + 1  # <update>
        return call(kernel, f32(4), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = o_ref[...] + 1
        return call(kernel, f32(4), x, input_output_aliases={0: 0})
