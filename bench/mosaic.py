"""Matrix products of Mosaic GPU with all checks, against a plain blocked product, and against JAX's interpreter of such kernels."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import jax.numpy as jnp
import numpy as np

import mosaic_examples
import mosaic_kernels
import one_core
from launch import Launch
from report import seconds, show, spread, times_as_long, verdict
from timing import Runner, Watch, times_of
from workloads import matmul_workload, normal

SIZE = 1024
MOST = 20  # times as long as the plain blocked product, both with all checks
LEAST = 500  # times as fast as JAX's interpreter with its detector of races, by time of the cores: its own examples
TOLERANCE = 1e-3  # of f16

INTERPRETED = Path(__file__).with_name("interpreted_gpu.py")
LEAST_RUNS = 2  # of JAX's interpreter, which takes seconds
LIMIT = 600  # seconds for all of them; those that have ended by then count
POOL = 16  # threads of XLA's pool: with too few the interpreter waits for ever


@dataclass(frozen=True)
class Kernel:
    """`errors` are the kinds of findings that are true of it; `least` is how many times as fast as JAX's
    interpreter it must run, 0 for none."""

    name: str
    pallas: object
    errors: tuple = ()
    least: int = 0


# In the one for Blackwell nobody waits for the last copy, wherefore JAX's interpreter does not run it to its end either.  Its scheduling
# loop is not told that the cluster has an axis: a block may get the next tile's number before its peer has read the last one.  And a warp
# that only waits may be two phases of a barrier behind.
KERNELS = (Kernel("JAX's example for Hopper, clusters of 2", mosaic_examples.hopper_example, least=LEAST),
           Kernel("JAX's example for Blackwell, pairs of blocks", mosaic_examples.blackwell_example, ("dma-not-awaited", "phase-missed", "race"), LEAST),
           Kernel("Hopper: wgmma, a thread that brings tiles, clusters of 2", mosaic_kernels.hopper_matmul),
           Kernel("Blackwell: tcgen05, warps, tiles taken over", mosaic_kernels.blackwell_matmul))


# ---- JAX's interpreter ----

def interpreted(pallas, runs, limit=LIMIT):
    """Times on the `core` (of all cores together) and on the `wall` of JAX's own interpreter in a process of its own, by these names, and its
    greatest `difference`: of the runs that ended within `limit` seconds.  Or `why` there are none."""
    command = [sys.executable, INTERPRETED, pallas.__module__, pallas.__name__, SIZE, runs, *(one_core.CORES or ())]
    environment = one_core.ENVIRONMENT | {"JAX_PLATFORMS": "cpu", "NPROC": str(POOL)}
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=limit, env=environment)
        lines, why = done.stdout, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    except subprocess.TimeoutExpired as late:
        lines, why = (late.stdout or b"").decode(), f"it was not done within {limit} s"
    found = [json.loads(line) for line in lines.splitlines()]
    if not found or "why" in found[-1]:
        return found[-1] if found else {"why": why}
    return {"difference": max(run["difference"] for run in found)} | {
        clock: times_of([run[clock] for run in found]) for clock in ("core", "wall")}


# ---- all ----

def is_right(kernel, launch, args):
    wanted = np.matmul(*(np.asarray(a, np.float32) for a in args))
    difference = np.abs(launch.outputs[0].astype(np.float32) - wanted) / (1 + np.abs(wanted))
    return set(launch.errors) == set(kernel.errors) and float(difference.max()) <= TOLERANCE


def measure(kernel, watch, effort):
    args = tuple(normal(seed, (SIZE, SIZE), jnp.float16) for seed in (1, 2))
    plain = Launch(kernel.pallas, args)
    checked, blocked = plain.again(checks="all"), Launch.of(matmul_workload(SIZE, 128), checks="all")
    times = watch.measure({name: Runner(call, budget=effort.budget)
                           for name, call in (("plain", plain), ("all", checked), ("blocked", blocked))})
    times |= Watch("wall").measure({"wall": Runner(checked, budget=effort.budget)})
    jax = interpreted(kernel.pallas, max(LEAST_RUNS, effort.interpreted)) if effort.is_patient else {"why": "it takes a minute"}
    is_interpreted = "why" not in jax
    ratio = times["all"].median / times["blocked"].median
    faster = {"core": jax["core"].median / times["all"].median,
              "wall": jax["wall"].median / times["wall"].median} if is_interpreted else None
    is_met = ratio <= MOST and (faster is None or faster["core"] >= kernel.least)
    is_jax_right = not is_interpreted or jax["difference"] <= TOLERANCE
    return {"name": kernel.name, "least": kernel.least, "times": times, "jax": jax, "ratio": ratio, "faster": faster, "why": jax.get("why"),
            "verdict": verdict(is_right(kernel, checked, args) and is_jax_right, is_met)}


def show_against_jax(rows):
    show("All checks, on one core, against JAX's interpreter with its detector of races, in a process of its own on all cores, compiled beforehand",
         ["kernel", "clock", "Tilegrind", "JAX, median (least .. most)", "runs", "faster", "at least"],
         [[r["name"], clock, seconds(r["times"][ours].median), spread(r["jax"][clock]), str(r["jax"][clock].runs),
           times_as_long(r["faster"][clock]), times_as_long(demand) if demand else "-"]
          for r in rows for clock, ours, demand in (("core", "all", r["least"]), ("wall", "wall", 0))])


def run(options, effort, watch):
    rows = [measure(kernel, watch, effort) for kernel in KERNELS]
    show(f"Products of {SIZE} x {SIZE} of Mosaic GPU, f16, all checks: at most {MOST}x the time of a plain product in blocks of 128",
         ["kernel", "no checks", "all checks, median (least .. most)", "in blocks", "ratio", "verdict"],
         [[r["name"], seconds(r["times"]["plain"].median), spread(r["times"]["all"]), seconds(r["times"]["blocked"].median),
           times_as_long(r["ratio"]), r["verdict"]] for r in rows])
    if interpreted_rows := [r for r in rows if r["faster"]]:
        show_against_jax(interpreted_rows)
    for row in rows:
        if row["why"]:
            print(f"Not measured in JAX's interpreter: {row['name']}: {row['why']}")
    return rows
