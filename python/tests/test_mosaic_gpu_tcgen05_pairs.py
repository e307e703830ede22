"""Products of tcgen05 that two blocks of a cluster make together, on a CPU in every order."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from test_mosaic_gpu_products import exact

from mosaic_kernels import found, kinds_among, refusal, runs

pytestmark = pytest.mark.slow  # all of them together

kinds = functools.partial(kinds_among, ("product-in-flight", "product-not-awaited"))
M, N, K = 128, 64, 64  # M: rows of one block


def multiply(acc, a, b, done, **options):
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False, collective_axis="x", **options)


def pair(body=multiply, rows=M, is_ready=True, waits=plgpu.barrier_wait, cluster=(2,), names=("x",), extra=()):
    """A kernel of two blocks: each copies its half of the rows of a and of the columns of b, and stores its rows of the sum."""

    def kernel(a_ref, b_ref, o_ref, a, b, acc, ready, done, both, *more):
        rank = jax.lax.axis_index("x")
        plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(rank * rows, rows)], a, ready)
        plgpu.copy_gmem_to_smem(b_ref.at[:, pl.ds(rank * (N // 2), N // 2)], b, ready)
        plgpu.barrier_wait(ready)
        if is_ready:
            plgpu.barrier_arrive(both)
            plgpu.barrier_wait(both)
        body(acc, a, b, done, *more)
        waits(done)
        o_ref[pl.ds(rank * rows, rows)] = plgpu.async_load_tmem(acc)

    narrow = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((2 * rows, N), jnp.float32), cluster=cluster, cluster_names=names,
                        scratch_types=[
                            plgpu.SMEM((rows, K), jnp.float16, transforms=narrow), plgpu.SMEM((K, N // 2), jnp.float16, transforms=narrow),
                            plgpu.TMEM((rows, N), jnp.float32, collective=True), plgpu.Barrier(num_arrivals=2),
                            plgpu.Barrier(orders_tensor_core=True), plgpu.ClusterBarrier(collective_axes=("x",)), *extra])


def factors(rows=M):
    return [jax.random.normal(jax.random.key(i), shape, jnp.float32).astype(jnp.float16) for i, shape in
            enumerate(((2 * rows, K), (K, N)))]


# -- values --


@pytest.mark.parametrize("rows", [64, 128])
def test_each_block_has_half_of_the_rows(rows):
    a, b = factors(rows)
    launch = pair(rows=rows)
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))
    assert found(launch, a, b) == set()


def arrives_at_the_end(collective):
    """Two blocks that arrive at each other's barriers, for which nobody waits."""

    def kernel(o_ref, tensor_memory, both):
        del tensor_memory
        o_ref[jax.lax.axis_index("x")] = jax.numpy.zeros((128,), jax.numpy.float32)
        plgpu.barrier_arrive(both)

    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32), cluster=(2,), cluster_names=("x",),
                        num_threads=2, thread_name="thread", scratch_types=[
                            plgpu.TMEM((128, 64), jnp.float32, collective=collective), plgpu.ClusterBarrier(collective_axes=("x",), num_arrivals=2)])


def test_blocks_that_have_tensor_memory_together_end_together():
    assert "peer-ended" in found(arrives_at_the_end(False))
    assert "peer-ended" not in found(arrives_at_the_end(True))


def test_products_of_a_loop_and_an_arrival_behind_them():
    def body(acc, a, b, done):
        @pl.loop(0, 3)
        def _step(i):
            plgpu.tcgen05_mma(acc, a, b, accumulate=i > 0, collective_axis="x")

        plgpu.tcgen05_commit_arrive(done, collective_axis="x")

    a, b = factors()
    once = exact(a, b)
    for result in runs(pair(body), a, b):
        np.testing.assert_array_equal(result, once + once + once)


def test_a_left_factor_in_tensor_memory():
    """The first block copies what is in both."""
    def body(acc, a, b, done, left):
        plgpu.async_copy_smem_to_tmem(a, left, collective_axis="x")
        multiply(acc, left, b, done)

    a, b = factors()
    launch = pair(body, extra=[plgpu.TMEM((M, K), jnp.float16, packed=True, collective=True)])
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))
    assert found(launch, a, b) == set()


def test_the_first_block_alone_says_when():
    """What the other one would start is nothing."""
    def body(acc, a, b, done):
        @pl.when(jax.lax.axis_index("x") == 0)
        def _first():
            multiply(acc, a, b, done)

    a, b = factors()
    for result in runs(pair(body), a, b):
        np.testing.assert_array_equal(result, exact(a, b))


def test_the_last_of_two_axes():
    a, b = factors()
    for result in runs(pair(cluster=(1, 2), names=("y", "x")), a, b):
        np.testing.assert_array_equal(result, exact(a, b))


# -- what is found --


def test_the_other_block_may_not_be_ready():
    launch = pair(is_ready=False)
    assert "race" in found(launch, *factors())
    assert any(np.isnan(result).any() for result in runs(launch, *factors(), orders=[f"shuffled:{seed}" for seed in range(8)]))


def test_the_first_block_does_not_wait():
    def waits(done):
        pl.when(jax.lax.axis_index("x") == 1)(lambda: plgpu.barrier_wait(done))

    assert kinds(pair(waits=waits), *factors()) == {"product-in-flight"}


def test_the_other_block_does_not_wait():
    def waits(done):
        pl.when(jax.lax.axis_index("x") == 0)(lambda: plgpu.barrier_wait(done))

    assert "race" in found(pair(waits=waits), *factors())


def test_an_arrival_at_one_block_only():
    """The other block waits for an arrival that never comes."""
    def body(acc, a, b, done):
        plgpu.tcgen05_mma(acc, a, b, accumulate=False, collective_axis="x")
        pl.when(jax.lax.axis_index("x") == 0)(lambda: plgpu.tcgen05_commit_arrive(done))

    assert "deadlock" in found(pair(body), *factors())


# -- what is refused --


def test_an_axis_that_is_not_the_last_one():
    launch = pair(cluster=(2, 1), names=("x", "y"))
    assert "along the last axis of a cluster, of size 2" in refusal(launch, *factors())


def test_no_cluster():
    launch = pair(cluster=(1,))
    assert "tcgen05_pair: a cluster has 1 block; memory of two blocks needs a cluster of an even number of them" in refusal(launch, *factors())
