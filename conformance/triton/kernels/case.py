"""A kernel of this folder with the arguments of one launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import ml_dtypes
import numpy as np

DTYPES = {"bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}


class Array:
    """A numpy array as an argument of a Triton kernel."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self) -> int:
        return self.array.ctypes.data


@dataclass(frozen=True)
class Case:
    """arguments  makes those of the launch, anew each time: (generator) -> [argument]
    constants  by keyword: constexprs, num_warps, num_stages
    within     largest difference that sums in another order, or approximations, may make; 0: the same bits
    why        what makes it, where there may be one
    least      the oldest target that has the kernel's instructions"""

    name: str
    kernel: Any
    arguments: Callable[[np.random.Generator], list[Any]]
    constants: dict[str, Any] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)
    within: float = 0.0
    why: str = ""
    least: int = 80


def floats(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> Array:
    return Array(rng.standard_normal(shape).astype(np.float32).astype(dtype))


def integers(rng: np.random.Generator, *shape: int, dtype: Any = np.int32, below: int = 100) -> Array:
    return Array(rng.integers(-below if np.dtype(dtype).kind == "i" else 0, below, shape).astype(dtype))


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    return Array(np.zeros(shape, dtype))
