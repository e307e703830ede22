"""Arrays of a program as memory of kernels: numpy arrays and torch tensors on the CPU, which are written in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir import dtypes

# Torch has dtypes that numpy lacks; their elements are read as integers first.
_TORCH = {"torch.bfloat16": ("int16", "bf16"), "torch.float8_e4m3fn": ("uint8", "f8e4m3fn"), "torch.float8_e5m2": ("uint8", "f8e5m2"),
          "torch.float8_e4m3fnuz": ("uint8", "f8e4m3fnuz"), "torch.float8_e5m2fnuz": ("uint8", "f8e5m2fnuz")}


def memory_of(array: Any, dtype: str) -> np.ndarray:
    """The elements of `array` from its first to its last in memory, as a flat array of `dtype` that shares them.

    Raises TypeError for what is no array, and ValueError for one whose elements lie before its first one, or are of another width."""
    flat = _flat(_as_numpy(array))
    wanted = dtypes.numpy_dtype(dtype)
    if flat.dtype.itemsize != wanted.itemsize:
        raise ValueError(f"an array of {flat.dtype} as one of {dtype}")
    return flat.view(wanted)


def _as_numpy(array: Any) -> np.ndarray:
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "array") and isinstance(array.array, np.ndarray):
        return array.array
    if not hasattr(array, "detach"):
        raise TypeError(f"{type(array).__name__} is no array")
    if array.device.type != "cpu":
        raise ValueError(f"a tensor on {array.device}; Tilegrind runs on the CPU")
    detached = array.detach()
    if str(array.dtype) in _TORCH:
        import torch

        detached = detached.view(getattr(torch, _TORCH[str(array.dtype)][0]))
    return detached.numpy()


def _flat(array: np.ndarray) -> np.ndarray:
    """The memory from the first element to the last one, gaps included."""
    if any(stride < 0 for stride in array.strides):
        raise ValueError("an array with negative strides")
    last = sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides)) if array.size else -array.itemsize
    return np.lib.stride_tricks.as_strided(array, ((last // array.itemsize) + 1,), (array.itemsize,))
