"""The kernels that XLA compiles as legitimate variants: the vacuous tasks, and what The Correctness Illusion has."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from .illusion_kernels import PAIRS, Compute
from .vacuous_tasks import TASKS, Task

_QUICK = ("kb_1_39-bf16", "kb_2_48", "softmax-float16")


def in_f32(compute: Compute, *arrays: jax.Array) -> jax.Array:
    """Computed in f32, rounded to the dtype of the first operand."""
    return compute(*(array.astype(jnp.float32) for array in arrays)).astype(arrays[0].dtype)


def tasks(quick: bool = False) -> dict[str, Task]:
    """The tasks by their names."""
    found = {task.name: task for task in TASKS}
    for pair in PAIRS:
        for dtype in ("float32", "float16"):
            compute = functools.partial(in_f32, pair.plain)
            found[f"{pair.control}-{dtype}"] = Task(pair.control, "", "", "", "", compute, pair.shapes, 1, dtype=dtype)
    return {name: task for name, task in found.items() if not quick or name in _QUICK}
