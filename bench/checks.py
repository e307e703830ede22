"""What the checks cost: time and memory against a plain run, against JAX's interpreters, and as grids grow."""

import json
import math
import statistics
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import tpu as pltpu

import small
from kernels import transpose
from launch import Launch
from peers import Compiled, interpreted
from tilegrind.pallas import export
from timing import Runner, times_of
from workloads import add, layer_norm, matmul, normal, normalised

CHECKED_RUN = Path(__file__).with_name("checked_run.py")

# At the most so many times as long as a plain run; None: no demand.
MOST = {"races": 3, "undefined": 3, "all": 5}
MOST_MEMORY = 3  # bytes for each of the arrays
# Missed where it is not met though compiled code, taking as many times as long as checks may, would meet it: elsewhere a program's own work
# leaves no room for it.
LEAST_AGAINST_TPU = 1000
MOST_SLOPE = 1.1
MOST_BYTES = 20 << 30


# ---- time ----

def measure_launches(plain, watch, rounds, peers=None):
    """Times of a plain run and with checks, by name, with those of `peers`, and how many times as long checks take: the median over runs
    made one right after the other."""
    launches = {"plain": plain} | {checks: plain.again(checks=checks) for checks in MOST}
    runners = {name: Runner(launch, least=rounds, most=rounds) for name, launch in launches.items()}
    times = watch.measure(runners | (peers or {}))
    ratios = {checks: statistics.median(t / u for t, u in zip(runners[checks].seconds, runners["plain"].seconds))
              for checks in MOST}
    return times, ratios, is_unseen(plain, launches["all"])


def is_unseen(plain, checked):
    """Whether the checks find nothing and change no bit."""
    def outputs(launch):
        launch()
        return [array.tobytes() for array in launch.outputs]

    return outputs(plain) == outputs(checked) and checked.findings == plain.findings == 0


def rounds_for(effort):
    return max(5, round(15 * effort.budget))


def measure_workload(work, launch, watch, effort, jax_times=None):
    """`jax_times`: those of JAX's interpreter, where they are known already."""
    peers = {}
    if not jax_times:
        interpreter = interpreted(work.sample or work.pallas, work.args)
        peers["jax"] = Runner(interpreter, least=effort.interpreted, most=10, budget=effort.budget)
    times, ratios, is_right = measure_launches(launch, watch, rounds_for(effort), peers)
    times["jax"] = jax_times or times["jax"] * work.sample_factor
    is_met = all(ratios[checks] <= most for checks, most in MOST.items()) and \
        times["all"].median < times["jax"].median
    return {"times": times, "ratios": ratios, "sampled": work.sample_factor, "is_right": is_right, "is_met": is_met}


def measure_small(kind, watch, effort):
    """Of one program among many that do next to nothing."""
    launch = Launch(partial(kind.pallas, programs=small.PROGRAMS), (kind.array(small.PROGRAMS),))
    times, ratios, is_right = measure_launches(launch, watch, rounds_for(effort))
    return {"times": {name: t / small.PROGRAMS for name, t in times.items()}, "ratios": ratios,
            "is_right": is_right}


# ---- memory ----

