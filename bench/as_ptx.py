"""Kernels as PTX in the emulator, and the time that the cross-check takes for every example of docs/semantics.md."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from launch import Launch
from timing import Runner
from workloads import add_workload, layer_norm_workload, matmul_workload, softmax_workload

ROOT = Path(__file__).resolve().parent.parent

# Small enough that a run takes less than a second.
WORKLOADS = [lambda: add_workload(16), lambda: softmax_workload(64), lambda: layer_norm_workload(64),
             lambda: matmul_workload(128, 32)]


def measure(work, watch, budget):
    """Times of the kernel as PTX in the emulator and in the interpreter, and how many instructions a run takes."""
    launches = {backend: Launch.of(work, backend=backend) for backend in ("emulator", "cpu")}
    times = watch.measure({name: Runner(launch, least=2, budget=budget) for name, launch in launches.items()})
    is_equal = all(np.array_equal(a, b) for a, b in zip(*(launch.outputs for launch in launches.values())))
    instructions = launches["emulator"].instructions
    return {"name": work.name, "times": times, "instructions": instructions,
            "rate": instructions / times["emulator"].median, "is_equal": is_equal}


def crosscheck_examples():
    """How `tilegrind crosscheck` counts all examples, and its seconds on the wall, the process with all it does."""
    tilegrind = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "conformance" / "semantics" / "run.py", "cases", folder], check=True,
                       stdout=subprocess.DEVNULL)
        start = time.perf_counter()
        done = subprocess.run([tilegrind, "crosscheck", "--json", folder], capture_output=True, text=True)
        elapsed = time.perf_counter() - start
    report = json.loads(done.stdout)
    counts = ("cases", "equal", "different", "refused", "failed")
    return {"name": "crosscheck", "seconds": elapsed} | {name: report[name] for name in counts}
