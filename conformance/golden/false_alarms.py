"""Legitimate variants of kernels: a golden must accept all of them."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator

import numpy as np

import tilegrind
from tilegrind.golden.candidates import Left, trials
from tilegrind.golden.sensitivity import Trial
from tilegrind.golden.subject import Subject
from tilegrind.judging import Undecided, Unfit, Unjudged

from . import corpus, rewrites
from .recorded import longest_sum, rounded_once
from .rules import RULES
from .tables import Part, Table

SEEDS = 14
_LARGE = 2**16  # elements of a kernel's inputs: then a seventh of the seeds
WANTED = 100_000
_ORDERS = ("reversed", "shuffled:1", "shuffled:2", "parallel", "interleaved")
_MOST_SHOWN = 50
Outputs = dict[str, np.ndarray]


@dataclass
class Found:
    """What came of a kernel: numbers by variant, and alarms."""

    name: str
    checks: Counter = field(default_factory=Counter)
    other_bits: Counter = field(default_factory=Counter)
    by_rule: Counter = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)
    left: Counter = field(default_factory=Counter)


def run(quick: bool, say=lambda text: None, seeds: int | None = None) -> Part:
    """Variants on kernels, input sets and seeds; no check may fail."""
    names, seeds = corpus.names(quick), seeds or (1 if quick else SEEDS)
    work = [(name, quick, seeds) for name in names]
    if quick:
        found = [_of_kernel(*one) for one in work]
    else:
        with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
            found = []
            for one in pool.map(_of_kernel, *zip(*work)):
                say(f"{one.name}: {sum(one.checks.values())} checks")
                found.append(one)
    alarms = [text for one in found for text in one.alarms]
    failures = alarms[:_MOST_SHOWN]
    count = sum(sum(one.checks.values()) for one in found)
    if not quick and seeds >= SEEDS and count < WANTED:
        failures.append(f"only {count} checks; {WANTED} are wanted")
    return Part([_by_variant(found, seeds), _by_rule(found)], failures)


def _of_kernel(name: str, quick: bool, seeds: int) -> Found:
    found, subject = Found(name), corpus.subject(name, quick)
    length, runs = longest_sum(subject.tree()), list(runs_of(subject, found))
    for trial in all_trials(subject, seeds):
        for variant, call in runs:
            outputs = call(trial)
            if outputs is not None:
                _count(found, variant, trial, outputs, length)
    return found


def _count(found: Found, variant: str, trial: Trial, outputs: Outputs, length: int) -> None:
    verdicts = trial.witness.graded(outputs)
    found.checks[variant] += 1
    found.other_bits[variant] += any(verdict.kind != "equal" for verdict in verdicts)
    found.alarms += [f"{found.name}, {variant}, {trial.inputs.name}: {verdict}" for verdict in verdicts if verdict.failed]
    want = {name: expected.bits for name, expected in trial.witness.outputs.items()}
    found.by_rule.update(rule.name for rule in RULES if not rule.accepts(want, outputs, length))


def all_trials(subject: Subject, seeds: int) -> Iterator[Trial]:
    """The sets that the kernel can have, each with several seeds; one whose comparisons are too close is left out."""
    elements = sum(int(np.prod(param.shape)) for param in subject.params if param.role == "input")
    seeds = max(1, seeds // 7) if elements > _LARGE else seeds
    first = [found for found in trials(subject) if not isinstance(found, Left)]
    for trial, seed in itertools.product(first, range(seeds)):
        if seed == 0:
            yield trial
            continue
        inputs = replace(trial.inputs, seed=trial.inputs.seed + 1000 * seed)
        try:
            arrays = subject.arrays(inputs)
            witness = subject.witness(arrays, inputs.is_random)
        except (Undecided, Unfit, Unjudged):
            continue
        if not witness.findings:
            yield Trial(inputs, arrays, witness)


def runs_of(subject: Subject, found: Found) -> Iterator[tuple[str, Callable[[Trial], Outputs | None]]]:
    """(variant, how it is run) of all that a kernel can have."""
    def runs(module: Any, **options: Any) -> Callable[[Trial], Outputs | None]:
        def call(trial: Trial) -> Outputs | None:
            try:
                return subject.run(module, trial.arrays, **options).outputs
            except tilegrind.Error as problem:
                found.left[f"{options}: {problem.status}"] += 1
                return None
        return call

    for order in _ORDERS:
        yield f"order {order}", runs(subject.module, order=order)
    yield "profile fast", runs(subject.module, profile="fast")
    yield "PTX in the emulator", runs(subject.module, backend="emulator")
    for name, module in rewrites.variants(subject.tree(), subject.kernel):
        yield name, runs(module)
    yield "exact, rounded once", rounded_once


def _by_variant(found: list[Found], seeds: int) -> Table:
    table = Table(f"False alarms: legitimate variants of {len(found)} kernels, {seeds} seeds",
                  ["variant", "kernels", "checks", "with other bits", "alarms"])
    variants = list(dict.fromkeys(name for one in found for name in one.checks))
    for name in variants:
        alarms = sum(f", {name}, " in text for one in found for text in one.alarms)
        table.add(name, sum(name in one.checks for one in found), sum(one.checks[name] for one in found),
                  sum(one.other_bits[name] for one in found), alarms)
    table.add("all", len(found), sum(sum(one.checks.values()) for one in found),
              sum(sum(one.other_bits.values()) for one in found), sum(len(one.alarms) for one in found))
    left = sum((one.left for one in found), Counter())
    table.notes = ["A check is a kernel, a variant, an input set and a seed; kernels with more than 65536 elements have a seventh "
                   "of the seeds.",
                   *(f"Not run: {count} times {what}." for what, count in sorted(left.items()))]
    return table


def _by_rule(found: list[Found]) -> Table:
    table = Table("False alarms: the same results by rules of tolerance, against the interpreter's result", ["rule", "alarms", "of"])
    count = sum(sum(one.checks.values()) for one in found)
    table.add("golden", sum(len(one.alarms) for one in found), count)
    for rule in RULES:
        table.add(rule.name, sum(one.by_rule[rule.name] for one in found), count)
    table.notes = ["Rules that do not take NaN for equal fail all results with NaN, as torch does by default."]
    return table
