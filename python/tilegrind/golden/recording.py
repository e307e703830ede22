"""Recording: from a kernel to a golden that can fail."""

import functools
import math
import operator
from dataclasses import dataclass, field

import numpy as np

from .bundle import Bundle, OutputRecord, Sample, SetRecord, digest_of, type_of
from ..judging.verdicts import same_bits
from .candidates import ORDER, Left, kept, trials
from .sensitivity import ALIVE, KILLED, UNCHANGED, Mutants

MOST_SETS = 4
_SAMPLES = 12  # of an output on a set


class NotRecorded(ValueError):
    """No golden can be made of the kernel; the text says why."""


@dataclass(frozen=True)
class Recorded:
    """A golden that was made, with all that a reviewer wants to know.

    left      sets that the kernel cannot have, and why
    rows      of the kill matrix
    controls  texts of controls that did not do as they must: a defect of Tilegrind
    """

    bundle: Bundle
    left: list
    rows: list = field(repr=False)
    controls: list

    def summary(self):
        sets = ", ".join(record.inputs.name for record in self.bundle.sets)
        allowed = sum(bool(why) for *_, why in self.bundle.alive)
        return (f"{self.bundle.name}: {self.bundle.killed} of {self.bundle.killed + len(self.bundle.alive) - allowed} mutants die on "
                f"{sets}; {allowed} more are allowed, {len(self.bundle.unchanged)} have no effect")


def record(name, subject, *, kinds=ORDER, provenance=None, progress=None):
    """Makes a golden of a Subject.

    kinds       of inputs, in the order in which they are tried; one alone cannot show that outputs depend on inputs
    progress    called with a text at each step
    Returns Recorded.  Raises NotRecorded, judging.Unjudged, and Error for what the interpreter refuses.
    """
    say = progress or (lambda text: None)
    mutants = Mutants(subject)
    rows, chosen, left, spare, varies = mutants.rows(), [], [], None, len(kinds) == 1
    for found in trials(subject, kinds):
        if isinstance(found, Left):
            left.append(found)
            continue
        spare = spare or found
        varies = varies or _differ(spare.witness, found.witness)
        before = _killed(rows)
        say(f"{found.inputs.name}: the mutants but for {len(before)} that are killed")
        mutants.try_on(rows, found, spare if spare is not found else None, before)
        if _killed(rows) > before and len(chosen) < MOST_SETS:
            chosen.append((found, sorted({key[0] for key in _killed(rows) - before})))
    if not chosen:
        raise NotRecorded(_nothing_chosen(left, spare))
    if not varies and not _depends_on_nothing(subject):
        raise NotRecorded("the outputs do not depend on the inputs that are made: they are the same on all of them")
    _fill_matrix(mutants, rows, chosen, say)
    return _recorded(name, subject, chosen, rows, left, provenance or {})


def _differ(one, other):
    """Whether outputs differ otherwise than by where they are NaN: a constant plus an infinity less an infinity is no function."""
    return any(_numbers_differ(expected.bits, other.outputs[name].bits) for name, expected in one.outputs.items())


def _numbers_differ(a, b):
    numbers = (a == a) & (b == b)
    return not same_bits(a[numbers], b[numbers])


def _depends_on_nothing(subject):
    """Whether no input is made: then all sets are one."""
    made = {param.name for param in subject.params if param.role in ("prefetch", "input")}
    return made <= set(kept(subject))


def _killed(rows):
    return {key for key, row in rows.items() if row.outcome == KILLED}


def _nothing_chosen(left, spare):
    if spare is not None:
        return "no mutant dies: the outputs say nothing of the kernel"
    return "no input set fits: " + "; ".join(f"{one.name}: {one.why}" for one in left)


