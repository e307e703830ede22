"""Compares kernels from JAX's own wheel in Tilegrind and in JAX's interpreter, with whichever JAX this Python has.

    smoke.py [KERNEL...]

This needs no checkout, so it shows that the hook works in versions of JAX whose tests are not run.  Exit status: 0 if every
kernel ran in Tilegrind and agrees with JAX, else 1.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

from conformance.acceptance_kernels import KERNELS, Acceptance  # noqa: E402
from tilegrind import pallas  # noqa: E402
from tilegrind.pallas.running import interpreters  # noqa: E402

# The acceptance kernels that are calls of functions in the wheel.
SMOKE = (
    *("softmax", "softmax_f16", "layer_norm", "layer_norm_grad", "rms_norm", "rms_norm_grad"),
    *("mha", "mha_causal_f16", "mha_grad", "decode_mqa", "decode_gqa", "paged_attention"),
    *("tpu_matmul", "tpu_matmul_int8", "tpu_flash_attention", "tpu_flash_attention_grad", "tpu_gmm", "tpu_tgmm"),
)

# Two orders of one sum differ by a few steps at the greatest element; a wrong kernel differs by very many.
STEPS_MOST = 16


@dataclass(frozen=True)
class Row:
    """One kernel: the number of its runs in Tilegrind, and the largest difference from JAX in steps at the greatest element."""

    name: str
    runs: int
    steps: float

    @property
    def good(self) -> bool:
        return self.runs > 0 and self.steps <= STEPS_MOST


def steps_apart(ours: Any, stock: Any) -> float:
    """The largest difference of two arrays in steps of their dtype at the greatest element; NaNs must be at the same positions."""
    dtype = np.dtype(stock.dtype)
    mine, its = np.asarray(ours), np.asarray(stock)
    if mine.dtype != dtype or mine.shape != its.shape:
        return float("inf")
    if np.issubdtype(dtype, np.integer) or dtype == np.bool_:
        return 0.0 if np.array_equal(mine, its) else float("inf")
    mine, its = mine.astype(np.float64), its.astype(np.float64)
    if not np.array_equal(np.isfinite(mine), np.isfinite(its)):
        return float("inf")
    finite = np.isfinite(its)
    greatest = np.max(np.abs(its[finite]), initial=0.0)
    apart = np.max(np.abs(mine[finite] - its[finite]), initial=0.0)
    return 0.0 if apart == 0 else float(apart / (greatest * float(ml_dtypes.finfo(dtype).eps)))


def leaves(result: Any) -> list[Any]:
    return jax.tree.leaves(jax.block_until_ready(result))


def compare(name: str, kernel: Acceptance) -> Row:
    stock = leaves(kernel.run())
    before = pallas.statistics().runs
    with pallas.interpreter(grid_semantics=kernel.grid_semantics):
        ours = leaves(kernel.run())
    return Row(name, pallas.statistics().runs - before, max(map(steps_apart, ours, stock)))


def main(names: Sequence[str]) -> int:
    bad = 0
    print(f"JAX {jax.__version__}\n{'kernel':28} {'runs':>5} {'steps from JAX':>15}")
    with contextlib.ExitStack() as undo:
        interpreters.interpret_all(undo)
        for name in names or SMOKE:
            row = compare(name, KERNELS[name])
            bad += not row.good
            print(f"{name:28} {row.runs:5} {row.steps:15.2f}{'' if row.good else '  WRONG'}", flush=True)
    print(f"{len(names or SMOKE) - bad} of {len(names or SMOKE)} kernels agree with JAX's interpreter")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