def run_apart(*arguments):
    """The figures of a run in a process of its own."""
    done = subprocess.run([sys.executable, CHECKED_RUN, *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def measure_memory(launch, folder):
    """Bytes beyond the arrays that a plain run takes, and one with all checks; None where the system does not tell."""
    arguments = launch.save(folder)
    plain, checked = (run_apart(*arguments, "--checks", checks) for checks in ("none", "all"))
    if plain["extra"] is None:
        return None
    return {"arrays": plain["arrays"], "plain": plain["extra"], "all": checked["extra"],
            "ratio": max(0, checked["extra"] - plain["extra"]) / plain["arrays"]}


# ---- JAX's interpreter of TPU kernels ----

@dataclass(frozen=True)
class Programs:
    """A kernel of as many programs as a cube has cells; `of` takes the length of its edge, and gives a function and its arguments, which
    `compiled` takes as well, for XLA."""

    name: str
    of: object
    compiled: object
    grid_semantics: object = None


def add_of(edge):
    size = 1024 * edge ** 3
    return add, (normal(1, size), normal(2, size))


def layer_norm_of(edge):
    return layer_norm, (normal(4, (8 * edge ** 3, 1024)), normal(5, 1024), normal(6, 1024))


def matmul_of(edge, block):
    size = block * edge
    return partial(matmul, block=block), (normal(7, (size, size)), normal(8, (size, size)))


def transpose_of(edge):
    return transpose, (normal(31, (256 * edge, 256 * edge * edge)),)


THIRD_IS_ORDERED = ("parallel", "parallel", "arbitrary")
TPU_KERNELS = [
    Programs("add, 1,024 elements", add_of, jnp.add),
    Programs("matmul, blocks of 32", partial(matmul_of, block=32), jnp.dot, THIRD_IS_ORDERED),
    Programs("layer norm, 8 rows of 1024", layer_norm_of, normalised),
    Programs("matmul, blocks of 128", partial(matmul_of, block=128), jnp.dot, THIRD_IS_ORDERED),
    Programs("transpose, 256 x 256", transpose_of, jnp.transpose),
]
EDGES = {"quick": 3, "default": 4, "full": 6}


def measure_against_tpu(kernel, watch, effort, edge):
    """Times of a program with all checks, and in JAX's interpreter of TPU kernels with its own check for races; compiled beforehand."""
    function, args = kernel.of(edge)
    launch = Launch(function, args, kernel.grid_semantics, checks="all")
    peer = Compiled(partial(function, interpret=pltpu.InterpretParams(detect_races=True)), args)
    times = watch.measure({"tilegrind": Runner(launch, least=rounds_for(effort), budget=effort.budget),
                           "xla": Runner(Compiled(kernel.compiled, args), budget=effort.budget / 4),
                           "jax": Runner(peer, least=1, most=5, budget=effort.budget)})
    is_right = launch.findings == 0 and np.allclose(launch.outputs[0], peer.result, rtol=1e-3, atol=1e-3)
    times = {name: t / edge ** 3 for name, t in times.items()}
    ratio = times["jax"].median / times["tilegrind"].median
    leaves_room = times["jax"].median >= LEAST_AGAINST_TPU * MOST["all"] * times["xla"].median
    return {"name": kernel.name, "programs": edge ** 3, "times": times, "ratio": ratio, "required": LEAST_AGAINST_TPU,
            "is_right": bool(is_right), "is_met": True if ratio >= LEAST_AGAINST_TPU else False if leaves_room else None}


# ---- growth ----

ELEMENTS = 100  # a program: no multiple of anything
SIZES = [10 ** 3, 10 ** 4, 10 ** 5, 10 ** 6]
ROUNDS = {"quick": 1, "default": 3, "full": 7}
PROGRAMS_A_ROUND = 10 ** 5  # at the least, in several runs where they are short


def slope(points):
    """Of the straight line closest to the logarithms: 1 where time is proportional to size."""
    xs, ys = ([math.log(v) for v in column] for column in zip(*points))
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def measure_growth(folder, effort):
    """For each number of programs the figures of runs with all checks, and of the largest also those of all checks in many orders; each in a
    process of its own, in turns."""
    sizes, files = SIZES, {}
    for programs in sizes:
        array = jax.ShapeDtypeStruct((ELEMENTS * programs,), jnp.float32)
        files[programs] = folder / f"{programs}.json"
        files[programs].write_text(export(partial(add, block=ELEMENTS), array, array).dumps())
    found = {programs: [] for programs in sizes}
    for _ in range(ROUNDS[effort]):
        for programs in sizes:
            runs = max(1, PROGRAMS_A_ROUND // programs)
            found[programs].append(run_apart(files[programs], "--checks", "all", "--runs", runs))
    rows = [growth_row(programs, found[programs]) for programs in sizes]
    in_orders = growth_row(sizes[-1], [run_apart(files[sizes[-1]], "--orders")])
    return rows, in_orders, slope([(row["programs"], row["times"].median) for row in rows])


def growth_row(programs, rounds):
    extra = [r["extra"] for r in rounds]
    return {"programs": programs, "elements": ELEMENTS * programs, "findings": max(r["findings"] for r in rounds),
            "times": times_of([seconds for r in rounds for seconds in r["seconds"]]), "arrays": rounds[0]["arrays"],
            "extra": None if None in extra else max(extra)}
