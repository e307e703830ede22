"""A kernel with a mistake: each program copies 4 elements from one place further on than it should, so that
the last one reads beyond the end.  JAX moves such a read inside without a word.

    python examples/shifted.py      writes shifted.json and shifted_inputs.npz beside this file
    tilegrind run examples/shifted.json --in examples/shifted_inputs.npz
"""

import jax
import numpy as np
from jax.experimental import pallas as pl


def shift_kernel(x_ref, o_ref):
    start = pl.program_id(0) * 4
    o_ref[...] = x_ref[pl.ds(start + 1, 4)]


def shift(x):
    return pl.pallas_call(
        shift_kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((4,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="shift",
    )(x)


if __name__ == "__main__":
    from pathlib import Path

    from tilegrind.pallas import export

    here = Path(__file__).parent
    x = np.arange(16, dtype=np.float32)
    export(shift, x).save(here / "shifted.json")
    np.savez(here / "shifted_inputs.npz", x_ref=x)
