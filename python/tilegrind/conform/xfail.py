"""Lists of known failures, which cannot go stale.

    # comment
    semantics/exp-rounding-1    outside    # https://issues/12

A listed case must fail, and with the verdict of the list: one that is met, that comes out otherwise, that is not run, or
that no suite has, fails the run.  Patterns do not exist: each case has a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Mapping, Sequence

from .. import whole_file
from .running import Result
from .verdicts import FAULTS


class BadList(Exception):
    """A file that is no list of failures."""


@dataclass(frozen=True)
class Expected:
    """A line of a list."""

    id: str
    kind: str
    reason: str
    place: str  # FILE:LINE


def read(paths: Iterable[Path]) -> dict[str, Expected]:
    """The lines of all lists.  Raises BadList, or OSError."""
    found: dict[str, Expected] = {}
    for path in paths:
        for number, line in enumerate(_text(path).splitlines(), 1):
            one = _line(line, f"{path}:{number}")
            if one is None:
                continue
            if one.id in found:
                raise BadList(f"{one.place}: {one.id} is at {found[one.id].place} already")
            found[one.id] = one
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise BadList(f"{path}: byte {problem.start} is no UTF-8") from None


def _line(line: str, place: str) -> Expected | None:
    words, _, reason = line.partition("#")
    parts = words.split()
    if not parts:
        return None
    if len(parts) != 2:
        raise BadList(f"{place}: a line is a case and its verdict, and behind # the reason")
    if parts[1] not in FAULTS:
        raise BadList(f"{place}: {parts[1]} is no verdict of a failure; those are {', '.join(FAULTS)}")
    return Expected(parts[0], parts[1], reason.strip(), place)


@dataclass(frozen=True)
class Outcome:
    """A result, and what a list says of it.  ``status`` is "pass", "neutral", "fail", "xfail", "xpass" or
    "xfail-differs"."""

    result: Result
    status: str
    expected: Expected | None = None

    @property
    def is_bad(self) -> bool:
        return self.status in ("fail", "xpass", "xfail-differs")


def outcome(result: Result, listed: Mapping[str, Expected]) -> Outcome:
    expected, verdict = listed.get(result.id), result.verdict
    if expected is None:
        return Outcome(result, "fail" if verdict.is_fault else "pass" if verdict.is_met else "neutral")
    if not verdict.is_fault:
        return Outcome(result, "xpass", expected)
    return Outcome(result, "xfail" if verdict.kind == expected.kind else "xfail-differs", expected)


def stale(listed: Mapping[str, Expected], run: Iterable[str], known: set[str], is_whole: bool) -> list[str]:
    """What is wrong with the lists themselves: cases that do not exist, and, in a run of the whole suite, that were not
    run."""
    ran, problems = set(run), []
    for one in listed.values():
        if one.id not in known:
            problems.append(f"{one.place}: the suite has no case {one.id}")
        elif is_whole and one.id not in ran:
            problems.append(f"{one.place}: {one.id} was not run")
    return problems


def write(path: Path, results: Sequence[Result], listed: Mapping[str, Expected]) -> int:
    """Writes the list of all failures of a run; reasons that lists have are kept.  How many there are."""
    failures = [result for result in results if result.verdict.is_fault]
    lines = ["# Known failures of a run of tilegrind conform: case, verdict, # reason\n"]
    for result in failures:
        reason = listed[result.id].reason if result.id in listed else f"TODO: {result.verdict.detail}"
        lines.append(f"{result.id} {result.verdict.kind} # {' '.join(reason.split())}\n")
    whole_file.write(path, "".join(lines))
    return len(failures)
