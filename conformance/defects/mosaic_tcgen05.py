"""Products of Mosaic GPU's tcgen05, whose sums are in tensor memory, and which arrive at barriers when they are done."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race, undefined
from conformance.defects.mosaic_kernels import barrier, launch, thread
from conformance.defects.mosaic_products import factor, halves, product
from conformance.defects.shorthand import f32

SIZES = [halves(128, 64), halves(64, 128)]
LATE = ["undefined-output", "order-dependence"]


def tensor(body, a, b, *, threads=0, barriers=1):
    """A kernel with its factors in shared memory, of which `body` makes a sum in tensor memory; `done` is for products."""
    def kernel(a_ref, b_ref, o_ref, left, right, acc, ready, done):
        def load():
            plgpu.copy_gmem_to_smem(a_ref, left, ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
        thread(0)(load) if threads else load()
        plgpu.barrier_wait(ready)
        body(left, right, acc, done, o_ref)
    return launch(kernel, f32(128, 128), a, b, threads=threads, scratch=[
        factor(128, 64), factor(64, 128), plgpu.TMEM((128, 128), jnp.float32), barrier(num_arrivals=2),
        barrier(num_barriers=barriers, orders_tensor_core=True)])


def two_sums(body, a, b):
    return tensor(body, a, b, threads=2, barriers=3)


@defect("a sum is taken before the wait for the product's arrival",
        Finding("product-in-flight", "takes", (), "acc", (0, 0), "starts"), also=LATE, inputs=SIZES)
class TakenBeforeTheArrival:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)  # <starts>
            o_ref[...] = plgpu.async_load_tmem(acc)  # <takes>
            plgpu.barrier_wait(done)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("the arrival is behind the first of two products, and the second one is not waited for",
        Finding("product-in-flight", "takes", (), "acc", (0, 0), "second"), Finding("product-not-awaited", "second", (), None),
        also=LATE, inputs=SIZES)
class ArrivalBehindTheFirst:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, accumulate=False)
            plgpu.tcgen05_commit_arrive(done)
            plgpu.tcgen05_mma(acc, left, right)  # <second>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)  # <takes>
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, accumulate=False)
            plgpu.tcgen05_mma(acc, left, right)
            plgpu.tcgen05_commit_arrive(done)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [2 * product(a, b)]


@defect("products are started and no arrival is asked for, so that the wait never ends",
        Finding("deadlock", "waits", (), "done"), also=[*LATE, "output-unwritten", "product-not-awaited"], inputs=SIZES)
class NoArrivalAskedFor:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, accumulate=False)
            plgpu.barrier_wait(done)  # <waits>
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, accumulate=False)
            plgpu.tcgen05_commit_arrive(done)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("the first product adds to what tensor memory happens to hold",
        undefined("o_ref", (0, 0), "stores", (), "adds"), inputs=SIZES)
class AddsToFreshMemory:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done)  # <adds>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)  # <stores>
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("a factor is overwritten before the product's arrival",
        Finding("product-in-flight", "again", (), "left", (0, 0), "starts"), also=[*LATE, "proxy-fence-missing"], inputs=SIZES)
class FactorOverwrittenBeforeTheArrival:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)  # <starts>
            left[...] = jnp.zeros((128, 64), jnp.float16)  # <again>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            left[...] = jnp.zeros((128, 64), jnp.float16)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("a factor is changed in place, and the product starts without a fence",
        Finding("proxy-fence-missing", "starts", (), "left", (0, 0), "changes"), thread="sgl-project/sglang#39124", inputs=SIZES)
class FactorChangedWithoutAFence:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            left[...] = left[...] * 2  # <changes>
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)  # <starts>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            left[...] = left[...] * 2
            plgpu.commit_smem()
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [2 * product(a, b)]


@defect("another thread takes the sum without waiting for the product's arrival",
        race("acc", (0, 0), ("starts", (0,)), ("takes", (1,))), also=LATE, inputs=SIZES)
class AnotherThreadDoesNotWait:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            @thread(0)
            def _():
                plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)  # <starts>
                plgpu.barrier_wait(done)

            @thread(1)
            def _():
                o_ref[...] = plgpu.async_load_tmem(acc)  # <takes>
        return tensor(body, a, b, threads=2)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            @thread(0)
            def _():
                plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)

            @thread(1)
            def _():
                plgpu.barrier_wait(done)
                o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b, threads=2)

    def outputs(a, b):
        return [product(a, b)]


@defect("the next product adds to the sum while another thread still takes it",
        race("acc", (0, 0), ("starts", (0,)), ("takes", (1,))), also=[*LATE, "barrier-overrun", "phase-missed", "phase-unobserved"],
        inputs=SIZES)
class NextProductTooEarly:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            for step in range(2):
                @thread(0)
                def _():
                    plgpu.tcgen05_mma(acc, left, right, done.at[step], accumulate=bool(step))  # <starts>
                    plgpu.barrier_wait(done.at[step])

                @thread(1)
                def _():
                    plgpu.barrier_wait(done.at[step])
                    o_ref[pl.ds(step * 64, 64)] = plgpu.async_load_tmem(acc)[step * 64:step * 64 + 64]  # <takes>
        return two_sums(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            for step in range(2):
                @thread(0)
                def _():
                    if step:
                        plgpu.barrier_wait(done.at[2])
                    plgpu.tcgen05_mma(acc, left, right, done.at[step], accumulate=bool(step))

                @thread(1)
                def _():
                    plgpu.barrier_wait(done.at[step])
                    o_ref[pl.ds(step * 64, 64)] = plgpu.async_load_tmem(acc)[step * 64:step * 64 + 64]
                    plgpu.wait_load_tmem()
                    if not step:
                        plgpu.barrier_arrive(done.at[2])
        return two_sums(body, a, b)

    def outputs(a, b):
        return [product(a, b) * jnp.repeat(jnp.array([[1.0], [2.0]]), 64, axis=0)]


@defect("the thread that starts a product arrives for it, which the product does already",
        Finding("barrier-overrun", "arrives", (), "done", None, "starts"), also=[*LATE, "product-in-flight", "product-not-awaited", "phases-left"],
        inputs=SIZES)
class ArrivesForAProduct:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)  # <starts>
            plgpu.barrier_arrive(done)  # <arrives>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("two products arrive at one barrier, one behind the other, and both waits come behind their starts",
        Finding("phase-missed", "waits", (), "done", None, "second"), also=LATE, inputs=SIZES)
class TwoArrivalsBeforeTheWaits:
    def broken(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.tcgen05_mma(acc, left, right, done)  # <second>
            plgpu.barrier_wait(done)  # <waits>
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def repaired(a, b):
        def body(left, right, acc, done, o_ref):
            plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
            plgpu.barrier_wait(done)
            plgpu.tcgen05_mma(acc, left, right, done)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
        return tensor(body, a, b)

    def outputs(a, b):
        return [2 * product(a, b)]


def handed_on(copy, multiply, a, b, **ordered):
    """A thread copies a factor to tensor memory, and another one multiplies; `ordered` is of the barrier between them."""
    def kernel(a_ref, b_ref, o_ref, left, right, held, acc, ready, told, done):
        @thread(0)
        def _():
            plgpu.copy_gmem_to_smem(a_ref, left, ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)
            copy(left, held)
            plgpu.barrier_arrive(told)

        @thread(1)
        def _():
            plgpu.barrier_wait(told)
            multiply(acc, held, right, done)
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)
    return launch(kernel, f32(128, 128), a, b, threads=2, scratch=[
        factor(128, 64), factor(64, 128), plgpu.TMEM((128, 64), jnp.float16, packed=True), plgpu.TMEM((128, 128), jnp.float32),
        barrier(num_arrivals=2), barrier(**ordered), barrier(orders_tensor_core=True)])


@defect("a factor is copied to tensor memory by one thread and used by another, and the barrier between them does not order the tensor core",
        race("held", (0, 0), ("copies", (0,)), ("starts", (1,))), also=[*LATE, "dma-not-awaited"], inputs=SIZES)
class HandedOnByAPlainBarrier:
    def broken(a, b):
        def copy(left, held):
            plgpu.async_copy_smem_to_tmem(left, held)  # <copies>

        def multiply(acc, held, right, done):
            plgpu.tcgen05_mma(acc, held, right, done, accumulate=False)  # <starts>
        return handed_on(copy, multiply, a, b)

    def repaired(a, b):
        def copy(left, held):
            plgpu.async_copy_smem_to_tmem(left, held)

        def multiply(acc, held, right, done):
            plgpu.tcgen05_mma(acc, held, right, done, accumulate=False)
        return handed_on(copy, multiply, a, b, orders_tensor_core=True)

    def outputs(a, b):
        return [product(a, b)]
