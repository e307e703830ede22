"""Tilegrind's corpus of defects: the golden of a repaired kernel must reject the broken one wherever its results differ."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import tilegrind
from tilegrind.golden.goldens import subject_of_case
from tilegrind.golden.subject import Subject

from conformance.defects import corpus as pairs, pair_cases

from .recorded import record
from .tables import Part, Table

_QUICK = 12  # every so many pairs
# Pairs whose broken kernel gives right results, rounded otherwise: its defect shows as a finding alone.
_RIGHT = {"masks/tail-of-k": "what it reads outside its block adds nothing here: it is equal on whole numbers"}
OUTCOMES = ("killed", "same results", "alive", "no golden", "not run")


def run(quick: bool, say=lambda text: None) -> Part:
    """What goldens of the repaired kernels say of the broken ones, and of the repaired ones."""
    chosen = pairs.load()[::_QUICK if quick else 1]
    by_class: dict[str, Counter] = {}
    table = Table(f"Own defects: {len(chosen)} pairs", ["class", "pairs", *OUTCOMES, "alarms on the repaired"])
    failures, notes = [], Counter()
    with tempfile.TemporaryDirectory() as scratch:
        written = pair_cases.write_all(chosen, Path(scratch))
        for pair in chosen:
            say(pair.label)
            outcome, alarms, why = _judged(pair, written[pair.label])
            if outcome == "alive" and pair.label in _RIGHT:
                outcome, why = "same results", f"{pair.label}: {_RIGHT[pair.label]}"
            counts = by_class.setdefault(pair.label.partition("/")[0], Counter())
            counts.update({outcome: 1, "pairs": 1, "alarms": alarms})
            notes[why] += bool(why)
            failures += [f"{pair.label}: the broken kernel passes, though its results differ"] * (outcome == "alive")
            failures += [f"{pair.label}: the repaired kernel fails"] * bool(alarms)
    for name, counts in (*sorted(by_class.items()), ("all", sum(by_class.values(), Counter()))):
        table.add(name, counts["pairs"], *(counts[outcome] for outcome in OUTCOMES), counts["alarms"])
    table.notes = ["Same results: the interpreter gives the same bits on the recorded sets in order sequential; such a defect shows as "
                   "a finding, not in results.", *(f"{count} pairs: {why}." for why, count in sorted(notes.items()) if count)]
    return Part([table], failures)


def _judged(pair: pairs.Pair, cases: pair_cases.Cases) -> tuple[str, int, str]:
    """(outcome, alarms on the repaired kernel, why there is no golden)."""
    if cases.broken is None or cases.repaired is None:
        return "not run", 0, "the kernel is refused"
    broken, repaired = (subject_of_case(folder, "ieee") for folder in (cases.broken, cases.repaired))
    if not _alike(broken, repaired):
        return "not run", 0, "the two kernels have other parameters"
    golden = record(pair.name, repaired)
    if golden.refused:
        return "no golden", 0, "no golden: " + " ".join(golden.refused.partition(":")[0].split())
    outcomes, alarms = set(), 0
    # The order of another target's axes is not free.
    other = {"order": "shuffled:1"} if pair.target == "any" else {"profile": "fast"}
    for one in golden.sets:
        arrays = repaired.arrays(one.inputs)
        witness = repaired.witness(arrays, one.inputs.is_random)
        alarms += any(v.failed for v in witness.judge(repaired.run(repaired.module, arrays, **other).outputs))
        outcomes.add(_outcome(witness, broken, arrays))
    return next(outcome for outcome in OUTCOMES if outcome in outcomes - {"same results"} or outcomes == {outcome}), alarms, ""


def _outcome(witness, broken: Subject, arrays: dict) -> str:
    try:
        made = broken.run(broken.module, _renamed(broken, arrays)).outputs
    except tilegrind.Error:
        return "killed"  # it gives no results
    verdicts = witness.judge(dict(zip(witness.outputs, made.values(), strict=True)))
    if any(verdict.failed for verdict in verdicts):
        return "killed"
    return "same results" if all(verdict.kind == "equal" for verdict in verdicts) else "alive"


def _shapes(subject: Subject, *roles: str) -> list:
    return [(param.shape, param.dtype) for param in subject.params if param.role in roles]


def _alike(one: Subject, other: Subject) -> bool:
    """Whether two kernels have inputs and outputs of the same shapes and dtypes, in the same order."""
    return all(_shapes(one, *roles) == _shapes(other, *roles) for roles in (("prefetch", "input"), ("output",)))


def _renamed(subject: Subject, arrays: dict) -> dict:
    """The arrays by the names of another kernel's parameters, in their order."""
    names = [param.name for param in subject.params if param.role in ("prefetch", "input")]
    return dict(zip(names, arrays.values(), strict=True))
