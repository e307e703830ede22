"""The form of a kind of units."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of units; see `kinds`."""

    name: str
    units_of: Callable  # (Table of the SPEC, folder of the SPEC, UnitFiles) -> units, without "kind" and "tilegrind"
    runs_of: Callable  # unit -> how many runs it makes
    run: Callable  # (unit, folder with the files of the plan) -> {"counters", "digests", "worst", "failures"}
