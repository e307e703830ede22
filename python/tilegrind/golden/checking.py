"""Checking: an implementation's outputs held against a golden."""

from dataclasses import dataclass, field

import numpy as np

from ..judging import FAILURES, Undecided, Unjudged
from .bundle import digest_of, type_of
from .likeness import most_like
from .recording import sample
from .sensitivity import Mutants, Trial
from .subject import Subject

# Accuracy to which R of another version must be that of the recorded one, as a share of B.
_MOST_MOVED = 1 / 64
_MOST_WIDER = 1 + 2.0**-20


@dataclass(frozen=True)
class SetResult:
    """What came of one input set: verdicts, how their failures look (likeness.Likeness, or None), and the witness."""

    name: str
    verdicts: list
    likeness: object = None
    trial: object = field(repr=False, default=None)


@dataclass(frozen=True)
class Result:
    """What came of a golden.

    stale  witnesses that are no longer as recorded, with what differs: then nothing is judged
    notes  what a reader may want to know and is no failure
    """

    name: str
    sets: list
    stale: list
    vacuous: int
    notes: list

    @property
    def passed(self):
        return not self.stale and not self.vacuous and all(not v.failed for one in self.sets for v in one.verdicts)

    @property
    def kind(self):
        """The worst of all: a verdict's kind, "stale" or "vacuous"."""
        if self.stale or self.vacuous:
            return "stale" if self.stale else "vacuous"
        kinds = [verdict.kind for one in self.sets for verdict in one.verdicts]
        return next((kind for kind in kinds if kind in FAILURES), "within" if "within" in kinds else "equal")


def check(bundle, implementation, *, explain=True, progress=None):
    """Judges an implementation by a Bundle.

    implementation  called with (set name, arrays by name); returns outputs by name
    explain         whether to look for the mutant that a failure is most like
    """
    say = progress or (lambda text: None)
    subject, sets, stale, notes = Subject.of_bundle(bundle), [], [], []
    for record in bundle.sets:
        say(f"{bundle.name}: {record.inputs.name}")
        arrays = subject.arrays(record.inputs)
        try:
            witness = subject.witness(arrays)
        except (Undecided, Unjudged) as problem:
            stale.append(f"{record.inputs.name}: no bound any more: {problem}")
            continue
        moved = _moved(record, witness, notes)
        stale += [f"{record.inputs.name}/{text}" for text in moved]
        if not moved:
            sets.append(_judged(subject, Trial(record.inputs, arrays, witness), implementation, explain))
    return Result(bundle.name, sets, stale, sum(not why for *_, why in bundle.alive), notes)


def _judged(subject, trial, implementation, explain):
    outputs = {name: np.asarray(array) for name, array in implementation(trial.inputs.name, dict(trial.arrays)).items()}
    verdicts = trial.witness.judge(outputs)
    wrong = any(verdict.kind in ("outside", "special-differs") for verdict in verdicts)
    likeness = most_like(Mutants(subject), trial, outputs) if explain and wrong else None
    return SetResult(trial.inputs.name, verdicts, likeness, trial)


def _moved(record, witness, notes):
    """Texts on what of a witness is not as recorded.  R and B are held to the samples: digests of them would take longer than
    they do themselves."""
    found = []
    for name, old in record.outputs.items():
        expected = witness.outputs.get(name)
        if expected is None or type_of(expected.bits) != old.type:
            found.append(f"{name}: the output is {'missing' if expected is None else type_of(expected.bits)}, was {old.type}")
        elif digest_of(expected.bits) != old.bits:
            found.append(f"{name}: bits: the interpreter computes other ones{_first_moved(old, expected)}")
        elif expected.exact is not None and not _are_same(old.samples, expected):
            found += [f"{name}: {text}" for text in _moved_bounds(old, expected)]
            notes.append(f"{record.inputs.name}/{name}: R and B are computed otherwise than when it was recorded")
    return found


def _are_same(samples, expected):
    places = [one.index for one in samples]
    now = np.array([expected.exact.reshape(-1)[places], expected.bound.reshape(-1)[places]])
    was = [[float.fromhex(one.exact) for one in samples], [float.fromhex(one.bound) for one in samples]]
    return np.array_equal(now, was, equal_nan=True)


def _first_moved(old, expected):
    for one in old.samples:
        now = sample(expected, one.index)
        if now.bits != one.bits:
            return f", as [{one.index}] with {now.bits}, was {one.bits}"
    return ""


def _moved_bounds(old, expected):
    """R may differ by a small share of B, and B may be smaller than recorded; not greater: that would excuse more."""
    for one in old.samples:
        exact, bound = float(expected.exact.reshape(-1)[one.index]), float(expected.bound.reshape(-1)[one.index])
        was, allowed = float.fromhex(one.exact), float.fromhex(one.bound)
        if not (exact == was or abs(exact - was) <= allowed * _MOST_MOVED or np.isnan(exact) and np.isnan(was)):
            yield f"R: [{one.index}] is {exact!r}, was {was!r}"
        if not (bound <= allowed * _MOST_WIDER or np.isnan(allowed)):
            yield f"B: [{one.index}] is {bound:.6g}, was {allowed:.6g}: a wider bound would excuse more"
