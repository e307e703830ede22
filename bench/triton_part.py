"""Triton kernels against Triton's own interpreter, each in a process of its own with a Python that has Triton."""

import json
import os
import subprocess
from pathlib import Path

import one_core
from report import seconds, show, spread, times_as_long, verdict
from timing import times_of

PROCESS = Path(__file__).with_name("triton_process.py")
PYTHON = os.environ.get("TILEGRIND_TRITON_PYTHON")  # ./bootstrap bench sets it

PLAIN, CHECKED = 50, 25  # times as fast as Triton's interpreter at least, without checks and with all of them
FIRST = 1 + 1 / 3  # times as long as Triton compiles, at most: the first call
RUNS = 9
LIMIT = 600  # seconds for each process

# By name, and whether the demands count.  The larger tiles are left out of them: 50 times would ask for less than the multiply-adds take.
KERNELS = {"add 2^20, blocks of 1024": True, "softmax 4096 x 1024": True, "layer norm 1151 x 8192": True,
           "matmul 1024, f16, tiles of 128 x 64 x 32": True, "matmul 1024, f16, tiles of 128 x 128 x 64": False,
           "attention 4 x 1024 x 64, f16": True}


def process(mode, name, runs):
    """What the process prints; raises RuntimeError with its last line if it fails."""
    environment = one_core.ENVIRONMENT | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([PYTHON, PROCESS, mode, name, str(runs)], capture_output=True, text=True, timeout=LIMIT, env=environment)
    if done.returncode:
        raise RuntimeError(f"{mode} {name}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
    return json.loads(done.stdout)


def measure(name, is_asked, effort):
    modes = {mode: process(mode, name, runs) for mode, runs in
             (("plain", RUNS), ("checked", RUNS), ("interpreted", effort.interpreted), ("first", 1))}
    times = {mode: times_of(modes[mode]["seconds"]) for mode in ("plain", "checked", "interpreted")}
    faster = {mode: times["interpreted"].median / times[mode].median for mode in ("plain", "checked")}
    first = modes["first"]
    first["ratio"] = first["seconds"] / first["compiled"]
    is_right = all(modes[mode]["is_right"] and not modes[mode]["findings"] for mode in times)
    is_met = faster["plain"] >= PLAIN and faster["checked"] >= CHECKED and first["ratio"] <= FIRST
    return {"name": name, "times": times, "faster": faster, "first": first, "verdict": verdict(is_right, is_met if is_asked else None)}


def run(options, effort, watch):
    if not PYTHON:
        print("\nTriton kernels: not measured: no Python with Triton; ./bootstrap bench makes one")
        return []
    rows = [measure(name, is_asked, effort) for name, is_asked in KERNELS.items()]
    show(f"Triton kernels against Triton's interpreter: at least {PLAIN}x, and {CHECKED}x with all checks",
         ["kernel", "no checks, median (least .. most)", "all checks", "interpreter", "faster", "with all checks", "verdict"],
         [[r["name"], spread(r["times"]["plain"]), seconds(r["times"]["checked"].median), seconds(r["times"]["interpreted"].median),
           times_as_long(r["faster"]["plain"]), times_as_long(r["faster"]["checked"]), r["verdict"]] for r in rows])
    show(f"The first call, its run included, against Triton's compiling for sm_90: at most {FIRST:.2f}x",
         ["kernel", "first call", "of which Triton's, up to TTIR", "Triton, for sm_90", "ratio"],
         [[r["name"], seconds(r["first"]["seconds"]), seconds(r["first"]["read"]), seconds(r["first"]["compiled"]),
           times_as_long(r["first"]["ratio"])] for r in rows])
    return rows
