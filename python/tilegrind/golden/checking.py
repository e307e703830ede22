"""Checking: an implementation's outputs held against a golden."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..judging import Undecided, Unjudged
from ..once import Once
from .bundle import digest_of, type_of
from .faults import Fault, Faulty
from .likeness import most_like
from .recording import sample
from .sensitivity import Mutants, Trial
from .subject import Subject

# Accuracy to which R of another version must be that of the recorded one, as a share of B.
_MOST_MOVED = 1 / 64
_MOST_WIDER = 1 + 2.0**-20


BAD = frozenset(("fail", "xpass", "xfail-differs"))  # statuses with which a golden does not pass
_MILD = ("equal", "within", "xfail")


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
    xfail  known failures (xfail.Expected) by (set, output)
    """

    name: str
    sets: list
    stale: list
    vacuous: int
    notes: list
    xfail: dict = field(default_factory=dict)

    @property
    def passed(self):
        return not (self.stale or self.vacuous or self.unknown or any(status in BAD for *_, status in self.statuses()))

    def statuses(self):
        """(set name, verdict, status) of each verdict: "pass" or "fail"; of a listed one "xfail", "xpass" or
        "xfail-differs"."""
        for one in self.sets:
            for verdict in one.verdicts:
                listed = self.xfail.get((one.name, verdict.output))
                yield one.name, verdict, _status(verdict, listed)

    @property
    def unknown(self):
        """Texts on known failures that are of no output that was judged."""
        there = {(one.name, verdict.output) for one in self.sets for verdict in one.verdicts}
        return [] if self.stale else [f"{listed.place}: the golden has no output {chosen}/{output}"
                                      for (chosen, output), listed in self.xfail.items() if (chosen, output) not in there]

    @property
    def kind(self):
        """The worst of all: a verdict's kind, "stale", "vacuous", "xpass", "xfail-differs" or "xfail"."""
        if self.stale or self.vacuous:
            return "stale" if self.stale else "vacuous"
        found = [verdict.kind if status in ("pass", "fail") else status for _, verdict, status in self.statuses()]
        return next((kind for kind in found if kind not in _MILD),
                    next((kind for kind in ("xfail", "within") if kind in found), "equal"))


def _status(verdict, listed):
    if listed is None:
        return "fail" if verdict.failed else "pass"
    if not verdict.failed:
        return "xpass"
    return "xfail" if verdict.kind == listed.kind else "xfail-differs"


def check(bundle, implementation, *, explain=True, progress=None, xfail=None, seed=None):
    """Judges an implementation by a Bundle.

    implementation  called with (set name, arrays by name); returns outputs by name, or a faults.Fault in the place of one
    explain         whether to look for the mutant that a failure is most like
    xfail           known failures, as Result has them
    seed            of the inputs, instead of those that the golden has: then no witness is compared with a recorded one,
                    and sets on which no bound can be derived are left out, with a note
    """
    say = progress or (lambda text: None)
    subject, sets, stale, notes = Subject.of_bundle(bundle), [], [], []
    mutants = Once(lambda: Mutants(subject))  # which takes long, and only failures need
    for record in bundle.sets:
        inputs = record.inputs if seed is None else replace(record.inputs, seed=seed)
        say(f"{bundle.name}: {inputs.name}")
        arrays = subject.arrays(inputs)
        try:
            witness = subject.witness(arrays, record.inputs.is_random)
        except (Undecided, Unjudged) as problem:
            if seed is None:
                stale.append(f"{inputs.name}: no bound any more: {problem}")
            else:
                notes.append(f"{inputs.name}: not judged: {problem}")
            continue
        moved = [] if seed is not None else _moved(record, witness, notes)
        stale += [f"{inputs.name}/{text}" for text in moved]
        if not moved:
            sets.append(_judged(mutants, Trial(inputs, arrays, witness), implementation, explain))
    return Result(bundle.name, sets, stale, sum(not why for *_, why in bundle.alive), notes, dict(xfail or {}))


def _judged(mutants, trial, implementation, explain):
    given = implementation(trial.inputs.name, dict(trial.arrays))
    outputs = {name: np.asarray(array) for name, array in given.items() if not isinstance(array, Fault)}
    verdicts = [Faulty.of(v.output, given[v.output]) if isinstance(given.get(v.output), Fault) else v
                for v in trial.witness.graded(outputs)]
    wrong = any(verdict.kind in ("statistical", "outside", "special-differs") for verdict in verdicts)
    likeness = most_like(mutants(), trial, outputs) if explain and wrong else None
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
