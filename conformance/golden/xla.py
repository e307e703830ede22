"""Legitimate variants that XLA makes: kernels as JAX interprets them, and as XLA compiles them for several
instruction sets.

Goldens have the contract xla-cpu.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterator

import numpy as np

import tilegrind
from tilegrind.golden.sensitivity import Trial
from tilegrind.judging.verdicts import same_bits

from .false_alarms import SEEDS, all_trials
from .recorded import longest_sum, subject_of_task
from .rules import RULES
from .tables import Part, Table
from .vacuous_tasks import Task
from .xla_kernels import tasks

CONTRACT = "xla-cpu"
ISAS = ("SSE4_2", "AVX2", "AVX512")
_MOST_SHOWN = 50
Trials = dict[str, list[Trial]]


class ChildFailed(RuntimeError):
    """A process of XLA's that ended badly; the text has what it said."""


@dataclass
class Found:
    """What came of a variant: numbers, and the texts of alarms."""

    kernels: set = field(default_factory=set)
    numbers: Counter = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)


def run(quick: bool, say=lambda text: None, seeds: int | None = None) -> Part:
    """Judges all variants on all kernels; no check may fail."""
    trials, lengths = {}, {}
    for name, task in tasks(quick).items():
        say(f"{name}: witnesses")
        subject = replace(subject_of_task(task), contract=CONTRACT)
        trials[name] = list(all_trials(subject, seeds or (1 if quick else SEEDS)))
        lengths[name] = longest_sum(subject.tree())
    found: dict[str, Found] = {}
    rules, first = Counter(), {}
    for variant, name, i, outputs in variants(trials, ISAS[:1] if quick else ISAS, say):
        one, trial = found.setdefault(variant, Found()), trials[name][i]
        one.kernels.add(name)
        one.numbers["own"] += not _same(first.setdefault((name, i), outputs), outputs)
        _count(one, rules, variant, name, trial, outputs, lengths[name])
    failures = [text for one in found.values() for text in one.alarms][:_MOST_SHOWN]
    return Part([_by_variant(found, len(trials)), _by_rule(found, rules)], failures)


def _count(one: Found, rules: Counter, variant: str, name: str, trial: Trial, outputs: dict, length: int) -> None:
    """Adds a check to the numbers of a variant."""
    verdicts = trial.witness.judge(outputs)
    one.numbers["checks"] += 1
    one.numbers["other bits"] += any(verdict.kind != "equal" for verdict in verdicts)
    one.alarms += [f"{name}, {variant}, {trial.inputs.name}: {verdict}" for verdict in verdicts if verdict.failed]
    want = {output: expected.bits for output, expected in trial.witness.outputs.items()}
    rules.update(rule.name for rule in RULES if not rule.accepts(want, outputs, length))


def _same(one: dict, other: dict) -> bool:
    return all(same_bits(array, other[name]) for name, array in one.items())


def variants(trials: Trials, isas: tuple[str, ...], say) -> Iterator[tuple[str, str, int, dict[str, np.ndarray]]]:
    """(variant, kernel, number of the trial, outputs): first what XLA makes for this machine."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, found in trials.items():
            (folder / name).mkdir()
            for i, trial in enumerate(found):
                tilegrind.write_arrays(folder / name / f"{i:04}.inputs.npz", dict(trial.arrays))
        for isa, how in ((None, "compiled"), (None, "interpreted"), *((isa, "compiled") for isa in isas)):
            variant = "JAX, interpreted" if how == "interpreted" else f"XLA, {isa or 'this machine'}"
            say(variant)
            kernels = [name for name, task in tasks().items() if name in trials and _compiles(isa, task)]
            _run(folder, isa, how, kernels)
            yield from _read(folder, variant, how, {name: trials[name] for name in kernels})


def _compiles(isa: str | None, task: Task) -> bool:
    """XLA has no conversion of f16 for SSE4.2: "Symbols not found: __extendhfsf2"."""
    return isa != "SSE4_2" or task.dtype != "float16"


def _run(folder: Path, isa: str | None, how: str, kernels: list[str]) -> None:
    flags = {"XLA_FLAGS": f"--xla_cpu_max_isa={isa}"} if isa else {}
    child = subprocess.run([sys.executable, Path(__file__).with_name("xla_child.py"), folder, how, *kernels],
                           capture_output=True, text=True, env={**os.environ, "JAX_PLATFORMS": "cpu", **flags})
    if child.returncode:
        raise ChildFailed(f"XLA for {isa or 'this machine'}: {child.stderr[-2000:]}")


def _read(folder: Path, variant: str, how: str, trials: Trials) -> Iterator[tuple[str, str, int, dict[str, np.ndarray]]]:
    for name, found in trials.items():
        for i, trial in enumerate(found):
            made, = tilegrind.read_arrays(folder / name / f"{i:04}.{how}.npz").values()
            output, = trial.witness.outputs
            yield variant, name, i, {output: made}


def _by_variant(found: dict[str, Found], kernels: int) -> Table:
    table = Table(f"False alarms: {kernels} kernels as XLA compiles them, contract {CONTRACT}", [
        "variant", "kernels", "checks", "with other bits", "other bits than XLA's for this machine", "alarms"])
    for variant, one in found.items():
        numbers = (one.numbers[name] for name in ("checks", "other bits", "own"))
        table.add(variant, len(one.kernels), *numbers, len(one.alarms))
    table.notes = ["An instruction set is that of XLA_FLAGS=--xla_cpu_max_isa, in a process of its own. XLA compiles no f16 for "
                   "SSE4.2."]
    return table


def _by_rule(found: dict[str, Found], rules: Counter) -> Table:
    table = Table("False alarms: XLA's results by rules of tolerance, against the interpreter's result",
                  ["rule", "alarms", "of"])
    count = sum(one.numbers["checks"] for one in found.values())
    table.add("golden", sum(len(one.alarms) for one in found.values()), count)
    for rule in RULES:
        table.add(rule.name, rules[rule.name], count)
    return table
