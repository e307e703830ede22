"""Copies of shared memory in Mosaic GPU kernels, without the fence that makes them see what threads have written."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.mosaic_kernels import barrier, launch, shared, thread
from conformance.defects.shorthand import f32, numbers


def unfenced(copy, store, param, element, its=None, others=None, kind="proxy-fence-missing"):
    """The copy of line `copy` reads an element that line `store` has written."""
    return Finding(kind, copy, its, param, element, store, others)


@defect("a tile is stored to shared memory and copied out without a fence",
        unfenced("copy", "store", "tile", (0,)), inputs=[numbers(32)])
class StoredAndCopied:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...]  # <store>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def outputs(x):
        return [x]


@defect("the fence stands before the store",
        unfenced("copy", "store", "tile", (0,)), inputs=[numbers(32)])
class FenceBeforeTheStore:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            value = x_ref[...] * 2
            plgpu.commit_smem()
            tile[...] = value  # <store>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] * 2
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def outputs(x):
        return [2 * x]


@defect("the last row is corrected behind the fence",
        unfenced("copy", "correct", "tile", (3, 0)), inputs=[numbers(4, 32)])
class CorrectedBehindTheFence:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...]
            plgpu.commit_smem()
            tile[3] = jnp.zeros((32,), jnp.float32)  # <correct>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(4, 32), x, scratch=[shared(4, 32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...]
            tile[3] = jnp.zeros((32,), jnp.float32)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(4, 32), x, scratch=[shared(4, 32)])

    def outputs(x):
        x = x.copy()
        x[3] = 0
        return [x]


@defect("only the first step has the fence",
        unfenced("copy", "store", "tile", (0,)), inputs=[numbers(3, 32)])
class FenceInTheFirstStep:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            @pl.loop(0, 3)
            def _(step):
                tile[...] = x_ref[step]  # <store>

                @pl.when(step == 0)
                def _():
                    plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])  # <copy>
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            @pl.loop(0, 3)
            def _(step):
                tile[...] = x_ref[step]
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32)])

    def outputs(x):
        return [x]


@defect("another thread copies out, and the writer has told it without a fence",
        unfenced("copy", "store", "tile", (0,), (1,), (0,)), inputs=[numbers(32)])
class ToldWithoutAFence:
    def broken(x):
        def kernel(x_ref, o_ref, tile, full):
            @thread(0)
            def _():
                tile[...] = x_ref[...]  # <store>
                plgpu.barrier_arrive(full)

            @thread(1)
            def _():
                plgpu.barrier_wait(full)
                plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, full):
            @thread(0)
            def _():
                tile[...] = x_ref[...]
                plgpu.commit_smem()
                plgpu.barrier_arrive(full)

            @thread(1)
            def _():
                plgpu.barrier_wait(full)
                plgpu.copy_smem_to_gmem(tile, o_ref)
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("the fence comes when the other thread has been told already",
        unfenced("copy", "store", "tile", (0,), (1,), (0,)), inputs=[numbers(32)])
class FenceBehindTheArrival:
    def broken(x):
        def kernel(x_ref, o_ref, tile, full):
            @thread(0)
            def _():
                tile[...] = x_ref[...]  # <store>
                plgpu.barrier_arrive(full)
                plgpu.commit_smem()

            @thread(1)
            def _():
                plgpu.barrier_wait(full)
                plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, full):
            @thread(0)
            def _():
                tile[...] = x_ref[...]
                plgpu.barrier_arrive(full)

            @thread(1)
            def _():
                plgpu.barrier_wait(full)
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref)
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("two threads write halves of a tile, and only the one that copies it out has a fence, before it waits for the other",
        unfenced("copy", "store", "tile", (1, 0), (0,), (1,)), inputs=[numbers(2, 32)])
class FenceOfOneHalf:
    def broken(x):
        def kernel(x_ref, o_ref, tile, full):
            number = jax.lax.axis_index("thread")
            tile[number] = x_ref[number]  # <store>

            @thread(1)
            def _():
                plgpu.barrier_arrive(full)

            @thread(0)
            def _():
                plgpu.commit_smem()
                plgpu.barrier_wait(full)
                plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, full):
            number = jax.lax.axis_index("thread")
            tile[number] = x_ref[number]
            plgpu.commit_smem()

            @thread(1)
            def _():
                plgpu.barrier_arrive(full)

            @thread(0)
            def _():
                plgpu.barrier_wait(full)
                plgpu.copy_smem_to_gmem(tile, o_ref)
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier()])

    def outputs(x):
        return [x]


@defect("what a copy has brought is changed in place and copied out without a fence",
        unfenced("copy", "change", "tile", (0,)), inputs=[numbers(32)])
class ChangedInPlace:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            tile[...] = tile[...] + 1  # <change>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            tile[...] = tile[...] + 1
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x + 1]


@defect("a slot is filled again by a copy when its reader has arrived, but without a fence",
        unfenced("copy", "load", "tile", (0,), (0,), (1,), "overwrite-unfenced"), thread="deepseek-ai/DeepEP#642",
        inputs=[numbers(3, 32)])
class RefilledWithoutAFence:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)  # <copy>

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]  # <load>

                    @pl.when(step < 2)
                    def _():
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


@defect("the fence is in a loop that may be run no times, as its list is empty",
        unfenced("copy", "store", "tile", (0,)), thread="MoonshotAI/FlashKDA#24", inputs=[numbers(2, 32), jnp.zeros((1,), jnp.int32)])
class FenceInALoopOfNoSteps:
    def broken(x, count):
        def kernel(x_ref, count_ref, o_ref, tile):
            tile[...] = jnp.ones((32,), jnp.float32)  # <store>

            @pl.loop(0, count_ref[0])
            def _(step):
                tile[...] = tile[...] + x_ref[step]
                plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, count, scratch=[shared(32)])

    def repaired(x, count):
        def kernel(x_ref, count_ref, o_ref, tile):
            tile[...] = jnp.ones((32,), jnp.float32)

            @pl.loop(0, count_ref[0])
            def _(step):
                tile[...] = tile[...] + x_ref[step]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, count, scratch=[shared(32)])

    def outputs(x, count):
        return [jnp.ones((32,), jnp.float32)]


@defect("the fence comes behind the copy and its wait",
        unfenced("copy", "store", "tile", (0,)), thread="facebookexperimental/triton#368", inputs=[numbers(32)])
class FenceBehindTheWait:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] + 1  # <store>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
            plgpu.wait_smem_to_gmem(0)
            plgpu.commit_smem()
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] + 1
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32)])

    def outputs(x):
        return [x + 1]


@defect("of two tiles that are stored to, the one that is stored to last has no fence behind it",
        unfenced("copy", "store", "b", (0,)), inputs=[numbers(2, 32)])
class FenceBetweenTwoTiles:
    def broken(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0] + 1
            plgpu.commit_smem()
            b[...] = x_ref[1] + 1  # <store>
            plgpu.copy_smem_to_gmem(a, o_ref.at[0])
            plgpu.copy_smem_to_gmem(b, o_ref.at[1])  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0] + 1
            b[...] = x_ref[1] + 1
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(a, o_ref.at[0])
            plgpu.copy_smem_to_gmem(b, o_ref.at[1])
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def outputs(x):
        return [x + 1]
