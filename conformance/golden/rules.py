"""Rules of tolerance that people use, as they are written, to be held beside goldens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping

import numpy as np

# torch.testing: (rtol, atol) of each dtype.  FlagGems has the same rtol in its RESOLUTION, and 1e-3 for fp8.
_TORCH = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
# jax._src.public_test_util._default_tolerance: both rtol and atol.
_JAX = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-15, "float4_e2m1fn": 1.0, "float8_e8m0fnu": 1.0}


@dataclass(frozen=True)
class Rule:
    """A rule: |got - want| <= atol + rtol |want| in all elements.

    tolerances  (rtol, atol) of a dtype's name and the length of the longest sum
    equal_nan   whether a NaN is right where a NaN is wanted
    """

    name: str
    formula: str
    source: str
    tolerances: Callable[[str, int], tuple[float, float]]
    equal_nan: bool = False

    def accepts(self, want: Mapping[str, np.ndarray], got: Mapping[str, np.ndarray] | None, length: int) -> bool:
        return got is not None and all(self._accepts(array, got.get(name), length) for name, array in want.items())

    def _accepts(self, want: np.ndarray, got: np.ndarray | None, length: int) -> bool:
        if got is None or got.shape != want.shape or got.dtype != want.dtype:
            return False
        rtol, atol = self.tolerances(want.dtype.name, length)
        with np.errstate(invalid="ignore", over="ignore"):
            return bool(np.all(np.isclose(got.astype(np.float64), want.astype(np.float64), rtol, atol, self.equal_nan)))


def allclose(tolerance: float) -> Rule:
    """torch.allclose with rtol and atol alike."""
    return Rule(f"allclose {tolerance:g}", f"rtol = atol = {tolerance:g}; NaN is never right", "torch.isclose; KernelBench uses 1e-2",
                lambda dtype, length: (tolerance, tolerance))


RULES = (
    allclose(1e-2),
    allclose(1e-4),
    Rule("assert_close", "f32: rtol 1.3e-6, atol 1e-5; f16: 1e-3, 1e-5; bf16: 1.6e-2, 1e-5; f64: 1e-7, 1e-7; others 0",
         "torch.testing.assert_close, defaults", lambda dtype, length: _TORCH.get(dtype, (0.0, 0.0))),
    Rule("JAX", "rtol = atol = 1e-6 in f32, 1e-3 in f16, 1e-2 in bf16, 1e-15 in f64, 0.1 in fp8, 0 in integers; NaN equals NaN",
         "jax._src.public_test_util, JAX 0.10.2", lambda dtype, length: (_jax(dtype), _jax(dtype)), equal_nan=True),
    Rule("FlagGems", "atol = 1e-4 k in all dtypes, k the length of the sum; rtol as assert_close, 1e-3 in fp8; NaN is never right",
         "FlagGems, src/flag_gems/testing/__init__.py, assert_close with reduce_dim = k, as its tests of sums and products call it",
         lambda dtype, length: (_flag_gems(dtype), 1e-4 * length)),
)


def _flag_gems(dtype: str) -> float:
    return 1e-3 if dtype.startswith("float8") else _TORCH.get(dtype, (0.0, 0.0))[0]


def _jax(dtype: str) -> float:
    return _JAX.get(dtype, 0.1 if dtype.startswith("float8") else 0.0)
