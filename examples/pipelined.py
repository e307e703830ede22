"""A pipeline of Mosaic GPU: one thread copies tiles to slots of shared memory, another one works on them.  Each has to wait for the
other, by two barriers for each slot.

    python examples/pipelined.py        writes pipelined.json and pipelined_inputs.npz beside this file
    tilegrind run examples/pipelined.json --in examples/pipelined_inputs.npz --html page.html --trace trace.json
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES, SLOTS, SIZE = 6, 2, 128


def pipelined_kernel(x_ref, o_ref, tile_ref, full, empty):
    block = jax.lax.axis_index("block")

    @pl.when(jax.lax.axis_index("role") == 0)
    def copy():
        for i in range(TILES):
            slot = i % SLOTS
            if i >= SLOTS:
                plgpu.barrier_wait(empty.at[slot])
            plgpu.copy_gmem_to_smem(x_ref.at[block, i], tile_ref.at[slot], full.at[slot])

    @pl.when(jax.lax.axis_index("role") == 1)
    def compute():
        total = jnp.zeros(SIZE, jnp.float32)
        for i in range(TILES):
            slot = i % SLOTS
            plgpu.barrier_wait(full.at[slot])
            tile = tile_ref[slot]
            total = total + tile * tile
            if i + SLOTS < TILES:
                plgpu.barrier_arrive(empty.at[slot])
        o_ref[block] = total


def pipelined(x):
    return plgpu.kernel(
        pipelined_kernel,
        out_type=jax.ShapeDtypeStruct((x.shape[0], SIZE), jnp.float32),
        grid=(x.shape[0],), grid_names=("block",),
        num_threads=2, thread_name="role",
        scratch_types=[plgpu.SMEM((SLOTS, SIZE), jnp.float32), plgpu.Barrier(num_barriers=SLOTS),
                        plgpu.Barrier(num_barriers=SLOTS)],
    )(x)


if __name__ == "__main__":
    from pathlib import Path

    from tilegrind.pallas import export

    here = Path(__file__).parent
    x = np.arange(2 * TILES * SIZE, dtype=np.float32).reshape(2, TILES, SIZE) % 7
    export(pipelined, x).save(here / "pipelined.json")
    np.savez(here / "pipelined_inputs.npz", x_ref=x)
