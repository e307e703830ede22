"""Matrix products of Mosaic GPU with all checks, against a plain blocked product, and against JAX's interpreter of such kernels."""

import importlib
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import mosaic_kernels
from launch import Launch
from peers import Compiled
from report import seconds, show, spread, times_as_long, verdict
from timing import Runner
from workloads import matmul_workload, normal

SIZE = 1024
MOST = 20  # times as long as the plain blocked product, both with all checks
LEAST = 500  # times as fast as JAX's interpreter with its detector of races
TOLERANCE = 1e-3  # of f16


@dataclass(frozen=True)
class Kernel:
    name: str
    pallas: object


KERNELS = (Kernel("Hopper: wgmma, a thread that brings tiles, clusters of 2", mosaic_kernels.hopper_matmul),
           Kernel("Blackwell: tcgen05, warps, tiles taken over", mosaic_kernels.blackwell_matmul))


def interpreted(pallas, args):
    """JAX's own interpreter with its detector of races; None and the reason if it cannot run the kernel."""
    params = importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.params").InterpretGPUParams
    more = {"inline_mgpu": "ignore"} if "inline_mgpu" in params.__dataclass_fields__ else {}  # fences that it does not know
    try:
        run = Compiled(partial(pallas, interpret=params(detect_races=True, **more)), args)
        run()
        return run, ""
    except (NotImplementedError, ValueError, jax.errors.JaxRuntimeError) as error:
        return None, str(error).splitlines()[0]


def is_right(launch, args):
    wanted = np.matmul(*(np.asarray(a, np.float32) for a in args))
    difference = np.abs(launch.outputs[0].astype(np.float32) - wanted) / (1 + np.abs(wanted))
    return launch.errors == 0 and float(difference.max()) <= TOLERANCE


def measure(kernel, watch, effort):
    args = tuple(normal(seed, (SIZE, SIZE), jnp.float16) for seed in (1, 2))
    plain = Launch(kernel.pallas, args)
    checked, blocked = plain.again(checks="all"), Launch.of(matmul_workload(SIZE, 128), checks="all")
    runners = {name: Runner(call, budget=effort.budget) for name, call in (("plain", plain), ("all", checked), ("blocked", blocked))}
    interpreter, why = interpreted(kernel.pallas, args) if effort.is_patient else (None, "it takes half a minute")
    if interpreter:
        runners["jax"] = Runner(interpreter, least=effort.interpreted, most=3, budget=effort.budget)
    times = watch.measure(runners)
    ratio = times["all"].median / times["blocked"].median
    faster = times["jax"].median / times["all"].median if interpreter else None
    is_met = ratio <= MOST and (faster is None or faster >= LEAST)
    return {"name": kernel.name, "times": times, "ratio": ratio, "faster": faster, "why": why,
            "verdict": verdict(is_right(checked, args), is_met)}


def run(options, effort, watch):
    rows = [measure(kernel, watch, effort) for kernel in KERNELS]
    show(f"Products of {SIZE} x {SIZE} of Mosaic GPU, f16, all checks: at most {MOST}x the time of a plain product in blocks of 128",
         ["kernel", "no checks", "all checks, median (least .. most)", "in blocks", "ratio", "JAX, races", "faster", "at least",
          "verdict"],
         [[r["name"], seconds(r["times"]["plain"].median), spread(r["times"]["all"]), seconds(r["times"]["blocked"].median),
           times_as_long(r["ratio"]), seconds(r["times"]["jax"].median) if r["faster"] else "-",
           times_as_long(r["faster"]) if r["faster"] else "-", times_as_long(LEAST), r["verdict"]] for r in rows])
    for row in rows:
        if row["why"]:
            print(f"JAX's interpreter does not run {row['name']}: {row['why']}")
    return rows
