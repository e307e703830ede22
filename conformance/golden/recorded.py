"""Kernels and the goldens that are made of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np

import tilegrind
from tilegrind.golden import recording
from tilegrind.golden.candidates import kept
from tilegrind.golden.sensitivity import Mutants, Row, Trial
from tilegrind.golden.subject import Subject
from tilegrind.judging import InputSet, Undecided, Unjudged, Witness
from tilegrind.judging.witness import Expected
from tilegrind.pallas import export

from .vacuous_tasks import Task


@dataclass
class Golden:
    """What `record` says of a kernel: rows of its mutants, or why there is no golden."""

    name: str
    subject: Subject
    rows: list[Row]
    refused: str
    sets: tuple = ()

    @property
    def is_degenerate(self) -> bool:
        return bool(self.refused)

    def passing(self) -> list[Row]:
        """Mutants that differ and pass, though the contract does not plainly allow them."""
        return [row for row in self.rows if row.outcome == "alive" and not row.allowed and not row.lives]


def subject_of_task(task: Task) -> Subject:
    module = tilegrind.loads(export(task.call, *task.inputs).dumps())
    return Subject(module, module.kernels[0])


def record(name: str, subject: Subject, **options) -> Golden:
    """The golden of a kernel."""
    try:
        made = recording.record(name, subject, **options)
    except (recording.NotRecorded, Unjudged, tilegrind.Error) as problem:
        return Golden(name, subject, [], str(problem) or type(problem).__name__)
    return Golden(name, subject, made.rows, "", made.bundle.sets)


def normal_trial(subject: Subject, seed: int = 1) -> Trial:
    """What the interpreter computes on normal inputs, with bounds where there are some."""
    inputs = InputSet("normal", seed, {}, kept(subject))
    arrays = subject.arrays(inputs)
    try:
        return Trial(inputs, arrays, subject.witness(arrays, inputs.is_random))
    except (Undecided, Unjudged):
        return Trial(inputs, arrays, Witness.of(subject.module, None, arrays, kernel=subject.kernel, grid=subject.grid,
                                                partly_written=subject.partly_written))


def rounded_once(trial: Trial) -> dict[str, np.ndarray]:
    """R of all outputs, rounded once to their dtypes."""
    with np.errstate(over="ignore", invalid="ignore"):
        return {name: _round(expected) for name, expected in trial.witness.outputs.items()}


def _round(expected: Expected) -> np.ndarray:
    """R in the dtype; what nobody wrote, and zeros, whose sign R may lack, as the interpreter has them."""
    if expected.exact is None:
        return expected.bits
    keep = ~(expected.bound >= 0) | (expected.exact == 0)
    return np.where(keep, expected.bits, expected.exact.astype(expected.bits.dtype))


def mutant_outputs(subject: Subject, trial: Trial):
    """(kind, site, outputs) of each mutant that is no control."""
    for kind, site, outputs, must in Mutants(subject).outputs(trial):
        if must is None:
            yield kind, site, outputs


def longest_sum(module: dict) -> int:
    """The number of terms of the longest sum of one op, for rules that ask for it."""
    text = json.dumps(module)
    kinds = ("reduce_sum", "dot_general", "cumsum")
    if not any(f'"{kind}"' in text for kind in kinds):
        return 1
    shapes = [[int(size) for size in shape.split(",")] for shape in re.findall(r'"\w+\[([\d,]+)\]"', text)]
    return max((max(shape) for shape in shapes), default=1)
