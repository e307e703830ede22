"""The cases of suite_kernels.py: each function at the sizes and values at which implementations fail.

Sizes are 1, and one less, as many as and one more than a block has, and a prime.  Values are whole numbers, on which every
order of a sum has the same bits; normal numbers, which are judged by bounds; and special ones.
"""

from __future__ import annotations

import json
from typing import Iterator

import jax
import ml_dtypes
import numpy as np

from conformance import suite_cases, suite_kernels
from tilegrind.conform.suite import Case
from tilegrind.pallas import export

_SPECIALS = [np.nan, np.inf, -np.inf, -0.0, 0.0, 2.0**-149, 2.0**-126, 3.4028234663852886e38, 1.0, -1.5]
_SIZES = (1, 7, 8, 9, 13)
_SEMANTICS = {"row_sums": ("parallel", "arbitrary")}  # of the axes of a grid, where one goes on from the other


def _random(name: str, shape: tuple[int, ...]) -> np.random.Generator:
    return np.random.default_rng([len(name), sum(name.encode()), *shape])


def whole(name: str, *shape: int, dtype: object = np.float32) -> np.ndarray:
    """Whole numbers from -8 to 8."""
    return _random(name, shape).integers(-8, 9, shape).astype(dtype)


def normal(name: str, *shape: int, dtype: object = np.float32) -> np.ndarray:
    return _random(name, shape).standard_normal(shape).astype(dtype)


def special(name: str, *shape: int, dtype: object = np.float32) -> np.ndarray:
    """Special numbers, each in some place, among whole ones."""
    found = whole(name, *shape).astype(np.float32).ravel()
    places = _random(name, shape).permutation(found.size)[:len(_SPECIALS)]
    with np.errstate(all="ignore"):
        found[places] = np.array(_SPECIALS, np.float32)[:len(places)]
        return found.reshape(shape).astype(dtype)


def positive(name: str, *shape: int) -> np.ndarray:
    """Numbers from 0 to 1: sums of them grow, and roundings that truncate all err to the same side."""
    return _random(name, shape).random(shape, np.float32)


def _many() -> Iterator[tuple[str, str, tuple[np.ndarray, ...]]]:
    """Calls with enough elements for statistics."""
    for make in (normal, positive):
        yield "add", f"many-{make.__name__}", (make("x", 40, 40), make("y", 40, 40))
        yield "row_sums", f"many-{make.__name__}", (make("x", 1200, 8),)
        yield "matmul", f"many-{make.__name__}", (make("x", 40, 24), make("y", 24, 40))
        yield "step_by_step", f"many-{make.__name__}", (make("x", 1600),)


def _calls() -> Iterator[tuple[str, str, tuple[np.ndarray, ...]]]:
    """(function, what is special about the call, its inputs)."""
    for size in _SIZES:
        yield "scale_blocks", f"{size}", (whole("x", size),)
        yield "row_sums", f"5x{size}", (whole("x", 5, size),)
    for dtype in (np.int8, np.int32, np.float16, ml_dtypes.bfloat16, np.float64):
        yield "scale_blocks", f"13-{np.dtype(dtype).name}", (whole("x", 13, dtype=dtype),)
    for rows, columns in ((1, 1), (4, 8), (5, 9), (7, 13), (3, 7)):
        yield "transpose_blocks", f"{rows}x{columns}", (whole("x", rows, columns),)
    for make in (whole, normal, special):
        yield "add", make.__name__, (make("x", 4, 8), make("y", 4, 8))
        yield "step_by_step", make.__name__, (make("x", 16),)
        yield "row_maxima", make.__name__, (make("x", 6, 10),)
        for inner in (1, 16, 33):
            yield "matmul", f"9x{inner}x11-{make.__name__}", (make("x", 9, inner), make("y", inner, 11))
    yield "softmax", "normal", (normal("x", 4, 32),)
    yield "softmax", "large", (normal("x", 4, 32) * np.float32(80),)
    yield "layer_norm", "normal", (normal("x", 4, 32), normal("scale", 32), normal("bias", 32))
    yield "take_rows", "ends", (whole("x", 6, 4), np.array([5, 0, 0, 3, 5], np.int32))
    for name in ("as_bf16", "as_f16", "as_fp8"):
        yield name, "normal", (normal("x", 64),)
        yield name, "special", (special("x", 32),)
    yield "as_i32", "whole", (whole("x", 16),)


def cases() -> Iterator[Case]:
    calls = [(*call, False) for call in _calls()] + [(*call, True) for call in _many()]
    for name, what, inputs, statistics in calls:
        function = getattr(suite_kernels, name)
        with jax.enable_x64(any(array.dtype.itemsize == 8 for array in inputs)):
            module = json.loads(export(function, *inputs, grid_semantics=_SEMANTICS.get(name)).dumps())
        params = [param["name"] for param in module["kernels"][0]["params"] if param["role"] == "input"]
        why = " ".join((getattr(function, "func", function).__doc__ or "").split())
        yield from suite_cases.of_kernel(f"kernels/{name}-{what}", module, dict(zip(params, inputs, strict=True)), why,
                                         source={"language": "pallas", "path": "suite_kernels.py", "function": name},
                                         statistics=statistics)
