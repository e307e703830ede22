"""Matrix products of Mosaic GPU with all checks, against a plain blocked product, and against JAX's interpreter of such kernels."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

import mosaic_examples
import mosaic_kernels
from interpreter_process import InterpreterProcess
from launch import Launch
from report import average, seconds, show, spread, times_as_long, verdict
from timing import Runner, Watch, times_of
from workloads import matmul_workload, normal

SIZE = 1024
MOST = 20  # times as long as the plain blocked product, both with all checks
LEAST = 500  # times as fast as JAX's interpreter with its detector of races, by time of the cores: its own examples
TOLERANCE = 1e-3  # of f16

LEAST_RUNS = 4  # of JAX's interpreter, each of which takes half a minute
LIMIT = 900  # seconds for all of its runs and ours among them; those that have ended by then count


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


# ---- turns ----

class Ours:
    """The calls of a kernel in Tilegrind, by name, and the times of all their runs on the core, and of those with all checks on the `wall`."""

    def __init__(self, calls, watch, budget):
        self._calls, self._watch, self._budget = calls, watch, budget
        self._seconds = {name: [] for name in (*calls, "wall")}

    def measure(self):
        self._measure(self._watch, self._calls)
        self._measure(Watch("wall"), {"wall": self._calls["all"]})

    def _measure(self, watch, calls):
        runners = {name: Runner(call, budget=self._budget) for name, call in calls.items()}
        watch.measure(runners)
        for name, runner in runners.items():
            self._seconds[name] += runner.seconds

    @property
    def times(self):
        return {name: times_of(seconds) for name, seconds in self._seconds.items()}


def measure_in_turns(ours, pallas, runs):
    """Measures ours, and after each run of JAX's interpreter again: what slows the machine down for a while slows both.  A run of JAX's is so
    long that it has both fast and slow seconds; means compare with that, not medians.  Returns JAX's times on the `core` (of all cores
    together) and on the `wall`, by these names, and its greatest `difference`; or `why` there are none."""
    ours.measure()
    found = []
    with InterpreterProcess(pallas, SIZE, LIMIT) as interpreter:
        while len(found) < runs:
            run = interpreter.run()
            if found and interpreter.is_late:
                break
            if "why" in run:
                return run
            found.append(run)
            ours.measure()
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
    ours = Ours({"plain": plain, "all": checked, "blocked": blocked}, watch, effort.budget)
    if effort.is_patient:
        jax = measure_in_turns(ours, kernel.pallas, max(LEAST_RUNS, effort.interpreted))
    else:
        jax = {"why": "it takes a minute"}
        ours.measure()
    times, is_interpreted = ours.times, "why" not in jax
    ratio = times["all"].median / times["blocked"].median
    faster = {"core": jax["core"].mean / times["all"].mean, "wall": jax["wall"].mean / times["wall"].mean} if is_interpreted else None
    is_met = ratio <= MOST and (faster is None or faster["core"] >= kernel.least)
    is_jax_right = not is_interpreted or jax["difference"] <= TOLERANCE
    return {"name": kernel.name, "least": kernel.least, "times": times, "jax": jax, "ratio": ratio, "faster": faster, "why": jax.get("why"),
            "verdict": verdict(is_right(kernel, checked, args) and is_jax_right, is_met)}


def show_against_jax(rows):
    show("All checks, on one core, against JAX's interpreter with its detector of races, in a process of its own on all cores, compiled beforehand",
         ["kernel", "clock", "Tilegrind, mean (least .. most)", "JAX, mean (least .. most)", "runs", "faster", "at least"],
         [[r["name"], clock, average(r["times"][ours]), average(r["jax"][clock]), str(r["jax"][clock].runs),
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
