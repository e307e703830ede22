"""Threads of a Mosaic GPU kernel whose barriers get arrivals too many or too few, or have phases that somebody misses."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.mosaic_kernels import barrier, launch, shared, thread
from conformance.defects.shorthand import f32, numbers


def overrun(one, its, other, others, param):
    """Nothing orders line `one` of program `its` and line `other` of program `others`."""
    return Finding("barrier-overrun", one, (its,), param, None, other, (others,))


FOLLOWS = ["race", "dma-in-flight", "dma-not-awaited", "deadlock", "output-unwritten", "undefined-output"]  # in some orders


@defect("two threads arrive at a barrier that one arrival completes",
        overrun("arrives", 2, "arrives", 1, "done"), also=FOLLOWS, inputs=[numbers(2, 32)])
class TwoArriveForOne:
    def broken(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")

            @pl.when(number > 0)
            def _():
                tile[number - 1] = x_ref[number - 1]
                plgpu.barrier_arrive(done)  # <arrives>

            @thread(0)
            def _():
                plgpu.barrier_wait(done)
                o_ref[...] = tile[...]
        return launch(kernel, f32(2, 32), x, threads=3, scratch=[shared(2, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")

            @pl.when(number > 0)
            def _():
                tile[number - 1] = x_ref[number - 1]
                plgpu.barrier_arrive(done)

            @thread(0)
            def _():
                plgpu.barrier_wait(done)
                o_ref[...] = tile[...]
        return launch(kernel, f32(2, 32), x, threads=3, scratch=[shared(2, 32), barrier(num_arrivals=2)])

    def outputs(x):
        return [x]


@defect("a thread arrives for the next phase without having waited for this one",
        overrun("by-other", 1, "again", 0, "both"), also=FOLLOWS, inputs=[numbers(2, 32)])
class ArrivesAgainWithoutWaiting:
    def broken(x):
        def kernel(x_ref, o_ref, both):
            number = jax.lax.axis_index("thread")

            @thread(0)
            def _():
                for _ in range(2):
                    plgpu.barrier_arrive(both)  # <again>
                for _ in range(2):
                    plgpu.barrier_wait(both)

            @thread(1)
            def _():
                plgpu.barrier_arrive(both)  # <by-other>
                plgpu.barrier_wait(both)
                plgpu.barrier_arrive(both)
                plgpu.barrier_wait(both)
            o_ref[number] = x_ref[number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, both):
            number = jax.lax.axis_index("thread")
            plgpu.barrier_arrive(both)
            plgpu.barrier_wait(both)
            plgpu.barrier_arrive(both)
            plgpu.barrier_wait(both)
            o_ref[number] = x_ref[number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[barrier(num_arrivals=2)])

    def outputs(x):
        return [x]


@defect("two copies are told to a barrier that one arrival completes, though each of them arrives",
        Finding("barrier-overrun", "second", None, "ready", None, "first"), also=FOLLOWS, inputs=[numbers(2, 32)])
class TwoCopiesForOneArrival:
    def broken(x):
        def kernel(x_ref, o_ref, a, b, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, ready)  # <first>
            plgpu.copy_gmem_to_smem(x_ref.at[1], b, ready)  # <second>
            plgpu.barrier_wait(ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = a[...] + b[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, ready)
            plgpu.copy_gmem_to_smem(x_ref.at[1], b, ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = a[...] + b[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier(num_arrivals=2)])

    def outputs(x):
        return [x[0] + x[1]]


@defect("the thread that starts a copy also arrives for it, which the copy does already",
        Finding("barrier-overrun", "arrives", None, "ready", None, "copy"), also=FOLLOWS, inputs=[numbers(32)])
class ArrivesForACopy:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)  # <copy>
            plgpu.barrier_arrive(ready)  # <arrives>
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("a slot is filled again without waiting until it is free",
        overrun("waits-not", 0, "waits-not", 0, "ready"), also=FOLLOWS, inputs=[numbers(4, 32)])
class FilledBeforeItIsFree:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)  # <waits-not>

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    plgpu.barrier_arrive(free)
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("a worker frees its slot once when it has read it, and once more at the end of the step",
        overrun("copy", 0, "copy", 0, "ready"), also=FOLLOWS, inputs=[numbers(4, 32)])
class FreedTwice:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)  # <copy>

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready)
                    value = tile[...]
                    plgpu.barrier_arrive(free)
                    o_ref[step] = value
                    plgpu.barrier_arrive(free)
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready)
                    value = tile[...]
                    plgpu.barrier_arrive(free)
                    o_ref[step] = value
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("a third thread may wait for the first phase when the second one is complete",
        Finding("phase-missed", "late", (2,), "step", None, "next", (1,)), inputs=[numbers(3, 32)])
class TwoPhasesLate:
    def broken(x):
        def kernel(x_ref, o_ref, step, seen):
            number = jax.lax.axis_index("thread")

            @thread(0)
            def _():
                plgpu.barrier_arrive(step)

            @thread(1)
            def _():
                plgpu.barrier_wait(step)
                plgpu.barrier_arrive(step)  # <next>

            @thread(2)
            def _():
                plgpu.barrier_wait(step)  # <late>
            o_ref[number] = x_ref[number]
        return launch(kernel, f32(3, 32), x, threads=3, scratch=[barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, step, seen):
            number = jax.lax.axis_index("thread")

            @thread(0)
            def _():
                plgpu.barrier_arrive(step)

            @thread(1)
            def _():
                plgpu.barrier_wait(step)
                plgpu.barrier_wait(seen)
                plgpu.barrier_arrive(step)

            @thread(2)
            def _():
                plgpu.barrier_wait(step)
                plgpu.barrier_arrive(seen)
            o_ref[number] = x_ref[number]
        return launch(kernel, f32(3, 32), x, threads=3, scratch=[barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("a worker that skips its step does not wait for the phase of that step either",
        overrun("arrives", 2, "arrives", 1, "free"), also=FOLLOWS, inputs=[numbers(3, 32)])
class SkipsAPhase:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @pl.when(jax.lax.axis_index("thread") > 0)
            def _():
                mine = jax.lax.axis_index("thread") - 1

                @pl.loop(0, 3)
                def _(step):
                    @pl.when(jnp.logical_or(mine == 1, step != 1))
                    def _():
                        plgpu.barrier_wait(ready)
                        o_ref[mine, step] = tile[...]

                    @pl.when(jnp.logical_and(mine == 0, step == 1))
                    def _():
                        o_ref[mine, step] = jnp.zeros((32,), jnp.float32)
                    plgpu.barrier_arrive(free)  # <arrives>
        return launch(kernel, f32(2, 3, 32), x, threads=3, scratch=[shared(32), barrier(), barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @pl.when(jax.lax.axis_index("thread") > 0)
            def _():
                mine = jax.lax.axis_index("thread") - 1

                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    scale = jnp.where(jnp.logical_and(mine == 0, step == 1), 0.0, 1.0)
                    o_ref[mine, step] = tile[...] * scale
                    plgpu.barrier_arrive(free)
        return launch(kernel, f32(2, 3, 32), x, threads=3, scratch=[shared(32), barrier(), barrier(num_arrivals=2)])

    def outputs(x):
        first = x.copy()
        first[1] = 0
        return [jnp.stack([first, x])]


@defect("a phase is completed although nobody has waited for the one before",
        Finding("phase-unobserved", "second", None, "step", None, "first"), inputs=[numbers(32)])
class NobodyHasWaited:
    def broken(x):
        def kernel(x_ref, o_ref, step):
            plgpu.barrier_arrive(step)  # <first>
            o_ref[...] = x_ref[...]
            plgpu.barrier_arrive(step)  # <second>
        return launch(kernel, f32(32), x, scratch=[barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, step):
            plgpu.barrier_arrive(step)
            plgpu.barrier_wait(step)
            o_ref[...] = x_ref[...]
            plgpu.barrier_arrive(step)
        return launch(kernel, f32(32), x, scratch=[barrier()])

    def outputs(x):
        return [x]


@defect("a barrier counts on two threads, of which one leaves without arriving",
        Finding("semaphore-left", "arrives", (0,), "done", None), inputs=[numbers(2, 32)])
class OneLeavesWithoutArriving:
    def broken(x):
        def kernel(x_ref, o_ref, done):
            number = jax.lax.axis_index("thread")
            o_ref[number] = x_ref[number]

            @thread(0)
            def _():
                plgpu.barrier_arrive(done)  # <arrives>
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, done):
            number = jax.lax.axis_index("thread")
            o_ref[number] = x_ref[number]
            plgpu.barrier_arrive(done)
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[barrier(num_arrivals=2)])

    def outputs(x):
        return [x]


@defect("a worker frees its slot in the last step too, and nobody waits for that",
        Finding("phases-left", "wait", (0,), "free", None), inputs=[numbers(3, 32)])
class FreedInTheLastStepToo:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)  # <wait>
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    plgpu.commit_smem()
                    plgpu.barrier_arrive(free)
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    plgpu.commit_smem()

                    @pl.when(step < 2)
                    def _():
                        plgpu.barrier_arrive(free)
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]
