"""The kernels of JAX's page "Writing Mosaic GPU kernels with Pallas", completed where the page leaves parts out: they run in every order and
nothing is found in them.  Where what is printed there cannot be right, it is found.  Not here are products of two blocks and memory of
other devices."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu.launch_context import CopyPartition
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import f32, found, launch_of, loaded, numbers, runs

HALF_TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
cluster_of_two = {"cluster": (2,), "cluster_names": ("cluster",)}


def is_right(launch, args, expected):
    """In every order, and nothing is found."""
    for result in runs(launch, *args):
        np.testing.assert_array_equal(result, expected)
    assert found(launch, *args) - {"layout-unchecked"} == set()


def halves(*shape):
    return (numbers(*shape) % 7).astype(jnp.float16)


def product(a, b):
    return np.asarray(a, np.float32) @ np.asarray(b, np.float32)


def half_tiles(*shape):
    return plgpu.SMEM(shape, jnp.float16, transforms=HALF_TILES)


# -- blocks, threads, clusters --


def test_a_pallas_call_that_increments():
    launch = pl.pallas_call(lambda x_ref, y_ref: y_ref.__setitem__(..., x_ref[...] + 1), grid=(2,), out_shape=f32(256),
                            in_specs=[pl.BlockSpec((128,), lambda i: (i,))], out_specs=pl.BlockSpec((128,), lambda i: (i,)), interpret=True)
    is_right(launch, [numbers(256)], numbers(256) + 1)


def test_a_kernel_that_increments():
    def body(x_ref, y_ref):
        block = pl.ds(jax.lax.axis_index("x") * 128, 128)
        y_ref[block] = x_ref[block] + 1

    is_right(launch_of(body, out=f32(256), grid=(2,), grid_names=("x",)), [numbers(256)], numbers(256) + 1)


def test_two_threads_of_a_block():
    def body(x_ref, y_ref, smem_ref, barrier_ref):
        thread_id = jax.lax.axis_index("pallas_thread")

        @pl.when(thread_id == 0)
        def _producer():
            smem_ref[...] = x_ref[...] + 1
            plgpu.barrier_arrive(barrier_ref)

        @pl.when(thread_id == 1)
        def _consumer():
            plgpu.barrier_wait(barrier_ref)
            y_ref[...] = smem_ref[...] + 1

    launch = launch_of(body, out=f32(128), scratch=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()],
                       num_threads=2, thread_name="pallas_thread")
    is_right(launch, [numbers(128)], numbers(128) + 2)


def test_a_copy_to_all_blocks_of_a_cluster():
    def body(x_ref, y_ref, smem_ref, barrier_ref):
        plgpu.copy_gmem_to_smem(x_ref, smem_ref, barrier_ref, collective_axes="cluster")
        plgpu.barrier_wait(barrier_ref)
        plgpu.copy_smem_to_gmem(smem_ref, y_ref.at[jax.lax.axis_index("cluster")])
        plgpu.wait_smem_to_gmem(0)

    launch = launch_of(body, out=f32(2, 128), scratch=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()], **cluster_of_two)
    is_right(launch, [numbers(128)], np.stack([numbers(128)] * 2))


def test_a_semaphore_of_the_whole_grid():
    def body(out_ref):
        sem_ref = pl.get_global(plgpu.SemaphoreType.REGULAR)
        block_id = jax.lax.axis_index("x")
        pl.when(block_id == 0)(lambda: pl.semaphore_signal(sem_ref))

        @pl.when(block_id == 1)
        def _():
            pl.semaphore_wait(sem_ref)
            out_ref[...] = jnp.ones_like(out_ref)

    is_right(launch_of(body, out=f32(128), grid=(2,), grid_names=("x",)), [], np.ones(128))


# -- wgmma --


def of_accumulator(scope):
    """What the function makes of both factors in shared memory."""
    def body(a_ref, b_ref, o_ref, a, b, ready):
        plgpu.copy_gmem_to_smem(a_ref, a, ready)
        plgpu.copy_gmem_to_smem(b_ref, b, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = scope(a, b)

    return launch_of(body, out=f32(64, 64), scratch=[half_tiles(64, 64), half_tiles(64, 64), plgpu.Barrier(num_arrivals=2)])


def test_accumulators():
    a, b = halves(64, 64), halves(64, 64)

    def of_zeros(a, b):
        def compute(acc_ref):
            plgpu.wgmma(acc_ref, a, b)
            return acc_ref[...]
        return pl.run_scoped(compute, plgpu.ACC((64, 64), jnp.float32))

    def of_ones(a, b):
        return pl.run_state(lambda acc_ref: plgpu.wgmma(acc_ref, a, b))(plgpu.ACC.init(jnp.ones((64, 64), jnp.float32)))

    def of_a_transposed_factor(a, b):
        def compute(acc_ref):
            plgpu.wgmma(acc_ref, plgpu.transpose_ref(a, (1, 0)), b)
            return acc_ref[...]
        return pl.run_scoped(compute, plgpu.ACC((64, 64), jnp.float32))

    is_right(of_accumulator(of_zeros), [a, b], product(a, b))
    is_right(of_accumulator(of_ones), [a, b], product(a, b) + 1)
    is_right(of_accumulator(of_a_transposed_factor), [a, b], product(a.T, b))


def pipelined(*, waits, fills, buffers=3, steps=6):
    """The loop over K.  The page has neither the wait nor the right slot."""
    def body(a_gmem, b_gmem, o_ref, a_smem, b_smem, a_loaded, b_loaded):
        def fetch_a_b(ki, slot):
            part = pl.ds(ki * 64, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[:, part], a_smem.at[slot], a_loaded.at[slot])
            plgpu.copy_gmem_to_smem(b_gmem.at[part], b_smem.at[slot], b_loaded.at[slot])

        def compute(acc_ref):
            def loop_body(i, _):
                slot = jax.lax.rem(i, buffers)
                plgpu.barrier_wait(a_loaded.at[slot])
                plgpu.barrier_wait(b_loaded.at[slot])
                plgpu.wgmma(acc_ref, a_smem.at[slot], b_smem.at[slot])
                if waits:
                    plgpu.wgmma_wait(1)
                load_i = i + buffers - 1
                load_slot = jax.lax.rem(load_i, buffers)

                @pl.when(jnp.logical_and(load_i >= buffers, load_i < steps))
                def _do_fetch():
                    fetch_a_b(load_i, {"load_slot": load_slot, "slot": slot}[fills])

            for slot in range(buffers):
                fetch_a_b(slot, slot)
            jax.lax.fori_loop(0, steps, loop_body, None)
            return acc_ref[...]

        o_ref[...] = pl.run_scoped(compute, plgpu.ACC((64, 64), jnp.float32))

    return launch_of(body, out=f32(64, 64), scratch=[
        half_tiles(buffers, 64, 64), half_tiles(buffers, 64, 64), plgpu.Barrier(num_barriers=buffers), plgpu.Barrier(num_barriers=buffers)])


def test_a_pipeline_of_products():
    a, b = halves(64, 384), halves(384, 64)
    is_right(pipelined(waits=True, fills="load_slot"), [a, b], product(a, b))


def test_a_product_waits_for_the_one_before():
    """As the page says, though JAX 0.10 emits no such wait: kernels of JAX rely on it."""
    a, b = halves(64, 384), halves(384, 64)
    is_right(pipelined(waits=False, fills="load_slot"), [a, b], product(a, b))


def test_the_slot_that_the_page_fills_is_that_of_the_product_that_runs():
    assert found(pipelined(waits=True, fills="slot"), halves(64, 384), halves(384, 64)) >= {"product-in-flight", "deadlock"}


# -- tcgen05 --


def in_tensor_memory(body, extra=()):
    def kernel(a_ref, b_ref, o_ref, lhs_ref, rhs_ref, acc_tmem, ready, barrier_ref, *more):
        plgpu.copy_gmem_to_smem(a_ref, lhs_ref, ready)
        plgpu.copy_gmem_to_smem(b_ref, rhs_ref, ready)
        plgpu.barrier_wait(ready)
        body(lhs_ref, rhs_ref, acc_tmem, barrier_ref, o_ref, *more)

    return launch_of(kernel, out=f32(128, 128), scratch=[
        half_tiles(128, 64), half_tiles(64, 128), plgpu.TMEM((128, 128), jnp.float32), plgpu.Barrier(num_arrivals=2),
        plgpu.Barrier(orders_tensor_core=True), *extra])


FACTORS = [halves(128, 64), halves(64, 128)]


def test_a_product_that_a_barrier_is_told_of():
    def body(lhs_ref, rhs_ref, acc_tmem, barrier_ref, o_ref):
        plgpu.tcgen05_mma(acc_tmem, lhs_ref, rhs_ref, barrier_ref, accumulate=False)
        plgpu.barrier_wait(barrier_ref)
        o_ref[...] = plgpu.async_load_tmem(acc_tmem)

    is_right(in_tensor_memory(body), FACTORS, product(*FACTORS))


def test_two_products_and_an_arrival():
    def body(lhs_ref, rhs_ref, acc_tmem, barrier_ref, o_ref):
        plgpu.tcgen05_mma(acc_tmem, lhs_ref, rhs_ref, accumulate=False)
        plgpu.tcgen05_mma(acc_tmem, lhs_ref, rhs_ref)
        plgpu.tcgen05_commit_arrive(barrier_ref)
        plgpu.barrier_wait(barrier_ref)
        o_ref[...] = plgpu.async_load_tmem(acc_tmem)

    is_right(in_tensor_memory(body), FACTORS, 2 * product(*FACTORS))


def test_a_left_factor_in_tensor_memory():
    def body(lhs_ref, rhs_ref, acc_tmem, barrier_ref, o_ref, lhs_tmem):
        plgpu.async_copy_smem_to_tmem(lhs_ref, lhs_tmem)
        plgpu.tcgen05_mma(acc_tmem, lhs_tmem, rhs_ref, barrier_ref, accumulate=False)
        plgpu.barrier_wait(barrier_ref)
        o_ref[...] = plgpu.async_load_tmem(acc_tmem)

    is_right(in_tensor_memory(body, [plgpu.TMEM((128, 64), jnp.float16, packed=True)]), FACTORS, product(*FACTORS))


def test_loads_and_stores_of_tensor_memory():
    def body(x_ref, o_ref, tmem_ref, smem_ref):
        plgpu.async_store_tmem(tmem_ref, x_ref[...])
        plgpu.commit_tmem()
        smem_ref[...] = plgpu.async_load_tmem(tmem_ref)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(smem_ref, o_ref)
        plgpu.wait_smem_to_gmem(0)
        plgpu.wait_load_tmem()

    launch = launch_of(body, out=f32(128, 64), scratch=[plgpu.TMEM((128, 64), jnp.float32), plgpu.SMEM((128, 64), jnp.float32)])
    is_right(launch, [numbers(128, 64)], numbers(128, 64))


# -- barriers and fences --


@pytest.mark.parametrize("by_copies", [False, True], ids=["values", "copies"])
def test_a_queue_between_two_threads(by_copies, buffering=3, steps=8):
    def body(x_ref, o_ref, queue, produced, consumed):
        tid = jax.lax.axis_index("thread")

        def thread0_body(i, _):
            slot = jax.lax.rem(i, buffering)

            @pl.when(i >= buffering)
            def _await_consumed():
                plgpu.barrier_wait(consumed.at[slot])
            if by_copies:
                plgpu.copy_gmem_to_smem(x_ref.at[i], queue.at[slot], barrier=produced.at[slot])
            else:
                queue[slot] = x_ref[i]
                plgpu.barrier_arrive(produced.at[slot])

        def thread1_body(i, _):
            slot = jax.lax.rem(i, buffering)
            plgpu.barrier_wait(produced.at[slot])
            o_ref[i] = queue[slot] + 1
            plgpu.barrier_arrive(consumed.at[slot])

        pl.when(tid == 0)(lambda: jax.lax.fori_loop(0, steps, thread0_body, None))
        pl.when(tid == 1)(lambda: jax.lax.fori_loop(0, steps, thread1_body, None))

    launch = launch_of(body, out=f32(steps, 128), num_threads=2, thread_name="thread", scratch=[
        plgpu.SMEM((buffering, 128), jnp.float32), plgpu.Barrier(num_barriers=buffering), plgpu.Barrier(num_barriers=buffering)])
    is_right(launch, [numbers(steps, 128)], numbers(steps, 128) + 1)


def test_fences_before_copies_out_and_in():
    def body(x_ref, o_ref, smem_ref, barrier_ref):
        smem_ref[...] = x_ref[0] + 1
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(smem_ref, o_ref.at[0])
        plgpu.wait_smem_to_gmem(0)
        value = loaded(smem_ref)
        plgpu.commit_smem()
        plgpu.copy_gmem_to_smem(x_ref.at[1], smem_ref, barrier_ref)
        plgpu.barrier_wait(barrier_ref)
        o_ref[1] = smem_ref[...] + value

    launch = launch_of(body, out=f32(2, 128), scratch=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()])
    x = numbers(2, 128)
    is_right(launch, [x], np.stack([x[0] + 1, x[1] + x[0] + 1]))


def test_shared_memory_that_a_cluster_uses_again():
    def body(x_gmem, x_gmem2, y_gmem, x_smem, local_barrier, cluster_barrier):
        mine = y_gmem.at[jax.lax.axis_index("cluster")]
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, local_barrier, collective_axes="cluster")
        plgpu.barrier_wait(local_barrier)
        mine[0] = x_smem[...]
        plgpu.barrier_arrive(cluster_barrier)
        plgpu.barrier_wait(cluster_barrier)
        plgpu.copy_gmem_to_smem(x_gmem2, x_smem, local_barrier, collective_axes="cluster")
        plgpu.barrier_wait(local_barrier)
        mine[1] = x_smem[...]

    launch = launch_of(body, out=f32(2, 2, 128), **cluster_of_two, scratch=[
        plgpu.SMEM((128,), jnp.float32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("cluster",))])
    x = numbers(2, 128)
    is_right(launch, [x[0], x[1]], np.stack([x, x]))


# -- scheduling --


def test_an_attempt_to_take_over_work():
    def body(o_ref, result_ref, barrier_ref):
        plgpu.try_cluster_cancel(result_ref, barrier_ref)
        o_ref[jax.lax.axis_index("x")] = jnp.ones((128,), jnp.float32)
        plgpu.barrier_wait(barrier_ref)
        [taken], is_taken = plgpu.query_cluster_cancel(result_ref, ("x",))

        @pl.when(is_taken)
        def _():
            o_ref[taken] = jnp.ones((128,), jnp.float32)

    launch = launch_of(body, out=f32(3, 128), grid=(3,), grid_names=("x",), scratch=[plgpu.TryClusterCancelResult(), plgpu.Barrier()])
    is_right(launch, [], np.ones((3, 128)))


def test_a_loop_over_work_that_is_left():
    def body(o_ref):
        @plgpu.dynamic_scheduling_loop(grid_names=("x",))
        def _body(loop_info):
            o_ref[loop_info.index[0]] = jnp.ones((128,), jnp.float32)

    is_right(launch_of(body, out=f32(3, 128), grid=(3,), grid_names=("x",)), [], np.ones((3, 128)))


# -- copies --


def test_a_barrier_for_two_copies():
    def body(in_gmem_ref, in_gmem_ref2, o_ref, smem_ref, smem_ref2, barrier):
        plgpu.copy_gmem_to_smem(in_gmem_ref, smem_ref, barrier)
        plgpu.copy_gmem_to_smem(in_gmem_ref2, smem_ref2, barrier)
        plgpu.barrier_wait(barrier)
        o_ref[...] = smem_ref[...] + smem_ref2[...]

    tile = plgpu.SMEM((128,), jnp.float32)
    launch = launch_of(body, out=f32(128), scratch=[tile, tile, plgpu.Barrier(num_arrivals=2)])
    is_right(launch, [numbers(128), numbers(128)], 2 * numbers(128))


def test_a_copy_together_and_one_alone():
    def body(in_gmem_ref, in_gmem_ref2, o_ref, smem_ref, smem_ref2, barrier):
        block_id = jax.lax.axis_index("cluster")
        plgpu.copy_gmem_to_smem(in_gmem_ref, smem_ref, barrier, collective_axes="cluster")
        plgpu.copy_gmem_to_smem(in_gmem_ref2.at[block_id], smem_ref2, barrier)
        plgpu.barrier_wait(barrier)
        o_ref[block_id] = smem_ref[...] + smem_ref2[...]

    tile = plgpu.SMEM((128,), jnp.float32)
    launch = launch_of(body, out=f32(2, 128), scratch=[tile, tile, plgpu.Barrier(num_arrivals=2)], **cluster_of_two)
    is_right(launch, [numbers(128), numbers(2, 128)], numbers(128) + numbers(2, 128))


def test_a_copy_that_is_divided():
    """The second block must not wait at its barrier; here the first one tells it, where the page lets a product do that."""
    def body(b_gmem, o_ref, b_smem, b_tma_barrier, told):
        rank = jax.lax.axis_index("cluster")
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, b_tma_barrier, collective_axes="cluster", leader_tracked=CopyPartition.PARTITIONED(1))
        pl.when(rank == 0)(lambda: plgpu.barrier_wait(b_tma_barrier))
        plgpu.barrier_arrive(told)
        plgpu.barrier_wait(told)
        o_ref[rank] = b_smem[...]

    launch = launch_of(body, out=f32(2, 8, 32), **cluster_of_two, scratch=[
        plgpu.SMEM((8, 32), jnp.float32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("cluster",))])
    x = numbers(8, 64)
    is_right(launch, [x], np.stack([x[:, :32], x[:, 32:]]))


@pytest.mark.parametrize("grouped", [False, True])
def test_copies_out(grouped):
    def body(x_ref, x_gmem, y_gmem, x_smem, y_smem):
        x_smem[...] = x_ref[...]
        y_smem[...] = x_ref[...] + 1
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(x_smem, x_gmem, commit_group=not grouped)
        plgpu.copy_smem_to_gmem(y_smem, y_gmem)
        if not grouped:
            plgpu.wait_smem_to_gmem(1, wait_read_only=True)
            x_smem[...] = jnp.zeros_like(x_smem)
        plgpu.wait_smem_to_gmem(1)
        plgpu.wait_smem_to_gmem(0)
        y_smem[...] = jnp.zeros_like(y_smem)

    tile, x = plgpu.SMEM((128,), jnp.float32), numbers(128)
    launch = launch_of(body, out=(f32(128), f32(128)), scratch=[tile, tile])
    with tp.check():
        first, second = launch(x)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(second, x + 1)


def test_a_copy_of_listed_rows():
    def body(x_ref_gmem, idx_ref, o_ref, tile, barrier_ref):
        idxs = loaded(idx_ref, layout=plgpu.Layout.TMA_INDICES)
        plgpu.copy_gmem_to_smem(x_ref_gmem.at[idxs], tile, barrier_ref)
        plgpu.barrier_wait(barrier_ref)
        o_ref[...] = tile[...]

    launch = launch_of(body, out=f32(64, 64), scratch=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])
    x, rows = numbers(128, 64), (jnp.arange(64) * 5 % 128).astype(jnp.int32)
    is_right(launch, [x, rows], np.asarray(x)[rows])
