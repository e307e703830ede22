"""Time against size: each array twice as large as the one before."""

import statistics
from functools import partial

from launch import Launch
from peers import Copy
from timing import Runner
from workloads import add_workload, softmax_workload

LEAST, MOST = 2.0, 2.2
NOISE = 0.1  # how far below LEAST a ratio may lie: runs of the same thing differ by as much
ROUNDS_LEAST, ROUNDS_MOST = 7, 40
FIRST_ROUND = 0.05  # seconds that a round of all sizes takes, roughly: decides how many there are
JUDGED = 2e-3  # seconds: in shorter runs fixed costs and caches count


def growth_of(seconds, last):
    """How many times as long as `last`, runs of half the size: the median over those made one right after the
    other.  A machine that changes its speed now and then does so between few of them."""
    return statistics.median(t / u for t, u in zip(seconds, last))


def is_linear(ratio, last):
    """Whether `ratio` is as it should be for twice the size of `last`; None where that says nothing."""
    if last.median < JUDGED:
        return None
    return LEAST - NOISE <= ratio <= MOST


# Size, and a function that makes its workload.
FAMILIES = {
    "add, elements": [(f"2^{n}", partial(add_workload, n)) for n in range(19, 25)],
    "softmax of 1024, rows": [(f"{2 ** n:,}", partial(softmax_workload, 2 ** n)) for n in range(9, 14)],
}


def measure_growth(family, watch, budget):
    """For each size what was measured and how it grew: (size, {name: Times}, {name: growth}), for Tilegrind and for
    copying as many bytes; no growth for the first size.  Of every size there are as many runs, in rounds."""
    launches = [(name, Launch(w.pallas, w.args)) for name, w in ((name, make()) for name, make in family)]
    runs = min(ROUNDS_MOST, max(ROUNDS_LEAST, round(budget / FIRST_ROUND)))
    runners = {("tilegrind", name): Runner(launch, least=runs, most=runs) for name, launch in launches}
    runners |= {("copy", name): Runner(Copy(launch.bytes()), least=runs, most=runs) for name, launch in launches}
    times = watch.measure(runners)
    points, last = [], None
    for name, _ in launches:
        growth = {what: growth_of(runners[what, name].seconds, runners[what, last].seconds)
                  for what in ("tilegrind", "copy")} if last else {}
        points.append((name, {what: times[what, name] for what in ("tilegrind", "copy")}, growth))
        last = name
    return points
