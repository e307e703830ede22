"""TOSA's rule for dot products beside goldens: what fails it must fail here too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import jax.numpy as jnp
import numpy as np

from tilegrind.golden.candidates import Left, trials
from tilegrind.golden.subject import Subject

from . import tosa_data
from .recorded import subject_of_task
from .tables import Part, Table
from .tosa_faults import FAULTY, RIGHT, Implementation
from .vacuous_tasks import Task

_SIDE = 32  # of the results of a product, _SIDE * _SIDE of a sum
_F32_BOUND, _BF16_BOUND = 2.0**64 - 2.0**40, 2.0**64 - 2.0**56
Case = tuple[str, int | None, np.ndarray, np.ndarray, object]


@dataclass(frozen=True)
class Setup:
    """Sums of `length` products, or of elements, of a dtype, to results of dtype `out`; TOSA's parameter B for it."""

    name: str
    dtype: str
    out: str
    bound: float
    is_sum: bool = False
    length: int = 256

    def subject(self) -> Subject:
        rows, columns = (_SIDE**2, 1) if self.is_sum else (_SIDE, _SIDE)
        shapes = ((rows, self.length), *([] if self.is_sum else [(self.length, columns)]))
        return subject_of_task(Task(self.name, "", "", "", "", self._compute, shapes, self.length, dtype=self.dtype))

    def _compute(self, x, *others):
        made = jnp.dot(x, *others, preferred_element_type=jnp.float32) if others else jnp.sum(
            x.astype(jnp.float32), axis=1, keepdims=True)
        return made.astype(self.out)

    def of_set(self, chosen: int) -> list[np.ndarray]:
        """The operands in one of TOSA's sets."""
        along, rows = np.arange(self.length), _SIDE**2 if self.is_sum else _SIDE
        places = [np.tile(along, (rows, 1)), *([] if self.is_sum else [np.tile(along[:, None], (1, _SIDE))])]
        made = [tosa_data.data(chosen, i, self.length, self.bound, one) for i, one in enumerate(places)]
        return [array.astype(jnp.dtype(self.dtype)) for array in made]


SETUPS = (
    Setup("product f32", "float32", "float32", _F32_BOUND),
    Setup("product bf16 to f32", "bfloat16", "float32", _BF16_BOUND),
    Setup("product f16 to f32", "float16", "float32", 65504.0),
    Setup("product f16 to f16", "float16", "float16", 255.875),
    Setup("sum f32", "float32", "float32", _F32_BOUND, is_sum=True),
    Setup("sum bf16 to bf16", "bfloat16", "bfloat16", _BF16_BOUND, is_sum=True),
    Setup("sum f16 to f16", "float16", "float16", 255.875, is_sum=True),
)


@dataclass
class Outcome:
    """An implementation on a setup: what of TOSA's rule it breaks on which sets, and the sets on which it is outside our
    bounds, TOSA's and our own; whether it has other bits than the right ones anywhere."""

    tosa: dict[str, str]
    ours_on_tosa: list[str]
    ours: list[str]
    differs: bool

    @property
    def word(self) -> str:
        if not self.differs:
            return "same bits"
        ours = bool(self.ours or self.ours_on_tosa)
        words = {(True, True): "both", (True, False): "TOSA", (False, True): "golden", (False, False): "none"}
        return words[bool(self.tosa), ours]


def run(quick: bool, say=lambda text: None) -> Part:
    """Both judges on all implementations; goldens must fail all faulty ones that TOSA fails, and no right one."""
    setups = SETUPS[3:4] if quick else SETUPS
    found: dict[tuple[str, str], Outcome] = {}
    for setup in setups:
        say(setup.name)
        found.update(((name, setup.name), outcome) for name, outcome in _of_setup(setup))
    return Part([_by_implementation(setups, found), _details(found)], list(_failures(found)))


