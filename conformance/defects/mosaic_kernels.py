"""Short forms for kernels of Mosaic GPU: threads, shared memory and barriers."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

barrier = plgpu.Barrier


def shared(*shape: int) -> Any:
    """Shared memory of floats."""
    return plgpu.SMEM(shape, jnp.float32)


def thread(number: int) -> Callable[[Callable[[], None]], None]:
    """A decorator: only this thread executes the function."""
    return pl.when(jax.lax.axis_index("thread") == number)


def launch(kernel: Callable[..., None], out: jax.ShapeDtypeStruct, *inputs: Any, threads: int = 0, scratch: Sequence[Any] = ()) -> Any:
    """Without `threads` the kernel has one thread, and no axis for it."""
    axis = {"num_threads": threads, "thread_name": "thread"} if threads else {}
    return plgpu.kernel(kernel, out_type=out, scratch_types=list(scratch), **axis)(*inputs)

