"""Blocks of a cluster of Mosaic GPU that reach into each other's shared memory at the wrong time."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier, shared
from conformance.defects.shorthand import f32, numbers


def cluster(kernel, out, *inputs, scratch):
    return plgpu.kernel(kernel, out_type=out, scratch_types=list(scratch), cluster=(2,), cluster_names=("rank",))(*inputs)


def meet():
    return plgpu.ClusterBarrier(collective_axes=("rank",))


@defect("a block reads another one's rows without waiting until they are there",
        race("rows", (0, 0), ("writes", (0,)), ("reads", (1,))),
        also=["order-dependence", "undefined-output"], inputs=[numbers(2, 32)])
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
