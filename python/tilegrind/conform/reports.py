"""What a run came out as, for programs: JSON, JUnit and TAP."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any, Sequence

from .levels import Level, badge, levels
from .suite import Suite
from .verdicts import ALL
from .xfail import Outcome


@dataclass(frozen=True)
class Report:
    """A run; ``problems`` are those of the lists of known failures."""

    suite: Suite
    command: Sequence[str]
    hello: dict[str, Any] | None
    outcomes: list[Outcome]
    problems: list[str]
    is_whole: bool
    starts: int

    @property
    def levels(self) -> list[Level]:
        return levels(self.outcomes)

    @property
    def badge(self) -> str:
        return badge(self.levels, self.hello, self.suite.version, self.is_whole)

    @property
    def name(self) -> str:
        implementation = (self.hello or {}).get("implementation", {"name": self.command[0], "version": "unknown"})
        return f"{implementation['name']} {implementation['version']}"

    @property
    def is_bad(self) -> bool:
        return bool(self.problems) or any(one.is_bad for one in self.outcomes)

    def counts(self) -> dict[str, int]:
        """How many cases have each status."""
        found: dict[str, int] = {}
        for one in self.outcomes:
            found[one.status] = found.get(one.status, 0) + 1
        return found


def as_json(report: Report) -> str:
    content = {
        "format": "tilegrind-conformance/1", "badge": report.badge, "passed": not report.is_bad,
        "suite": {"version": report.suite.version, "digest": report.suite.digest}, "runner": report.hello,
        "command": list(report.command), "whole": report.is_whole, "starts": report.starts,
        "levels": {level.name: {"state": level.state, "met": level.met, "failed": level.failed, "cases": level.total}
                   for level in report.levels},
        "counts": report.counts(), "problems": report.problems,
        "cases": [_row(one) for one in report.outcomes],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _row(one: Outcome) -> dict[str, Any]:
    verdict = one.result.verdict
    row = {"id": one.result.id, "level": one.result.level, "status": one.status, "verdict": verdict.kind,
           "detail": verdict.detail, "seconds": round(verdict.seconds, 4)}
    if one.expected:
        row["expected"] = {"verdict": one.expected.kind, "reason": one.expected.reason}
    return row


def as_junit(report: Report) -> str:
    """One suite of tests for each level.  Known failures are skipped tests; those that went stale are failures."""
    root = ElementTree.Element("testsuites", name=_printable(f"tilegrind conform: {report.name}"))
    for level in report.levels:
        cases = [one for one in report.outcomes if one.result.level == level.name]
        if cases:
            _junit_level(root, level.name, cases)
    if report.problems:
        _junit_problems(root, report.problems)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _junit_level(root: ElementTree.Element, name: str, cases: list[Outcome]) -> None:
    skipped = [one for one in cases if one.status in ("neutral", "xfail")]
    suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(cases)), skipped=str(len(skipped)),
                                   failures=str(sum(one.is_bad for one in cases)), errors="0",
                                   time=f"{sum(one.result.verdict.seconds for one in cases):.3f}")
    for one in cases:
        verdict = one.result.verdict
        test = ElementTree.SubElement(suite, "testcase", classname=name, name=one.result.id, time=f"{verdict.seconds:.4f}")
        message = _printable(f"{_title(one)}: {verdict.detail}")
        if one.is_bad:
            ElementTree.SubElement(test, "failure", type=verdict.kind, message=message).text = ALL[verdict.kind]
        elif one in skipped:
            ElementTree.SubElement(test, "skipped", message=message)


def _junit_problems(root: ElementTree.Element, problems: list[str]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name="known failures", tests=str(len(problems)),
                                   failures=str(len(problems)), errors="0", skipped="0")
    for problem in problems:
        test = ElementTree.SubElement(suite, "testcase", classname="known failures", name=_printable(problem))
        ElementTree.SubElement(test, "failure", type="stale", message=_printable(problem))


def _title(one: Outcome) -> str:
    verdict = one.result.verdict.kind
    if one.status == "xpass":
        return f"listed as {one.expected.kind}, but {verdict}"
    if one.status == "xfail-differs":
        return f"listed as {one.expected.kind}, but {verdict}"
    return verdict


def _printable(text: str) -> str:
    """Without the characters that XML and TAP cannot hold."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def as_tap(report: Report) -> str:
    """TAP version 14.  Known failures have the directive TODO, as TAP means it: expected to fail."""
    lines = ["TAP version 14", f"1..{len(report.outcomes) + len(report.problems)}"]
    for number, one in enumerate(report.outcomes, 1):
        lines += _tap_lines(number, one)
    for number, problem in enumerate(report.problems, len(report.outcomes) + 1):
        lines.append(f"not ok {number} - {_escaped(problem)}")
    return "\n".join(lines) + "\n"


def _tap_lines(number: int, one: Outcome) -> list[str]:
    verdict = one.result.verdict
    reason = _escaped(one.expected.reason) if one.expected else ""
    directive = {"neutral": f" # SKIP {verdict.kind}", "xfail": f" # TODO {reason}"}
    is_ok = one.status in ("pass", "neutral")
    line = f"{'ok' if is_ok else 'not ok'} {number} - {_escaped(one.result.id)}{directive.get(one.status, '')}"
    if is_ok:
        return [line]
    return [line, "  ---", f"  verdict: {verdict.kind}", f"  message: {json.dumps(f'{_title(one)}: {verdict.detail}')}",
            f"  level: {one.result.level}", "  ..."]


def _escaped(text: str) -> str:
    return _printable(text).replace("\\", "\\\\").replace("#", "\\#")
