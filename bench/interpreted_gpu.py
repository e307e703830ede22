"""Times of JAX's interpreter of GPU kernels with its detector of races, on all cores: it needs several threads.

    python bench/interpreted_gpu.py MODULE KERNEL SIZE [CORE...]

KERNEL is a function of MODULE that multiplies two matrices of SIZE x SIZE.  It is compiled beforehand, and runs once for each line of the
input.  Prints a line of JSON as a run ends: its seconds on the `core` and on the `wall`, and `difference`, the greatest
|got - want| / (1 + |want|); or `why` JAX does not run it.  The process leaves the core that it was started on for the COREs."""

import importlib
import json
import os
import sys
import time
from functools import partial

module, name, size, *cores = sys.argv[1:]
if cores:
    os.sched_setaffinity(0, map(int, cores))  # before JAX makes its threads

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from workloads import normal  # noqa: E402


def compiled(pallas, args):
    params = importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.params").InterpretGPUParams
    more = {"inline_mgpu": "ignore"} if "inline_mgpu" in params.__dataclass_fields__ else {}  # fences that it does not know
    return jax.jit(partial(pallas, interpret=params(detect_races=True, **more))).lower(*args).compile()


def measure(run, args, wanted):
    """Seconds of all cores together, seconds on the wall, and how far the result is from the right one."""
    core, wall = time.process_time(), time.perf_counter()
    result = jax.block_until_ready(run(*args))
    core, wall = time.process_time() - core, time.perf_counter() - wall
    difference = np.abs(np.asarray(result, np.float32) - wanted) / (1 + np.abs(wanted))
    return {"core": core, "wall": wall, "difference": float(difference.max())}


def tell(found):
    print(json.dumps(found), flush=True)


def measure_all(pallas, size):
    args = tuple(normal(seed, (size, size), jnp.float16) for seed in (1, 2))
    wanted = np.matmul(*(np.asarray(a, np.float32) for a in args))
    try:
        run = compiled(pallas, args)
        for _ in sys.stdin:
            tell(measure(run, args, wanted))
    except (NotImplementedError, ValueError, jax.errors.JaxRuntimeError) as error:
        tell({"why": str(error).splitlines()[0]})


measure_all(getattr(importlib.import_module(module), name), int(size))
