"""Semaphores of Mosaic GPU, by which blocks of a grid wait for each other: raised too early, too little or too often."""

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import launch, shared, thread
from conformance.defects.shorthand import f32, numbers

FOLLOWS = ["undefined-output", "order-dependence", "output-unwritten"]


def grid(kernel, out, *inputs, blocks=2, scratch=()):
    """Blocks along the axis "block"."""
    return plgpu.kernel(kernel, out_type=out, grid=(blocks,), grid_names=("block",), scratch_types=list(scratch))(*inputs)


def block(number):
    return pl.when(jax.lax.axis_index("block") == number)


def common():
    """A semaphore of all blocks."""
    return pl.get_global(plgpu.SemaphoreType.REGULAR)


@defect("a block reads what another one writes without waiting for its signal",
        race("o_ref", (0, 0), ("writes", (0,)), ("reads", (1,))), also=FOLLOWS, inputs=[numbers(32)])
class ReadBeforeTheSignal:
    def broken(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                o_ref[0] = x_ref[...] + 1  # <writes>
                pl.semaphore_signal(written)

            @block(1)
            def _():
                o_ref[1] = o_ref[0] * 2  # <reads>
                pl.semaphore_wait(written)
        return grid(kernel, f32(2, 32), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written)
                o_ref[1] = o_ref[0] * 2
        return grid(kernel, f32(2, 32), x)

    def outputs(x):
        return [jax.numpy.stack([x + 1, 2 * (x + 1)])]


@defect("a block signals before it has written",
        race("o_ref", (0, 0), ("writes", (0,)), ("reads", (1,))), also=FOLLOWS, inputs=[numbers(32)])
class SignalBeforeTheWrite:
    def broken(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                pl.semaphore_signal(written)
                o_ref[0] = x_ref[...] + 1  # <writes>

            @block(1)
            def _():
                pl.semaphore_wait(written)
                o_ref[1] = o_ref[0] * 2  # <reads>
        return grid(kernel, f32(2, 32), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written)
                o_ref[1] = o_ref[0] * 2
        return grid(kernel, f32(2, 32), x)

    def outputs(x):
        return [jax.numpy.stack([x + 1, 2 * (x + 1)])]


@defect("a block signals when the copy of its rows has read them, but need not have written them",
        race("o_ref", (0, 0), ("copy", (0,)), ("reads", (1,))), also=FOLLOWS, thread="HazyResearch/ThunderKittens#194",
        inputs=[numbers(32)])
class SignalBeforeTheCopyIsDone:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            written = common()

            @block(0)
            def _():
                tile[...] = x_ref[...] + 1
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[0])  # <copy>
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written)
                o_ref[1] = o_ref[0] * 2  # <reads>
        return grid(kernel, f32(2, 32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            written = common()

            @block(0)
            def _():
                tile[...] = x_ref[...] + 1
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[0])
                plgpu.wait_smem_to_gmem(0)
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written)
                o_ref[1] = o_ref[0] * 2
        return grid(kernel, f32(2, 32), x, scratch=[shared(32)])

    def outputs(x):
        return [jax.numpy.stack([x + 1, 2 * (x + 1)])]


@defect("a block waits for two signals, and the other one signals once",
        Finding("deadlock", "waits", (1,), None), also=[*FOLLOWS, "semaphore-left"], inputs=[numbers(32)])
class TwoSignalsOfOne:
    def broken(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written, 2)  # <waits>
                o_ref[1] = o_ref[0] * 2
        return grid(kernel, f32(2, 32), x)

    def repaired(x):
        def kernel(x_ref, o_ref):
            written = common()

            @block(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written)

            @block(1)
            def _():
                pl.semaphore_wait(written, 1)
                o_ref[1] = o_ref[0] * 2
        return grid(kernel, f32(2, 32), x)

    def outputs(x):
        return [jax.numpy.stack([x + 1, 2 * (x + 1)])]


@defect("a thread signals a semaphore of its block twice, and the other one takes one signal",
        Finding("semaphore-left", "signals", None, "written"), inputs=[numbers(32)])
class OneSignalIsLeft:
    def broken(x):
        def kernel(x_ref, o_ref, written):
            @thread(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written, 2)  # <signals>

            @thread(1)
            def _():
                pl.semaphore_wait(written, 1)
                o_ref[1] = o_ref[0] * 2
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[plgpu.SemaphoreType.REGULAR])

    def repaired(x):
        def kernel(x_ref, o_ref, written):
            @thread(0)
            def _():
                o_ref[0] = x_ref[...] + 1
                pl.semaphore_signal(written, 2)

            @thread(1)
            def _():
                pl.semaphore_wait(written, 2)
                o_ref[1] = o_ref[0] * 2
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[plgpu.SemaphoreType.REGULAR])

    def outputs(x):
        return [jax.numpy.stack([x + 1, 2 * (x + 1)])]
