"""Tasks whose results say little: which wrong results do a golden and rules of tolerance accept?"""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterator, Mapping

import numpy as np

from tilegrind.judging.verdicts import same_bits

from . import equivalents
from .recorded import Golden, mutant_outputs, normal_trial, record, subject_of_task
from .rules import RULES
from .tables import Part, Table
from .vacuous_tasks import TASKS, Task

# The wrong results: how they are called here, and the kinds of mutants.
WRONG = {"zeros": ("zeros",), "constant": ("mean-of-tensor",), "rows": ("mean-of-rows",),
         "op left out": ("op-as-identity", "bias-left-out", "scale-dropped")}
_CLASS = {kind: name for name, kinds in WRONG.items() for kind in kinds}
_QUICK = ("1/23", "1/39-bf16", "2/9", "2/13", "2/23", "2/48", "2/83", "2/84")
_GOLDEN = "golden"


def run(quick: bool, say=lambda text: None) -> Part:
    """Accepted wrong results of all tasks; the golden must accept none."""
    tasks = [task for task in TASKS if not quick or task.label in _QUICK]
    each = Table("Vacuous tasks: wrong results that are accepted", ["task", "title", "source", "original", "rebuilt", "why it is vacuous",
                                                                    "golden", "wrong results", *(rule.name for rule in RULES)])
    sums, tried, failures = Counter(), Counter(), []
    listed, passing = equivalents.load(), []
    for task in tasks:
        say(task.label)
        golden = record(task.name, subject_of_task(task))
        passing += [(task.name, row.kind, place(row.site)) for row in golden.passing()]
        accepted, wrong = _accepted(task, golden, listed)
        failures += [f"{task.label}: the golden accepts: {found}" for found in accepted[_GOLDEN]]
        if task.constant and not golden.is_degenerate:
            failures.append(f"{task.label}: a constant function has a golden")
        tried.update(_CLASS[found.partition(" ")[0]] for found in wrong)
        for name, found in accepted.items():
            sums.update((name, _CLASS[one.partition(" ")[0]]) for one in found)
        each.add(task.label, task.title, task.source, task.original, _shapes(task), task.why, _said(golden), len(wrong),
                 *(len(accepted[rule.name]) for rule in RULES))
    failures += equivalents.stale({key: why for key, why in listed.items() if key[1] in _CLASS}, [task.name for task in tasks], passing)
    return Part([_summary(len(tasks), tried, sums), each, _formulas()], failures)


def place(site: str) -> str:
    """A site without its line, which moves with every edit."""
    return re.sub(r"\.py:\d+", ".py", site)


def _accepted(task: Task, golden: Golden, listed: Mapping) -> tuple[dict[str, list[str]], list[str]]:
    """The wrong results that each judge accepts, and all of them."""
    outcome = {(row.kind, row.site): row for row in golden.rows}
    trial = normal_trial(golden.subject)
    want = {name: expected.bits for name, expected in trial.witness.outputs.items()}
    accepted: dict[str, list[str]] = {name: [] for name in (_GOLDEN, *(rule.name for rule in RULES))}
    wrong = []
    for kind, site, outputs in (*mutant_outputs(golden.subject, trial), *_fills(golden, want)):
        row = outcome.get((kind, site))
        if kind not in _CLASS or (task.name, kind, place(site)) in listed:
            continue
        if row.outcome == "unchanged" if row else _CLASS[kind] == "op left out" and _is_same(want, outputs):
            continue
        wrong.append(f"{kind} {site}")
        if row and row.outcome == "alive":
            accepted[_GOLDEN].append(wrong[-1])
        for rule in RULES:
            if rule.accepts(want, outputs, task.longest):
                accepted[rule.name].append(wrong[-1])
    return accepted, wrong


def _fills(golden: Golden, want: Mapping[str, np.ndarray]) -> Iterator[tuple[str, str, Mapping[str, np.ndarray]]]:
    """Fills that give the right bits: what a task with a constant result accepts.  Others are mutants."""
    for kind in ("zeros", "mean-of-tensor") if golden.is_degenerate else ():
        fill = {name: np.full_like(array, 0 if kind == "zeros" else array.astype(np.float64).mean()) for name, array in want.items()}
        if _is_same(want, fill):
            yield kind, "all outputs", fill


def _is_same(want: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray] | None) -> bool:
    return outputs is not None and all(same_bits(array, outputs[name]) for name, array in want.items())


def _said(golden: Golden) -> str:
    if not golden.is_degenerate:
        return f"recorded: {', '.join(record.inputs.name for record in golden.sets)}"
    return "none: outputs do not depend on inputs" if "do not depend" in golden.refused else "none: bounds say nothing on any inputs"


def _summary(count: int, tried: Counter, sums: Counter) -> Table:
    table = Table(f"Vacuous tasks: wrong results accepted in {count} tasks", ["judge", *WRONG])
    for judge in (_GOLDEN, *(rule.name for rule in RULES)):
        table.add(judge, *(f"{sums[judge, name]} of {tried[name]}" for name in WRONG))
    table.notes = ["constant: all elements are the mean of the result; rows: those of each row are its mean; op left out: an elementwise "
                   "op, a bias or a factor, one at a time.",
                   "Wrong results whose bits are the right ones on all inputs are not counted: leaving out a clamp of what is within it "
                   "is no fault. Neither are those in equivalents.toml.",
                   "Rules judge on normal inputs, as the tasks do; the golden on the inputs that it chose. Where there is no golden, "
                   "`record` refuses, so that nothing is accepted."]
    return table


def _formulas() -> Table:
    table = Table("Rules of tolerance: |got - want| <= atol + rtol |want|", ["rule", "formula", "source"])
    for rule in RULES:
        table.add(rule.name, rule.formula, rule.source)
    return table


def _shapes(task: Task) -> str:
    return ", ".join("x".join(map(str, shape)) for shape in task.shapes)
