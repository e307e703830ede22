"""Arrays of a program as memory of kernels: numpy arrays and torch tensors on the CPU, which are written in place."""

from __future__ import annotations

from typing import Any

import numpy as np

# Torch has dtypes that numpy lacks; their elements are read as integers first.
_TORCH = {"torch.bfloat16": "int16", "torch.float8_e4m3fn": "uint8", "torch.float8_e5m2": "uint8", "torch.float8_e4m3fnuz": "uint8",
          "torch.float8_e5m2fnuz": "uint8"}


def as_numpy(array: Any) -> np.ndarray:
    """The elements of an array, which shares them; of a dtype that numpy has, as wide.  Raises TypeError for what is no array, and ValueError
    for one that is elsewhere than in the memory of the CPU."""
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "array") and isinstance(array.array, np.ndarray):
        return array.array
    if hasattr(array, "base") and hasattr(array, "dtype"):
        return as_numpy(array.base)  # a triton.TensorWrapper: the same memory, read as another dtype
    if not hasattr(array, "detach"):
        raise TypeError(f"{type(array).__name__} is no array")
    if array.device.type != "cpu":
        raise ValueError(f"a tensor on {array.device}; Tilegrind runs on the CPU")
    detached = array.detach()
    if str(array.dtype) in _TORCH:
        import torch

        detached = detached.view(getattr(torch, _TORCH[str(array.dtype)]))
    return detached.numpy()
