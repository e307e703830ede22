"""Matrix products of Mosaic GPU as GPUs want them: a thread that brings tiles, threads that multiply, clusters that share tiles."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 128  # rows, and columns, of a tile of the result; 64 columns of the left factor fill the rows of a swizzle
DEPTH, SLOTS = 64, 4
SWIZZLED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def tiles(*shape):
    return plgpu.SMEM(shape, jnp.float16, transforms=SWIZZLED)


def at_tile(row, column, rows=TILE, columns=TILE):
    return pl.ds(row * rows, rows), pl.ds(column * columns, columns)


# ---- Hopper ----

HOPPER_SLOTS = 3  # four would not fit into shared memory beside the tiles of the result
MULTIPLIERS = 2  # threads that multiply, each a tile below the other's; the thread behind them brings the tiles


def hopper_body(a_ref, b_ref, o_ref, a, b, out, ready, used):
    """Two blocks of a cluster are side by side: they share the tiles of the left factor, of which each brings half."""
    thread, rank = lax.axis_index("thread"), lax.axis_index("rank")
    row, column = lax.axis_index("row"), lax.axis_index("column") * 2 + rank
    steps = a_ref.shape[1] // DEPTH

    @pl.when(thread == MULTIPLIERS)
    def bring():
        def step(k, _):
            slot = lax.rem(k, HOPPER_SLOTS)
            pl.when(k >= HOPPER_SLOTS)(lambda: plgpu.barrier_wait(used.at[slot]))
            plgpu.copy_gmem_to_smem(a_ref.at[at_tile(row, k, MULTIPLIERS * TILE, DEPTH)], a.at[slot], ready.at[slot],
                                    collective_axes="rank")
            plgpu.copy_gmem_to_smem(b_ref.at[at_tile(k, column, DEPTH)], b.at[slot], ready.at[slot])
            return ()
        lax.fori_loop(0, steps, step, ())
        lax.fori_loop(0, HOPPER_SLOTS, lambda k, _: plgpu.barrier_wait(used.at[k]), None)

    @pl.when(thread < MULTIPLIERS)
    def multiply():
        def sums(acc):
            def step(k, _):
                slot = lax.rem(k, HOPPER_SLOTS)
                plgpu.barrier_wait(ready.at[slot])
                plgpu.wgmma(acc, a.at[slot, pl.ds(thread * TILE, TILE)], b.at[slot])
                plgpu.wgmma_wait(0)
                plgpu.barrier_arrive(used.at[slot])
                return ()
            lax.fori_loop(0, steps, step, ())
            return acc[...]
        out[thread] = pl.run_scoped(sums, plgpu.ACC((TILE, TILE), jnp.float32)).astype(jnp.float16)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(out.at[thread], o_ref.at[at_tile(row * MULTIPLIERS + thread, column)])
        plgpu.wait_smem_to_gmem(0)


def hopper_matmul(x, y, interpret=None):
    rows, columns = x.shape[0] // (MULTIPLIERS * TILE), y.shape[1] // (2 * TILE)
    return plgpu.kernel(
        hopper_body, out_type=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float16), grid=(rows, columns),
        grid_names=("row", "column"), cluster=(2,), cluster_names=("rank",), num_threads=MULTIPLIERS + 1, thread_name="thread",
        scratch_types=[tiles(HOPPER_SLOTS, MULTIPLIERS * TILE, DEPTH), tiles(HOPPER_SLOTS, DEPTH, TILE), tiles(MULTIPLIERS, TILE, TILE),
                       plgpu.Barrier(num_arrivals=2, num_barriers=HOPPER_SLOTS),
                       plgpu.ClusterBarrier(collective_axes=("rank",), num_arrivals=MULTIPLIERS, num_barriers=HOPPER_SLOTS)],
        **({} if interpret is None else {"interpret": interpret}))(x, y)


# ---- Blackwell ----

BRINGS, MULTIPLIES = 0, 1  # warps of the first thread; the second thread stores what the last tile has become


def blackwell_body(a_ref, b_ref, o_ref, a, b, sums, out, ready, used, done, stored):
    """Clusters take over each other's tiles of the result; the sums of two tiles are in tensor memory in turn."""
    thread, steps = lax.axis_index("thread"), a_ref.shape[1] // DEPTH

    @plgpu.dynamic_scheduling_loop(grid_names=("row", "column"), thread_axis="thread")
    def loop(info):
        row, column = info.index
        turn = lax.rem(info.local_index, 2)
        acc = sums.at[:, pl.ds(turn * TILE, TILE)]

        @pl.when(thread == 0)
        def start():
            @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
            def of_warp():
                warp = lax.axis_index("warp")

                @pl.when(warp == BRINGS)
                def bring():
                    def step(k, _):
                        slot = lax.rem(k, SLOTS)
                        pl.when(jnp.logical_or(k >= SLOTS, info.local_index > 0))(lambda: plgpu.barrier_wait(used.at[slot]))
                        plgpu.copy_gmem_to_smem(a_ref.at[at_tile(row, k, TILE, DEPTH)], a.at[slot], ready.at[slot])
                        plgpu.copy_gmem_to_smem(b_ref.at[at_tile(k, column, DEPTH)], b.at[slot], ready.at[slot])
                    lax.fori_loop(0, steps, step, None)

                @pl.when(warp == MULTIPLIES)
                def multiply():
                    pl.when(info.local_index > 1)(lambda: plgpu.barrier_wait(stored.at[turn]))

                    def step(k, _):
                        slot = lax.rem(k, SLOTS)
                        plgpu.barrier_wait(ready.at[slot])
                        plgpu.tcgen05_mma(acc, a.at[slot], b.at[slot], used.at[slot], accumulate=k > 0)
                    lax.fori_loop(0, steps, step, None)
                    plgpu.tcgen05_commit_arrive(done.at[turn])

        @pl.when(thread == 1)
        def store():
            plgpu.wait_smem_to_gmem(0, wait_read_only=True)
            plgpu.barrier_wait(done.at[turn])
            out[...] = plgpu.async_load_tmem(acc).astype(jnp.float16)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(out, o_ref.at[at_tile(row, column)])
            plgpu.wait_load_tmem()
            plgpu.barrier_arrive(stored.at[turn])

    pl.when(thread == 1)(lambda: plgpu.wait_smem_to_gmem(0))


def blackwell_matmul(x, y, interpret=None):
    def arrivals(count, number, products=False):
        return plgpu.Barrier(num_arrivals=count, num_barriers=number, orders_tensor_core=products)

    return plgpu.kernel(
        blackwell_body, out_type=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float16),
        grid=(x.shape[0] // TILE, y.shape[1] // TILE), grid_names=("row", "column"), num_threads=2, thread_name="thread",
        scratch_types=[tiles(SLOTS, TILE, DEPTH), tiles(SLOTS, DEPTH, TILE), plgpu.TMEM((TILE, 2 * TILE), jnp.float32),
                       tiles(TILE, TILE), arrivals(2, SLOTS), arrivals(1, SLOTS, True), arrivals(1, 2, True),
                       arrivals(1, 2, True)],
        **({} if interpret is None else {"interpret": interpret}))(x, y)
