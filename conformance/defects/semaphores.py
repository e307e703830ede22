"""Semaphores that nobody signals, that are waited for too often, or left with a count."""

from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.shorthand import call, f32, numbers

SEMAPHORE = pltpu.SemaphoreType.REGULAR
IN_ORDER = ["arbitrary"]


def deadlock(wait, program):
    return Finding("deadlock", wait, program)


def left(signal, program):
    """Nobody waits for the signal of line `signal`."""
    return Finding("semaphore-left", signal, program)


@defect("a program waits for a signal that nobody sends",
        deadlock("wait", (0,)), also=["output-unwritten"], inputs=[numbers(4)])
class NobodySignals:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_wait(ready, 1)  # <wait>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready, 1)
            pl.semaphore_wait(ready, 1)
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])


@defect("two are waited for where one was signalled",
        deadlock("wait", (0,)), also=["output-unwritten"], inputs=[numbers(4)])
class WaitsForTwo:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready, 1)
            pl.semaphore_wait(ready, 2)  # <wait>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready, 2)
            pl.semaphore_wait(ready, 2)
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])


@defect("the wait comes before the signal of the same program",
        deadlock("wait", (0,)), also=["output-unwritten"], inputs=[numbers(4)])
class WaitBeforeSignal:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_wait(ready, 1)  # <wait>
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)
            pl.semaphore_wait(ready, 1)
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])


@defect("one of two semaphores is signalled and the other one waited for",
        deadlock("wait", (0,)), also=["output-unwritten"], inputs=[numbers(4)])
class TheOtherSemaphore:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready.at[0], 1)
            pl.semaphore_wait(ready.at[1], 1)  # <wait>
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE((2,))])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            pl.semaphore_signal(ready.at[1], 1)
            pl.semaphore_wait(ready.at[1], 1)
            o_ref[...] = x_ref[...]
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE((2,))])


@defect("a signal is sent that nobody waits for",
        left("signal", (0,)), inputs=[numbers(4)])
class SignalNobodyWaitsFor:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)  # <signal>
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)
            pl.semaphore_wait(ready, 1)
        return call(kernel, f32(4), x, grid=1, order=IN_ORDER, scratch_shapes=[SEMAPHORE])


@defect("every step signals, but only the last one waits, and for one signal",
        left("signal", (1,)), inputs=[numbers(4)])
class OneWaitForManySignals:
    def broken(x):
        def kernel(x_ref, o_ref, ready):
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)  # <signal>

            @pl.when(pl.program_id(0) == 1)
            def _():
                pl.semaphore_wait(ready, 1)
        return call(kernel, f32(4), x, grid=2, order=IN_ORDER, scratch_shapes=[SEMAPHORE])

    def repaired(x):
        def kernel(x_ref, o_ref, ready):
            o_ref[...] = x_ref[...]
            pl.semaphore_signal(ready, 1)

            @pl.when(pl.program_id(0) == 1)
            def _():
                pl.semaphore_wait(ready, 2)
        return call(kernel, f32(4), x, grid=2, order=IN_ORDER, scratch_shapes=[SEMAPHORE])
