"""Short forms for the kernels of the corpus: of `pallas_call`, its specs and seeded arrays."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

WHOLE = pl.BlockSpec(memory_space=pl.ANY)  # the array itself, not a block of it


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def blocks(*shape: int) -> pl.BlockSpec:
    """Blocks of this shape, one per program: axis k of the grid selects along dimension k."""
    return pl.BlockSpec(shape, lambda *ids: ids)


def program(place: int) -> Callable[[Callable[[], None]], None]:
    """A decorator: only the program with this coordinate executes the function."""
    return pl.when(pl.program_id(0) == place)


def vmem(*shape: int, dtype: Any = jnp.float32) -> Any:
    """Scratch memory."""
    return pltpu.VMEM(shape, dtype)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Floats that are small integers, no two neighbours equal, so that sums are exact in every order."""
    values = np.random.default_rng(seed).permutation(int(np.prod(shape))) + 1
    return values.reshape(shape).astype(np.float32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def ints(*values: Any) -> np.ndarray:
    return np.asarray(values, np.int32)


def scalar(value: int) -> np.ndarray:
    """An integer in an array without dimensions."""
    return np.asarray(value, np.int32)


def call(kernel: Callable[..., None], out: Any, *inputs: Any, grid: int | tuple[int, ...] = (), ins: Any = None,
         outs: Any = None, order: Sequence[str] | None = None, **options: Any) -> Any:
    """`pl.pallas_call` in JAX's interpreter.

    ins, outs  a spec for all inputs or outputs, or a list of them; None: whole arrays as blocks
    order      the semantics of each axis of the grid: "parallel" or "arbitrary"; None: all parallel
    """
    if isinstance(ins, pl.BlockSpec):
        ins = [ins] * len(inputs)
    if ins is not None:
        options["in_specs"] = ins
    if isinstance(outs, pl.BlockSpec) and isinstance(out, list):
        outs = [outs] * len(out)
    if outs is not None:
        options["out_specs"] = outs
    if order is not None:
        options["compiler_params"] = pltpu.CompilerParams(dimension_semantics=tuple(order))
    return pl.pallas_call(kernel, out_shape=out, grid=grid, interpret=True, **options)(*inputs)
