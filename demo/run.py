"""The first thing to look at: ./bootstrap demo.

Captures kernels that ship with JAX while JAX's own interpreter runs them, runs each in several
orders with Tilegrind, and compares bits and numbers.  Then it runs a kernel with a mistake.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

warnings.filterwarnings("ignore", category=DeprecationWarning)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import tilegrind  # noqa: E402
from jax.experimental.pallas.ops.gpu import attention, layer_norm, softmax  # noqa: E402
from own_environment import install_line  # noqa: E402
from tilegrind.pallas import capture  # noqa: E402

COMMAND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
ORDERS = ("sequential", "reversed", "shuffled:1", "parallel:2", "interleaved:1")
REPEATS = 3


def normal(seed: int, *shape: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def run_softmax() -> jax.Array:
    return softmax.softmax(normal(0, 1024, 1000), interpret=True)


def run_layer_norm() -> jax.Array:
    return layer_norm.layer_norm(normal(1, 8, 128, 512), normal(2, 512), normal(3, 512),
                                 interpret=True)


def run_attention() -> jax.Array:
    q, k, v = (normal(seed, 2, 512, 4, 64) for seed in (4, 5, 6))
    return attention.mha(q, k, v, segment_ids=None, causal=True, interpret=True)


PROGRAMS = {"softmax": run_softmax, "layer norm": run_layer_norm, "attention": run_attention}


def seconds_of(run: Callable[[], Any]) -> float:
    """Of a call that finds everything compiled: the best of a few."""
    jax.block_until_ready(run())
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - start)
    return min(times)


def steps(array: np.ndarray) -> np.ndarray:
    """Floats as integers of the same order: neighbouring floats are neighbouring integers."""
    bits = array.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def difference(outputs: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> str:
    """The largest one to JAX's outputs, in ULP.  Near zero an ULP is next to nothing, so it is also
    told in ULP of the greatest element."""
    ulps, at_scale = 0, 0.0
    for name, want in expected.items():
        ulps = max(ulps, int(np.abs(steps(outputs[name]) - steps(want)).max()))
        apart = np.abs(outputs[name] - want).max()
        at_scale = max(at_scale, float(apart / np.spacing(np.abs(want).max())))
    return f"{ulps:,} ULP ({at_scale:.1f} of the greatest element's)"


def show(name: str, case: Path, jax_seconds: float) -> bool:
    """Prints what all orders gave; whether they gave the same."""
    module = tilegrind.load(case / "kernel.json")
    inputs, expected = (dict(np.load(case / file)) for file in ("inputs.npz", "expected.npz"))
    print(f"{name}\n    {'JAX interpret=True':24}{jax_seconds * 1e3:9.2f} ms")
    bits = set()
    for order in ORDERS:
        runs = [module.run(inputs, order=order) for _ in range(REPEATS)]
        seconds = min(run.seconds for run in runs)
        bits |= {b"".join(array.tobytes() for array in run.outputs.values()) for run in runs}
        print(f"    {order:24}{seconds * 1e3:9.2f} ms  {jax_seconds / seconds:7.1f} x")
    print(f"    {runs[0].programs} programs, {len(ORDERS)} orders: "
          f"{'the same bits' if len(bits) == 1 else 'DIFFERENT BITS'}, "
          f"{len(runs[0].findings)} findings\n"
          f"    largest difference to JAX: {difference(runs[0].outputs, expected)}\n", flush=True)
    return len(bits) == 1 and not runs[0].findings


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
    return subprocess.run([COMMAND, *command[1:]], cwd=ROOT).returncode == 1


def main() -> int:
    print(f"Kernels of jax.experimental.pallas.ops.gpu, captured from JAX {jax.__version__}\n")
    with tempfile.TemporaryDirectory() as scratch:
        well = show_kernels(Path(scratch))
    well = show_finding() and well
    print("\nAll is as it should be." if well else "\nSomething is NOT as it should be.")
    print(f"\nTo use Tilegrind from an environment of your own, with its Python:\n$ {install_line()}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
