"""The first thing to look at: ./bootstrap demo.

Captures kernels that ship with JAX while JAX's own interpreter runs them, runs each in several
orders with Tilegrind, and compares bits and numbers.  Then it runs a kernel with a mistake.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental.pallas.ops.gpu import attention, layer_norm, softmax  # noqa: E402
from tilegrind.pallas import capture  # noqa: E402

TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
ORDERS = ("sequential", "shuffled:1", "shuffled:2", "parallel:1", "parallel:2", "interleaved:1")


def normal(seed: int, *shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def run_softmax() -> jax.Array:
    return softmax.softmax(normal(0, 64, 1000), interpret=True)


def run_layer_norm() -> jax.Array:
    return layer_norm.layer_norm(normal(1, 4, 64, 256), normal(2, 256), normal(3, 256),
                                 interpret=True)


def run_attention() -> jax.Array:
    q, k, v = (normal(seed, 1, 256, 2, 64) for seed in (4, 5, 6))
    return attention.mha(q, k, v, segment_ids=None, causal=True, interpret=True)


PROGRAMS = {"softmax": run_softmax, "layer norm": run_layer_norm, "attention": run_attention}


@dataclass(frozen=True)
class Run:
    """What the command reports of one order, and the outputs."""

    report: dict[str, Any]
    outputs: dict[str, np.ndarray]

    @property
    def bits(self) -> list[bytes]:
        return [array.tobytes() for array in self.outputs.values()]


def tilegrind_run(case: Path, order: str) -> Run:
    """Runs a case with the command, as a user would."""
    out = case / "out.npz"
    done = subprocess.run([TILEGRIND, "run", case, "--order", order, "--out", out, "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"tilegrind run: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    with np.load(out) as arrays:
        return Run(json.loads(done.stdout)["runs"][0], dict(arrays))


def seconds_of(run: Callable[[], Any]) -> float:
    """Of a call that finds everything compiled: the best of three."""
    jax.block_until_ready(run())
    times = []
    for _ in range(3):
        start = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - start)
    return min(times)


def difference(case: Path, run: Run) -> str:
    """The largest one to JAX's outputs, in ULP.  Near zero an ULP is next to nothing, so the largest
    one is also told in ULP of the greatest element."""
    worst, at_scale = 0, 0.0
    with np.load(case / "expected.npz") as expected:
        for output in run.report["outputs"]:
            worst = max(worst, output.get("worst_ulps", 0))
            want = expected[output["name"]]
            apart = np.nanmax(np.abs(run.outputs[output["name"]] - want))
            at_scale = max(at_scale, float(apart / np.spacing(np.nanmax(np.abs(want)))))
    if worst == 0:
        return "the same bits as JAX"
    return f"{worst:,} ULP from JAX at most; {at_scale:.1f} ULP of the greatest element"


def show(name: str, case: Path, jax_seconds: float) -> bool:
    """Prints what all orders gave; whether all is well."""
    runs = {order: tilegrind_run(case, order) for order in ORDERS}
    first = runs[ORDERS[0]]
    print(f"{name}: {first.report['programs']} programs")
    print(f"    {'JAX interpret=True':20} {jax_seconds * 1e3:9.2f} ms")
    for order, run in runs.items():
        seconds = run.report["seconds"]
        print(f"    {order:20} {seconds * 1e3:9.2f} ms  {jax_seconds / seconds:6.0f} x as fast")
    same = all(run.bits == first.bits for run in runs.values())
    print(f"    {len(ORDERS)} orders gave {'the same bits' if same else 'DIFFERENT BITS'}; "
          f"{difference(case, first)}\n", flush=True)
    return same and all(run.report["passed"] for run in runs.values())


def show_kernels(folder: Path) -> bool:
    well = True
    for name, program in PROGRAMS.items():
        with capture(folder / name.replace(" ", "_")) as captured:
            jax.block_until_ready(program())
        jax_seconds = seconds_of(program)
        well = all([show(name, case, jax_seconds) for case in captured.cases]) and well
    return well


def show_finding() -> bool:
    """JAX runs this kernel without a word; the command shows what is wrong, and where."""
    command = ["tilegrind", "run", "examples/shifted.json", "--in", "examples/shifted_inputs.npz"]
    print(f"A kernel with a mistake:\n$ {' '.join(command)}", flush=True)
    return subprocess.run([TILEGRIND, *command[1:]], cwd=ROOT).returncode == 1


def main() -> int:
    print(f"Kernels of jax.experimental.pallas.ops.gpu, captured from JAX {jax.__version__}\n")
    with tempfile.TemporaryDirectory() as scratch:
        well = show_kernels(Path(scratch))
    well = show_finding() and well
    print("\nAll is as it should be." if well else "\nSomething is NOT as it should be.")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
