"""Cluster launch control of Mosaic GPU kernels: answers that are read too early, overwritten too early, or taken for work."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier, launch
from conformance.defects.shorthand import i32, ints

ANSWER = plgpu.TryClusterCancelResult()


@defect("the answer is read before it is there",
        Finding("dma-in-flight", "reads", (), "answer", (0,), "asks"), also=["undefined-output", "undefined-address"], inputs=[])
class AnswerTooEarly:
    def broken():
        def kernel(o_ref, answer, came):
            plgpu.try_cluster_cancel(answer, came)  # <asks>
            _, success = plgpu.query_cluster_cancel(answer, grid_names=())  # <reads>
            plgpu.barrier_wait(came)
            o_ref[0] = jax.lax.select(success, 1, 0)
        return launch(kernel, i32(1), scratch=[ANSWER, barrier()])

    def repaired():
        def kernel(o_ref, answer, came):
            plgpu.try_cluster_cancel(answer, came)
            plgpu.barrier_wait(came)
            _, success = plgpu.query_cluster_cancel(answer, grid_names=())
            o_ref[0] = jax.lax.select(success, 1, 0)
        return launch(kernel, i32(1), scratch=[ANSWER, barrier()])

    def outputs():
        return [jnp.zeros(1, jnp.int32)]


@defect("the next question is asked before another thread has read the answer to the last one",
        race("answer", (0,), ("reads", (1,)), ("asks", (0,))), also=["dma-in-flight", "undefined-output", "undefined-condition"],
        inputs=[])
class AnswerOverwritten:
    def broken():
        def kernel(o_ref, answer, came):
            for turn in range(2):
                plgpu.try_cluster_cancel(answer, came.at[turn])  # <asks>
                plgpu.barrier_wait(came.at[turn])
                _, success = plgpu.query_cluster_cancel(answer, grid_names=())  # <reads>
            o_ref[jax.lax.axis_index("thread")] = jax.lax.select(success, 1, 0)
        return launch(kernel, i32(2), threads=2, scratch=[ANSWER, barrier(num_arrivals=2, num_barriers=2)])

    def repaired():
        def kernel(o_ref, answer, came, used):
            for turn in range(2):
                plgpu.try_cluster_cancel(answer, came.at[turn])
                plgpu.barrier_wait(came.at[turn])
                _, success = plgpu.query_cluster_cancel(answer, grid_names=())
                plgpu.barrier_arrive(used)
                plgpu.barrier_wait(used)
            o_ref[jax.lax.axis_index("thread")] = jax.lax.select(success, 1, 0)
        return launch(kernel, i32(2), threads=2, scratch=[ANSWER, barrier(num_arrivals=2, num_barriers=2), barrier(num_arrivals=2)])

    def outputs():
        return [jnp.zeros(2, jnp.int32)]


def in_loop(work, out, x):
    """A kernel whose clusters take over each other's work: `work` does that of one grid point."""
    def kernel(x_ref, o_ref):
        @plgpu.dynamic_scheduling_loop(grid_names=("point",))
        def loop(info):
            work(x_ref, o_ref, info.index[0])
    return plgpu.kernel(kernel, out_type=out, grid=(4,), grid_names=("point",))(x)


@defect("all work ends in one element; a cluster that takes over all of it races with nobody",
        race("o_ref", (0,), ("puts", (0,)), ("puts", (1,))), also=["order-dependence", "undefined-output", "output-unwritten"],
        inputs=[ints(1, 2, 3, 4)], by_check=True)
class AllInOneElement:
    def broken(x):
        def put(x_ref, o_ref, point):
            o_ref[0] = x_ref[point]  # <puts>
        return in_loop(put, i32(1), x)

    def repaired(x):
        def put(x_ref, o_ref, point):
            o_ref[point] = x_ref[point]
        return in_loop(put, i32(4), x)

    def outputs(x):
        return [x]
