"""Time against size: each array twice as large as the one before."""

from functools import partial

from launch import Launch
from peers import Copy
from timing import Runner
from workloads import add_workload, softmax_workload

LEAST, MOST = 2.0, 2.2
NOISE = 0.1  # how far below LEAST a ratio may lie: runs of the same thing differ by as much
JUDGED = 2e-3  # seconds: in shorter runs fixed costs and caches count


def is_linear(times, last):
    """Whether `times` is as it should be for twice the size of `last`; None where that says nothing."""
    if last.median < JUDGED:
        return None
    return LEAST - NOISE <= times.median / last.median <= MOST


# Size, and a function that makes its workload.
FAMILIES = {
    "add, elements": [(f"2^{n}", partial(add_workload, n)) for n in range(19, 25)],
    "softmax of 1024, rows": [(f"{2 ** n:,}", partial(softmax_workload, 2 ** n)) for n in range(9, 14)],
}


def measure_growth(family, watch, budget):
    """(size, Times, Times of copying as many bytes) for each size."""
    launches = [(name, Launch(w.pallas, w.args)) for name, w in ((name, make()) for name, make in family)]
    runners = {("tilegrind", name): Runner(launch, least=7, budget=budget) for name, launch in launches}
    runners |= {("copy", name): Runner(Copy(launch.bytes()), least=7, budget=budget)
                for name, launch in launches}
    times = watch.measure(runners)
    return [(name, times["tilegrind", name], times["copy", name]) for name, _ in launches]
