"""Cluster launch control of Mosaic GPU: a cluster takes over the work of one that has not begun."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import found, ints, kinds_among, launch_of, refusal, runs

BLOCKS = 5


def in_clusters(size):
    """The options of a launch in clusters of so many blocks, those of its loop, and the block's number."""
    if size == 1:
        return {}, {}, lambda: 0
    return {"cluster": (size,), "cluster_names": ("rank",)}, {"cluster_axes": ("rank",)}, lambda: lax.axis_index("rank")


def loop_over(work, out, threads, cluster, grid=(BLOCKS,), names=("block",)):
    """A kernel of threads whose loop calls `work` with the references, and the indices in the grid, block and thread."""
    options, of_loop, rank = in_clusters(cluster)

    def body(*refs):
        thread = lax.axis_index("thread")

        @plgpu.dynamic_scheduling_loop(grid_names=names, thread_axis="thread", **of_loop)
        def loop(info):
            work(*refs, (*info.index, rank(), thread))

    return launch_of(body, out=out, grid=grid, grid_names=names, num_threads=threads, thread_name="thread", **options)


@pytest.mark.parametrize("cluster", [1, 2])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_dynamic_scheduling_loop(threads, cluster):
    shape = (3, 2, cluster, threads, 128)

    def add(x_ref, o_ref, at):
        o_ref[at] = x_ref[at] + 1

    launch = loop_over(add, jax.ShapeDtypeStruct(shape, jnp.float32), threads, cluster, (3, 2), ("row", "column"))
    x = jnp.arange(np.prod(shape), dtype=jnp.float32).reshape(shape)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x + 1)
    with tp.check(checks="all,gpu-strict"):
        launch(x)


@pytest.mark.parametrize("cluster", [1, 2])
def test_who_does_the_work(cluster):
    def note(who_ref, at):
        who_ref[at] = lax.axis_index("block")

    launch = loop_over(note, ints(BLOCKS, cluster, 2), 2, cluster)

    def who(order):
        with tp.interpreter(order=order):
            return np.asarray(launch())

    assert (who("sequential") == 0).all()
    assert (who("reversed") == np.arange(BLOCKS)[:, None, None]).all()
    shuffled = who("shuffled:3")
    assert (shuffled == shuffled[:, :1, :1]).all() and 1 < len(np.unique(shuffled)) < BLOCKS
    assert (who("shuffled:3") == shuffled).all()
    assert found(launch) == {"order-dependence"}


def asking(use, waits=True, tries=1, **options):
    """A kernel that asks for work, waits for the answer and does with it what `use` says."""
    def body(o_ref, answer_ref, barrier):
        for _ in range(tries):
            plgpu.try_cluster_cancel(answer_ref, barrier)
            if waits:
                plgpu.barrier_wait(barrier)
            indices, success = plgpu.query_cluster_cancel(answer_ref, grid_names=options.get("grid_names", ("block",)))
        use(o_ref, indices, success)
        if not waits:
            plgpu.barrier_wait(barrier)

    defaults = {"grid": (BLOCKS,), "grid_names": ("block",)}
    return launch_of(body, out=ints(BLOCKS), scratch=[plgpu.TryClusterCancelResult(), plgpu.Barrier()], **{**defaults, **options})


def put_safely(o_ref, indices, success):
    block = lax.axis_index("block")
    o_ref[block] = block

    @jax.named_call
    def taken():
        lax.cond(success, lambda: o_ref.__setitem__(indices[0], indices[0]), lambda: None)

    taken()


def test_work_that_is_taken_over_once():
    launch = asking(put_safely)
    for result in runs(launch):
        np.testing.assert_array_equal(result, np.arange(BLOCKS))
    assert found(launch) == set()


def test_an_answer_that_is_not_awaited():
    assert kinds_among({"dma-in-flight", "race"}, asking(put_safely, waits=False)) == {"dma-in-flight"}


def test_an_answer_that_the_next_one_may_overwrite():
    """The answer was read, and no fence keeps the next one from coming before."""
    launch = asking(put_safely, tries=2)
    with tp.check(checks="all,gpu-strict", on_finding="collect") as checked:
        jax.block_until_ready(launch())
    assert "overwrite-unfenced" in {finding.kind for finding in checked.findings}


def test_the_index_of_nothing():
    def put(o_ref, indices, success):
        o_ref[lax.axis_index("block")] = indices[0]

    assert "undefined-output" in found(asking(put))


def test_work_that_is_taken_over_and_not_done():
    def own(o_ref, indices, success):
        o_ref[lax.axis_index("block")] = 1

    assert kinds_among({"output-unwritten"}, asking(own)) == {"output-unwritten"}


@pytest.mark.parametrize("cluster", [(1,), (2, 1)])
def test_a_device_that_runs_some_clusters_at_once(cluster, monkeypatch):
    """As JAX's own test asks: one cluster more than fit."""
    fit, blocks = 8, math.prod(cluster)
    monkeypatch.setattr(type(jax.devices()[0]), "core_count", property(lambda _: fit), raising=False)
    names = ("a", "b")[:len(cluster)]

    def body(o_ref, answer_ref, barrier):
        plgpu.try_cluster_cancel(answer_ref.at[0], barrier)
        plgpu.barrier_wait(barrier)
        [block], success = plgpu.query_cluster_cancel(answer_ref.at[0], grid_names=("block",))
        o_ref[lax.axis_index("block") * blocks + lax.axis_index(names)] = lax.select(success, block, -1)

    launch = launch_of(body, out=ints(fit), scratch=[plgpu.TryClusterCancelResult(2), plgpu.Barrier(num_arrivals=2)],
                       grid=(fit // blocks + 1,), grid_names=("block",), cluster=cluster, cluster_names=names, num_threads=2,
                       thread_name="thread")
    with tp.interpreter():
        result = np.asarray(launch())
    np.testing.assert_array_equal(np.sort(result), [-1] * (fit - blocks) + [fit // blocks] * blocks)


def test_memory_that_holds_no_answer():
    def body(o_ref, answer_ref, barrier):
        plgpu.try_cluster_cancel(answer_ref, barrier)

    launch = launch_of(body, out=ints(8), scratch=[plgpu.SMEM((8,), jnp.int8), plgpu.Barrier()], grid=(2,), grid_names=("block",))
    assert "an answer has 16 bytes, and i8[8] has not" in refusal(launch)


def test_an_axis_that_the_grid_has_not():
    launch = asking(put_safely, grid_names=("block",), num_threads=1, thread_name="thread")
    assert launch is not None

    def body(o_ref, answer_ref, barrier):
        plgpu.try_cluster_cancel(answer_ref, barrier)
        plgpu.barrier_wait(barrier)
        plgpu.query_cluster_cancel(answer_ref, grid_names=("thread",))

    launch = launch_of(body, out=ints(8), scratch=[plgpu.TryClusterCancelResult(), plgpu.Barrier()], grid=(2,),
                       grid_names=("block",), num_threads=1, thread_name="thread")
    assert "'thread' is no axis of the grid" in refusal(launch)
