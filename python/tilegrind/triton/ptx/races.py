"""What a race in global memory does: what there is in the end if nobody looks for it, in several orders."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

from ..running.launches import Launch
from .differences import differences
from .emulating import Emulated, How

SEEDS = range(4)
KINDS = ("global-race", "cta-race")


def effect_of_race(run: Callable[[How], Emulated], how: How, after: Launch, ulps: int, most: float) -> str:
    """A line; `run` is the launch on the emulator, and `after` has the memory that the reference has left."""
    for seed in SEEDS:
        done = run(replace(how, seed=seed, races=False, cta_races=False))
        if done.run.trap:
            return f"with seed {seed}, and no look at races, the launch ends with {done.run.trap.kind}"
        for one in differences(after, done.arrays):
            if not one.within(ulps, most):
                return f"with seed {seed}, and no look at races: {one}"
    return f"with seeds {', '.join(map(str, SEEDS))}, and no look at races, the memory is as the reference leaves it"
