"""Compares the findings of a run with those that a pair expects."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

from conformance.defects.corpus import Finding, Pair

Json = Mapping[str, Any]

# Either side of these kinds may come first.
SYMMETRIC = ("race", "race-same-value", "order-dependence", "order-rounding")

# No finding of the command: an output of the broken kernel is not that of the repaired one.
WRONG_VALUES = "wrong-values"


@dataclass(frozen=True)
class Side:
    """The location of a finding, or of a related place: a line and a program."""

    line: int
    program: tuple[int, ...] | None


def sides_of(finding: Json) -> list[Side]:
    """The location of a finding first, then its related places."""
    return [Side(place.get("line", 0), tuple(place["program"]) if place.get("program") is not None else None)
            for place in (finding, *finding.get("related", ()))]


@dataclass(frozen=True)
class Wanted:
    """An expected finding with its marks resolved to lines."""

    finding: Finding
    here: frozenset[int]
    there: frozenset[int]  # empty: no other side
    names: frozenset[str]  # of the parameters with that memory: an alias has two
    place: int | None  # offset of the first element, row-major

    @classmethod
    def of(cls, finding: Finding, marks: Mapping[str, int], kernel: Json) -> Wanted:
        """`kernel` is the kernel as JSON, for the shapes of its parameters."""

        def lines(side: str | None) -> frozenset[int]:
            return frozenset(marks[mark] for mark in side.split("|")) if side else frozenset()

        return cls(finding, lines(finding.here), lines(finding.there), _names(finding.param, kernel),
                   _place(finding, kernel))

    def explains(self, finding: Json) -> bool:
        """Whether a finding is about this defect: same kind, words and lines, in any programs and elements."""
        if finding["kind"] != self.finding.kind or (self.finding.says or "") not in finding.get("message", ""):
            return False
        lines = [side.line for side in sides_of(finding)]
        either = self.here | self.there
        if self.finding.kind in SYMMETRIC:
            return all(line in either for line in lines[:2])
        return lines[0] in self.here

    def is_shown_by(self, finding: Json) -> bool:
        """Whether a finding is the expected one: same lines, programs, parameter and element."""
        if not self.explains(finding):
            return False
        # A build whose findings have no related places has no elements either.
        is_full = "related" in finding
        params = {place.get("param") for place in (finding, *finding.get("related", ()))} - {None, ""}
        if self.names and not self.names & params:
            return False
        if self.place is not None and is_full and finding.get("elements", [None])[0] != self.place:
            return False
        return self._sides_match(sides_of(finding))

    def _sides_match(self, sides: Sequence[Side]) -> bool:
        mine = (self.here, self.finding.program)
        first, others = sides[0], sides[1:]
        if not self.there:
            return _at(first, *mine)
        its = (self.there, self.finding.other)
        if self.finding.kind in SYMMETRIC:
            return any(_at(first, *a) and any(_at(other, *b) for other in others)
                       for a, b in ((mine, its), (its, mine)))
        return _at(first, *mine) and any(_at(other, *its) for other in others)


def _at(side: Side, lines: frozenset[int], program: tuple[int, ...] | None) -> bool:
    # A kernel without a grid has one program, whose coordinates mean nothing.
    return side.line in lines and (not program or side.program == program)


def _names(param: str | None, kernel: Json) -> frozenset[str]:
    """A parameter, and the one with the same memory."""
    pairs = [(other["name"], other["alias"]) for other in kernel["params"] if "alias" in other]
    return frozenset({param, *(name for pair in pairs if param in pair for name in pair)}) if param else frozenset()


def _place(finding: Finding, kernel: Json) -> int | None:
    """Row-major offset of the element in its parameter; None without one."""
    if finding.element is None:
        return None
    shapes = {param["name"]: _shape(param["type"]) for param in kernel["params"]}
    shape = shapes.get(finding.param or "")
    if shape is None:  # scratch memory is not a parameter
        return None
    if len(shape) != len(finding.element) or any(not 0 <= at < size for at, size in zip(finding.element, shape)):
        raise ValueError(f"{finding.param} has no element {finding.element}")
    return sum(at * math.prod(shape[axis + 1:]) for axis, at in enumerate(finding.element))


def _shape(text: str) -> tuple[int, ...]:
    """The shape in a type such as f32[2,3]."""
    inside = text.partition("[")[2].rstrip("]")
    return tuple(int(size) for size in inside.split(",")) if inside else ()


@dataclass
class Verdict:
    """Result of one pair.

    found     expected findings that were reported
    missed    those that were not, as texts
    extra     findings in the broken kernel that no expected one explains
    false     findings in the repaired kernel, and outputs that differ from the expected ones
    not_yet   why this build cannot judge the pair
    right     findings in the broken kernel that are about its defect
    seconds   the time of the runs
    """

    pair: Pair
    found: int = 0
    missed: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    not_yet: str = ""
    right: int = 0
    seconds: float = 0

    @property
    def passed(self) -> bool:
        return not (self.missed or self.extra or self.false or self.not_yet)


def told(finding: Json) -> str:
    """A finding as one line."""
    places = " and ".join(f"line {side.line}" + (f" of program {side.program}" if side.program else "")
                          for side in sides_of(finding))
    elements = f", elements {finding['elements']}" if "elements" in finding else ""
    return f"{finding['kind']} of {finding.get('param') or 'nothing'} at {places}{elements}"


def wanted_text(wanted: Wanted) -> str:
    return f"expected {wanted.finding}, lines {sorted(wanted.here)} and {sorted(wanted.there)}"


def counts(finding: Json) -> bool:
    """Whether a finding counts: notes and advice do not."""
    return finding.get("level") not in ("note", "advice")


def judge(pair: Pair, kernel: Json, broken: Iterable[Json], repaired: Iterable[Json], known: Iterable[str]) -> Verdict:
    """The verdict on a pair.

    kernel     the broken kernel as JSON
    broken     findings of a run of the broken kernel
    repaired   findings of a run of the repaired one
    known      the kinds that the build can report; a pair that expects another one is not judged, and not passed
    """
    verdict = Verdict(pair)
    marks = pair.marks()
    wanted = [Wanted.of(finding, marks, kernel) for finding in pair.finds]
    unknown = sorted({finding.kind for finding in pair.finds} - set(known))
    findings = list(broken)
    if unknown:
        verdict.not_yet = f"no detector for {', '.join(unknown)}"
    else:
        for one in wanted:
            if any(one.is_shown_by(finding) for finding in findings):
                verdict.found += 1
            else:
                verdict.missed.append(wanted_text(one))
    for finding in findings:
        if any(one.explains(finding) for one in wanted):
            verdict.right += 1
        elif counts(finding) and finding["kind"] not in pair.also:
            verdict.extra.append(told(finding))
    stated = {finding.kind for finding in pair.finds}  # notes count only if the pair is about such notes
    verdict.false = [told(finding) for finding in repaired if counts(finding) or finding["kind"] in stated]
    return verdict


@dataclass
class Score:
    """The pairs of one class."""

    pairs: int = 0
    found: int = 0
    missed: int = 0
    right: int = 0
    extra: int = 0
    false: int = 0
    not_yet: int = 0

    def add(self, verdict: Verdict) -> None:
        self.pairs += 1
        self.found += verdict.found
        self.missed += len(verdict.missed)
        self.right += verdict.right
        self.extra += len(verdict.extra)
        self.false += len(verdict.false)
        self.not_yet += bool(verdict.not_yet)

    @property
    def precision(self) -> float | None:
        """The share of findings that are about the defect; None without findings."""
        all_told = self.right + self.extra + self.false
        return self.right / all_told if all_told else None

    @property
    def recall(self) -> float | None:
        """The share of expected findings that were reported; None if none could be judged."""
        expected = self.found + self.missed
        return self.found / expected if expected else None


def scores(verdicts: Iterable[Verdict]) -> dict[str, Score]:
    """By class, in the order of the verdicts, and "all" last."""
    by_class: dict[str, Score] = defaultdict(Score)
    total = Score()
    for verdict in verdicts:
        by_class[verdict.pair.group].add(verdict)
        total.add(verdict)
    return {**by_class, "all": total}
