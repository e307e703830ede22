"""Which levels an implementation meets, and the badge that says so."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Iterable, Mapping

from .features import LEVELS
from .xfail import Outcome


@dataclass(frozen=True)
class Level:
    """``state`` is "met" (all cases are), "partial" (all that the runner supports are), "failed", "none" (it supports no
    case), or "not run"."""

    name: str
    met: int
    total: int  # cases that were run
    failed: int

    @property
    def state(self) -> str:
        if not self.total:
            return "not run"
        if self.failed:
            return "failed"
        return "met" if self.met == self.total else "partial" if self.met else "none"


def levels(outcomes: Iterable[Outcome]) -> list[Level]:
    """All levels.  Known failures are failures."""
    count: dict[str, collections.Counter] = {name: collections.Counter() for name in LEVELS}
    for one in outcomes:
        of = count[one.result.level]
        of["total"] += 1
        of["met"] += one.result.verdict.is_met
        of["failed"] += one.result.verdict.is_fault
    return [Level(name, of["met"], of["total"], of["failed"]) for name, of in count.items()]


def badge(found: Iterable[Level], hello: Mapping | None, version: str, is_whole: bool) -> str:
    """One line: the greatest level up to which all are met, and those above that are met in part."""
    if not is_whole:
        return f"part of suite={version}"
    numbered = [level for level in found if level.name != "S"]
    upto = "none"
    for level in numbered:
        if level.state != "met":
            break
        upto = level.name
    above = numbered[[level.name for level in numbered].index(upto) + 1:] if upto != "none" else numbered
    more = [f"{level.name} {level.met}/{level.total}" for level in above if level.met]
    statistics = "+S" if any(level.name == "S" and level.state == "met" for level in found) else ""
    contract = (hello or {}).get("contract", "ieee")
    return " ".join([upto + statistics, *([f"({', '.join(more)})"] if more else []), f"contract={contract}",
                     f"suite={version}"])
