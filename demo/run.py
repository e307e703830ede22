"""The first thing to look at: ./bootstrap demo.

Captures kernels that ship with JAX while JAX itself runs them, runs each in several orders with
Tilegrind, compares with JAX's numbers, and shows what a finding looks like.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
ORDERS = ["sequential", "reversed", "shuffled:1", "parallel:2", "interleaved:1"]

from jax.experimental.pallas.ops.gpu import attention, layer_norm, softmax  # noqa: E402

from tilegrind.pallas import capture  # noqa: E402


def normal(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def run_softmax():
    return softmax.softmax(normal(0, 64, 1000), interpret=True)


def run_layer_norm():
    return layer_norm.layer_norm(normal(1, 4, 64, 256), normal(2, 256), normal(3, 256), interpret=True)


def run_attention():
    q, k, v = (normal(seed, 1, 256, 2, 64) for seed in (4, 5, 6))
    return attention.mha(q, k, v, segment_ids=None, causal=True, interpret=True)


KERNELS = {"softmax": run_softmax, "layer norm": run_layer_norm, "attention": run_attention}


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def seconds_of_jax(run):
    """Time of a second call, when all is compiled."""
    jax.block_until_ready(run())
    start = time.perf_counter()
    jax.block_until_ready(run())
    return time.perf_counter() - start


def capture_cases(run, folder):
    """One case for each kernel that `run` launches.  The tolerance is wide: the demo shows differences."""
    with capture(folder, compare={"rtol": 1e-5, "atol": 1e-5}) as session:
        jax.block_until_ready(run())
    return session.cases


def tilegrind(*arguments):
    return subprocess.run([TILEGRIND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)


def report_of(case, order):
    done = tilegrind("run", case, "--order", order, "--out", case / f"{order.split(':')[0]}.npz", "--json")
    if done.returncode not in (0, 1):
        sys.exit(f"tilegrind run {case}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)["runs"][0]


def bits_of(case, order):
    """The outputs as bytes.  Archives of equal arrays are equal byte by byte."""
    return (case / f"{order.split(':')[0]}.npz").read_bytes()


def largest_difference(case):
    """The largest absolute difference to JAX's outputs, NaN for NaN aside."""
    with np.load(case / "sequential.npz") as got, np.load(case / "expected.npz") as want:
        return max(float(np.nanmax(np.abs(got[name] - want[name]), initial=0)) for name in want.files)


def difference(run):
    """The largest distance to JAX's outputs in ULP, in words."""
    worst = max((output.get("worst_ulps", 0) for output in run["outputs"]), default=0)
    return "the same bits" if worst == 0 else f"at most {worst:,} ULP away"


def show_case(name, case, jax_seconds):
    """A line for each order; returns whether all is well."""
    heading(f"{name}: JAX's interpreter takes {jax_seconds * 1e3:.1f} ms")
    reports = {order: report_of(case, order) for order in ORDERS}
    for order, run in reports.items():
        print(f"{order:14} {run['programs']:5} programs  {run['threads']} thread(s)  "
              f"{run['seconds'] * 1e3:8.2f} ms   JAX: {difference(run)}   "
              f"findings: {len(run['findings'])}")
    same = len({bits_of(case, order) for order in ORDERS}) == 1
    print(f"All orders gave {'the same bits' if same else 'DIFFERENT BITS'}.  The largest difference to "
          f"JAX is {largest_difference(case):.1e};\nnear zero that is many ULP.")
    return same and all(run["passed"] for run in reports.values())


def show_finding():
    heading("A kernel with a mistake: examples/shifted.py")
    done = subprocess.run([TILEGRIND, "run", "examples/shifted.json",
                           "--in", "examples/shifted_inputs.npz"], cwd=ROOT)
    return done.returncode == 1


def main():
    well = True
    with tempfile.TemporaryDirectory() as scratch:
        for name, run in KERNELS.items():
            for case in capture_cases(run, Path(scratch) / name.replace(" ", "_")):
                well = show_case(name, case, seconds_of_jax(run)) and well
    well = show_finding() and well
    print("\nDemo: all as it should be." if well else "\nDemo: NOT as it should be.")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
