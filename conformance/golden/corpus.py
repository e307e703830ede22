"""The kernels that goldens are tried on: those of the acceptance table, and vacuous tasks."""

from __future__ import annotations

import functools
from pathlib import Path

from tilegrind.golden.goldens import subject_of_case
from tilegrind.golden.subject import Subject

from conformance.acceptance_cases import all_cases
from conformance.acceptance_kernels import KERNELS

from .recorded import subject_of_task
from .vacuous_tasks import TASKS

WORK = Path(__file__).resolve().parent.parent.parent / "build" / "accept"
_QUICK_CASES = ("add_ragged_blocks", "masked_store", "matmul_gelu", "softmax_f16", "atomic_max", "tpu_matmul")
_QUICK_TASKS = ("kb_1_39-bf16", "kb_2_48", "kb_2_91")


def names(quick: bool) -> list[str]:
    """All kernels, by name."""
    tasks = _QUICK_TASKS if quick else tuple(task.name for task in TASKS)
    return [*_cases(quick), *tasks]


def subject(name: str, quick: bool = False) -> Subject:
    """A kernel as it is judged; outputs with findings on purpose are written in part."""
    if name.startswith("kb_"):
        return _of_task(name)
    case = _cases(quick)[name]
    made = subject_of_case(case.folder, "ieee")
    outputs = tuple(param.name for param in made.params if param.role == "output")
    return subject_of_case(case.folder, "ieee", outputs if case.kernel.findings else ())


@functools.cache
def _of_task(name: str) -> Subject:
    return subject_of_task(next(task for task in TASKS if task.name == name))


@functools.cache
def _cases(quick: bool) -> dict:
    return {case.label: case for case in all_cases(WORK, list(_QUICK_CASES if quick else KERNELS))}
