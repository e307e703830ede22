"""A transpose through shared memory.  Nothing is wrong with it, but it reads columns of a tile whose rows are 128 bytes, so
that all lanes of a warp want words of one bank.

    python examples/transposed.py       writes transposed.json and transposed_inputs.npz beside this file
    tilegrind run examples/transposed.json --in examples/transposed_inputs.npz --check memory-cost
"""

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def transpose_kernel(x_ref, o_ref, tile_ref):
    tile_ref[...] = x_ref[...]
    o_ref[...] = tile_ref.T[...]


def transpose(x):
    rows, columns = x.shape
    return pl.pallas_call(
        transpose_kernel,
        grid=(rows // 32, columns // 32),
        in_specs=[pl.BlockSpec((32, 32), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((32, 32), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((columns, rows), x.dtype),
        scratch_shapes=[plgpu.SMEM((32, 32), x.dtype)],
        name="transpose",
    )(x)


if __name__ == "__main__":
    from pathlib import Path

    from tilegrind.pallas import export

    here = Path(__file__).parent
    x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    export(transpose, x, grid_semantics="parallel").save(here / "transposed.json")
    np.savez(here / "transposed_inputs.npz", x_ref=x)
