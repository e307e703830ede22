"""Times of JAX's interpreter of GPU kernels with its detector of races, on all cores: it needs several threads.

    python bench/interpreted_gpu.py KERNEL SIZE RUNS [CORE...]

KERNEL is a function of mosaic_kernels that multiplies two matrices of SIZE x SIZE.  Prints one line of JSON: `core` and `wall`, the seconds of
each of RUNS runs behind a first one, which is compiled and warms up, and `difference`, the greatest |got - want| / (1 + |want|); or `why` JAX
does not run it.  The process leaves the core that it was started on for the COREs."""

import importlib
import json
import os
import sys
import time
from functools import partial

name, size, runs, *cores = sys.argv[1:]
if cores:
    os.sched_setaffinity(0, map(int, cores))  # before JAX makes its threads

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import mosaic_kernels  # noqa: E402
from workloads import normal  # noqa: E402


def compiled(pallas, args):
    params = importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.params").InterpretGPUParams
    more = {"inline_mgpu": "ignore"} if "inline_mgpu" in params.__dataclass_fields__ else {}  # fences that it does not know
    return jax.jit(partial(pallas, interpret=params(detect_races=True, **more))).lower(*args).compile()


def measure(run, args):
    """Seconds of all cores together, seconds on the wall, and the result."""
    core, wall = time.process_time(), time.perf_counter()
    result = jax.block_until_ready(run(*args))
    return time.process_time() - core, time.perf_counter() - wall, result


def measure_all(pallas, size, runs):
    args = tuple(normal(seed, (size, size), jnp.float16) for seed in (1, 2))
    try:
        run = compiled(pallas, args)
        measured = [measure(run, args) for _ in range(runs + 1)]
    except (NotImplementedError, ValueError, jax.errors.JaxRuntimeError) as error:
        return {"why": str(error).splitlines()[0]}
    core, wall, results = zip(*measured)
    wanted = np.matmul(*(np.asarray(a, np.float32) for a in args))
    difference = np.abs(np.asarray(results[-1], np.float32) - wanted) / (1 + np.abs(wanted))
    return {"core": core[1:], "wall": wall[1:], "difference": float(difference.max())}


print(json.dumps(measure_all(getattr(mosaic_kernels, name), int(size), int(runs))))
