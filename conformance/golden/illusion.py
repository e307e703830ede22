"""The pairs of "The Correctness Illusion" (arXiv:2606.20128): goldens must reject its 10 errors, and none of its controls."""

from __future__ import annotations

import functools

import numpy as np

from tilegrind.golden.subject import Subject

from .illusion_kernels import PAIRS, Compute, Pair
from .recorded import Golden, normal_trial, record, subject_of_task
from .rules import RULES, allclose
from .tables import Part, Table
from .vacuous_tasks import Shapes, Task
from .xla_kernels import in_f32

_DTYPES = ("float32", "float16")
_QUICK = ("softmax", "flash_attention_triton")
_BENCHMARK = allclose(1e-2)
_WORDS = {True: "passes", False: "fails"}


def run(quick: bool, say=lambda text: None) -> Part:
    """Verdicts of goldens and rules on all kernels."""
    pairs = [pair for pair in PAIRS if not quick or pair.control in _QUICK]
    table = Table("The Correctness Illusion: 10 errors and 16 controls", [
        "kernel", "error", "dtype", "golden", "sets", *(rule.name for rule in RULES), f"{_BENCHMARK.name}, one shape"])
    failures, rejected, accepted = [], set(), {pair.control for pair in pairs}
    for pair in pairs:
        for dtype in _DTYPES:
            say(f"{pair.control} {dtype}")
            golden = record(pair.control, _subject(pair.plain, pair.shapes, dtype))
            if golden.refused:
                failures.append(f"{pair.control} {dtype}: no golden: {golden.refused}")
                continue
            for name, bug, compute in _kernels(pair):
                sets = _failing(golden, _subject(compute, pair.shapes, dtype))
                table.add(name, bug, dtype, _WORDS[not sets], ", ".join(sets), *_rules(pair, compute, dtype))
                if bool(sets) != bool(bug):
                    failures.append(f"{name} {dtype}: the golden {'rejects a control' if sets else 'accepts it'}")
                rejected |= {name} if bug and sets else set()
                accepted -= set() if bug or not sets else {name}
    table.notes = [f"{len(rejected)} of {sum(bool(pair.bug) for pair in pairs)} errors are rejected, {len(accepted)} of "
                   f"{len(pairs)} controls pass in both dtypes.",
                   "Goldens, under contract ieee, are of the plain function at shapes that are no multiples of a block; sets "
                   "are those on which a kernel fails. Rules judge on normal inputs of these shapes; in the last column, of one "
                   "shape of powers of two, as benchmarks do."]
    return Part([table], failures)


def _kernels(pair: Pair) -> list[tuple[str, str, Compute]]:
    return [(pair.control, "", pair.right), *([(pair.buggy, pair.bug, pair.wrong)] if pair.wrong else [])]


def _subject(compute: Compute, shapes: Shapes, dtype: str) -> Subject:
    return subject_of_task(Task("illusion", "", "", "", "", functools.partial(in_f32, compute), shapes, 1, dtype=dtype))


def _failing(golden: Golden, kernel: Subject) -> list[str]:
    """The golden's sets on which a kernel fails."""
    failing = []
    for one in golden.sets:
        arrays = golden.subject.arrays(one.inputs)
        witness = golden.subject.witness(arrays)
        outputs = dict(zip(witness.outputs, kernel.run(kernel.module, arrays).outputs.values(), strict=True))
        failing += [one.inputs.name] * any(verdict.failed for verdict in witness.judge(outputs))
    return failing


def _rules(pair: Pair, compute: Compute, dtype: str) -> list[str]:
    """What rules of tolerance say, at the golden's shapes and at the benchmark's."""
    want, got = (_on_normal(which, pair.shapes, dtype) for which in (pair.plain, compute))
    length = max(max(shape) for shape in pair.shapes)
    fixed = (_on_normal(which, pair.fixed, dtype) for which in (pair.plain, compute))
    return [*(_WORDS[rule.accepts(want, got, length)] for rule in RULES), _WORDS[_BENCHMARK.accepts(*fixed, 1)]]


def _on_normal(compute: Compute, shapes: Shapes, dtype: str) -> dict[str, np.ndarray]:
    subject = _subject(compute, shapes, dtype)
    return {"o": expected.bits for expected in normal_trial(subject).witness.outputs.values()}
