"""A kernel with a race: the programs of a grid that may run in any order add to one output.  Run one after the other
they look right.

    python examples/summed.py       writes summed.json and summed_inputs.npz beside this file
    tilegrind run examples/summed.json --in examples/summed_inputs.npz --check races
"""

import jax
import numpy as np
from jax.experimental import pallas as pl


def sum_kernel(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = x_ref[...]

    @pl.when(pl.program_id(0) > 0)
    def _():
        o_ref[...] += x_ref[...]


def sum_rows(x):
    return pl.pallas_call(
        sum_kernel,
        grid=(x.shape[0],),
        in_specs=[pl.BlockSpec((None, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((x.shape[1],), lambda i: (0,)),
        out_shape=jax.ShapeDtypeStruct(x.shape[1:], x.dtype),
        name="sum_rows",
    )(x)


if __name__ == "__main__":
    from pathlib import Path

    from tilegrind.pallas import export

    here = Path(__file__).parent
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    export(sum_rows, x, grid_semantics="parallel").save(here / "summed.json")
    np.savez(here / "summed_inputs.npz", x_ref=x)
