"""A kernel that is right on one device, and wrong on a mesh: it sums the rows of its block, but where the columns are on
several devices, each of them has a sum of a part only.  Whoever says that all have the same sum has forgotten a psum.

    python examples/row_sums.py     writes row_sums.json and row_sums_inputs.npz beside this file
    tilegrind run examples/row_sums.json --in examples/row_sums_inputs.npz --mesh x=4,y=2 \\
        --sharding "x_ref=P('x', 'y')" --sharding "o_ref=P('x')"
"""

import jax
import numpy as np
from jax.experimental import pallas as pl


def row_sums_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].sum(axis=1)


def row_sums(x):
    return pl.pallas_call(
        row_sums_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape[:1], x.dtype),
        name="row_sums",
    )(x)


if __name__ == "__main__":
    from pathlib import Path

    from tilegrind.pallas import export

    here = Path(__file__).parent
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    export(row_sums, x[:2, :4]).save(here / "row_sums.json")  # the block of one device
    np.savez(here / "row_sums_inputs.npz", x_ref=x)
