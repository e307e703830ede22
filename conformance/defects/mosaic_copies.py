"""Copies between global and shared memory in Mosaic GPU kernels of one thread, which uses their ends too early or never waits for them."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, outside, undefined
from conformance.defects.mosaic_kernels import barrier, launch, shared
from conformance.defects.shorthand import f32, numbers

PROMISED = plgpu.OOBFillMode.PROMISE_IN_BOUNDS
ROWS = jnp.array([3, 1, 0, 2], jnp.int32)
LATE = ["undefined-output", "order-dependence"]  # what the copy brings or takes depends on the moment


def in_flight(access, param, element, copy):
    """The line `access` touches an element that the copy of line `copy` may still write, or read."""
    return Finding("dma-in-flight", access, None, param, element, copy)


def not_awaited(copy, param=None):
    """Nothing waits for the copy before its memory ends."""
    return Finding("dma-not-awaited", copy, None, param)


@defect("a tile is read before the wait for the copy that brings it",
        in_flight("reads", "tile", (0,), "copy"), also=LATE, inputs=[numbers(32)])
class ReadBeforeTheWait:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)  # <copy>
            o_ref[...] = tile[...] + 1  # <reads>
            plgpu.barrier_wait(ready)
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...] + 1
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x + 1]


@defect("nothing waits for the copy that brings a tile",
        in_flight("reads", "tile", (0,), "copy"), not_awaited("copy"), also=LATE, inputs=[numbers(32)])
class NoWaitAtAll:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)  # <copy>
            o_ref[...] = tile[...] + 1  # <reads>
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...] + 1
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x + 1]


@defect("of two copies with a barrier each, the wait for the second one comes behind its use",
        in_flight("reads", "b", (0,), "second"), also=LATE, inputs=[numbers(2, 32)])
class WaitsForTheFirstOfTwo:
    def broken(x):
        def kernel(x_ref, o_ref, a, b, first, second):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, first)
            plgpu.copy_gmem_to_smem(x_ref.at[1], b, second)  # <second>
            plgpu.barrier_wait(first)
            o_ref[...] = a[...] + b[...]  # <reads>
            plgpu.barrier_wait(second)
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b, first, second):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, first)
            plgpu.copy_gmem_to_smem(x_ref.at[1], b, second)
            plgpu.barrier_wait(first)
            plgpu.barrier_wait(second)
            o_ref[...] = a[...] + b[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier(), barrier()])

    def outputs(x):
        return [x[0] + x[1]]


@defect("the first step waits for the copy, the others do not",
        in_flight("reads", "tiles", (1, 0), "copy"), not_awaited("copy"), also=LATE, inputs=[numbers(3, 32)])
class WaitsInTheFirstStep:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])  # <copy>

                @pl.when(step == 0)
                def _():
                    plgpu.barrier_wait(ready.at[step])
                o_ref[step] = tiles[step]  # <reads>
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier(num_barriers=3)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])
                plgpu.barrier_wait(ready.at[step])
                o_ref[step] = tiles[step]
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier(num_barriers=3)])

    def outputs(x):
        return [x]


@defect("a step reads the slot that the copy of the next step is filling",
        in_flight("reads", "tiles", (1, 0), "copy"), also=LATE, inputs=[numbers(4, 32)])
class ReadsTheNextSlot:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready):
            def fetch(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[jax.lax.rem(step, 2)], ready.at[jax.lax.rem(step, 2)])  # <copy>
            fetch(0)

            @pl.loop(0, 4)
            def _(step):
                pl.when(step < 3)(lambda: fetch(step + 1))
                plgpu.barrier_wait(ready.at[jax.lax.rem(step, 2)])
                o_ref[step] = tiles[jax.lax.rem(step + 1, 2)]  # <reads>
        return launch(kernel, f32(4, 32), x, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready):
            def fetch(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[jax.lax.rem(step, 2)], ready.at[jax.lax.rem(step, 2)])
            fetch(0)

            @pl.loop(0, 4)
            def _(step):
                pl.when(step < 3)(lambda: fetch(step + 1))
                plgpu.barrier_wait(ready.at[jax.lax.rem(step, 2)])
                o_ref[step] = tiles[jax.lax.rem(step, 2)]
        return launch(kernel, f32(4, 32), x, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def outputs(x):
        return [x]


@defect("the wait is for the barrier of the slot that comes next, whose copy has not started",
        Finding("deadlock", "waits", None, "ready"), also=[*LATE, "output-unwritten", "dma-not-awaited"], inputs=[numbers(3, 32)])
class WaitsForTheNextSlot:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @pl.loop(0, 3)
            def _(step):
                slot = jax.lax.rem(step, 2)
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[slot], ready.at[slot])
                plgpu.barrier_wait(ready.at[1 - slot])  # <waits>
                o_ref[step] = tiles[slot]
        return launch(kernel, f32(3, 32), x, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @pl.loop(0, 3)
            def _(step):
                slot = jax.lax.rem(step, 2)
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[slot], ready.at[slot])
                plgpu.barrier_wait(ready.at[slot])
                o_ref[step] = tiles[slot]
        return launch(kernel, f32(3, 32), x, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def outputs(x):
        return [x]


@defect("a tile is overwritten while the copy of the step before may still read it",
        in_flight("store", "tile", (0,), "copy"), also=LATE, thread="NVIDIA/cutlass#3636", inputs=[numbers(3, 32)])
class StoredOverACopyOut:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            @pl.loop(0, 3)
            def _(step):
                tile[...] = x_ref[step] + 1  # <store>
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            @pl.loop(0, 3)
            def _(step):
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)
                tile[...] = x_ref[step] + 1
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32)])

    def outputs(x):
        return [x + 1]


@defect("with two slots for two copies on their way, the wait leaves two of them, and so that of the slot that is stored to",
        in_flight("store", "tiles", (0, 0), "copy"), also=LATE, inputs=[numbers(5, 32)])
class LeavesOneCopyTooMany:
    def broken(x):
        def kernel(x_ref, o_ref, tiles):
            @pl.loop(0, 5)
            def _(step):
                slot = jax.lax.rem(step, 2)
                plgpu.wait_smem_to_gmem(2, wait_read_only=True)
                tiles[slot] = x_ref[step] + 1  # <store>
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tiles.at[slot], o_ref.at[step])  # <copy>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(5, 32), x, scratch=[shared(2, 32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles):
            @pl.loop(0, 5)
            def _(step):
                slot = jax.lax.rem(step, 2)
                plgpu.wait_smem_to_gmem(1, wait_read_only=True)
                tiles[slot] = x_ref[step] + 1
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tiles.at[slot], o_ref.at[step])
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(5, 32), x, scratch=[shared(2, 32)])

    def outputs(x):
        return [x + 1]


@defect("two copies out are of no group yet when the thread waits for all groups",
        in_flight("store", "a", (0,), "copy"), also=LATE, inputs=[numbers(2, 32)])
class GroupForgotten:
    def broken(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0]
            b[...] = x_ref[1]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(a, o_ref.at[0], commit_group=False)  # <copy>
            plgpu.copy_smem_to_gmem(b, o_ref.at[1], commit_group=False)
            plgpu.wait_smem_to_gmem(0)
            a[...] = jnp.zeros((32,), jnp.float32)  # <store>
            plgpu.commit_smem_to_gmem_group()
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0]
            b[...] = x_ref[1]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(a, o_ref.at[0], commit_group=False)
            plgpu.copy_smem_to_gmem(b, o_ref.at[1], commit_group=False)
            plgpu.commit_smem_to_gmem_group()
            plgpu.wait_smem_to_gmem(0)
            a[...] = jnp.zeros((32,), jnp.float32)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def outputs(x):
        return [x]


@defect("both copies of a step are a group each, and the wait counts steps",
        in_flight("store", "a", (0,), "copy"), also=LATE, inputs=[numbers(2, 32)])
class GroupsCountedAsSteps:
    def broken(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0]
            b[...] = x_ref[1]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(b, o_ref.at[1])
            plgpu.copy_smem_to_gmem(a, o_ref.at[0])  # <copy>
            plgpu.wait_smem_to_gmem(1)
            a[...] = jnp.zeros((32,), jnp.float32)  # <store>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b):
            a[...] = x_ref[0]
            b[...] = x_ref[1]
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(b, o_ref.at[1], commit_group=False)
            plgpu.copy_smem_to_gmem(a, o_ref.at[0])
            plgpu.wait_smem_to_gmem(0)
            a[...] = jnp.zeros((32,), jnp.float32)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32), shared(32)])

    def outputs(x):
        return [x]


@defect("what was copied out is read back when only the reads of the copy have been waited for",
        in_flight("back", "o_ref", (0, 0), "copy"), also=LATE, inputs=[numbers(32)])
class ReadBackTooEarly:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] + 1
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref.at[0])  # <copy>
            plgpu.wait_smem_to_gmem(0, wait_read_only=True)
            o_ref[1] = o_ref[0] * 2  # <back>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, scratch=[shared(32)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] + 1
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref.at[0])
            plgpu.wait_smem_to_gmem(0)
            o_ref[1] = o_ref[0] * 2
        return launch(kernel, f32(2, 32), x, scratch=[shared(32)])

    def outputs(x):
        return [jnp.stack([x + 1, 2 * (x + 1)])]


@defect("a slot is filled by a copy while the copy that takes it out may still read it",
        in_flight("fill", "tile", (0,), "take"), also=LATE, inputs=[numbers(3, 32)])
class FilledOverACopyOut:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)  # <fill>
                plgpu.barrier_wait(ready)
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])  # <take>
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)
                plgpu.barrier_wait(ready)
                plgpu.copy_smem_to_gmem(tile, o_ref.at[step])
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("a copy takes out what another copy is still bringing",
        in_flight("take", "tile", (0,), "fill"), also=LATE, inputs=[numbers(32)])
class TakenOutBeforeItIsThere:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)  # <fill>
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <take>
            plgpu.barrier_wait(ready)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            plgpu.copy_smem_to_gmem(tile, o_ref)
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("two copies on their way write the same row of the output",
        in_flight("second", "o_ref", (1, 0), "first"), also=LATE, inputs=[numbers(3, 32)])
class TwoCopiesToOneRow:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            plgpu.copy_smem_to_gmem(tile.at[pl.ds(0, 2)], o_ref.at[pl.ds(0, 2)])  # <first>
            plgpu.copy_smem_to_gmem(tile.at[pl.ds(2, 1)], o_ref.at[pl.ds(1, 1)])  # <second>
            plgpu.wait_smem_to_gmem(0)
            o_ref[2] = x_ref[2]
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref, tile, ready)
            plgpu.barrier_wait(ready)
            plgpu.copy_smem_to_gmem(tile.at[pl.ds(0, 2)], o_ref.at[pl.ds(0, 2)])
            plgpu.copy_smem_to_gmem(tile.at[pl.ds(2, 1)], o_ref.at[pl.ds(2, 1)])
            plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier()])

    def outputs(x):
        return [x]


@defect("a row that is copied beyond the array, by an index that counts from 1",
        outside("copy", (), "x_ref"), also=[*LATE, "output-unwritten"], inputs=[numbers(3, 32)])
class RowsCountedFromOne:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(1, 4)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready, oob_mode=PROMISED)  # <copy>
                plgpu.barrier_wait(ready)
                o_ref[step - 1] = tile[...]
        return launch(kernel, f32(3, 32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready, oob_mode=PROMISED)
                plgpu.barrier_wait(ready)
                o_ref[step] = tile[...]
        return launch(kernel, f32(3, 32), x, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x]


@defect("a list of rows to copy has one that is not in the array",
        outside("copy", (), "x_ref"), also=LATE, inputs=[numbers(4, 32), ROWS])
class ListOfRowsTooLong:
    def broken(x, rows):
        def kernel(x_ref, rows_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[rows_ref[...] + 1], tile, ready, oob_mode=PROMISED)  # <copy>
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...]
        return launch(kernel, f32(4, 32), x, rows, scratch=[shared(4, 32), barrier()])

    def repaired(x, rows):
        def kernel(x_ref, rows_ref, o_ref, tile, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[rows_ref[...]], tile, ready, oob_mode=PROMISED)
            plgpu.barrier_wait(ready)
            o_ref[...] = tile[...]
        return launch(kernel, f32(4, 32), x, rows, scratch=[shared(4, 32), barrier()])

    def outputs(x, rows):
        return [x[rows]]


@defect("a tile reaches beyond the array, and what is there is not filled with zeros",
        undefined("o_ref", (6, 0), "store", (), "sum"), inputs=[numbers(6, 32)])
class EdgeOfATileIsNotFilled:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 2)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(step * 4, 4)], tile, ready, oob_mode=plgpu.OOBFillMode.UNDEFINED)
                plgpu.barrier_wait(ready)
                o_ref[pl.ds(step * 4, 4)] = tile[...] + 1  # <store> <sum>
        return launch(kernel, f32(8, 32), x, scratch=[shared(4, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 2)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(step * 4, 4)], tile, ready)
                plgpu.barrier_wait(ready)
                o_ref[pl.ds(step * 4, 4)] = tile[...] + 1
        return launch(kernel, f32(8, 32), x, scratch=[shared(4, 32), barrier()])

    def outputs(x):
        return [jnp.concatenate([x + 1, jnp.ones((2, 32))])]


@defect("the steps before the loop fill one slot less than the loop reads",
        Finding("deadlock", "waits", None, "ready"), also=[*LATE, "output-unwritten", "dma-not-awaited"], inputs=[numbers(3, 32)],
        thread="tile-ai/tilelang#2566")
class OneSlotIsNotFilled:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready):
            for step in range(2):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])

            @pl.loop(0, 3)
            def _(step):
                plgpu.barrier_wait(ready.at[step])  # <waits>
                o_ref[step] = tiles[step]
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier(num_barriers=3)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready):
            for step in range(3):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])

            @pl.loop(0, 3)
            def _(step):
                plgpu.barrier_wait(ready.at[step])
                o_ref[step] = tiles[step]
        return launch(kernel, f32(3, 32), x, scratch=[shared(3, 32), barrier(num_barriers=3)])

    def outputs(x):
        return [x]


@defect("two copies share a barrier that counts both, and only one starts",
        Finding("deadlock", "waits", None, "ready"), also=[*LATE, "output-unwritten", "dma-not-awaited", "semaphore-left"],
        inputs=[numbers(2, 32)])
class OneOfTwoCopiesIsLeftOut:
    def broken(x):
        def kernel(x_ref, o_ref, a, b, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, ready)
            b[...] = x_ref[1]
            plgpu.barrier_wait(ready)  # <waits>
            o_ref[...] = a[...] + b[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, a, b, ready):
            plgpu.copy_gmem_to_smem(x_ref.at[0], a, ready)
            plgpu.copy_gmem_to_smem(x_ref.at[1], b, ready)
            plgpu.barrier_wait(ready)
            o_ref[...] = a[...] + b[...]
        return launch(kernel, f32(32), x, scratch=[shared(32), shared(32), barrier(num_arrivals=2)])

    def outputs(x):
        return [x[0] + x[1]]


@defect("the kernel ends while its last copies out may still read shared memory",
        not_awaited("copy"), also=["output-unwritten"], inputs=[numbers(32)])
class EndsWithACopyOnItsWay:
    def broken(x):
        def kernel(x_ref, o_ref, tile):
            tile[...] = x_ref[...] * 2
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(tile, o_ref)  # <copy>
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
