"""Clusters of Mosaic GPU: blocks that copy to each other's shared memory and arrive at each other's barriers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.mosaic.gpu.launch_context import CopyPartition

import tilegrind
import tilegrind.pallas as tp
from mosaic_kernels import TILES, f32, found, numbers, refusal, runs


def kernel(body, *, out, scratch=(), cluster=(2,), cluster_names=("rank",), **options):
    return plgpu.kernel(body, out_type=out, scratch_types=list(scratch), cluster=cluster, cluster_names=cluster_names, **options)


# -- copies together --


def multicast(awaits_all, transforms=()):
    """Each step brings the same rows to all blocks, each of which copies a part of them."""

    def body(x_ref, o_ref, tile, ready, free):
        rank = jax.lax.axis_index("rank")

        def step(i, carry):
            plgpu.copy_gmem_to_smem(x_ref.at[i], tile, ready, collective_axes="rank")
            plgpu.barrier_wait(ready)
            o_ref[rank, i] = tile[...] + 1
            if awaits_all:
                plgpu.barrier_arrive(free)
                plgpu.barrier_wait(free)
            return carry

        jax.lax.fori_loop(0, 3, step, None)

    return kernel(body, out=f32(2, 3, 16, 32),
                  scratch=[plgpu.SMEM((16, 32), jnp.float32, transforms=transforms), plgpu.Barrier(),
                           plgpu.ClusterBarrier(collective_axes=("rank",))])


@pytest.mark.parametrize("transforms", [(), TILES], ids=["rows", "tiles"])
def test_a_copy_to_all_blocks(transforms):
    x = numbers(3, 16, 32)
    launch = multicast(True, transforms)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, np.stack([x + 1] * 2))
    assert found(launch, x) == set()


def test_a_copy_to_a_block_that_still_reads():
    kinds = found(multicast(False), numbers(3, 16, 32))
    assert "race" in kinds and "order-dependence" in kinds


def test_the_phase_lacks_what_another_block_does_not_copy():
    def body(x_ref, o_ref, tile, ready):
        rank = jax.lax.axis_index("rank")

        @pl.when(rank == 0)
        def _():
            plgpu.copy_gmem_to_smem(x_ref, tile, ready, collective_axes="rank")
            plgpu.barrier_wait(ready)
        o_ref[rank] = rank.astype(jnp.float32)

    launch = kernel(body, out=f32(2), scratch=[plgpu.SMEM((16, 32), jnp.float32), plgpu.Barrier()])
    with pytest.raises(jax.errors.JaxRuntimeError, match="copies brought 1024 bytes less than expected"), tp.interpreter():
        jax.block_until_ready(launch(numbers(16, 32)))


@pytest.mark.parametrize("partition, brought", [(CopyPartition.PARTITIONED(0), (16, 32)), (CopyPartition.REPLICATED, (8, 32))],
                         ids=["divided", "to all"])
def test_a_copy_of_which_one_block_is_told(partition, brought):
    """The first block waits for what both bring."""

    def body(x_ref, o_ref, tile, ready, arrived):
        rank = jax.lax.axis_index("rank")
        plgpu.copy_gmem_to_smem(x_ref, tile, ready, collective_axes="rank", leader_tracked=partition)

        @pl.when(rank == 0)
        def _():
            plgpu.barrier_wait(ready)
        plgpu.barrier_arrive(arrived)
        plgpu.barrier_wait(arrived)
        o_ref[rank] = tile[...]

    launch = kernel(body, out=f32(2, 8, 32), scratch=[plgpu.SMEM((8, 32), jnp.float32), plgpu.Barrier(),
                                                      plgpu.ClusterBarrier(collective_axes=("rank",))])
    x = numbers(*brought)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x.reshape(2, 8, 32) if brought[0] == 16 else np.stack([x, x]))
    assert found(launch, x) == set()


def test_copies_along_one_of_two_axes():
    """Blocks of a row of the cluster have the same rows of x; each barrier expects those of its own row."""

    def body(x_ref, o_ref, tile, ready):
        row, column = jax.lax.axis_index("row"), jax.lax.axis_index("column")
        plgpu.copy_gmem_to_smem(x_ref.at[row], tile, ready, collective_axes="column")
        plgpu.barrier_wait(ready)
        o_ref[row, column] = tile[...]

    launch = kernel(body, out=f32(2, 2, 8, 32), scratch=[plgpu.SMEM((8, 32), jnp.float32), plgpu.Barrier()],
                    cluster=(2, 2), cluster_names=("row", "column"))
    x = numbers(2, 8, 32)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, np.stack([x, x], axis=1))


def test_a_tile_that_cannot_be_divided_is_refused():
    def body(x_ref, o_ref, tile, ready):
        plgpu.copy_gmem_to_smem(x_ref, tile, ready, collective_axes="rank")
        plgpu.barrier_wait(ready)
        o_ref[...] = tile[...]

    launch = kernel(body, out=f32(3, 20), scratch=[plgpu.SMEM((3, 20), jnp.float32), plgpu.Barrier()])
    assert "the box (3, 20) cannot be divided among 2 blocks" in refusal(launch, numbers(3, 20))


# -- memory of other blocks --


def exchange(arrives_last):
    """Each block gives its rows to the next one, which reads them where they are."""

    def body(x_ref, o_ref, tile, ready):
        rank = jax.lax.axis_index("rank")
        tile[...] = x_ref[rank]
        plgpu.barrier_arrive(ready)
        plgpu.barrier_wait(ready)
        o_ref[rank] = plgpu.cluster_ref(tile, {"rank": (rank + 1) % 4})[...]
        if arrives_last:
            plgpu.barrier_arrive(ready)
            plgpu.barrier_wait(ready)
        tile[...] = jnp.zeros_like(tile)

    return kernel(body, out=f32(4, 8, 32), cluster=(4,),
                  scratch=[plgpu.SMEM((8, 32), jnp.float32), plgpu.ClusterBarrier(collective_axes=("rank",))])


def test_memory_of_another_block():
    x = numbers(4, 8, 32)
    for result in runs(exchange(True), x):
        np.testing.assert_array_equal(result, np.roll(x, -1, axis=0))
    assert found(exchange(True), x) == set()
    assert "race" in found(exchange(False), x)


@pytest.mark.parametrize("atomic", [None, "add"])
def test_a_store_to_another_block(atomic):
    def body(x_ref, o_ref, tile, zeroed, stored):
        rank = jax.lax.axis_index("rank")
        tile[...] = jnp.ones_like(tile)
        plgpu.barrier_arrive(zeroed)
        plgpu.barrier_wait(zeroed)
        plgpu.async_store_smem(x_ref[rank], tile, stored, cluster_idx=1 - rank, cluster_dim="rank", atomic=atomic)
        plgpu.barrier_wait(stored)
        o_ref[rank] = tile[...]

    launch = kernel(body, out=f32(2, 8, 32), scratch=[plgpu.SMEM((8, 32), jnp.float32, transforms=TILES),
                                                      plgpu.ClusterBarrier(collective_axes=("rank",)), plgpu.Barrier()])
    x = numbers(2, 8, 32)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x[::-1] + (atomic == "add"))


# -- barriers --


def counted(barrier, arrivals):
    """How many arrivals the barrier of a cluster of 2 by 3 blocks counts."""

    def body(o_ref, b):
        plgpu.barrier_arrive(b)
        plgpu.barrier_wait(b)

        @pl.when((jax.lax.axis_index("x") == 0) & (jax.lax.axis_index("y") == 0))
        def _():
            o_ref[...] = jnp.ones((8,), jnp.int32)

    launch = kernel(body, out=jax.ShapeDtypeStruct((8,), jnp.int32), scratch=[barrier], cluster=(2, 3), cluster_names=("x", "y"))
    [param] = [p for p in tp.export(launch).kernels[0]["params"] if p["role"] == "scratch"]
    assert param["type"].startswith("barrier[2,3") and param["arrivals"] == arrivals
    for result in runs(launch):
        assert np.all(result == 1)


def test_barriers_of_clusters_count_the_blocks_that_reach_them():
    counted(plgpu.ClusterBarrier(collective_axes=("x",)), 2)
    counted(plgpu.ClusterBarrier(collective_axes=("y",)), 3)
    counted(plgpu.ClusterBarrier(collective_axes=("x", "y")), 4)  # not those that differ in both
    counted(plgpu.ClusterBarrier(collective_axes=(("x", "y"),)), 6)


def test_a_block_that_does_not_arrive():
    def body(o_ref, b):
        rank = jax.lax.axis_index("rank")

        @pl.when(rank == 0)
        def _():
            plgpu.barrier_arrive(b)
        plgpu.barrier_wait(b)
        o_ref[rank] = 1

    launch = kernel(body, out=jax.ShapeDtypeStruct((2,), jnp.int32), scratch=[plgpu.ClusterBarrier(collective_axes=("rank",))])
    with pytest.raises(jax.errors.JaxRuntimeError, match="1 of 2 arrivals have come"), tp.interpreter():
        jax.block_until_ready(launch())


def test_threads_of_blocks():
    """Two threads in each of two blocks: a barrier of one block counts its own threads, one of the cluster those of both."""

    def body(o_ref, slots, own, all_of_them):
        rank, thread = jax.lax.axis_index("rank"), jax.lax.axis_index("thread")
        slots[thread] = 10 * rank + thread
        plgpu.barrier_arrive(own)
        plgpu.barrier_wait(own)
        plgpu.barrier_arrive(all_of_them)
        plgpu.barrier_wait(all_of_them)
        o_ref[rank, thread] = plgpu.cluster_ref(slots, {"rank": 1 - rank})[1 - thread]
        plgpu.barrier_arrive(all_of_them)
        plgpu.barrier_wait(all_of_them)

    launch = kernel(body, out=jax.ShapeDtypeStruct((2, 2), jnp.int32), num_threads=2, thread_name="thread",
                    scratch=[plgpu.SMEM((2,), jnp.int32), plgpu.Barrier(num_arrivals=2),
                             plgpu.ClusterBarrier(collective_axes=("rank",), num_arrivals=2)])
    for result in runs(launch):
        np.testing.assert_array_equal(result, [[11, 10], [1, 0]])
    assert found(launch) == set()


# -- the end of a block --


@pytest.mark.parametrize("waits", [True, False])
def test_a_block_that_ends_while_others_read_its_memory(waits):
    def body(x_ref, o_ref, tile, met):
        rank = jax.lax.axis_index("rank")
        tile[...] = x_ref[rank]
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        o_ref[rank] = plgpu.cluster_ref(tile, {"rank": 1 - rank})[...]
        if waits:
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)

    launch = kernel(body, out=f32(2, 8, 32), scratch=[plgpu.SMEM((8, 32), jnp.float32), plgpu.ClusterBarrier(collective_axes=("rank",))])
    assert found(launch, numbers(2, 8, 32)) == (set() if waits else {"peer-ended"})


def test_what_belongs_to_a_block_is_printed():
    def body(o_ref, tile):
        tile[...] = jnp.ones_like(tile)
        o_ref[jax.lax.axis_index("rank")] = tile[...]

    launch = kernel(body, out=f32(2, 8), scratch=[plgpu.SMEM((8,), jnp.float32)])
    module = tilegrind.loads(tp.export(launch).dumps())
    assert '"cluster": 1' in module.to_json() and " cluster 1" in module.to_text()
    assert tilegrind.loads(module.to_json()).to_json() == module.to_json()
