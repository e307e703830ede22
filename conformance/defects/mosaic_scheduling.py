"""Cluster launch control of Mosaic GPU kernels: answers that are read too early, overwritten too early, or taken for work."""

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier
from conformance.defects.shorthand import i32, ints

ANSWER = plgpu.TryClusterCancelResult()
POINTS = ("point",)


def launch(kernel, out, points, x, threads=0, scratch=()):
    """A kernel with a cluster for each point."""
    axis = {"num_threads": threads, "thread_name": "thread"} if threads else {}
    return plgpu.kernel(kernel, out_type=out, grid=(points,), grid_names=POINTS, scratch_types=list(scratch), **axis)(x)


@defect("the answer is read before it is there, so that the work that was taken over is not done",
        Finding("dma-in-flight", "reads", (0,), "answer", (0,), "asks"),
        also=["undefined-output", "undefined-address", "undefined-condition", "output-unwritten"], inputs=[ints(1, 2)])
class AnswerTooEarly:
    def broken(x):
        def kernel(x_ref, o_ref, answer, came):
            own = jax.lax.axis_index("point")
            o_ref[own] = x_ref[own]
            plgpu.try_cluster_cancel(answer, came)  # <asks>
            (point,), success = plgpu.query_cluster_cancel(answer, grid_names=POINTS)  # <reads>
            plgpu.barrier_wait(came)

            @pl.when(success)
            def _():
                o_ref[point] = x_ref[point]
        return launch(kernel, i32(2), 2, x, scratch=[ANSWER, barrier()])

    def repaired(x):
        def kernel(x_ref, o_ref, answer, came):
            own = jax.lax.axis_index("point")
            o_ref[own] = x_ref[own]
            plgpu.try_cluster_cancel(answer, came)
            plgpu.barrier_wait(came)
            (point,), success = plgpu.query_cluster_cancel(answer, grid_names=POINTS)

            @pl.when(success)
            def _():
                o_ref[point] = x_ref[point]
        return launch(kernel, i32(2), 2, x, scratch=[ANSWER, barrier()])

    def outputs(x):
        return [x]


@defect("the next question is asked before another thread has read the answer to the last one: it does the work of that twice, and not its own",
        race("answer", (0,), ("reads", (0, 1)), ("asks", (0, 0))),
        also=["dma-in-flight", "undefined-output", "undefined-condition", "undefined-address", "output-unwritten", "order-dependence"],
        inputs=[ints(1, 2, 3, 4, 5, 6).reshape(3, 2)])
class AnswerOverwritten:
    def broken(x):
        def kernel(x_ref, o_ref, answer, came):
            own, thread = jax.lax.axis_index("point"), jax.lax.axis_index("thread")
            o_ref[own, thread] = x_ref[own, thread]
            for turn in range(2):
                plgpu.try_cluster_cancel(answer, came.at[turn])  # <asks>
                plgpu.barrier_wait(came.at[turn])
                (point,), success = plgpu.query_cluster_cancel(answer, grid_names=POINTS)  # <reads>

                @pl.when(success)
                def _():
                    o_ref[point, thread] = x_ref[point, thread]
        return launch(kernel, i32(3, 2), 3, x, threads=2, scratch=[ANSWER, barrier(num_arrivals=2, num_barriers=2)])

    def repaired(x):
        def kernel(x_ref, o_ref, answer, came, used):
            own, thread = jax.lax.axis_index("point"), jax.lax.axis_index("thread")
            o_ref[own, thread] = x_ref[own, thread]
            for turn in range(2):
                plgpu.try_cluster_cancel(answer, came.at[turn])
                plgpu.barrier_wait(came.at[turn])
                (point,), success = plgpu.query_cluster_cancel(answer, grid_names=POINTS)
                plgpu.barrier_arrive(used)
                plgpu.barrier_wait(used)

                @pl.when(success)
                def _():
                    o_ref[point, thread] = x_ref[point, thread]
        return launch(kernel, i32(3, 2), 3, x, threads=2,
                      scratch=[ANSWER, barrier(num_arrivals=2, num_barriers=2), barrier(num_arrivals=2)])

    def outputs(x):
        return [x]


def in_loop(work, out, x):
    """A kernel whose clusters take over each other's work: `work` does that of one grid point."""
    def kernel(x_ref, o_ref):
        @plgpu.dynamic_scheduling_loop(grid_names=POINTS)
        def loop(info):
            work(x_ref, o_ref, info.index[0])
    return launch(kernel, out, 4, x)


@defect("the value of the last point is meant to stay; a cluster that takes over all of the work races with nobody",
        race("o_ref", (0,), ("puts", (0,)), ("puts", (1,))), also=["order-dependence", "undefined-output", "output-unwritten"],
        inputs=[ints(1, 2, 3, 4)], by_check=True)
class AllInOneElement:
    def broken(x):
        def put(x_ref, o_ref, point):
            o_ref[0] = x_ref[point]  # <puts>
        return in_loop(put, i32(1), x)

    def repaired(x):
        def put(x_ref, o_ref, point):
            @pl.when(point == 3)
            def _():
                o_ref[0] = x_ref[point]
        return in_loop(put, i32(1), x)

    def outputs(x):
        return [x[3:]]
