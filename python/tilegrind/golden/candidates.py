"""Input sets that a golden may have: which of them the kernel can have, and what it should give on them."""

from dataclasses import dataclass

import numpy as np

from ..judging import InputSet, Undecided, Unfit
from ..judging.inputs import is_float
from .sensitivity import Trial

# In the order in which they are tried: those that show most first.
ORDER = ("normal", "exact", "positive", "wide", "cancel", "large", "special", "ties", "ids")
_SEEDS = 4        # tried where a comparison is too close
_MOST_LOOSE = 0.5  # of the elements, whose bounds say next to nothing
# Settings of kind exact, from the greatest numbers to the sparsest.
_LADDER = [{"most": 7}, {"most": 3}, {"most": 2}, {"most": 1}, {"most": 1, "of": 4}, {"most": 1, "of": 16}]


@dataclass(frozen=True)
class Left:
    """A set that the golden cannot have, and why."""

    name: str
    why: str


def trials(subject, kinds=ORDER):
    """Yields a Trial, or a Left, for each kind of inputs."""
    keep = kept(subject)
    for kind in kinds:
        yield _exact(subject, keep) if kind == "exact" else _of_kind(subject, kind, keep)


def kept(subject):
    """Inputs that are kept as given: those that are no floats, as most of them are indices, lengths or masks."""
    return tuple(param.name for param in subject.params
                 if param.role in ("prefetch", "input") and param.name in subject.given and not is_float(param.dtype))


def _of_kind(subject, kind, keep):
    problem = ""
    for seed in range(1, _SEEDS + 1):
        found = _try(subject, InputSet(kind, seed, {}, () if kind == "given" else keep))
        if isinstance(found, Trial):
            loose = max((expected.loose for expected in found.witness.outputs.values()), default=0.0)
            if loose <= _MOST_LOOSE:
                return found
            problem = f"the bounds of {loose:.0%} of the elements say next to nothing"
        else:
            problem = found.why
    return Left(kind, problem)


def _exact(subject, keep):
    """The set with the greatest numbers on which all results are exact."""
    for settings in _LADDER:
        found = _try(subject, InputSet("exact", 1, settings, keep))
        if isinstance(found, Trial) and _is_exact(found):
            return found
    return Left("exact", "the results of whole numbers are not exact")


def _is_exact(trial):
    return all(expected.exact is None or np.all(expected.bound == 0) for expected in trial.witness.outputs.values())


def _try(subject, inputs):
    try:
        arrays = subject.arrays(inputs)
        witness = subject.witness(arrays)
    except (Undecided, Unfit) as problem:
        return Left(inputs.name, str(problem))
    if witness.findings:
        return Left(inputs.name, f"the interpreter has findings: {witness.findings[0]}")
    return Trial(inputs, arrays, witness)
