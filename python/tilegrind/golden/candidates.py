"""Input sets that a golden may have: which of them the kernel can have, and what it should give on them."""

from dataclasses import dataclass

import numpy as np

from ..judging import InputSet, Undecided, Unfit
from ..judging.inputs import is_float
from .sensitivity import Trial

# In the order in which they are tried: those that show most first.
ORDER = ("normal", "whole", "positive", "wide", "cancel", "large", "special", "ties", "ids")
_SEEDS = 4        # tried where a comparison is too close
_MOST_LOOSE = 0.5  # of the elements, whose bounds say next to nothing
# Tried in turn where results say next to nothing: exponentials of large numbers do.
_SCALES = (2.0**-2, 2.0**-4, 2.0**-6)
_SETTINGS = {
    **dict.fromkeys(("normal", "positive", "wide", "cancel", "large"), [{}, *({"scale": scale} for scale in _SCALES)]),
    # Primes, so that specials fall into all columns; sparse ones where each makes many results NaN.
    "special": [{}, {"every": 401}, {"every": 4099}],
}
# Settings of kind whole, from the greatest numbers to the sparsest.
_LADDER = [{"most": 7}, {"most": 3}, {"most": 2}, {"most": 1}, {"most": 1, "of": 4}, {"most": 1, "of": 16}]


class Defect(RuntimeError):
    """The interpreter's own result is outside the bounds."""


@dataclass(frozen=True)
class Left:
    """A set that the golden cannot have, and why."""

    name: str
    why: str
    is_for_all_seeds: bool = True


def trials(subject, kinds=ORDER):
    """Yields a Trial, or a Left, for each kind of inputs."""
    keep = kept(subject)
    for kind in kinds:
        yield _whole(subject, keep) if kind == "whole" else _of_kind(subject, kind, keep)


def kept(subject):
    """Inputs that are kept as given: those that are no floats, as most of them are indices, lengths or masks."""
    return tuple(param.name for param in subject.params
                 if param.role in ("prefetch", "input") and param.name in subject.given and not is_float(param.dtype))


def _of_kind(subject, kind, keep):
    problem = ""
    for settings in _SETTINGS.get(kind, [{}]):
        for seed in range(1, _SEEDS + 1):
            found = _try(subject, InputSet(kind, seed, settings, () if kind == "given" else keep))
            if isinstance(found, Trial):
                return found
            problem = problem or found.why
            if found.is_for_all_seeds:
                break
    return Left(kind, problem)


def _whole(subject, keep):
    """Whole numbers: the greatest ones on which all results are exact, else small ones."""
    for settings in _LADDER:
        found = _try(subject, InputSet("whole", 1, settings, keep))
        if isinstance(found, Trial) and _is_exact(found) and _has_content(found):
            return found
    return _of_kind(subject, "whole", keep)


def _is_exact(trial):
    return all(expected.exact is None or np.all(expected.bound == 0) for expected in trial.witness.outputs.values())


def _has_content(trial):
    """Whether most results are not 0: exact zeros, as sparse inputs give, say little."""
    return all(expected.exact is None or np.count_nonzero(expected.exact) * 2 >= expected.exact.size
               for expected in trial.witness.outputs.values())


def _try(subject, inputs):
    try:
        arrays = subject.arrays(inputs)
        witness = subject.witness(arrays, inputs.is_random)
    except Undecided as problem:
        return Left(inputs.name, str(problem), is_for_all_seeds=False)
    except Unfit as problem:
        return Left(inputs.name, str(problem))
    if witness.findings:
        return Left(inputs.name, f"the interpreter has findings: {witness.findings[0]}")
    loose = max((expected.loose for expected in witness.outputs.values()), default=0.0)
    if loose > _MOST_LOOSE:
        return Left(inputs.name, f"the bounds of {loose:.0%} of the elements say next to nothing")
    _hold_to_own_bounds(inputs, witness)
    return Trial(inputs, arrays, witness)


def _hold_to_own_bounds(inputs, witness):
    """What the interpreter computes keeps every contract; where it does not, a bound is wrong."""
    for verdict in witness.judge({name: expected.bits for name, expected in witness.outputs.items()}):
        if verdict.failed:
            raise Defect(f"a defect of Tilegrind, please report it: on {inputs.name} inputs its own result is outside: {verdict}")
