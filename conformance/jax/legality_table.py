"""What a row of the tables of legal and illegal kernels of Mosaic GPU is, and what its kernels are made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

Launch = Callable[..., Any]
Made = tuple[Launch, tuple[Any, ...]]  # a launch and what it takes

# Who takes (+) and refuses (-) a kernel: JAX and Tilegrind, of lanes and then of warpgroups.
ALL_TAKE, ALL_REFUSE = "++ ++", "-- --"
JAX_LACKS, JAX_LEAVES = "-+ -+", "+- +-"
LANES_LACK, WARPGROUPS_LACK = "-+ ++", "++ -+"
WARPGROUPS_INFER = "-- ++"


@dataclass(frozen=True)
class Kernel:
    """name     of the row
    make     the launch and its arguments, from the compiler parameters; it may raise what JAX raises at tracing
    answers  of JAX and Tilegrind, to the kernel with lowering semantics of lanes, then of warpgroups
    why      what they differ in; empty where they agree"""

    name: str
    make: Callable[[Any], Made]
    answers: str
    why: str = ""


def shaped(shape: Sequence[int], dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


def swizzled(dtype: Any, swizzle: int = 128, rows: int = 8) -> tuple[Any, ...]:
    """The transforms of memory in tiles of `rows` rows of a swizzle."""
    return plgpu.TilingTransform((rows, swizzle * 8 // jax.dtypes.itemsize_bits(dtype))), plgpu.SwizzleTransform(swizzle)


def launch(body: Callable[..., None], out: Any, scratch: Sequence[Any], params: Any, **options: Any) -> Launch:
    return plgpu.kernel(body, out_type=out, scratch_types=list(scratch), compiler_params=params, **options)
