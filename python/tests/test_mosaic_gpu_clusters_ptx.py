"""Copies of Mosaic GPU to all blocks of a cluster as PTX: one copy with a mask, the interpreter's bits in several orders, and a trap
where a block is overwritten that still reads."""

import jax
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu
from mosaic_kernels import TILES, f32, numbers
from ptx_runs import BACKENDS, assemble, module_of, same_bits
from test_mosaic_gpu_clusters import kernel, multicast

import tilegrind

ONE_COPY = "mbarrier::complete_tx::bytes.multicast::cluster"


def check(launch, x, tmp_path, copies):
    """Every order of warps has the interpreter's bits; ptxas takes the text, which has so many copies to several blocks."""
    module, inputs = module_of(launch, (x,), tmp_path)
    want = same_bits(module, inputs, (*BACKENDS, "emulator:3", "emulator:4"))
    text = module.to_ptx(target="sm_90a")
    assert text.count(ONE_COPY) == copies
    assemble(text, "sm_90a")
    return want


@pytest.mark.parametrize("transforms", [(), TILES], ids=["rows", "tiles"])
def test_a_copy_to_all_blocks(transforms, tmp_path):
    x = numbers(3, 16, 32)
    want = check(multicast(True, transforms), x, tmp_path, 1)
    np.testing.assert_array_equal(want, np.stack([x + 1] * 2))


def test_a_copy_along_one_axis_of_a_cluster(tmp_path):
    """Of six blocks those of a row, so that the mask is not that of the first ones."""

    def body(x_ref, o_ref, tile, ready, met):
        row, column = jax.lax.axis_index("row"), jax.lax.axis_index("column")
        plgpu.copy_gmem_to_smem(x_ref.at[row], tile, ready, collective_axes="column")
        plgpu.barrier_wait(ready)
        o_ref[row, column] = tile[...]
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)

    launch = kernel(body, out=f32(2, 3, 12, 32), cluster=(2, 3), cluster_names=("row", "column"),
                    scratch=[plgpu.SMEM((12, 32), jax.numpy.float32), plgpu.Barrier(), plgpu.ClusterBarrier(collective_axes=("column",))])
    x = numbers(2, 12, 32)
    want = check(launch, x, tmp_path, 1)
    np.testing.assert_array_equal(want, np.broadcast_to(x[:, None], (2, 3, 12, 32)))


def test_a_copy_to_a_block_that_still_reads(tmp_path):
    module, inputs = module_of(multicast(False), (numbers(3, 16, 32),), tmp_path)
    for backend in ("emulator", "emulator:1"):
        with pytest.raises(tilegrind.Error, match="shared-race"):
            module.run(inputs, backend=backend)
