"""Whether a golden can fail: every mutant that applies is held against it."""

import json
import math
from dataclasses import dataclass, field

from .. import runtime
from ..mutants import Context, kernel_mutants, output_mutants
from ..mutants.writers import writers_of

KILLED, ALIVE, UNCHANGED = "killed", "alive", "unchanged"


@dataclass(frozen=True)
class Trial:
    """An input set, with its arrays and its Witness."""

    inputs: object
    arrays: dict = field(repr=False)
    witness: object = field(repr=False)


@dataclass
class Row:
    """A mutant; for each set by name its margin: the largest |mutant - R| / B, 0 where its bits are the interpreter's,
    None where it does not apply."""

    kind: str
    site: str
    margins: dict = field(default_factory=dict)
    lives: bool = False  # a control, which must pass

    @property
    def outcome(self):
        known = [margin for margin in self.margins.values() if margin is not None]
        if any(margin > 1 for margin in known):
            return KILLED
        return ALIVE if any(margin > 0 for margin in known) else UNCHANGED


def margin_of(verdicts):
    """How far outside the outputs are: more than 1 if they fail, at least the least positive number if they differ."""
    if any(verdict.failed for verdict in verdicts):
        return max(math.inf if verdict.kind in ("shape", "missing") else verdict.worst for verdict in verdicts)
    if all(verdict.kind == "equal" for verdict in verdicts):
        return 0.0
    return max(min(1.0, max(verdict.worst for verdict in verdicts)), 5e-324)


class Mutants:
    """The mutants of a subject.  Modules of mutants are made once."""

    def __init__(self, subject):
        self._subject = subject
        self._kernels = list(_loaded(kernel_mutants(subject.tree(), subject.kernel)))
        self._writers = None

    def rows(self):
        """A Row without margins for each mutant of the kernel; those of outputs come with the first set."""
        return {(mutant.kind.name, mutant.site): Row(mutant.kind.name, mutant.site) for mutant, _ in self._kernels}

    def outputs(self, trial, other=None, skip=frozenset()):
        """(kind, site, outputs, lives) of each mutant on a set.

        other  a Trial whose outputs stand for those of another call
        skip   the (kind, site) to leave out
        """
        for mutant in output_mutants(_bits(trial), self._context(trial, other)):
            if (mutant.kind.name, mutant.site) not in skip:
                yield mutant.kind.name, mutant.site, mutant.outputs, mutant.must == "live"
        for mutant, module in self._kernels:
            if (mutant.kind.name, mutant.site) not in skip:
                yield mutant.kind.name, mutant.site, self._subject.run(module, trial.arrays), False

    def try_on(self, rows, trial, other=None, skip=frozenset()):
        """Adds the margins on a set to `rows`."""
        for kind, site, outputs, lives in self.outputs(trial, other, skip):
            row = rows.setdefault((kind, site), Row(kind, site, lives=lives))
            row.margins[trial.inputs.name] = margin_of(trial.witness.judge(outputs))

    def _context(self, trial, other):
        if self._writers is None:
            self._writers = writers_of(self._subject.module, self._subject.kernel, self._subject.grid, trial.arrays)
        expected = trial.witness.outputs
        return Context(inputs=trial.arrays, exact={name: one.exact for name, one in expected.items() if one.exact is not None},
                       bound={name: one.bound for name, one in expected.items() if one.bound is not None},
                       writers=self._writers, other=_bits(other) if other else None)


def _bits(trial):
    return {name: expected.bits for name, expected in trial.witness.outputs.items()}


def _loaded(mutants):
    for mutant in mutants:
        yield mutant, runtime.loads(json.dumps(mutant.module))
