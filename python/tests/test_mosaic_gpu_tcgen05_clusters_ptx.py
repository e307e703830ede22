"""Products of tcgen05 in the blocks of a cluster as PTX: the interpreter's bits with tensor core sm100, and what is refused."""

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from mosaic_kernels import tiles
from ptx_runs import assemble, module_of, same_bits
from test_mosaic_gpu_tcgen05_pairs import factors as factors_of_pair
from test_mosaic_gpu_tcgen05_pairs import pair

import tilegrind

pytestmark = pytest.mark.slow  # all of them together

M = 64  # rows of one block


def product(dtype=jnp.float16, out=jnp.float32, blocks=2, turns=1):
    """Each block has its rows of a, and brings its share of b to all of them; k and n are those of a row of the swizzle."""
    side = 128 // jnp.dtype(dtype).itemsize

    def kernel(a_ref, b_ref, o_ref, a, b, acc, ready, brought, done, met):
        rank = jax.lax.axis_index("rank")
        plgpu.copy_gmem_to_smem(a_ref.at[pl.ds(rank * M, M)], a, ready)
        plgpu.copy_gmem_to_smem(b_ref, b, brought, collective_axes="rank")
        plgpu.barrier_wait(ready)
        plgpu.barrier_wait(brought)
        for turn in range(turns):
            plgpu.tcgen05_mma(acc, a, b, accumulate=turn > 0)
        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        o_ref[pl.ds(rank * M, M)] = plgpu.async_load_tmem(acc)
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)

    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((blocks * M, side), out), cluster=(blocks,), cluster_names=("rank",),
                        scratch_types=[
                            plgpu.SMEM((M, side), dtype, transforms=tiles(dtype)), plgpu.SMEM((side, side), dtype, transforms=tiles(dtype)),
                            plgpu.TMEM((M, side), out), plgpu.Barrier(), plgpu.Barrier(),
                            plgpu.Barrier(orders_tensor_core=True), plgpu.ClusterBarrier(collective_axes=("rank",))])


def factors(dtype, blocks=2):
    keys = [jax.random.key(i) for i in range(2)]
    side = 128 // jnp.dtype(dtype).itemsize
    shapes = (blocks * M, side), (side, side)
    if jnp.issubdtype(dtype, jnp.integer):
        return [jax.random.randint(key, shape, -128, 127, dtype) for key, shape in zip(keys, shapes)]
    return [jax.random.normal(key, shape, jnp.float32).astype(dtype) for key, shape in zip(keys, shapes)]


def check(launch, args, tmp_path, count):
    module, inputs = module_of(launch, args, tmp_path)
    same_bits(module, inputs, tensor_core="sm100")
    text = module.to_ptx(tensor_core="sm100")
    assert text.count("tcgen05.mma.cta_group::1") == count and ".reqnctapercluster" in text
    assemble(text, "sm_100a")


@pytest.mark.parametrize(("dtype", "out", "blocks"), [(jnp.float16, jnp.float32, 2), (jnp.float8_e4m3fn, jnp.float32, 4),
                                                      (jnp.int8, jnp.int32, 2)])
def test_each_block_has_a_sum(dtype, out, blocks, tmp_path):
    check(product(dtype, out, blocks), factors(dtype, blocks), tmp_path, 128 // 32)


def test_products_that_are_added(tmp_path):
    check(product(turns=3), factors(jnp.float16), tmp_path, 3 * 128 // 32)


def test_products_of_two_blocks_together(tmp_path):
    """The first block would start products in the other one, which no CTA can."""
    module, inputs = module_of(pair(), factors_of_pair(), tmp_path)
    with pytest.raises(tilegrind.Error, match=r"as the tensor core asked for sums it: dot_start \(.*test_mosaic_gpu_tcgen05_pairs.py:"):
        module.run(inputs, backend="emulator", tensor_core="sm100")
