"""Answers, from Tilegrind's findings, what JAX's newest tests of races in Mosaic GPU kernels ask.

These tests know no levels: a fence that the model of a GPU asks for is demanded, also before a copy overwrites what threads have
read.  So with `detect_races` a kernel runs with all checks and with `gpu-strict`, and more kinds of findings are races.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType
from typing import Any

import tpu_answers

RACES = tpu_answers.RACES | {"product-in-flight", "proxy-fence-missing", "overwrite-unfenced"}

# JAX's words for a copy that nobody has waited for.
NOT_AWAITED = "nothing waited for the "
WORDS = "Not all copy_smem_to_gmem read-side operations completed before the kernel's end"


def install(pallas: ModuleType) -> None:
    """Call it behind tpu_answers.install; `pallas` is tilegrind.pallas."""
    interpreting: Any = importlib.import_module(f"{pallas.__name__}.interpreting")
    model_of = interpreting.model_of

    def strict(params: Any) -> Any:
        model = model_of(params)
        return replace(model, checks="all,gpu-strict") if getattr(params, "detect_races", False) else model

    interpreting.model_of = strict
    tpu_answers.RACES = RACES
    words_for = tpu_answers.words_for
    tpu_answers.words_for = lambda text: "; ".join(filter(None, [words_for(text), WORDS if NOT_AWAITED in text else ""]))