def _failures(found: dict[tuple[str, str], Outcome]) -> Iterator[str]:
    for (name, setup), one in found.items():
        if name in RIGHT and (one.ours or one.ours_on_tosa):
            yield f"{setup}, {name}: right, but outside on {', '.join(one.ours_on_tosa + one.ours)}"
        if name in FAULTY and one.word == "TOSA":
            yield f"{setup}, {name}: fails TOSA's rule on {_said(one.tosa)} and passes here"


def _of_setup(setup: Setup) -> Iterator[tuple[str, Outcome]]:
    cases = list(_cases(setup))
    for name, implementation in (*RIGHT.items(), *FAULTY.items()):
        outcome = Outcome({}, [], [], False)
        for case in cases:
            _judge(setup, case, implementation, outcome)
        yield name, outcome


def _cases(setup: Setup) -> Iterator[Case]:
    """(set, its number if it is TOSA's, x, y, witness): x and y are f64; a sum is a product with ones."""
    subject = setup.subject()
    names = [param.name for param in subject.params if param.role == "input"]
    for chosen in tosa_data.SETS:
        arrays = dict(zip(names, setup.of_set(chosen), strict=True))
        yield f"S{chosen}", chosen, *_operands(setup, arrays), subject.witness(arrays, chosen > 0)
    for trial in trials(subject):
        # Specials need an implementation's own NaN and infinities, which sums in f64 do not have.
        if not isinstance(trial, Left) and trial.inputs.kind != "special":
            yield trial.inputs.name, None, *_operands(setup, trial.arrays), trial.witness


def _operands(setup: Setup, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    x, *rest = (array.astype(np.float64) for array in arrays.values())
    return x, rest[0] if rest else np.ones((setup.length, 1))


def _judge(setup: Setup, case: Case, implementation: Implementation, outcome: Outcome) -> None:
    label, chosen, x, y, witness = case
    (output, expected), = witness.outputs.items()
    with np.errstate(over="ignore", invalid="ignore"):
        got = implementation(x, y).astype(jnp.dtype(setup.out))
        outcome.differs |= not np.array_equal(got, (x @ y).astype(got.dtype))
    fails = any(verdict.failed for verdict in witness.graded({output: got}))
    (outcome.ours if chosen is None else outcome.ours_on_tosa).extend([label] * fails)
    if chosen is not None and (broken := tosa_data.failing(chosen, x @ y, np.abs(x) @ np.abs(y), got, setup.length)):
        outcome.tosa[label] = broken


def _by_implementation(setups: tuple[Setup, ...], found: dict[tuple[str, str], Outcome]) -> Table:
    table = Table("TOSA's rule for dot products: who rejects which implementation",
                  ["implementation", "", *(one.name for one in setups)])
    for name in (*RIGHT, *FAULTY):
        table.add(name, "right" if name in RIGHT else "faulty", *(found[name, one.name].word for one in setups))
    table.notes = [f"Sums of {setups[0].length} terms, 1024 results. TOSA: on its sets S0 to S5, by element, variance or bias; "
                   "golden: by bounds of contract ieee, on these sets or on those that goldens have. same bits: a fault that "
                   "changes no bit here."]
    return table


def _details(found: dict[tuple[str, str], Outcome]) -> Table:
    table = Table("TOSA's rule: what fails it and is within all bounds on TOSA's sets",
                  ["setup", "implementation", "fails TOSA's rule on", "outside bounds on sets of goldens"])
    for (name, setup), one in found.items():
        if name in FAULTY and one.tosa and not one.ours_on_tosa:
            table.add(setup, name, _said(one.tosa), ", ".join(one.ours) or "-")
    if not table.rows:
        table.add("none", "", "", "")
    table.notes = ["Here each element is within its bound, and the errors of all together may be chance.",
                   "In set S1 of f32 and bf16, squares of B are near the greatest number: results may overflow, and have no bound."]
    return table


def _said(broken: dict[str, str]) -> str:
    return ", ".join(f"{label} ({what})" for label, what in broken.items())
