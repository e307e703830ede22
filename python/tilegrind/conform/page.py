"""The HTML page of a run: one file, without scripts, that needs no network."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Sequence

from .features import LEVELS
from .reports import Report
from .verdicts import ALL
from .xfail import Outcome

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; margin: .5rem 0 2rem; width: 100% }
th, td { border-bottom: 1px solid #d0d7de; padding: .3rem .6rem; text-align: left; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums }
code { overflow-wrap: anywhere }
.met, .pass { color: #116329 } .partial, .xfail, .neutral { color: #7d4e00 }
.failed, .fail, .xpass, .xfail-differs { color: #a40e26 }
.badge { display: inline-block; border: 1px solid; border-radius: .4rem; padding: .2rem .6rem; font-weight: 600 }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } th, td { border-color: #30363d }
.met, .pass { color: #56d364 } .partial, .xfail, .neutral { color: #e3b341 }
.failed, .fail, .xpass, .xfail-differs { color: #ff7b72 } }
"""


def as_html(report: Report) -> str:
    html = ElementTree.Element("html", lang="en")
    head = _add(html, "head")
    _add(head, "meta", charset="utf-8")
    _add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _add(head, "title", f"Conformance of {report.name}")
    _add(head, "style", _STYLE)
    body = _add(html, "body")
    _add(body, "h1", f"Conformance of {report.name}")
    _add(body, "p", report.badge, **{"class": f"badge {'failed' if report.is_bad else 'met'}"})
    _runner(body, report)
    _levels(body, report)
    bad = [one for one in report.outcomes if one.is_bad]
    _problems(body, report.problems)
    _cases(body, "Failures", bad)
    _cases(body, "Known failures", [one for one in report.outcomes if one.status == "xfail"])
    _left(body, [one for one in report.outcomes if one.status == "neutral"])
    return "<!DOCTYPE html>\n" + ElementTree.tostring(html, encoding="unicode", method="html") + "\n"


def _add(parent: ElementTree.Element, tag: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, attributes)
    element.text = text
    return element


def _table(parent: ElementTree.Element, titles: Sequence[str]) -> ElementTree.Element:
    table = _add(parent, "table")
    row = _add(_add(table, "thead"), "tr")
    for title in titles:
        _add(row, "th", title, scope="col")
    return _add(table, "tbody")


def _runner(body: ElementTree.Element, report: Report) -> None:
    rows = _table(body, ("runner", ""))
    told = dict((report.hello or {}).get("implementation", {}))
    told |= {"command": " ".join(report.command), "suite": f"{report.suite.version}, digest {report.suite.digest}",
             "contract": (report.hello or {}).get("contract", "ieee"),
             "run": "the whole suite" if report.is_whole else "a part of the suite",
             "processes": f"{report.starts} started"}
    for name, value in told.items():
        row = _add(rows, "tr")
        _add(row, "td", name)
        _add(_add(row, "td"), "code", str(value))  # a runner may tell more of itself than the protocol has, of any type


def _levels(body: ElementTree.Element, report: Report) -> None:
    _add(body, "h2", "Levels")
    rows = _table(body, ("level", "what it asks for", "state", "met", "failed", "cases"))
    for level in report.levels:
        if level.total:
            row = _add(rows, "tr")
            _add(row, "td", level.name)
            _add(row, "td", LEVELS[level.name])
            _add(row, "td", level.state, **{"class": level.state})
            for number in (level.met, level.failed, level.total):
                _add(row, "td", str(number), **{"class": "number"})


def _problems(body: ElementTree.Element, problems: Sequence[str]) -> None:
    if problems:
        _add(body, "h2", "Lists of known failures")
        items = _add(body, "ul")
        for problem in problems:
            _add(items, "li", problem, **{"class": "failed"})


def _cases(body: ElementTree.Element, title: str, cases: Sequence[Outcome]) -> None:
    if not cases:
        return
    _add(body, "h2", f"{title} ({len(cases)})")
    rows = _table(body, ("case", "level", "verdict", "what was seen"))
    for one in cases:
        row, verdict = _add(rows, "tr"), one.result.verdict
        _add(_add(row, "td"), "code", one.result.id)
        _add(row, "td", one.result.level)
        _add(row, "td", verdict.kind, **{"class": one.status, "title": ALL[verdict.kind]})
        text = f"listed as {one.expected.kind}; " if one.status in ("xpass", "xfail-differs") else ""
        reason = f" ({one.expected.reason})" if one.expected and one.expected.reason else ""
        _add(row, "td", f"{text}{verdict.detail}{reason}")


def _left(body: ElementTree.Element, cases: Sequence[Outcome]) -> None:
    """How many cases the runner leaves out, by reason."""
    if not cases:
        return
    _add(body, "h2", f"Not supported ({len(cases)})")
    counts: dict[tuple[str, str], int] = {}
    for one in cases:
        key = one.result.verdict.kind, one.result.verdict.detail
        counts[key] = counts.get(key, 0) + 1
    rows = _table(body, ("verdict", "reason", "cases"))
    for (kind, detail), count in sorted(counts.items(), key=lambda item: -item[1]):
        row = _add(rows, "tr")
        _add(row, "td", kind)
        _add(row, "td", detail)
        _add(row, "td", str(count), **{"class": "number"})
