"""Warps of Mosaic GPU: the four warps of a thread do different things inside a `core_map` or `warp_map`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import f32, found, ints, launch_of as kernel, numbers, refusal, runs


def warps(body):
    pl.core_map(plgpu.WarpMesh(axis_name="warp"))(lambda: body(jax.lax.axis_index("warp")))


# -- sections --


def test_each_warp_has_its_number():
    def body(o_ref):
        block = jax.lax.axis_index("block")

        def section(warp):
            o_ref[block, warp] = 10 * block + warp

        warps(section)

    launch = kernel(body, out=ints(3, 4), grid=(3,), grid_names=("block",))
    for result in runs(launch):
        np.testing.assert_array_equal(result, [[10 * b + w for w in range(4)] for b in range(3)])
    assert found(launch) == set()


def test_sections_in_loops_and_branches():
    """The warps that follow find the section that the thread is at, and what it captures in each turn."""

    def body(o_ref):
        def step(i, carry):
            @pl.when(i % 2 == 0)
            def _():
                def even(warp):
                    o_ref[i, warp] = i + warp

                warps(even)

            @pl.when(i % 2 == 1)
            def _():
                def odd(warp):
                    o_ref[i, warp] = -i - warp

                warps(odd)
            return carry

        jax.lax.fori_loop(0, 4, step, None)

    launch = kernel(body, out=ints(4, 4))
    for result in runs(launch):
        np.testing.assert_array_equal(result, [[(i + w) * (1 if i % 2 == 0 else -1) for w in range(4)] for i in range(4)])
    assert found(launch) == set()


def test_sections_of_threads_of_blocks_of_clusters():
    def body(o_ref):
        rank, thread = jax.lax.axis_index("rank"), jax.lax.axis_index("thread")

        def section(warp):
            o_ref[rank, thread, warp] = 100 * rank + 10 * thread + warp

        warps(section)

    launch = kernel(body, out=ints(2, 3, 4), cluster=(2,), cluster_names=("rank",), num_threads=3, thread_name="thread")
    wanted = [[[100 * r + 10 * t + w for w in range(4)] for t in range(3)] for r in range(2)]
    for result in runs(launch):
        np.testing.assert_array_equal(result, wanted)
    assert found(launch) == set()


def test_memory_of_a_block_of_a_cluster_in_a_section():
    """Captured references are those of the block, and those of another one can be had from them."""

    def body(o_ref, slots, filled):
        rank = jax.lax.axis_index("rank")

        def fill(warp):
            slots[warp] = 10 * rank + warp

        warps(fill)
        plgpu.barrier_arrive(filled)
        plgpu.barrier_wait(filled)

        def take(warp):
            o_ref[rank, warp] = plgpu.cluster_ref(slots, {"rank": 1 - rank})[3 - warp]

        warps(take)
        plgpu.barrier_arrive(filled)
        plgpu.barrier_wait(filled)

    launch = kernel(body, out=ints(2, 4), cluster=(2,), cluster_names=("rank",),
                    scratch=[plgpu.SMEM((4,), jnp.int32), plgpu.ClusterBarrier(collective_axes=("rank",))])
    for result in runs(launch):
        np.testing.assert_array_equal(result, [[13, 12, 11, 10], [3, 2, 1, 0]])
    assert found(launch) == set()


def test_warps_race():
    def body(o_ref):
        def section(warp):
            o_ref[0] = warp

        warps(section)

    assert "race" in found(kernel(body, out=ints(1)))


# -- barriers and copies --


def hand_over(thread_waits_first, warp_waits=True):
    """A warp copies, another one waits; the thread has waited for an earlier phase of the same barrier, for all of its warps."""

    def body(x_ref, o_ref, tile, ready, done):
        if thread_waits_first:
            plgpu.copy_gmem_to_smem(x_ref.at[0], tile, ready)
            plgpu.barrier_wait(ready)

        def section(warp):
            @pl.when(warp == 0)
            def _():
                plgpu.copy_gmem_to_smem(x_ref.at[1], tile, ready)

            @pl.when(warp == 3)
            def _():
                if warp_waits:
                    plgpu.barrier_wait(ready)
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref)
                plgpu.barrier_arrive(done)

        warps(section)
        plgpu.barrier_wait(done)
        plgpu.wait_smem_to_gmem(0)  # of all warps

    return kernel(body, out=f32(8, 32), scratch=[plgpu.SMEM((8, 32), jnp.float32), plgpu.Barrier(), plgpu.Barrier()])


@pytest.mark.parametrize("thread_waits_first", [False, True])
def test_a_warp_hands_over_to_another_one(thread_waits_first):
    launch, x = hand_over(thread_waits_first), numbers(2, 8, 32)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x[1])
    assert found(launch, x) == set()


def test_a_warp_that_does_not_wait():
    assert "race" in found(hand_over(True, warp_waits=False), numbers(2, 8, 32))


def test_a_deadlock_of_the_thread_is_told_once():
    def body(o_ref, never):
        def section(warp):
            o_ref[warp] = warp

        warps(section)
        plgpu.barrier_wait(never)

    launch = kernel(body, out=ints(4), scratch=[plgpu.Barrier()])
    with tp.check(on_finding="collect", orders=False) as checked:
        launch()
    assert [finding.kind for finding in checked.findings] == ["deadlock"]


# -- refusals --


def test_an_array_of_the_thread_is_refused():
    def body(x_ref, o_ref):
        x = x_ref[...]

        def section(warp):
            o_ref[warp] = x[0, 0]

        warps(section)

    with pytest.raises((tp.ExportError, ValueError), match="a warp cannot use an array of its thread|captures non-scalar array"):
        tp.export(kernel(body, out=f32(4)), numbers(8, 32))  # JAX 0.12 refuses it itself


def test_warps_of_warps_are_refused():
    def body(o_ref):
        def section(warp):
            def inner(other):
                o_ref[other] = warp

            warps(inner)

        warps(section)

    assert "warps inside of a warp are not supported" in refusal(kernel(body, out=ints(4)))


def test_axes_of_two_names_are_refused():
    def body(o_ref):
        for name in ("one", "other"):
            @pl.core_map(plgpu.WarpMesh(axis_name=name))
            def _(name=name):
                o_ref[jax.lax.axis_index(name)] = 1

    assert "axes of warps with different names" in refusal(kernel(body, out=ints(4)))
