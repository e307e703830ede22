"""Blocks of a cluster of Mosaic GPU that reach into each other's shared memory at the wrong time."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier, shared
from conformance.defects.shorthand import f32, numbers


CLUSTER_FOLLOWS = ["order-dependence", "undefined-output", "output-unwritten", "dma-not-awaited", "semaphore-left", "peer-ended"]
TILE = plgpu.SMEM((8, 32), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)))


def cluster(kernel, out, *inputs, scratch, blocks=2):
    """A cluster of blocks along the axis "rank"."""
    return plgpu.kernel(kernel, out_type=out, scratch_types=list(scratch), cluster=(blocks,), cluster_names=("rank",))(*inputs)


def square(kernel, out, *inputs, scratch):
    """A cluster of 2 by 2 blocks along the axes "y" and "z"."""
    return plgpu.kernel(kernel, out_type=out, scratch_types=list(scratch), cluster=(2, 2), cluster_names=("y", "z"))(*inputs)


def meet():
    return plgpu.ClusterBarrier(collective_axes=("rank",))


@defect("a block reads another one's rows without waiting until they are there",
        race("rows", (0, 0), ("writes", (0,)), ("reads", (1,))),
        also=CLUSTER_FOLLOWS, inputs=[numbers(2, 32)])
class ReadsBeforeTheyMeet:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]  # <writes>
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]  # <reads>
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), meet()])

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), meet()])

    def outputs(x):
        return [x[::-1]]


@defect("one of two blocks leaves out its share of a copy to both",
        Finding("deadlock", "waits", (0,), "ready", None, None, None, "bytes less than expected"),
        also=["output-unwritten", "undefined-output", "dma-not-awaited", "semaphore-left"], inputs=[numbers(8, 32)])
class ShareLeftOut:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            rank = jax.lax.axis_index("rank")

            @jax.named_call
            def both():
                plgpu.copy_gmem_to_smem(x_ref, tile, ready, collective_axes="rank")
                plgpu.barrier_wait(ready)  # <waits>
                o_ref[rank] = tile[...]
            jax.lax.cond(rank == 0, both, lambda: None)
        return cluster(kernel, f32(2, 8, 32), x, scratch=[shared(8, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready):
            rank = jax.lax.axis_index("rank")
            plgpu.copy_gmem_to_smem(x_ref, tile, ready, collective_axes="rank")
            plgpu.barrier_wait(ready)
            o_ref[rank] = tile[...]
        return cluster(kernel, f32(2, 8, 32), x, scratch=[shared(8, 32), barrier()])

    def outputs(x):
        return [jnp.stack([x, x])]


@defect("blocks meet at a barrier that each has for itself",
        race("rows", (0, 0), ("writes", (0,)), ("reads", (1,))), also=CLUSTER_FOLLOWS, inputs=[numbers(2, 32)])
class MeetAtTheirOwnBarriers:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]  # <writes>
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]  # <reads>
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), meet()])

    def outputs(x):
        return [x[::-1]]


@defect("blocks exchange rows along one axis of the cluster and meet along the other one",
        race("rows", (0, 0, 0), ("writes", (0, 0)), ("reads", (0, 1))), also=CLUSTER_FOLLOWS, inputs=[numbers(2, 2, 32)])
class MeetAlongTheOtherAxis:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met):
            y, z = jax.lax.axis_index("y"), jax.lax.axis_index("z")
            rows[...] = x_ref[y, z]  # <writes>
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[y, z] = plgpu.cluster_ref(rows, {"z": 1 - z})[...]  # <reads>
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return square(kernel, f32(2, 2, 32), x, scratch=[shared(32), plgpu.ClusterBarrier(collective_axes=("y",))])

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met):
            y, z = jax.lax.axis_index("y"), jax.lax.axis_index("z")
            rows[...] = x_ref[y, z]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[y, z] = plgpu.cluster_ref(rows, {"z": 1 - z})[...]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return square(kernel, f32(2, 2, 32), x, scratch=[shared(32), plgpu.ClusterBarrier(collective_axes=("z",))])

    def outputs(x):
        return [x[:, ::-1]]


@defect("a block stores to another one's tile, which that one still clears",
        race("tile", (0, 0, 0), ("clears", (0,)), ("stores", (1,))), also=CLUSTER_FOLLOWS, inputs=[numbers(2, 8, 32)])
class StoredBeforeItIsCleared:
    def broken(x):
        def kernel(x_ref, o_ref, tile, stored):
            rank = jax.lax.axis_index("rank")
            tile[...] = jnp.zeros_like(tile)  # <clears>
            plgpu.async_store_smem(x_ref[rank], tile, stored, cluster_idx=1 - rank, cluster_dim="rank")  # <stores>
            plgpu.barrier_wait(stored)
            o_ref[rank] = tile[...]
        return cluster(kernel, f32(2, 8, 32), x, scratch=[TILE, barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, stored, cleared):
            rank = jax.lax.axis_index("rank")
            tile[...] = jnp.zeros_like(tile)
            plgpu.barrier_arrive(cleared)
            plgpu.barrier_wait(cleared)
            plgpu.async_store_smem(x_ref[rank], tile, stored, cluster_idx=1 - rank, cluster_dim="rank")
            plgpu.barrier_wait(stored)
            o_ref[rank] = tile[...]
        return cluster(kernel, f32(2, 8, 32), x, scratch=[TILE, barrier(), meet()])

    def outputs(x):
        return [x[::-1]]


@defect("a block takes what another one stores to it without waiting for that",
        race("tile", (0, 0, 0), ("stores", (1,)), ("takes", (0,))), also=CLUSTER_FOLLOWS, inputs=[numbers(2, 8, 32)])
class TakenBeforeItIsStored:
    def broken(x):
        def kernel(x_ref, o_ref, tile, stored):
            rank = jax.lax.axis_index("rank")
            plgpu.async_store_smem(x_ref[rank], tile, stored, cluster_idx=1 - rank, cluster_dim="rank")  # <stores>
            o_ref[rank] = tile[...]  # <takes>
            plgpu.barrier_wait(stored)
        return cluster(kernel, f32(2, 8, 32), x, scratch=[TILE, barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, stored):
            rank = jax.lax.axis_index("rank")
            plgpu.async_store_smem(x_ref[rank], tile, stored, cluster_idx=1 - rank, cluster_dim="rank")
            plgpu.barrier_wait(stored)
            o_ref[rank] = tile[...]
        return cluster(kernel, f32(2, 8, 32), x, scratch=[TILE, barrier()])

    def outputs(x):
        return [x[::-1]]


@defect("one of four blocks has no work and does not arrive where all meet",
        Finding("deadlock", "waits", (0,), "met"), also=CLUSTER_FOLLOWS, inputs=[numbers(3, 32)])
class OneOfFourDoesNotArrive:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")

            @pl.when(rank < 3)
            def _():
                rows[...] = x_ref[rank]
                plgpu.barrier_arrive(met)
                plgpu.barrier_wait(met)  # <waits>
                o_ref[rank] = rows[...]
        return cluster(kernel, f32(3, 32), x, scratch=[shared(32), meet()], blocks=4)

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)

            @pl.when(rank < 3)
            def _():
                rows[...] = x_ref[rank]
                o_ref[rank] = rows[...]
        return cluster(kernel, f32(3, 32), x, scratch=[shared(32), meet()], blocks=4)

    def outputs(x):
        return [x]


@defect("a block ends while another one may still read its rows",
        Finding("peer-ended", "reads", (0,), "rows"), thread="triton-lang/triton#11730", inputs=[numbers(2, 32)])
class EndsWhileItIsRead:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]  # <reads>
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), meet()])

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met):
            rank = jax.lax.axis_index("rank")
            rows[...] = x_ref[rank]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[rank] = plgpu.cluster_ref(rows, {"rank": 1 - rank})[...]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
        return cluster(kernel, f32(2, 32), x, scratch=[shared(32), meet()])

    def outputs(x):
        return [x[::-1]]


@defect("blocks tell each other that they are done, and none of them waits for that",
        Finding("peer-ended", "arrives", (0,), "done"), also=["semaphore-left", "phase-unobserved"], inputs=[numbers(2, 32)])
class ArrivesWhereNobodyWaits:
    def broken(x):
        def kernel(x_ref, o_ref, done):
            rank = jax.lax.axis_index("rank")
            o_ref[rank] = x_ref[rank]
            plgpu.barrier_arrive(done)  # <arrives>
        return cluster(kernel, f32(2, 32), x, scratch=[meet()])

    def repaired(x):
        def kernel(x_ref, o_ref, done):
            rank = jax.lax.axis_index("rank")
            o_ref[rank] = x_ref[rank]
            plgpu.barrier_arrive(done)
            plgpu.barrier_wait(done)
        return cluster(kernel, f32(2, 32), x, scratch=[meet()])

    def outputs(x):
        return [x]


@defect("four blocks read each other's rows along one axis of the cluster, and tell along the other one that this is over",
        Finding("peer-ended", "reads", (0, 0), "rows"), thread="facebookexperimental/triton#1105", inputs=[numbers(2, 2, 32)])
class ToldAlongTheOtherAxis:
    def broken(x):
        def kernel(x_ref, o_ref, rows, met, over):
            y, z = jax.lax.axis_index("y"), jax.lax.axis_index("z")
            rows[...] = x_ref[y, z]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[y, z] = plgpu.cluster_ref(rows, {"z": 1 - z})[...]  # <reads>
            plgpu.barrier_arrive(over)
            plgpu.barrier_wait(over)
        return square(kernel, f32(2, 2, 32), x, scratch=[shared(32), plgpu.ClusterBarrier(collective_axes=("z",)),
                                                         plgpu.ClusterBarrier(collective_axes=("y",))])

    def repaired(x):
        def kernel(x_ref, o_ref, rows, met, over):
            y, z = jax.lax.axis_index("y"), jax.lax.axis_index("z")
            rows[...] = x_ref[y, z]
            plgpu.barrier_arrive(met)
            plgpu.barrier_wait(met)
            o_ref[y, z] = plgpu.cluster_ref(rows, {"z": 1 - z})[...]
            plgpu.barrier_arrive(over)
            plgpu.barrier_wait(over)
        return square(kernel, f32(2, 2, 32), x, scratch=[shared(32), plgpu.ClusterBarrier(collective_axes=("z",)),
                                                         plgpu.ClusterBarrier(collective_axes=("z",))])

    def outputs(x):
        return [x[:, ::-1]]


@defect("a block copies the next tile to all blocks while another one still reads the last one",
        Finding("barrier-overrun", "copy", None, "ready", None, "copy"), also=["race", "dma-in-flight", "deadlock", *CLUSTER_FOLLOWS],
        thread="inclusionAI/humming#56", inputs=[numbers(3, 8, 32)])
class CopiedOverWhatAPeerReads:
    def broken(x):
        def kernel(x_ref, o_ref, tile, ready):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready, collective_axes="rank")  # <copy>
                plgpu.barrier_wait(ready)
                o_ref[jax.lax.axis_index("rank"), step] = tile[...]
        return cluster(kernel, f32(2, 3, 8, 32), x, scratch=[shared(8, 32), barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, tile, ready, read):
            @pl.loop(0, 3)
            def _(step):
                plgpu.copy_gmem_to_smem(x_ref.at[step], tile, ready, collective_axes="rank")
                plgpu.barrier_wait(ready)
                o_ref[jax.lax.axis_index("rank"), step] = tile[...]
                plgpu.barrier_arrive(read)
                plgpu.barrier_wait(read)
        return cluster(kernel, f32(2, 3, 8, 32), x, scratch=[shared(8, 32), barrier(), meet()])

    def outputs(x):
        return [jnp.stack([x, x])]
