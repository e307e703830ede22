"""What came of a golden, as text, JUnit and JSON."""

import math
from xml.etree import ElementTree


def lines_of(result):
    """Lines for a terminal."""
    for text in result.stale:
        yield f"{result.name}  stale  {text}"
    if result.vacuous:
        yield (f"{result.name}  vacuous  passed by {counted(result.vacuous, 'mutant')}, as `tilegrind golden status` lists: record it "
               "with other inputs, or a contract that allows less")
    for one in result.sets:
        for verdict in one.verdicts:
            yield f"{result.name}/{one.name}/{verdict}"
            if verdict.failed and verdict.index is not None:
                yield f"    {detail(verdict)}"
        if one.likeness:
            yield f"    {one.likeness}"
    yield from (f"{result.name}  note  {text}" for text in result.notes)


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
            "notes": result.notes, "sets": [_set_json(one) for one in result.sets]}


def _set_json(one):
    like = one.likeness
    return {"name": one.name,
            "verdicts": [{"output": v.output, "kind": v.kind, "worst": _number(v.worst), "index": v.index and list(v.index),
                          "got": _text(v.got), "want": _text(v.want), "bound": _number(v.bound), "failing": v.failing,
                          "open": v.open, "count": v.count, "note": v.note} for v in one.verdicts],
            "like": like and {"mutant": like.kind, "site": like.site, "about": like.about, "explained": round(like.explained, 6)}}


def _number(value):
    return value if math.isfinite(value) else str(value)


def _text(value):
    return None if value is None else str(value)


def to_junit(results):
    """JUnit XML: a test case for each input set of each golden."""
    cases = [(result.name, one.name, [str(v) for v in one.verdicts if v.failed] + [str(one.likeness)] * bool(one.likeness))
             for result in results for one in result.sets]
    cases += [(result.name, "golden", [*result.stale, *[f"passed by {counted(result.vacuous, 'mutant')}"] * bool(result.vacuous)])
              for result in results if result.stale or result.vacuous]
    suite = ElementTree.Element("testsuite", name="tilegrind golden", tests=str(len(cases)),
                                failures=str(sum(bool(texts) for *_, texts in cases)))
    for name, part, texts in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=part)
        if texts:
            ElementTree.SubElement(case, "failure", message=texts[0]).text = "\n".join(texts)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
