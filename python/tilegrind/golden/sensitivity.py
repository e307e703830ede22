"""Whether a golden can fail: every mutant that applies is held against it."""

import json
import math
from dataclasses import dataclass, field

import numpy as np

from .. import runtime
from ..judging.inputs import least_normal
from ..judging.verdicts import steps
from ..mutants import Context, kernel_mutants, output_mutants, tiles_of, writers_of

KILLED, ALIVE, UNCHANGED = "killed", "alive", "unchanged"
_LIMITS = (10**4, 10**6, 10**8)  # turns of loops, of which the first that suffices for the kernel is taken
_SPARE = 4                       # times as many for mutants
_LEAST = 5e-324
_ENDLESS = ("step-limit", "deadlock")
_ONE_STEP = "every result is the interpreter's, or the exact one rounded, or the next value of the dtype"
_ZERO_SIGN = "it changes signs of zeros alone, which are open after sums, max and min"
_FLUSHED = "it changes numbers below the least normal one alone, to 0"
_OPEN = "it changes elements alone that have no bound"


@dataclass(frozen=True)
class Trial:
    """An input set, with its arrays and its Witness."""

    inputs: object
    arrays: dict = field(repr=False)
    witness: object = field(repr=False)


@dataclass
class Row:
    """A mutant on all sets.

    margins  by the name of a set: the largest |mutant - R| / B, infinite where that must be exact; 0 where its bits are the
             interpreter's
    steps    the most values of the dtype that lie between a result and the interpreter's, or R rounded, whichever is nearer
    lives    whether it is a control that must pass
    open     whether it changes elements that have no bound; these do not count for `steps`
    flushed  whether it makes 0 of numbers below the least normal one; these do not count either
    """

    kind: str
    site: str
    lives: bool = False
    margins: dict = field(default_factory=dict)
    steps: float = 0.0
    open: bool = False
    flushed: bool = False

    @property
    def outcome(self):
        if any(margin > 1 for margin in self.margins.values()):
            return KILLED
        return ALIVE if any(margin > 0 for margin in self.margins.values()) else UNCHANGED

    @property
    def allowed(self):
        """Why the contract allows a mutant that is alive; "" if it should have died."""
        if self.outcome != ALIVE or self.steps > 1:
            return ""
        if self.steps > 0:
            return _ONE_STEP
        return _FLUSHED if self.flushed else _OPEN if self.open else _ZERO_SIGN


class Mutants:
    """The mutants of a subject.  Those of the kernel are loaded once."""

    def __init__(self, subject):
        self._subject, self._tree = subject, subject.tree()
        self._kernels = [(mutant, runtime.loads(json.dumps(mutant.module))) for mutant in kernel_mutants(self._tree, subject.kernel)]
        self._writers = self._limit = None

    def rows(self):
        """A Row without margins for each mutant of the kernel; those of outputs come with the first set."""
        return {(mutant.kind.name, mutant.site): Row(mutant.kind.name, mutant.site) for mutant, _ in self._kernels}

    def outputs(self, trial, other=None, skip=frozenset()):
        """(kind, site, outputs, must) of each mutant on a set; outputs are None for a mutant that does not end, or that the
        interpreter refuses; must is "die" or "live" for controls, else None.

        other  a Trial whose outputs stand for those of another call
        skip   the (kind, site) to leave out
        """
        for mutant in output_mutants(_bits(trial), self._context(trial, other)):
            key = mutant.kind.name, mutant.site.partition(", element")[0]
            if key not in skip:
                yield *key, mutant.outputs, mutant.must
        for mutant, module in self._kernels:
            key = mutant.kind.name, mutant.site
            if key not in skip:
                yield *key, self._run(module, trial.arrays), None

    def try_on(self, rows, trial, other=None, skip=frozenset()):
        """Adds the margins on a set to `rows`."""
        for kind, site, outputs, must in self.outputs(trial, other, skip):
            row, margin = rows.setdefault((kind, site), Row(kind, site, must == "live")), margin_of(trial.witness, outputs)
            row.margins[trial.inputs.name] = max(margin, row.margins.get(trial.inputs.name, 0.0))
            if 0 < margin <= 1:
                _count_steps(row, trial.witness, outputs)

    def _run(self, module, arrays):
        self._limit = self._limit or _SPARE * _turns(self._subject, arrays)
        try:
            run = self._subject.run(module, arrays, max_steps=self._limit)
        except runtime.Error:
            return None
        return None if any(finding.kind in _ENDLESS for finding in run.findings) else run.outputs

    def _context(self, trial, other):
        subject, expected = self._subject, trial.witness.outputs
        if self._writers is None:  # the same for all inputs, but for kernels that pick their places by values
            self._writers = writers_of(self._tree, expected, trial.arrays, kernel=subject.kernel, grid=subject.grid)
        return Context(inputs=trial.arrays, exact={name: one.exact for name, one in expected.items() if one.exact is not None},
                       bound={name: one.bound for name, one in expected.items() if one.bound is not None},
                       writers=self._writers, other=_bits(other) if other else None,
                       tile=tiles_of(self._tree, subject.kernel))


def margin_of(witness, outputs):
    """How far outside the outputs are: more than 1 if they fail, 0 for the interpreter's bits, else at least the least number."""
    if outputs is None:
        return math.inf
    verdicts = witness.judge(outputs)
    if any(verdict.failed for verdict in verdicts):
        return max(math.inf if verdict.kind in ("shape", "missing") else verdict.worst for verdict in verdicts)
    if all(verdict.kind == "equal" for verdict in verdicts):
        return 0.0
    return max(_LEAST, *(verdict.worst for verdict in verdicts))


def _count_steps(row, witness, outputs):
    """Adds to a Row how far the floats of passing outputs move; integers that pass are equal."""
    for name, expected in witness.outputs.items():
        if expected.exact is None:
            continue
        got, is_open = np.asarray(outputs[name]), ~(expected.bound < np.inf)
        moved = _steps(got, expected)
        with np.errstate(invalid="ignore"):
            is_flushed = (got == 0) & (np.abs(expected.exact) < least_normal(got.dtype)) & (moved > 0)
        row.open |= bool(np.any(moved[is_open] > 0))
        row.flushed |= bool(np.any(is_flushed & ~is_open))
        row.steps = max(row.steps, float(np.max(moved[~is_open & ~is_flushed], initial=0.0)))


def _steps(got, expected):
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.exact.astype(got.dtype)
    return np.minimum(steps(got, expected.bits), steps(got, rounded))


def _turns(subject, arrays):
    """A number of turns of loops that suffices for each program of the kernel."""
    for limit in _LIMITS:
        if not subject.run(subject.module, arrays, max_steps=limit).findings:
            return limit
    return _LIMITS[-1]


def _bits(trial):
    return {name: expected.bits for name, expected in trial.witness.outputs.items()}