def _fill_matrix(mutants, rows, chosen, say):
    """Tries what is killed already on the other chosen sets too: a reviewer sees how far from passing it is."""
    first = chosen[0][0]
    for trial, _ in chosen[1:]:
        name = trial.inputs.name
        say(f"{name}: the mutants that other sets kill")
        mutants.try_on(rows, trial, first, {key for key, row in rows.items() if name in row.margins})


def _recorded(name, subject, chosen, rows, left, provenance):
    names = [trial.inputs.name for trial, _ in chosen]
    judged = [row for row in rows.values() if not row.lives]
    controls = [f"{row.kind} {row.site} must pass, but is {row.outcome}" for row in rows.values()
                if row.lives and row.outcome == KILLED]
    given = functools.reduce(operator.or_, (set(trial.inputs.keep) for trial, _ in chosen), set())
    if any(trial.inputs.kind == "given" for trial, _ in chosen):
        given |= set(subject.given)
    made = Bundle(
        name=name, module=subject.module.to_json(), kernel=subject.kernel, grid=subject.grid, contract=subject.contract,
        sets=tuple(SetRecord(trial.inputs, tuple(kills), output_records(trial.witness)) for trial, kills in chosen),
        killed=sum(row.outcome == KILLED for row in judged), unchanged=_listed(judged, UNCHANGED), alive=_listed(judged, ALIVE),
        sensitivity=_table(names, rows.values()), kept={name: subject.given[name] for name in sorted(given)},
        partly_written=subject.partly_written, provenance=provenance)
    return Recorded(made, left, list(rows.values()), controls)


def _listed(rows, outcome):
    return tuple((row.kind, row.site, row.allowed) for row in rows if row.outcome == outcome)


def _table(names, rows):
    lines = ["\t".join(["mutant", "site", "outcome", *names])]
    for row in rows:
        margins = [_margin(row.margins.get(name)) for name in names]
        lines.append("\t".join([row.kind, row.site, "control" if row.lives else row.outcome, *margins]))
    return "\n".join(lines) + "\n"


def _margin(margin):
    return "-" if margin is None else f"{margin:.3g}"


# ---- what is kept of outputs ----


def output_records(witness):
    """An OutputRecord for each output of a Witness."""
    return {name: _record(expected) for name, expected in witness.outputs.items()}


def _record(expected):
    exact, bound = expected.exact, expected.bound
    if exact is None:
        return OutputRecord(type_of(expected.bits), digest_of(expected.bits), "", "", 0.0, 0.0,
                            tuple(sample(expected, i) for i in sample_indices(expected)))
    return OutputRecord(type_of(expected.bits), digest_of(expected.bits), digest_of(exact), digest_of(bound), _widest(exact, bound),
                        round(expected.loose, 6), tuple(sample(expected, i) for i in sample_indices(expected)))


def _widest(exact, bound):
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = bound / np.abs(exact)
    shares = shares[np.isfinite(shares)]
    return float(f"{shares.max():.4g}") if shares.size else 0.0


def sample_indices(expected):
    """Indices of the elements that are kept: the first, the last, the greatest, that with the widest bound, some between."""
    count = expected.bits.size
    if count == 0:
        return []
    found = {0, count - 1, *(count * i // (_SAMPLES - 4) for i in range(1, _SAMPLES - 4))}
    if expected.exact is not None:
        finite = np.where(np.isfinite(expected.exact), np.abs(expected.exact), 0)
        found |= {int(np.argmax(finite)), int(np.argmax(np.where(np.isfinite(expected.bound), expected.bound, 0)))}
    return sorted(found)


def sample(expected, index):
    """The Sample of one element."""
    element = expected.bits.reshape(-1)[index]
    if expected.exact is None:
        return Sample(index, element.tobytes()[::-1].hex(), "", "")
    return Sample(index, element.tobytes()[::-1].hex(), _hex(expected.exact.reshape(-1)[index]),
                  _hex(expected.bound.reshape(-1)[index]))


def _hex(number):
    return float(number).hex() if math.isfinite(number) else str(float(number))
