"""Loads and stores of tensor memory, which take place at some moment before a wait, on a CPU in every order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from test_mosaic_gpu_products import exact

import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, f32, found, kinds_among, launch_of, numbers, runs
from tcgen05_kernels import K, M, factors, product

SHAPE = (128, 32)
X = numbers(*SHAPE)


def kernel(body, *, threads=None, barriers=()):
    """A kernel with an input, an output and tensor memory of that shape."""
    options = {"num_threads": threads, "thread_name": "thread"} if threads else {}
    return launch_of(body, out=f32(*SHAPE), scratch=[plgpu.TMEM(SHAPE, jnp.float32), *barriers], **options)


def store(memory, value):
    plgpu.async_store_tmem(memory, value)
    plgpu.commit_tmem()


def result(launch, order):
    """What a run gives, whatever is found."""
    with tp.interpreter(order=order, findings="warn"), pytest.warns(tp.FindingWarning):
        return np.asarray(launch(X))


def is_in_flight(launch):
    return all(kinds_among(("dma-in-flight",), launch, X, order=order) == {"dma-in-flight"} for order in ORDERS)


# -- loads --


def overwritten(wait):
    def body(x_ref, o_ref, memory):
        store(memory, x_ref[...])
        value = plgpu.async_load_tmem(memory)
        wait()
        store(memory, x_ref[...] + 1)
        o_ref[...] = value

    return kernel(body)


def test_memory_is_overwritten_after_the_wait():
    launch = overwritten(plgpu.wait_load_tmem)
    for each in runs(launch, X):
        np.testing.assert_array_equal(each, X)
    assert found(launch, X) == set()


def test_memory_is_overwritten_without_a_wait():
    launch = overwritten(lambda: None)
    assert is_in_flight(launch)
    np.testing.assert_array_equal(result(launch, "sequential"), X + 1)
    np.testing.assert_array_equal(result(launch, "reversed"), X)


def test_a_value_that_has_been_used_is_there():
    """But that all has been read is known after a wait only."""
    def body(x_ref, o_ref, memory):
        store(memory, x_ref[...])
        o_ref[...] = plgpu.async_load_tmem(memory)
        store(memory, x_ref[...] + 1)

    launch = kernel(body)
    assert is_in_flight(launch)
    for order in ORDERS:
        np.testing.assert_array_equal(result(launch, order), X)


def test_loads_of_a_loop():
    """Each turn has its own value, and what has been read need not be known at the end."""
    def body(x_ref, o_ref, memory):
        store(memory, x_ref[...])
        o_ref[...] = jax.lax.fori_loop(0, 3, lambda i, total: total + plgpu.async_load_tmem(memory), jnp.zeros(SHAPE, jnp.float32))

    launch = kernel(body)
    for each in runs(launch, X):
        np.testing.assert_array_equal(each, X + X + X)
    assert found(launch, X) == set()


def test_a_product_takes_the_place_of_what_is_read():
    def body(wait):
        def multiply(a, b, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
            plgpu.barrier_wait(done)
            first = plgpu.async_load_tmem(acc)
            wait()
            plgpu.tcgen05_mma(acc, a, b, done)
            plgpu.barrier_wait(done)
            o_ref[...] = first + plgpu.async_load_tmem(acc)

        return product(multiply)

    a, b = factors()
    for each in runs(body(plgpu.wait_load_tmem), a, b):
        np.testing.assert_array_equal(each, 3 * exact(a, b))
    assert kinds_among(("dma-in-flight",), body(lambda: None), a, b) == {"dma-in-flight"}


def test_another_thread_overwrites():
    def body(wait):
        def turns(x_ref, o_ref, memory, has_stored, has_read):
            @pl.when(jax.lax.axis_index("thread") == 0)
            def _write():
                store(memory, x_ref[...])
                plgpu.barrier_arrive(has_stored)
                plgpu.barrier_wait(has_read)
                store(memory, x_ref[...] + 1)

            @pl.when(jax.lax.axis_index("thread") == 1)
            def _read():
                plgpu.barrier_wait(has_stored)
                value = plgpu.async_load_tmem(memory)
                wait()
                plgpu.barrier_arrive(has_read)
                o_ref[...] = value

        return kernel(turns, threads=2, barriers=[plgpu.Barrier(orders_tensor_core=True) for _ in range(2)])

    launch = body(plgpu.wait_load_tmem)
    for each in runs(launch, X):
        np.testing.assert_array_equal(each, X)
    assert found(launch, X) == set()
    assert "race" in found(body(lambda: None), X)


# -- stores --


def read_back(commit):
    def body(x_ref, o_ref, memory):
        plgpu.async_store_tmem(memory, x_ref[...])
        commit()
        o_ref[...] = plgpu.async_load_tmem(memory)

    return kernel(body)


def test_memory_is_read_without_a_commit():
    launch = read_back(lambda: None)
    assert is_in_flight(launch)
    assert np.isnan(result(launch, "sequential")).all()
    np.testing.assert_array_equal(result(launch, "reversed"), X)


def test_a_wait_for_loads_is_none_for_stores():
    assert is_in_flight(read_back(plgpu.wait_load_tmem))


def test_one_commit_for_several_stores():
    def body(x_ref, o_ref, memory):
        for start in (0, 16):
            plgpu.async_store_tmem(memory.at[:, pl.ds(start, 16)], x_ref[:, pl.ds(start, 16)])
        plgpu.commit_tmem()
        o_ref[...] = plgpu.async_load_tmem(memory)

    launch = kernel(body)
    for each in runs(launch, X):
        np.testing.assert_array_equal(each, X)
    assert found(launch, X) == set()


def test_a_factor_that_is_not_committed():
    def body(commit):
        def multiply(a, b, acc, done, o_ref, left):
            plgpu.async_store_tmem(left, a[...])
            commit()
            plgpu.tcgen05_mma(acc, left, b, done, accumulate=False)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)

        return product(multiply, extra=[plgpu.TMEM((M, K), jnp.float16, packed=True)])

    a, b = factors()
    for each in runs(body(plgpu.commit_tmem), a, b):
        np.testing.assert_array_equal(each, exact(a, b))
    assert kinds_among(("dma-in-flight",), body(lambda: None), a, b) == {"dma-in-flight"}
