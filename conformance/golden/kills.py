"""Kill rates: how many mutants of many kernels goldens reject, and a tolerance at the same false alarms."""

from __future__ import annotations

import math
import multiprocessing
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Mapping

import numpy as np

from tilegrind.golden.sensitivity import Mutants, Trial
from tilegrind.golden.subject import Subject

from . import corpus, equivalents, false_alarms
from .recorded import Golden, record
from .tables import Part, Table
from .vacuous import place

GOAL = 0.99
_TOLERANCES = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_KERNELS = 60


@dataclass
class Found:
    """What came of a kernel.

    mutants   counts by outcome: killed, allowed, listed, unchanged, alive
    alive     the mutants that pass, as keys, with how far from failing they are
    needed    the least tolerance that accepts each mutant that is a fault, and each legitimate variant
    """

    name: str
    refused: str = ""
    mutants: Counter = field(default_factory=Counter)
    alive: dict = field(default_factory=dict)
    passing: list = field(default_factory=list)
    needed: dict[str, list[float]] = field(default_factory=lambda: {"mutants": [], "variants": []})


def run(quick: bool, say=lambda text: None) -> Part:
    """Kill rates of the corpus."""
    names = corpus.names(quick)
    if quick:
        found = [_of_kernel(name, quick) for name in names]
    else:
        with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
            found = []
            for one in pool.map(_of_kernel, names, [quick] * len(names)):
                say(one.name)
                found.append(one)
    total = sum((one.mutants for one in found), Counter())
    share = _share(total)
    failures = equivalents.stale(equivalents.load(), names, [key for one in found for key in one.passing])
    if not share >= GOAL:
        failures.append(f"{share:.2%} of the mutants that are faults die; {GOAL:.0%} are the goal")
    if not quick and sum(not one.refused for one in found) < _KERNELS:
        failures.append(f"fewer than {_KERNELS} kernels have goldens")
    return Part([_by_kernel(found, total), _alive(found), _curve(found, total)], failures)


def _share(mutants: Counter) -> float:
    faults = mutants["killed"] + mutants["alive"]
    return mutants["killed"] / faults if faults else 0.0


def _of_kernel(name: str, quick: bool) -> Found:
    subject, found, listed = corpus.subject(name, quick), Found(name), equivalents.load()
    golden = record(name, subject)
    found.refused = golden.refused
    faults = set()
    for row in golden.rows:
        key = name, row.kind, place(row.site)
        if row.lives:
            continue
        outcome = row.outcome
        if outcome == "alive":
            outcome = "allowed" if row.allowed else "listed" if key in listed else "alive"
        found.mutants[outcome] += 1
        if outcome in ("alive", "listed"):
            found.passing.append(key)
        if outcome == "alive":
            found.alive[row.kind, row.site] = max(row.margins.values())
        if outcome in ("alive", "killed"):
            faults.add((row.kind, row.site))
    _measure(found, golden, faults)
    return found


def _measure(found: Found, golden: Golden, faults: set) -> None:
    """The tolerances on the golden's own input sets, against what the interpreter computes."""
    subject, needed = golden.subject, {}
    mutants = Mutants(subject)
    runs = list(false_alarms.runs_of(subject, false_alarms.Found(found.name)))
    trials = [_trial(subject, one.inputs) for one in golden.sets]
    for trial in trials:
        want = {name: expected.bits for name, expected in trial.witness.outputs.items()}
        for kind, site, outputs, _ in mutants.outputs(trial, next((other for other in trials if other is not trial), None)):
            if (kind, site) in faults:
                needed[kind, site] = max(needed.get((kind, site), 0.0), tolerance_for(want, outputs))
        found.needed["variants"] += [tolerance_for(want, outputs) for _, call in runs if (outputs := call(trial)) is not None]
    found.needed["mutants"] = list(needed.values())


def _trial(subject: Subject, inputs) -> Trial:
    arrays = subject.arrays(inputs)
    return Trial(inputs, arrays, subject.witness(arrays, inputs.is_random))


def tolerance_for(want: Mapping[str, np.ndarray], got: Mapping[str, np.ndarray] | None) -> float:
    """The least t with |got - want| <= t + t |want| in all elements; NaN is right where NaN is wanted; integers must be equal."""
    if got is None:
        return math.inf
    return max((_tolerance(array, got[name]) for name, array in want.items()), default=0.0)


def _tolerance(want: np.ndarray, got: np.ndarray) -> float:
    if want.dtype.kind in "biu" or want.dtype.name.startswith(("int", "uint")):
        return 0.0 if np.array_equal(want, got) else math.inf
    a, b = want.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b) / (1 + np.abs(a)))
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps), initial=0.0))


def _by_kernel(found: list[Found], total: Counter) -> Table:
    table = Table(f"Mutants of {len(found)} kernels", ["kernel", "killed", "allowed", "listed", "unchanged", "alive", "killed of faults"])
    for one in found:
        if one.refused:
            table.add(one.name, "-", "-", "-", "-", "-", "no golden: " + " ".join(one.refused.split())[:60])
        else:
            table.add(one.name, *_cells(one.mutants))
    table.add("all", *_cells(total))
    table.notes = ["allowed: every result is the interpreter's, or the exact one rounded, or its neighbour, or differs by the sign of "
                   "a zero that is open. listed: in equivalents.toml, with a reason. unchanged: the same bits on all input sets.",
                   f"Faults are the killed and the alive ones: {_share(total):.2%} of them die."]
    return table


def _cells(mutants: Counter) -> list[str]:
    return [*(str(mutants[name]) for name in ("killed", "allowed", "listed", "unchanged", "alive")), f"{_share(mutants):.1%}"]


def _alive(found: list[Found]) -> Table:
    table = Table("Mutants that pass", ["kernel", "mutant", "site", "of its bound"])
    for one in found:
        for (kind, site), margin in one.alive.items():
            table.add(one.name, kind, site, f"{margin:.3g}")
    if not table.rows:
        table.add("none", "", "", "")
    return table


def _curve(found: list[Found], total: Counter) -> Table:
    table = Table("Faults and legitimate variants by one tolerance, rtol = atol, on the golden's input sets",
                  ["judge", "faults rejected", "share", "variants rejected", "share"])
    faults = [need for one in found for need in one.needed["mutants"]]
    variants = [need for one in found for need in one.needed["variants"]]
    table.add("golden", total["killed"], f"{_share(total):.2%}", 0, "0.00%")
    for tolerance in sorted({*_TOLERANCES, _first_silent(variants)}):
        wrong, right = (sum(need > tolerance for need in needs) for needs in (faults, variants))
        table.add(f"{tolerance:.3g}", wrong, f"{wrong / max(len(faults), 1):.2%}", right, f"{right / max(len(variants), 1):.2%}")
    table.notes = [f"{_first_silent(variants):.3g} is the least tolerance that rejects no variant but for "
                   f"{sum(map(math.isinf, variants))} that have an infinity or NaN where the interpreter has a number, or the reverse; the "
                   "golden rejects none.",
                   "Tolerances compare with the interpreter's result, take NaN for equal to NaN, and want integers to be equal. "
                   "The golden's figure for variants is of the part on false alarms."]
    return table


def _first_silent(variants: list[float]) -> float:
    return max((need for need in variants if math.isfinite(need)), default=0.0)
