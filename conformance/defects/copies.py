"""Asynchronous copies: read before they have arrived, overwritten while they are under way, never awaited."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import WHOLE, call, f32, numbers, vmem

DMA = pltpu.SemaphoreType.DMA
IN_ORDER = ["arbitrary"]


def in_flight(use, param, element, start):
    """Line `use` accesses a buffer while the copy that line `start` started may still be in flight."""
    return Finding("dma-in-flight", use, (0,), param, element, there=start, other=(0,))


def not_awaited(start):
    return Finding("dma-not-awaited", start, (0,))


@defect("a buffer is read before the copy that fills it was waited for",
        in_flight("read", "buffer_ref", (0,), "start"), also=["undefined-output"],
        inputs=[numbers(4)])
class ReadBeforeTheWait:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            copy = pltpu.make_async_copy(x_ref, buffer_ref, done)
            copy.start()  # <start>
            o_ref[...] = 2 * buffer_ref[...]  # <read>
            copy.wait()
        return call(kernel, f32(4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            copy = pltpu.make_async_copy(x_ref, buffer_ref, done)
            copy.start()
            copy.wait()
            o_ref[...] = 2 * buffer_ref[...]
        return call(kernel, f32(4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])


@defect("a buffer is filled anew while it is still being copied out",
        in_flight("again", "buffer_ref", (0,), "start"), inputs=[numbers(4)])
class FilledWhileCopiedOut:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            buffer_ref[...] = 2 * x_ref[...]
            copy = pltpu.make_async_copy(buffer_ref, o_ref, done)
            copy.start()  # <start>
            buffer_ref[...] = jnp.zeros(4)  # <again>
            copy.wait()
        return call(kernel, f32(4), x, grid=1, outs=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            buffer_ref[...] = 2 * x_ref[...]
            copy = pltpu.make_async_copy(buffer_ref, o_ref, done)
            copy.start()
            copy.wait()
            buffer_ref[...] = jnp.zeros(4)
        return call(kernel, f32(4), x, grid=1, outs=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])


@defect("the copy of a result is started and never waited for",
        not_awaited("start"), inputs=[numbers(4)])
class ResultNeverAwaited:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            buffer_ref[...] = 2 * x_ref[...]
            pltpu.make_async_copy(buffer_ref, o_ref, done).start()  # <start>
        return call(kernel, f32(4), x, grid=1, outs=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            buffer_ref[...] = 2 * x_ref[...]
            copy = pltpu.make_async_copy(buffer_ref, o_ref, done)
            copy.start()
            copy.wait()
        return call(kernel, f32(4), x, grid=1, outs=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])


@defect("two copies share a semaphore, and one wait may be satisfied by the copy that is not meant",
        in_flight("read", "first_ref", (0,), "first"), also=["undefined-output"],
        inputs=[numbers(4), numbers(4, seed=1)])
class SharedSemaphore:
    def broken(x, y):
        def kernel(x_ref, y_ref, o_ref, first_ref, second_ref, done):
            first = pltpu.make_async_copy(x_ref, first_ref, done)
            second = pltpu.make_async_copy(y_ref, second_ref, done)
            first.start()  # <first>
            second.start()
            first.wait()
            total = 2 * first_ref[...]  # <read>
            second.wait()
            o_ref[...] = total + second_ref[...]
        return call(kernel, f32(4), x, y, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), vmem(4), DMA])

    def repaired(x, y):
        def kernel(x_ref, y_ref, o_ref, first_ref, second_ref, done):
            first = pltpu.make_async_copy(x_ref, first_ref, done.at[0])
            second = pltpu.make_async_copy(y_ref, second_ref, done.at[1])
            first.start()
            second.start()
            first.wait()
            total = 2 * first_ref[...]
            second.wait()
            o_ref[...] = total + second_ref[...]
        return call(kernel, f32(4), x, y, grid=1, ins=WHOLE, order=IN_ORDER,
                    scratch_shapes=[vmem(4), vmem(4), DMA((2,))])


@defect("of two buffers in turn the one is computed on that is just being filled",
        in_flight("use", "buffer_ref", (1, 0), "ahead"), also=["undefined-output"], thread="jax-ml/jax#29554",
        inputs=[numbers(2, 4)])
class TheOtherBuffer:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            now = pltpu.make_async_copy(x_ref.at[0], buffer_ref.at[0], done.at[0])
            ahead = pltpu.make_async_copy(x_ref.at[1], buffer_ref.at[1], done.at[1])
            now.start()
            ahead.start()  # <ahead>
            now.wait()
            o_ref[0, :] = 2 * buffer_ref[1, :]  # <use>
            ahead.wait()
            o_ref[1, :] = 2 * buffer_ref[1, :]
        return call(kernel, f32(2, 4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(2, 4), DMA((2,))])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            now = pltpu.make_async_copy(x_ref.at[0], buffer_ref.at[0], done.at[0])
            ahead = pltpu.make_async_copy(x_ref.at[1], buffer_ref.at[1], done.at[1])
            now.start()
            ahead.start()
            now.wait()
            o_ref[0, :] = 2 * buffer_ref[0, :]
            ahead.wait()
            o_ref[1, :] = 2 * buffer_ref[1, :]
        return call(kernel, f32(2, 4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(2, 4), DMA((2,))])


@defect("a copy that was never started is waited for",
        Finding("deadlock", "wait", (0,)), also=["undefined-output", "output-unwritten"], inputs=[numbers(4)])
class WaitForACopyNotStarted:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            pltpu.make_async_copy(x_ref, buffer_ref, done).wait()  # <wait>
            o_ref[...] = 2 * buffer_ref[...]
        return call(kernel, f32(4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            copy = pltpu.make_async_copy(x_ref, buffer_ref, done)
            copy.start()
            copy.wait()
            o_ref[...] = 2 * buffer_ref[...]
        return call(kernel, f32(4), x, grid=1, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(4), DMA])


@defect("one program starts the copy of the next one's data and the last start is waited for by nobody",
        Finding("dma-not-awaited", "ahead", (1,)), thread="jax-ml/jax#29554", inputs=[numbers(3, 4)])
class FetchedAheadOnceTooOften:
    def broken(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                pltpu.make_async_copy(x_ref.at[0], buffer_ref.at[0], done.at[0]).start()
            pltpu.make_async_copy(x_ref.at[i], buffer_ref.at[i % 2], done.at[i % 2]).wait()
            pltpu.make_async_copy(x_ref.at[i + 1], buffer_ref.at[(i + 1) % 2], done.at[(i + 1) % 2]).start()  # <ahead>
            o_ref[pl.ds(i, 1), :] = 2 * buffer_ref[pl.ds(i % 2, 1), :]
        return call(kernel, f32(2, 4), x, grid=2, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(2, 4), DMA((2,))])

    def repaired(x):
        def kernel(x_ref, o_ref, buffer_ref, done):
            i = pl.program_id(0)

            @pl.when(i == 0)
            def _():
                pltpu.make_async_copy(x_ref.at[0], buffer_ref.at[0], done.at[0]).start()
            pltpu.make_async_copy(x_ref.at[i], buffer_ref.at[i % 2], done.at[i % 2]).wait()

            @pl.when(i == 0)
            def _():
                pltpu.make_async_copy(x_ref.at[i + 1], buffer_ref.at[(i + 1) % 2], done.at[(i + 1) % 2]).start()
            o_ref[pl.ds(i, 1), :] = 2 * buffer_ref[pl.ds(i % 2, 1), :]
        return call(kernel, f32(2, 4), x, grid=2, ins=WHOLE, order=IN_ORDER, scratch_shapes=[vmem(2, 4), DMA((2,))])
