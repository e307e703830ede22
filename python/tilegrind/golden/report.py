"""What came of a golden, as text, JUnit and JSON."""

import math
from xml.etree import ElementTree

from .checking import BAD


def lines_of(result):
    """Lines for a terminal."""
    for text in result.stale:
        yield f"{result.name}  stale  {text}"
    if result.vacuous:
        yield (f"{result.name}  vacuous  passed by {counted(result.vacuous, 'mutant')}, as `tilegrind golden status` lists: record it "
               "with other inputs, or a contract that allows less")
    yield from (f"{result.name}  xfail  {text}" for text in result.unknown)
    statuses = {(chosen, verdict.output): status for chosen, verdict, status in result.statuses()}
    for one in result.sets:
        for verdict in one.verdicts:
            yield f"{result.name}/{one.name}/{verdict}"
            if verdict.failed and verdict.index is not None:
                yield f"    {detail(verdict)}"
            if said := about_listed(result, one.name, verdict, statuses[one.name, verdict.output]):
                yield f"    {said}"
        if one.likeness:
            yield f"    {one.likeness}"
    yield from (f"{result.name}  note  {text}" for text in result.notes)


def about_listed(result, chosen, verdict, status):
    """What a list of known failures has to do with a verdict, or ""."""
    if status in ("pass", "fail"):
        return ""
    listed = result.xfail[chosen, verdict.output]
    if status == "xfail":
        return f"known ({listed.place}): {listed.reason}"
    return f"{status}: {listed.place} expects {listed.kind}: " + (
        "it passes, so remove the line" if status == "xpass" else "it is another failure than the known one")


def detail(verdict):
    """How far off the worst element is."""
    if math.isinf(verdict.worst):
        return "it must be exact there" if verdict.bound == 0 else "a number is NaN or infinite there, or the reverse"
    return f"{verdict.worst:.3g} times as far off as a result that keeps the contract may be"


def summary(results):
    """One line on all."""
    bad = sum(not result.passed for result in results)
    sets = sum(len(result.sets) for result in results)
    return f"{counted(len(results), 'golden')}, {counted(sets, 'input set')}: {len(results) - bad} passed, {bad} failed"


def counted(number, noun):
    """A number with its noun."""
    return f"{number} {noun}{'s' * (number != 1)}"


def to_json(result):
    """The result as JSON data; infinite numbers are texts."""
    return {"name": result.name, "kind": result.kind, "passed": result.passed, "stale": result.stale, "vacuous": result.vacuous,
            "notes": result.notes, "xfail": result.unknown, "sets": [_set_json(result, one) for one in result.sets]}


def _set_json(result, one):
    like = one.likeness
    status = {verdict.output: status for chosen, verdict, status in result.statuses() if chosen == one.name}
    return {"name": one.name,
            "verdicts": [{"output": v.output, "kind": v.kind, "status": status[v.output],
                          "worst": _number(v.worst), "index": v.index and list(v.index),
                          "got": _text(v.got), "want": _text(v.want), "bound": _number(v.bound), "failing": v.failing,
                          "open": v.open, "count": v.count, "note": v.note} for v in one.verdicts],
            "like": like and {"mutant": like.kind, "site": like.site, "about": like.about, "explained": round(like.explained, 6)}}


def _number(value):
    return value if math.isfinite(value) else str(value)


def _text(value):
    return None if value is None else str(value)


def to_junit(results):
    """JUnit XML: a test case for each input set of each golden.  Known failures are skipped tests."""
    cases = [case for result in results for case in _junit_cases(result)]
    suite = ElementTree.Element("testsuite", name="tilegrind golden", tests=str(len(cases)),
                                failures=str(sum(bool(texts) for _, _, texts, _ in cases)),
                                skipped=str(sum(bool(known and not texts) for _, _, texts, known in cases)))
    for name, part, texts, known in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=part)
        if texts:
            ElementTree.SubElement(case, "failure", message=_printable(texts[0])).text = _printable("\n".join(texts))
        elif known:
            ElementTree.SubElement(case, "skipped", message=_printable(known[0]))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _junit_cases(result):
    """(golden, part, texts of failures, texts of known failures)."""
    statuses = list(result.statuses())
    for one in result.sets:
        bad, known = [], []
        for chosen, verdict, status in statuses:
            if chosen == one.name and status in BAD:
                bad.append(" ".join(filter(None, (str(verdict), about_listed(result, chosen, verdict, status)))))
            elif chosen == one.name and status == "xfail":
                known.append(f"{verdict}; {about_listed(result, chosen, verdict, status)}")
        yield result.name, one.name, bad + [str(one.likeness)] * bool(bad and one.likeness), known
    whole = [*result.stale, *result.unknown, *[f"passed by {counted(result.vacuous, 'mutant')}"] * bool(result.vacuous)]
    if whole:
        yield result.name, "golden", whole, []


def _printable(text):
    """Without the characters that XML cannot hold; a runner may write any."""
    return "".join(char if char.isprintable() or char == "\n" else f"\\x{ord(char):02x}" for char in text)
