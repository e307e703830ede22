"""What Tilegrind has no counterpart for in the tests of Mosaic GPU: refusals.tsv, and judging a run by it.

Most tests there stand for a feature with many sets of parameters, so that the table counts: how many tests of a class are
refused for one reason.  A run in which one of these numbers is another fails, be it more or fewer.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Iterable, Mapping

from conformance.jax.session import Outcome
from conformance.jax.suites import SuiteError

REFUSALS = Path(__file__).with_name("refusals.tsv")

HEADER = """\
# Tests of Mosaic GPU with something in a kernel that Tilegrind has no counterpart for, parted by tabs: the lift, the number of
# tests, the primitive and what it lacks.  run.py --write-refusals writes this file.
"""

Counts = Mapping[tuple[str, str], int]  # by lift and reason


def count(outcomes: Iterable[Outcome]) -> Counts:
    """The refused tests."""
    return Counter((outcome.lift, outcome.refusal) for outcome in outcomes if outcome.result == "refused")


def read(text: str, name: str = REFUSALS.name) -> Counts:
    """The rows of a table; # starts a comment line.  A bad line is a SuiteError."""
    counts: dict[tuple[str, str], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cells) or not cells[1].isdecimal():
            raise SuiteError(f"{name}:{number}: a row is a lift, a number of tests and a reason, parted by tabs")
        counts[cells[0], cells[2]] = int(cells[1])
    return counts


def text(counts: Counts) -> str:
    """The table, the most frequent reasons of each lift first."""
    rows = sorted(counts.items(), key=lambda row: (row[0][0], -row[1], row[0][1]))
    return HEADER + "".join(f"{lift}\t{tests}\t{reason}\n" for (lift, reason), tests in rows)


def judge(counts: Counts, wanted: Counts, lifts: Iterable[str]) -> list[str]:
    """A line for each number that is not the wanted one; `lifts` are those that have run."""
    lifts = set(lifts)
    keys = sorted(key for key in {*counts, *wanted} if key[0] in lifts)
    return [
        f"{lift}: {counts.get((lift, reason), 0)} tests are refused, where {wanted.get((lift, reason), 0)} are expected: {reason}"
        for lift, reason in keys
        if counts.get((lift, reason), 0) != wanted.get((lift, reason), 0)
    ]


def replaced(wanted: Counts, counts: Counts, lifts: Iterable[str]) -> Counts:
    """The table `wanted` with the numbers of a run of `lifts`."""
    lifts = set(lifts)
    return {**{key: tests for key, tests in wanted.items() if key[0] not in lifts}, **counts}
