"""Repeated runs of several things that do the same work, turn by turn, so that whatever slows the machine
down for a while slows all of them."""

import gc
import resource
import statistics
import time
from dataclasses import dataclass, field

NOTICEABLE = 1.0  # seconds: a first run longer than this counts, a shorter one only warms up


def core_time():
    """Nanoseconds that the core has worked for this process and for those that it started and awaited."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


# The same on a machine without other work, all being done on one core.
CLOCKS = {"cpu": core_time, "wall": time.perf_counter_ns}


@dataclass
class Runner:
    """Something to be timed: `call` is run at least `least` and at most `most` times, within these bounds
    for `budget` seconds."""

    call: object
    least: int = 5
    most: int = 200
    budget: float = 1.0
    seconds: list = field(default_factory=list)

    def is_due(self):
        runs = len(self.seconds)
        return runs < self.least or (runs < self.most and sum(self.seconds) < self.budget)


@dataclass(frozen=True)
class Times:
    """Figures of the runs of one thing, in seconds."""

    median: float
    mean: float
    least: float
    most: float
    runs: int

    def __mul__(self, factor):
        return Times(self.median * factor, self.mean * factor, self.least * factor, self.most * factor, self.runs)

    def __truediv__(self, count):
        return self * (1 / count)


def times_of(seconds):
    return Times(statistics.median(seconds), statistics.fmean(seconds), min(seconds), max(seconds), len(seconds))


class Watch:
    """Measures on one of the CLOCKS; tells how much of the core the measured work got."""

    def __init__(self, clock):
        self._now = CLOCKS[clock]
        self._wall = self._cpu = 0

    def measure(self, runners):
        """Times by name, for a dict of Runners.  Every one is warmed up by a run of its own."""
        gc.collect()
        gc.disable()
        try:
            for runner in runners.values():
                first = self._run(runner)
                if first > NOTICEABLE:
                    runner.seconds.append(first)
            while due := [r for r in runners.values() if r.is_due()]:
                for runner in due:
                    runner.seconds.append(self._run(runner))
        finally:
            gc.enable()
        return {name: times_of(runner.seconds) for name, runner in runners.items()}

    @property
    def share(self):
        """Time of the core over time on the wall, of all that was measured: well below 1 on a busy machine."""
        return self._cpu / self._wall if self._wall else 1.0

    def _run(self, runner):
        wall, cpu, start = time.perf_counter_ns(), core_time(), self._now()
        runner.call()
        elapsed = self._now() - start
        self._wall += time.perf_counter_ns() - wall
        self._cpu += core_time() - cpu
        return elapsed * 1e-9
