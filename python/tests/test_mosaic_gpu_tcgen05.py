"""Products of Mosaic GPU's tcgen05: tensor memory, and barriers that they arrive at, on a CPU in every order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from test_mosaic_gpu_products import exact, kinds, tiles

import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, refusal, runs

M, N, K = 128, 128, 64


def product(body, dtype=jnp.float16, out=jnp.float32, extra=(), threads=None):
    """A kernel with a (M, K) and b (K, N) in shared memory and an accumulator in tensor memory; `done` is for products."""

    def kernel(a_ref, b_ref, o_ref, a, b, acc, ready, done, *more):
        def load():
            plgpu.copy_gmem_to_smem(a_ref, a, ready)
            plgpu.copy_gmem_to_smem(b_ref, b, ready)

        if threads:
            pl.when(jax.lax.axis_index("thread") == 0)(load)
        else:
            load()
        plgpu.barrier_wait(ready)
        body(a, b, acc, done, o_ref, *more)

    options = {"num_threads": threads, "thread_name": "thread"} if threads else {}
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), out), scratch_types=[
        plgpu.SMEM((M, K), dtype, transforms=tiles(dtype)), plgpu.SMEM((K, N), dtype, transforms=tiles(dtype)),
        plgpu.TMEM((M, N), out), plgpu.Barrier(num_arrivals=2), plgpu.Barrier(orders_tensor_core=True), *extra], **options)


def factors(dtype=jnp.float16):
    shapes = enumerate(((M, K), (K, N)))
    if jnp.issubdtype(dtype, jnp.integer):
        return [jax.random.randint(jax.random.key(i), shape, -128, 127, dtype) for i, shape in shapes]
    return [jax.random.normal(jax.random.key(i), shape, jnp.float32).astype(dtype) for i, shape in shapes]


# -- values --


def once(a, b, acc, done, o_ref):
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_ref[...] = plgpu.async_load_tmem(acc)


@pytest.mark.parametrize(("dtype", "out"), [(jnp.float16, jnp.float32), (jnp.bfloat16, jnp.float32),
                                            (jnp.float8_e4m3fn, jnp.float32), (jnp.int8, jnp.int32)])
def test_dtypes(dtype, out):
    a, b = factors(dtype)
    for result in runs(product(once, dtype, out), a, b):
        np.testing.assert_array_equal(result, exact(a, b, out))


def test_products_of_a_loop():
    """The first one takes the place of what is there; one arrival comes behind all of them."""
    def body(a, b, acc, done, o_ref):
        @pl.loop(0, 3)
        def _step(i):
            plgpu.tcgen05_mma(acc, a, b, accumulate=i > 0)

        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    a, b = factors()
    once_ = exact(a, b)
    for result in runs(product(body), a, b):
        np.testing.assert_array_equal(result, once_ + once_ + once_)


def test_a_value_in_tensor_memory():
    def body(a, b, acc, done, o_ref):
        plgpu.async_store_tmem(acc, jnp.full((M, N), 2, jnp.float32))
        plgpu.commit_tmem()
        plgpu.tcgen05_mma(acc, a, b, done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    a, b = factors()
    for result in runs(product(body), a, b):
        np.testing.assert_array_equal(result, 2 + exact(a, b))


def test_a_left_factor_in_tensor_memory():
    """A copy that takes place before the product, which nobody has to wait for."""
    def body(a, b, acc, done, o_ref, left):
        plgpu.async_copy_smem_to_tmem(a, left)
        plgpu.tcgen05_mma(acc, left, b, done, accumulate=False)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    a, b = factors()
    for result in runs(product(body, extra=[plgpu.TMEM((M, K), jnp.float16, packed=True)]), a, b):
        np.testing.assert_array_equal(result, exact(a, b))


def test_parts_of_tensor_memory():
    def body(a, b, acc, done, o_ref):
        for columns in (pl.ds(0, 64), pl.ds(64, 64)):
            plgpu.tcgen05_mma(acc.at[:, columns], a, b.at[:, columns], accumulate=False)
        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    a, b = factors()
    for result in runs(product(body), a, b):
        np.testing.assert_array_equal(result, exact(a, b))


def test_another_thread_takes_the_result():
    def body(a, b, acc, done, o_ref):
        @pl.when(jax.lax.axis_index("thread") == 0)
        def _multiply():
            plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)

        @pl.when(jax.lax.axis_index("thread") == 1)
        def _store():
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)

    a, b = factors()
    launch = product(body, threads=2)
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))
    with tp.check():
        jax.block_until_ready(launch(a, b))


# -- what is found --


def test_an_accumulator_that_is_read_too_early():
    def body(a, b, acc, done, o_ref):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
        o_ref[...] = plgpu.async_load_tmem(acc)
        plgpu.barrier_wait(done)

    for order in ORDERS:
        assert kinds(product(body), *factors(), order=order) == {"product-in-flight"}


def test_a_factor_that_is_overwritten_too_early():
    def body(a, b, acc, done, o_ref):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
        a[...] = jnp.zeros((M, K), jnp.float16)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    for order in ORDERS:
        assert kinds(product(body), *factors(), order=order) == {"product-in-flight"}


def test_a_product_that_nobody_waits_for():
    def body(a, b, acc, done, o_ref):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
        o_ref[...] = jnp.zeros((M, N), jnp.float32)

    assert kinds(product(body), *factors()) == {"product-not-awaited"}


def test_accumulation_in_fresh_tensor_memory():
    def body(a, b, acc, done, o_ref):
        plgpu.tcgen05_mma(acc, a, b, done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    with pytest.raises(tp.FindingError, match="undefined-output"), tp.check(checks="undefined", orders=False):
        jax.block_until_ready(product(body)(*factors()))


def test_layouts_of_the_factors():
    a, b = factors()
    with tp.check(checks="layouts", orders=False):
        jax.block_until_ready(product(once)(a, b))


# -- what is refused --


def test_tensor_cores_of_two_blocks():
    def kernel(o_ref, a, b, acc, done):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False, collective_axis="x")
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    launch = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), jnp.float32), cluster=(2,), cluster_names=("x",), scratch_types=[
        plgpu.SMEM((M, K), jnp.float16, transforms=tiles(jnp.float16)), plgpu.SMEM((K, N // 2), jnp.float16, transforms=tiles(jnp.float16)),
        plgpu.TMEM((M, N), jnp.float32, collective=True), plgpu.Barrier(orders_tensor_core=True)])
    assert "tensor cores of two blocks together are not supported" in refusal(launch)
