"""Products of tensor cores that run beside a thread of Mosaic GPU, which uses their sums or factors too early."""

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.defects.corpus import Finding, defect
from conformance.defects.mosaic_kernels import barrier, launch
from conformance.defects.shorthand import f32, numbers

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def factor(rows, columns):
    return plgpu.SMEM((rows, columns), jnp.float16, transforms=TILES)


def halves(rows, columns):
    return (numbers(rows, columns) % 7).astype(jnp.float16)


def product(a, b):
    return jnp.dot(a, b, preferred_element_type=jnp.float32)


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
