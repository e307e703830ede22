"""Threads of a Mosaic GPU kernel that hand tiles on to each other in shared memory, before they are there or while others use them."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier, launch, shared, thread
from conformance.defects.shorthand import f32, numbers

FOLLOWS = ["undefined-output", "order-dependence", "dma-not-awaited", "dma-in-flight", "output-unwritten", "semaphore-left", "proxy-fence-missing"]


def wants(marks, its, param, others=None):
    """A thread waits at these lines for a phase that never comes."""
    return Finding("deadlock", marks, its, param, None, None, others)


@defect("a thread takes a tile without waiting until the other one has made it",
        race("tile", (0,), ("makes", (0,)), ("takes", (1,))), also=FOLLOWS, inputs=[numbers(32)])
class TakenWithoutWaiting:
    def broken(x):
        def kernel(x_ref, o_ref, tile, made):
            @thread(0)
            def _():
                tile[...] = x_ref[...] + 1  # <makes>
                plgpu.barrier_arrive(made)

            @thread(1)
            def _():
                o_ref[...] = tile[...] + 1  # <takes>
                plgpu.barrier_wait(made)
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, made):
            @thread(0)
            def _():
                tile[...] = x_ref[...] + 1
                plgpu.barrier_arrive(made)

            @thread(1)
            def _():
                plgpu.barrier_wait(made)
                o_ref[...] = tile[...] + 1
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x + 2]


@defect("a thread says that the tile is made before it makes it",
        race("tile", (0,), ("makes", (0,)), ("takes", (1,))), also=FOLLOWS, inputs=[numbers(32)])
class ToldBeforeItIsMade:
    def broken(x):
        def kernel(x_ref, o_ref, tile, made):
            @thread(0)
            def _():
                plgpu.barrier_arrive(made)
                tile[...] = x_ref[...] + 1  # <makes>

            @thread(1)
            def _():
                plgpu.barrier_wait(made)
                o_ref[...] = tile[...] + 1  # <takes>
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, made):
            @thread(0)
            def _():
                tile[...] = x_ref[...] + 1
                plgpu.barrier_arrive(made)

            @thread(1)
            def _():
                plgpu.barrier_wait(made)
                o_ref[...] = tile[...] + 1
        return launch(kernel, f32(32), x, threads=2, scratch=[shared(32), barrier()])

    def outputs(x):
        return [x + 2]


@defect("two threads each write the whole tile instead of their half",
        race("tile", (0, 0), ("writes", (0,)), ("writes", (1,))), also=FOLLOWS, inputs=[numbers(2, 32)])
class BothWriteTheWholeTile:
    def broken(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")
            tile[...] = x_ref[...] * (number + 1).astype(jnp.float32)  # <writes>
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)
            o_ref[number] = tile[number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")
            tile[number] = x_ref[number] * (number + 1).astype(jnp.float32)
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)
            o_ref[number] = tile[number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_arrivals=2)])

    def outputs(x):
        return [x * jnp.array([[1], [2]], jnp.float32)]


@defect("a worker needs the other one's half too, and waits only for its own",
        race("halves", (0, 0), ("writes", (0,)), ("reads", (1,))), also=FOLLOWS, inputs=[numbers(2, 32)])
class OtherHalfNotAwaited:
    def broken(x):
        def kernel(x_ref, o_ref, halves, done):
            number = jax.lax.axis_index("thread")
            halves[number] = x_ref[number] + 1  # <writes>
            plgpu.barrier_arrive(done.at[number])
            plgpu.barrier_wait(done.at[number])
            o_ref[number] = halves[number] + halves[1 - number]  # <reads>
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, halves, done):
            number = jax.lax.axis_index("thread")
            halves[number] = x_ref[number] + 1
            plgpu.barrier_arrive(done.at[number])
            plgpu.barrier_wait(done.at[1 - number])
            o_ref[number] = halves[number] + halves[1 - number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_barriers=2)])

    def outputs(x):
        return [jnp.stack([x[0] + x[1] + 2] * 2)]


@defect("the rows where threads leave their parts are written again for the next sum, while others still add them up",
        race("parts", (0,), ("adds", (1,)), ("leaves", (0,))), also=FOLLOWS, thread="NVIDIA/cutlass#3597", inputs=[numbers(2, 2, 32)])
class PartsLeftAgainTooEarly:
    def broken(x):
        def kernel(x_ref, o_ref, parts, left):
            number = jax.lax.axis_index("thread")

            @pl.loop(0, 2)
            def _(step):
                parts[number] = jnp.sum(x_ref[step, number])  # <leaves>
                plgpu.barrier_arrive(left)
                plgpu.barrier_wait(left)
                o_ref[number, step] = parts[0] + parts[1]  # <adds>
        return launch(kernel, f32(2, 2), x, threads=2, scratch=[shared(2), barrier(num_arrivals=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, parts, left):
            number = jax.lax.axis_index("thread")

            @pl.loop(0, 2)
            def _(step):
                parts[number] = jnp.sum(x_ref[step, number])
                plgpu.barrier_arrive(left)
                plgpu.barrier_wait(left)
                o_ref[number, step] = parts[0] + parts[1]
                plgpu.barrier_arrive(left)
                plgpu.barrier_wait(left)
        return launch(kernel, f32(2, 2), x, threads=2, scratch=[shared(2), barrier(num_arrivals=2)])

    def outputs(x):
        return [jnp.stack([x.sum((1, 2))] * 2)]


@defect("a worker frees its slot before it has read it",
        race("tile", (0,), ("copy", (0,)), ("reads", (1,))), also=FOLLOWS, inputs=[numbers(6, 32)])
class FreedBeforeItIsRead:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    pl.when(step > 0)(lambda: plgpu.barrier_wait(free))
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)  # <copy>

            @thread(1)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    plgpu.barrier_wait(ready)
                    pl.when(step < 5)(lambda: plgpu.barrier_arrive(free))
                    o_ref[step] = tile[...]  # <reads>
        return launch(kernel, f32(6, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    pl.when(step > 0)(lambda: plgpu.barrier_wait(free))
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    pl.when(step < 5)(lambda: plgpu.barrier_arrive(free))
        return launch(kernel, f32(6, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("a worker never frees its slot",
        wants("free", (0,), "free", (1,)), wants("ready", (1,), "ready", (0,)), also=FOLLOWS, inputs=[numbers(3, 32)])
class NeverFreed:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    pl.when(step > 0)(lambda: plgpu.barrier_wait(free))  # <free>
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)  # <ready>
                    o_ref[step] = tile[...]
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    pl.when(step > 0)(lambda: plgpu.barrier_wait(free))
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    pl.when(step < 2)(lambda: plgpu.barrier_arrive(free))
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("the first step already waits until its slot is free, which nobody has used yet",
        wants("free", (0,), "free", (1,)), wants("ready", (1,), "ready", (0,)), also=FOLLOWS, inputs=[numbers(3, 32)])
class WaitsForAFreeSlotAtFirst:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(free)  # <free>
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)  # <ready>
                    o_ref[step] = tile[...]
                    plgpu.barrier_arrive(free)
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready)

            @thread(1)
            def _():
                plgpu.barrier_arrive(free)

                @pl.loop(0, 3)
                def _(step):
                    plgpu.barrier_wait(ready)
                    o_ref[step] = tile[...]
                    pl.when(step < 2)(lambda: plgpu.barrier_arrive(free))
        return launch(kernel, f32(3, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("a worker frees the slot that it reads next instead of the one that it has read",
        Finding("phase-missed", "waits", (0,), "free", None, "free", (1,)), also=["race", *FOLLOWS], inputs=[numbers(6, 32)])
class FreesTheNextSlot:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    slot = jax.lax.rem(step, 2)
                    pl.when(step > 1)(lambda: plgpu.barrier_wait(free.at[slot]))  # <waits>
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[slot], ready.at[slot])

            @thread(1)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    slot = jax.lax.rem(step, 2)
                    plgpu.barrier_wait(ready.at[slot])
                    o_ref[step] = tiles[slot]
                    pl.when(step < 4)(lambda: plgpu.barrier_arrive(free.at[1 - slot]))  # <free>
        return launch(kernel, f32(6, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_barriers=2), barrier(num_barriers=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready, free):
            @thread(0)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    slot = jax.lax.rem(step, 2)
                    pl.when(step > 1)(lambda: plgpu.barrier_wait(free.at[slot]))
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[slot], ready.at[slot])

            @thread(1)
            def _():
                @pl.loop(0, 6)
                def _(step):
                    slot = jax.lax.rem(step, 2)
                    plgpu.barrier_wait(ready.at[slot])
                    o_ref[step] = tiles[slot]
                    pl.when(step < 4)(lambda: plgpu.barrier_arrive(free.at[slot]))
        return launch(kernel, f32(6, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_barriers=2), barrier(num_barriers=2)])

    def outputs(x):
        return [x]


@defect("a worker waits for the barrier of the slot behind its own",
        race("tiles", (0, 0), ("copy", (0,)), ("reads", (1,))), also=["barrier-overrun", "phase-missed", "deadlock", *FOLLOWS],
        inputs=[numbers(4, 32)])
class WaitsForTheSlotBehind:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @thread(0)
            def _():
                for step in range(4):
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])  # <copy>

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready.at[jax.lax.rem(step + 1, 4)])
                    o_ref[step] = tiles[step]  # <reads>
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(4, 32), barrier(num_barriers=4)])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready):
            @thread(0)
            def _():
                for step in range(4):
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready.at[step])

            @thread(1)
            def _():
                @pl.loop(0, 4)
                def _(step):
                    plgpu.barrier_wait(ready.at[step])
                    o_ref[step] = tiles[step]
        return launch(kernel, f32(4, 32), x, threads=2, scratch=[shared(4, 32), barrier(num_barriers=4)])

    def outputs(x):
        return [x]


@defect("a barrier counts on three arrivals, and there are two threads",
        wants("waits", (0,), "done", (1,)), also=FOLLOWS, inputs=[numbers(2, 32)])
class CountsOnAThird:
    def broken(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")
            tile[number] = x_ref[number]
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)  # <waits>
            o_ref[number] = tile[1 - number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_arrivals=3)])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, done):
            number = jax.lax.axis_index("thread")
            tile[number] = x_ref[number]
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)
            o_ref[number] = tile[1 - number]
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(2, 32), barrier(num_arrivals=2)])

    def outputs(x):
        return [x[::-1]]


@defect("a worker that has nothing to do leaves without arriving at the barrier of all",
        wants("waits", (0,), "done"), also=FOLLOWS, thread="vllm-project/vllm#26026", inputs=[numbers(3, 32)])
class IdleWorkerLeaves:
    def broken(x):
        def kernel(x_ref, o_ref, done):
            number = jax.lax.axis_index("thread")

            @pl.when(number < 2)
            def _():
                o_ref[number] = x_ref[number]
                plgpu.barrier_arrive(done)
                plgpu.barrier_wait(done)  # <waits>
                o_ref[number + 2] = o_ref[1 - number]
        return launch(kernel, f32(4, 32), x, threads=3, scratch=[barrier(num_arrivals=3)])

    def repaired(x):
        def kernel(x_ref, o_ref, done):
            number = jax.lax.axis_index("thread")

            @pl.when(number < 2)
            def _():
                o_ref[number] = x_ref[number]
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)

            @pl.when(number < 2)
            def _():
                o_ref[number + 2] = o_ref[1 - number]
        return launch(kernel, f32(4, 32), x, threads=3, scratch=[barrier(num_arrivals=3)])

    def outputs(x):
        return [jnp.concatenate([x[:2], x[1::-1]])]


@defect("two threads take turns in waiting for the phases of one barrier",
        Finding("barrier-overrun", "free", (1,), "free", None, "free", (0,)), Finding("barrier-overrun", "copy", (2,), "ready", None, "copy", (2,)),
        also=["race", "deadlock", *FOLLOWS], inputs=[numbers(4, 32)])
class TurnsInWaiting:
    def broken(x):
        def kernel(x_ref, o_ref, tiles, ready, free):
            number = jax.lax.axis_index("thread")

            @thread(2)
            def _():
                for step in range(4):
                    if step:
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready)  # <copy>

            for turn in range(4):
                @pl.when(number == turn % 2)
                def _():
                    plgpu.barrier_wait(ready)
                    o_ref[turn] = tiles[turn]
                    if turn < 3:
                        plgpu.barrier_arrive(free)  # <free>
        return launch(kernel, f32(4, 32), x, threads=3, scratch=[shared(4, 32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tiles, ready, free):
            number = jax.lax.axis_index("thread")

            @thread(2)
            def _():
                for step in range(4):
                    if step:
                        plgpu.barrier_wait(free)
                    plgpu.copy_gmem_to_smem(x_ref.at[step], tiles.at[step], ready)

            for turn in range(4):
                @pl.when(number < 2)
                def _():
                    plgpu.barrier_wait(ready)

                    @pl.when(number == turn % 2)
                    def _():
                        o_ref[turn] = tiles[turn]
                    if turn < 3:
                        plgpu.barrier_arrive(free)
        return launch(kernel, f32(4, 32), x, threads=3, scratch=[shared(4, 32), barrier(), barrier(num_arrivals=2)])

    def outputs(x):
        return [x]


@defect("the thread that stores a tile waits for copies out, but another thread has started them",
        race("tile", (0,), ("copy", (1,)), ("store", (0,))), also=FOLLOWS, inputs=[numbers(2, 32)])
class WaitsForCopiesOfAnother:
    def broken(x):
        def kernel(x_ref, o_ref, tile, full, empty):
            @thread(0)
            def _():
                for step in range(2):
                    if step:
                        plgpu.barrier_wait(empty)
                    plgpu.wait_smem_to_gmem(0)
                    tile[...] = x_ref[step]  # <store>
                    plgpu.commit_smem()
                    plgpu.barrier_arrive(full)

            @thread(1)
            def _():
                for step in range(2):
                    plgpu.barrier_wait(full)
                    plgpu.copy_smem_to_gmem(tile, o_ref.at[step])  # <copy>
                    if not step:
                        plgpu.barrier_arrive(empty)
                plgpu.wait_smem_to_gmem(0)
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, full, empty):
            @thread(0)
            def _():
                for step in range(2):
                    if step:
                        plgpu.barrier_wait(empty)
                    tile[...] = x_ref[step]
                    plgpu.commit_smem()
                    plgpu.barrier_arrive(full)

            @thread(1)
            def _():
                for step in range(2):
                    plgpu.barrier_wait(full)
                    plgpu.copy_smem_to_gmem(tile, o_ref.at[step])
                    plgpu.wait_smem_to_gmem(0)
                    if not step:
                        plgpu.barrier_arrive(empty)
        return launch(kernel, f32(2, 32), x, threads=2, scratch=[shared(32), barrier(), barrier()])

    def outputs(x):
        return [x]


@defect("one thread allocates memory that all threads share, and the others do not come",
        Finding("collective-diverged", "allocates", (0,), None, None, None), inputs=[numbers(32)])
class AllocatesAlone:
    def broken(x):
        def kernel(x_ref, o_ref):
            @thread(0)
            def _():
                def scope(tile):
                    tile[...] = x_ref[...]
                    o_ref[...] = tile[...] + 1
                pl.run_scoped(scope, shared(32), collective_axes="thread")  # <allocates>
        return launch(kernel, f32(32), x, threads=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            def scope(tile):
                @thread(0)
                def _():
                    tile[...] = x_ref[...]
                    o_ref[...] = tile[...] + 1
            pl.run_scoped(scope, shared(32), collective_axes="thread")
        return launch(kernel, f32(32), x, threads=2)

    def outputs(x):
        return [x + 1]


@defect("threads allocate shared memory in a loop of as many turns as each has work",
        Finding("collective-diverged", "allocates", (0,), None, None, None), inputs=[numbers(5, 32)])
class AllocatesInItsOwnLoop:
    def broken(x):
        def kernel(x_ref, o_ref):
            number = jax.lax.axis_index("thread")

            @pl.loop(number, 5, step=2)
            def _(row):
                def scope(tiles):
                    tiles[number] = x_ref[row]
                    o_ref[row] = tiles[number] + 1
                pl.run_scoped(scope, shared(2, 32), collective_axes="thread")  # <allocates>
        return launch(kernel, f32(5, 32), x, threads=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            number = jax.lax.axis_index("thread")

            def scope(tiles):
                @pl.loop(number, 5, step=2)
                def _(row):
                    tiles[number] = x_ref[row]
                    o_ref[row] = tiles[number] + 1
            pl.run_scoped(scope, shared(2, 32), collective_axes="thread")
        return launch(kernel, f32(5, 32), x, threads=2)

    def outputs(x):
        return [x + 1]


@defect("two threads allocate memory of their own in two branches, which is the same memory on a GPU",
        Finding("collective-diverged", "first", (0,), None, None, None), Finding("collective-diverged", "second", (1,), None, None, None),
        inputs=[numbers(2, 32)])
class AllocateInTwoBranches:
    def broken(x):
        def kernel(x_ref, o_ref):
            @thread(0)
            def _():
                def scope(tile):
                    tile[...] = x_ref[0]
                    o_ref[0] = tile[...] + 1
                pl.run_scoped(scope, shared(32), collective_axes="thread")  # <first>

            @thread(1)
            def _():
                def scope(tile):
                    tile[...] = x_ref[1]
                    o_ref[1] = tile[...] - 1
                pl.run_scoped(scope, shared(32), collective_axes="thread")  # <second>
        return launch(kernel, f32(2, 32), x, threads=2)

    def repaired(x):
        def kernel(x_ref, o_ref):
            def scope(one, other):
                @thread(0)
                def _():
                    one[...] = x_ref[0]
                    o_ref[0] = one[...] + 1

                @thread(1)
                def _():
                    other[...] = x_ref[1]
                    o_ref[1] = other[...] - 1
            pl.run_scoped(scope, shared(32), shared(32), collective_axes="thread")
        return launch(kernel, f32(2, 32), x, threads=2)

    def outputs(x):
        return [jnp.stack([x[0] + 1, x[1] - 1])]
