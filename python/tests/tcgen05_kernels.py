"""Kernels with a product of tcgen05, which tests run in the interpreter and as PTX."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from mosaic_kernels import tiles

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


# -- what kernels do --


def once(a, b, acc, done, o_ref):
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_ref[...] = plgpu.async_load_tmem(acc)


def three_times(a, b, acc, done, o_ref):
    """The first product takes the place of what is there; one arrival comes behind all of them."""

    @pl.loop(0, 3)
    def _step(i):
        plgpu.tcgen05_mma(acc, a, b, accumulate=i > 0)

    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o_ref[...] = plgpu.async_load_tmem(acc)


def added_to_two(a, b, acc, done, o_ref):
    plgpu.async_store_tmem(acc, jnp.full((M, N), 2, jnp.float32))
    plgpu.commit_tmem()
    plgpu.tcgen05_mma(acc, a, b, done)
    plgpu.barrier_wait(done)
    o_ref[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()


def by_a_copied_factor(a, b, acc, done, o_ref, left):
    plgpu.async_copy_smem_to_tmem(a, left)
    plgpu.tcgen05_mma(acc, left, b, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_ref[...] = plgpu.async_load_tmem(acc)


COPIED_FACTOR = plgpu.TMEM((M, K), jnp.float16, packed=True)


def stored_by_another_thread(a, b, acc, done, o_ref):
    @pl.when(jax.lax.axis_index("thread") == 0)
    def _multiply():
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)

    @pl.when(jax.lax.axis_index("thread") == 1)
    def _store():
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)


def read_too_early(a, b, acc, done, o_ref):
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
    o_ref[...] = plgpu.async_load_tmem(acc)
    plgpu.barrier_wait(done)
