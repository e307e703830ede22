"""Products of tensor cores that run beside a thread of Mosaic GPU, which uses their sums or factors too early."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect, race
from conformance.defects.mosaic_kernels import barrier, launch, thread
from conformance.defects.shorthand import f32, numbers

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def factor(*shape):
    return plgpu.SMEM(shape, jnp.float16, transforms=TILES)


def halves(rows, columns):
    return (numbers(rows, columns) % 7).astype(jnp.float16)


def product(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32)


def one_product(body, a, b):
    """A kernel with its factors in shared memory, that stores what `body` returns, which has an accumulator."""
    def kernel(a_ref, b_ref, o_ref, left, right, ready):
        plgpu.copy_gmem_to_smem(a_ref, left, ready)
        plgpu.copy_gmem_to_smem(b_ref, right, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = pl.run_scoped(lambda acc: body(left, right, acc), plgpu.ACC((64, 64)))
    return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier(num_arrivals=2)])


@defect("a factor is overwritten while the product may still read it",
        Finding("product-in-flight", "again", (), "left", (0, 0), "starts"), also=["proxy-fence-missing", "order-dependence"],
        inputs=[halves(64, 64), halves(64, 64)])
class FactorOverwritten:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(a_ref, left, ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left, right)  # <starts>
                left[...] = jnp.zeros((64, 64), jnp.float16)  # <again>
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier(num_arrivals=2)])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(a_ref, left, ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left, right)
                plgpu.wgmma_wait(0)
                left[...] = jnp.zeros((64, 64), jnp.float16)
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier(num_arrivals=2)])

    def outputs(a, b):
        return [product(a, b)]


@defect("a product reads a factor that the thread has written, without a fence of proxies",
        Finding("proxy-fence-missing", "starts", (), "left", (0, 0), "writes"), inputs=[halves(64, 64), halves(64, 64)])
class FactorUnfenced:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            left[...] = a_ref[...]  # <writes>
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left, right)  # <starts>
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier()])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            left[...] = a_ref[...]
            plgpu.commit_smem()
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left, right)
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier()])

    def outputs(a, b):
        return [product(a, b)]


@defect("an accumulator is read while the product may still add to it",
        Finding("product-in-flight", "reads", (), None, None, "starts"), also=["order-dependence"], inputs=[halves(64, 64), halves(64, 64)])
class ReadBeforeItIsDone:
    def broken(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)  # <starts>
            early = plgpu.wgmma_accumulator_load(acc, wait_n=None)  # <reads>
            plgpu.wgmma_wait(0)
            return early
        return one_product(body, a, b)

    def repaired(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)
            return acc[...]
        return one_product(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("an accumulator is read when all products but one are done",
        Finding("product-in-flight", "reads", (), None, None, "second"), also=["order-dependence"], inputs=[halves(64, 64), halves(64, 64)])
class AllButOneIsDone:
    def broken(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)
            plgpu.wgmma(acc, left, right)  # <second>
            early = plgpu.wgmma_accumulator_load(acc, wait_n=1)  # <reads>
            plgpu.wgmma_wait(0)
            return early
        return one_product(body, a, b)

    def repaired(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)
            plgpu.wgmma(acc, left, right)
            return acc[...]
        return one_product(body, a, b)

    def outputs(a, b):
        return [2 * product(a, b)]


@defect("nobody waits for the last product before its accumulator ends",
        Finding("product-not-awaited", "starts", (), None), inputs=[halves(64, 64), halves(64, 64)])
class SumOfNobody:
    def broken(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)
            total = acc[...]
            plgpu.wgmma(acc, left, right)  # <starts>
            return total
        return one_product(body, a, b)

    def repaired(a, b):
        def body(left, right, acc):
            plgpu.wgmma(acc, left, right)
            return acc[...]
        return one_product(body, a, b)

    def outputs(a, b):
        return [product(a, b)]


@defect("the factor of the next step is brought to where the product of this one may still read",
        Finding("product-in-flight", "fill", (), "left", (0, 0), "starts"), also=["order-dependence"],
        inputs=[halves(128, 64), halves(64, 64)])
class FactorRefilledTooEarly:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, own):
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                @pl.loop(0, 2)
                def _(step):
                    plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(step * 64, 64)], left, own)  # <fill>
                    plgpu.barrier_wait(own)
                    plgpu.wgmma(acc, left, right)  # <starts>
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier(), barrier()])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, own):
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                @pl.loop(0, 2)
                def _(step):
                    plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(step * 64, 64)], left, own)
                    plgpu.barrier_wait(own)
                    plgpu.wgmma(acc, left, right)
                    plgpu.wgmma_wait(0)
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(64, 64), factor(64, 64), barrier(), barrier()])

    def outputs(a, b):
        return [product(a[:64], b) + product(a[64:], b)]


@defect("a thread frees the slots of its factors when its product has started, and another thread fills them again",
        race("left", (0, 0, 0), ("fill", (0,)), ("starts", (1,))), also=["order-dependence", "undefined-output"],
        inputs=[halves(384, 64), halves(64, 64)])
class FactorFreedTooEarly:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, free, once):
            @thread(0)
            def _():
                plgpu.copy_gmem_to_smem(b_ref, right, once)
                for step in range(6):
                    if step > 1:
                        plgpu.barrier_wait(free.at[step % 2])
                    rows = pl.ds(step * 64, 64)
                    plgpu.copy_gmem_to_smem(a_ref.at[rows], left.at[step % 2], ready.at[step % 2])  # <fill>

            @thread(1)
            def _():
                plgpu.barrier_wait(once)

                def scope(acc):
                    for step in range(6):
                        plgpu.barrier_wait(ready.at[step % 2])
                        plgpu.wgmma(acc, left.at[step % 2], right)  # <starts>
                        if step < 4:
                            plgpu.barrier_arrive(free.at[step % 2])
                    return acc[...]
                o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, threads=2, scratch=[
            factor(2, 64, 64), factor(64, 64), barrier(num_barriers=2), barrier(num_barriers=2), barrier()])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, free, once):
            @thread(0)
            def _():
                plgpu.copy_gmem_to_smem(b_ref, right, once)
                for step in range(6):
                    if step > 1:
                        plgpu.barrier_wait(free.at[step % 2])
                    rows = pl.ds(step * 64, 64)
                    plgpu.copy_gmem_to_smem(a_ref.at[rows], left.at[step % 2], ready.at[step % 2])

            @thread(1)
            def _():
                plgpu.barrier_wait(once)

                def scope(acc):
                    for step in range(6):
                        plgpu.barrier_wait(ready.at[step % 2])
                        plgpu.wgmma(acc, left.at[step % 2], right)
                        plgpu.wgmma_wait(0)
                        if step < 4:
                            plgpu.barrier_arrive(free.at[step % 2])
                    return acc[...]
                o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, threads=2, scratch=[
            factor(2, 64, 64), factor(64, 64), barrier(num_barriers=2), barrier(num_barriers=2), barrier()])

    def outputs(a, b):
        return [sum(product(a[64 * step:64 * step + 64], b) for step in range(6))]


@defect("the factor of the step before is overwritten behind the next product, without a wait: only the page of Mosaic GPU promises one",
        Finding("wait-only-promised", "again", (), "left", (0, 0, 0), "starts"), inputs=[halves(128, 64), halves(64, 64)])
class RefilledBehindAPromise:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(0, 64)], left.at[0], ready)
            plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(64, 64)], left.at[1], ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left.at[0], right)  # <starts>
                plgpu.wgmma(acc, left.at[1], right)
                left[0] = jnp.zeros((64, 64), jnp.float16)  # <again>
                plgpu.wgmma_wait(0)
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(2, 64, 64), factor(64, 64), barrier(num_arrivals=3)])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready):
            plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(0, 64)], left.at[0], ready)
            plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(64, 64)], left.at[1], ready)
            plgpu.copy_gmem_to_smem(b_ref, right, ready)
            plgpu.barrier_wait(ready)

            def scope(acc):
                plgpu.wgmma(acc, left.at[0], right)
                plgpu.wgmma(acc, left.at[1], right)
                plgpu.wgmma_wait(1)
                left[0] = jnp.zeros((64, 64), jnp.float16)
                plgpu.wgmma_wait(0)
                return acc[...]
            o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, scratch=[factor(2, 64, 64), factor(64, 64), barrier(num_arrivals=3)])

    def outputs(a, b):
        return [product(a[:64], b) + product(a[64:], b)]


@defect("a thread frees the slot of the step before behind the next product, without a wait, and another thread fills it again",
        Finding("wait-only-promised", "fill", (0,), "left", None, "starts", (1,)), inputs=[halves(384, 64), halves(64, 64)])
class FreedBehindAPromise:
    def broken(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, free, once):
            @thread(0)
            def _():
                plgpu.copy_gmem_to_smem(b_ref, right, once)
                for step in range(6):
                    if step > 1:
                        plgpu.barrier_wait(free.at[step % 2])
                    rows = pl.ds(step * 64, 64)
                    plgpu.copy_gmem_to_smem(a_ref.at[rows], left.at[step % 2], ready.at[step % 2])  # <fill>

            @thread(1)
            def _():
                plgpu.barrier_wait(once)

                def scope(acc):
                    for step in range(6):
                        plgpu.barrier_wait(ready.at[step % 2])
                        plgpu.wgmma(acc, left.at[step % 2], right)  # <starts>
                        if 0 < step < 5:
                            plgpu.barrier_arrive(free.at[1 - step % 2])
                    return acc[...]
                o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, threads=2, scratch=[
            factor(2, 64, 64), factor(64, 64), barrier(num_barriers=2), barrier(num_barriers=2), barrier()])

    def repaired(a, b):
        def kernel(a_ref, b_ref, o_ref, left, right, ready, free, once):
            @thread(0)
            def _():
                plgpu.copy_gmem_to_smem(b_ref, right, once)
                for step in range(6):
                    if step > 1:
                        plgpu.barrier_wait(free.at[step % 2])
                    rows = pl.ds(step * 64, 64)
                    plgpu.copy_gmem_to_smem(a_ref.at[rows], left.at[step % 2], ready.at[step % 2])

            @thread(1)
            def _():
                plgpu.barrier_wait(once)

                def scope(acc):
                    for step in range(6):
                        plgpu.barrier_wait(ready.at[step % 2])
                        plgpu.wgmma(acc, left.at[step % 2], right)
                        plgpu.wgmma_wait(1)
                        if 0 < step < 5:
                            plgpu.barrier_arrive(free.at[1 - step % 2])
                    return acc[...]
                o_ref[...] = pl.run_scoped(scope, plgpu.ACC((64, 64)))
        return launch(kernel, f32(64, 64), a, b, threads=2, scratch=[
            factor(2, 64, 64), factor(64, 64), barrier(num_barriers=2), barrier(num_barriers=2), barrier()])

    def outputs(a, b):
        return [sum(product(a[64 * step:64 * step + 64], b) for step in range(6))]
