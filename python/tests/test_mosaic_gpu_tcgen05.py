"""Products of Mosaic GPU's tcgen05: tensor memory, and barriers that they arrive at, on a CPU in every order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from test_mosaic_gpu_products import exact, kinds

import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, f32, launch_of, refusal, runs
from tcgen05_kernels import (COPIED_FACTOR, K, M, N, added_to_two, by_a_copied_factor, factors, once, product, read_too_early,
                             stored_by_another_thread, three_times)

# -- values --


@pytest.mark.parametrize(("dtype", "out"), [(jnp.float16, jnp.float32), (jnp.bfloat16, jnp.float32),
                                            (jnp.float8_e4m3fn, jnp.float32), (jnp.int8, jnp.int32)])
def test_dtypes(dtype, out):
    a, b = factors(dtype)
    for result in runs(product(once, dtype, out), a, b):
        np.testing.assert_array_equal(result, exact(a, b, out))


def test_products_of_a_loop():
    a, b = factors()
    once_ = exact(a, b)
    for result in runs(product(three_times), a, b):
        np.testing.assert_array_equal(result, once_ + once_ + once_)


def test_a_value_in_tensor_memory():
    a, b = factors()
    for result in runs(product(added_to_two), a, b):
        np.testing.assert_array_equal(result, 2 + exact(a, b))


def test_a_left_factor_in_tensor_memory():
    """A copy that takes place before the product, which nobody has to wait for."""
    a, b = factors()
    for result in runs(product(by_a_copied_factor, extra=[COPIED_FACTOR]), a, b):
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
    a, b = factors()
    launch = product(stored_by_another_thread, threads=2)
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))
    with tp.check():
        jax.block_until_ready(launch(a, b))


# -- what is found --


def test_an_accumulator_that_is_read_too_early():
    for order in ORDERS:
        assert kinds(product(read_too_early), *factors(), order=order) == {"product-in-flight"}


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


def test_more_columns_than_there_are():
    """Those of a scope that has ended are free again."""
    def with_columns(inner):
        def kernel(o_ref, first):
            for columns in (128, inner):
                pl.run_scoped(lambda acc: plgpu.async_store_tmem(acc, jnp.zeros(acc.shape, acc.dtype)), plgpu.TMEM((M, columns), jnp.float32))

        return launch_of(kernel, out=f32(M, N), scratch=[plgpu.TMEM((M, 256), jnp.float32)])

    assert "tcgen05_budget: 640 columns are allocated; tensor memory has 512 columns" in refusal(with_columns(384))
    tp.export(with_columns(256))


def test_tensor_memory_of_one_block_and_of_two():
    launch = launch_of(lambda *refs: None, out=f32(M, N), cluster=(2,), cluster_names=("x",), scratch=[
        plgpu.TMEM((M, N), jnp.float32, collective=collective) for collective in (True, False)])
    assert "tcgen05_one_group: one allocation is of one block, another of two" in refusal(launch)


# -- unions --


def test_a_union_of_an_accumulator_and_a_factor():
    """The second product has the first one's sum where its factor is, and its factor where the sum is."""
    def body(a, b, acc, done, o_ref, union):
        [first, left], [again, second] = union
        for sum_, factor in ((first, left), (second, again)):
            plgpu.async_copy_smem_to_tmem(a, factor)
            plgpu.tcgen05_mma(sum_, factor, b, done, accumulate=False)
            plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(second)

    halves = plgpu.TMEM((M, K), jnp.float16, packed=True)
    a, b = factors()
    launch = product(body, extra=[plgpu.RefUnion([plgpu.TMEM((M, N), jnp.float32), halves], [halves, plgpu.TMEM((M, N), jnp.float32)])])
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))


@pytest.mark.parametrize("member", [plgpu.TMEM((128, 64), jnp.int16, packed=True), plgpu.TMEM((128, 32), jnp.int16, packed=False),
                                    plgpu.TMEM((64, 64), jnp.int32), plgpu.TMEM((64, 64), jnp.int32, collective=True)])
def test_what_a_member_shows_of_another(member):
    """Lane r of column c holds 32 * r + c; rows of 64 are in two halves, and narrow elements at the low end of a column."""
    def kernel(x_ref, o_ref, union):
        plgpu.async_store_tmem(union[0], x_ref[...])
        plgpu.commit_tmem()
        o_ref[...] = plgpu.async_load_tmem(union[1])

    rows, columns = member.shape
    held = np.arange(128 * 32, dtype=np.int32).reshape(128, 32)
    cluster = {"cluster": (2,), "cluster_names": ("x",)} if member.collective else {}
    launch = launch_of(kernel, out=jax.ShapeDtypeStruct(member.shape, member.dtype), scratch=[
        plgpu.RefUnion(plgpu.TMEM((128, 32), jnp.int32, collective=member.collective), member)], **cluster)
    if member.dtype == jnp.int16:
        wanted = held.view(np.int16)[:, ::64 // columns]
    elif member.collective:  # a quarter of the lanes has 32 rows of one half of the columns
        wanted = held.reshape(2, 64, 32).transpose(1, 0, 2).reshape(64, 64)
    else:  # a quarter has 16 rows, and their halves behind each other
        wanted = held.reshape(4, 2, 16, 32).transpose(0, 2, 1, 3).reshape(64, 64)
    for result in runs(launch, held):
        np.testing.assert_array_equal(result, wanted)


def test_a_union_with_scales_is_refused():
    scales = plgpu.TMEM((128, 8), jnp.float8_e8m0fnu, layout=plgpu.TMEMLayout.SCALES_LAYOUT)

    def kernel(o_ref, union):
        plgpu.async_store_tmem(union[1], plgpu.async_load_tmem(union[1]))

    launch = launch_of(kernel, out=f32(M, N), scratch=[plgpu.RefUnion(plgpu.TMEM((M, 32), jnp.float32), scales)])
    assert "a union with scales, metadata or more than one matrix in a reference is not supported" in refusal(launch)
