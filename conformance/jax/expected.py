"""Known differences from stock JAX: expected.tsv, and judging a run by it."""

from __future__ import annotations

import fnmatch
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Mapping

from conformance.jax.session import Outcome, Settings
from conformance.jax.suites import SuiteError

EXPECTED = Path(__file__).with_name("expected.tsv")

# Conditions in a row's first column; all that it names must hold for the run.
CONDITIONS = {
    "always": lambda settings: True,
    "lifted": lambda settings: settings.lifted,
    "strict": lambda settings: settings.compat == "strict",
    "jax": lambda settings: settings.compat == "jax",
    "cpu": lambda settings: settings.backend == "cpu",
    "device": lambda settings: settings.backend != "cpu",
    "sequential": lambda settings: settings.order == "sequential",
    "reordered": lambda settings: settings.order != "sequential",
    "reversed": lambda settings: settings.order == "reversed",
    "shuffled": lambda settings: settings.order.startswith("shuffled"),
    "avx2": lambda settings: settings.vectors == "avx2",
    "avx512": lambda settings: settings.vectors == "avx512",
}


# What a row expects of its tests: that they do not pass; that they pass although their kernels have findings; or
# that they do not pass if the order exchanges two programs of a kernel on whose order the result depends.
KINDS = ("failure", "finding", "race")

NUMBERED = re.compile(r"(.*)\{(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)\}")
PAIR = re.compile(r"\w+\[\d+(,\d+)*\] by \(\d+(,\d+)*\) and \(\d+(,\d+)*\)")


@functools.cache
def numbers_written_out(tests: str) -> tuple[str, ...]:
    """The patterns that a pattern with numbers at its end, like {0-3,7}, stands for; one without them is itself."""
    numbered = NUMBERED.fullmatch(tests)
    if not numbered:
        return (tests,)
    ranges = (part.partition("-") for part in numbered[2].split(","))
    return tuple(f"{numbered[1]}{number}" for low, _, high in ranges for number in range(int(low), int(high or low) + 1))


@dataclass(frozen=True)
class Row:
    """Tests that differ from stock JAX under a condition, and why."""

    when: frozenset[str]
    kind: str
    tests: str  # FILE.py::CLASS::TEST, where * is any text; at its end {0-3,7} is one of these numbers
    reason: str
    pair: str  # of a race: BUFFER[ELEMENT] by (PROGRAM) and (PROGRAM); else ""
    line: int

    def holds(self, settings: Settings) -> bool:
        right_session = settings.lifted == ("lifted" in self.when)
        return right_session and all(CONDITIONS[word](settings) for word in self.when)

    @property
    def file(self) -> str:
        return self.tests.split(".py::")[0]

    def expects(self, kind: str, settings: Settings) -> bool:
        """Whether `kind`, see kind_of, is what the row expects."""
        if self.kind != "race":
            return kind == self.kind
        # The two programs of a race are exchanged when all are reversed; a shuffle may keep their order.
        return kind == "failure" or kind == "" and settings.order != "reversed"

    def covers(self, test: str) -> bool:
        name = test.split("tests/pallas/", 1)[-1]
        # Ids may contain brackets, which patterns would treat as sets.
        return any(fnmatch.fnmatchcase(name, tests.replace("[", "[[]")) for tests in numbers_written_out(self.tests))


def read_row(cells: list[str], line: int) -> Row:
    """One row.  Raises ValueError with the problem."""
    if len(cells) not in (4, 5) or not all(cells):
        raise ValueError("a row is condition, kind, tests, reason, and the pair of a race, parted by tabs")
    when, kind, tests, reason, pair = *cells, *[""] * (5 - len(cells))
    words = frozenset(when.split("+"))
    if unknown := words - CONDITIONS.keys():
        raise ValueError(f"unknown condition {min(unknown)}; known are {', '.join(CONDITIONS)}")
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind}; known are {', '.join(KINDS)}")
    if ".py::" not in tests:
        raise ValueError(f"tests are named FILE.py::CLASS::TEST, not {tests}")
    if (kind == "race") != bool(pair):
        raise ValueError("a race, and nothing else, has a pair")
    if pair and not PAIR.fullmatch(pair):
        raise ValueError(f"a pair is BUFFER[ELEMENT] by (PROGRAM) and (PROGRAM), not {pair}")
    return Row(words, kind, tests, reason, pair, line)


def read_rows(text: str, name: str = EXPECTED.name) -> list[Row]:
    """The rows of a table; # starts a comment line.  A bad line is a SuiteError."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                rows.append(read_row([cell.strip() for cell in line.split("\t")], number))
            except ValueError as problem:
                raise SuiteError(f"{name}:{number}: {problem}") from None
    return rows


@dataclass(frozen=True)
class Difference:
    """A test whose result differs from that of stock JAX, or from the expected one."""

    outcome: Outcome
    reason: str  # that of its row; "" if no row expects it
    problem: str  # "" when it is as expected

    @property
    def test(self) -> str:
        return self.outcome.test

    @property
    def what(self) -> str:
        """The message of Tilegrind or of the test."""
        return self.outcome.message or " ".join(self.outcome.findings)


def kind_of(outcome: Outcome, wanted: bool) -> str:
    """One of KINDS, or "" if the test is as with stock JAX; what is skipped or cannot
    be judged counts as such unless the test is wanted."""
    if outcome.result == "passed":
        return "finding" if outcome.findings else ""
    return "" if outcome.result in ("skipped", "unjudged") and not wanted else "failure"


def difference(outcome: Outcome, row: Row | None, wanted: bool, settings: Settings) -> Difference | None:
    kind = kind_of(outcome, wanted)
    if row is None:
        return Difference(outcome, "", f"unexpected {kind}") if kind else None
    if not row.expects(kind, settings):
        return Difference(outcome, row.reason, f"a {row.kind} is expected, but not seen")
    reason = f"{row.reason}: {row.pair}" if row.pair else row.reason
    return Difference(outcome, reason, "") if kind else None


def judge(
    outcomes: Mapping[str, Outcome], wanted: Iterable[str], rows: list[Row], settings: Settings
) -> list[Difference]:
    """All differences of the tests of one file, in the order of their ids.

    A test differs if it did not pass, or if its kernels have findings; a skip counts only for tests
    that are `wanted`.  Each of `rows`, all of them for that file, whose condition holds must cover a test, and every test that it
    covers must need it, so that no row outlives its reason."""
    wanted = set(wanted)
    rows = [row for row in rows if row.holds(settings)]
    found = []
    used = set()
    for test in sorted(wanted | outcomes.keys()):
        outcome = outcomes.get(test, Outcome(test, "missing", "no such test was collected"))
        row = next((row for row in rows if row.covers(test)), None)
        used.add(row)
        found.append(difference(outcome, row, test in wanted, settings))
    for row in rows:
        if row not in used:
            outcome = Outcome(row.tests, "missing")
            found.append(Difference(outcome, row.reason, f"{EXPECTED.name}:{row.line} covers no test"))
    return [one for one in found if one is not None]
