"""Cases of the pairs, on which checks run.

The broken kernel is only exported, so that nothing of it runs in JAX.  The repaired one also runs in JAX, and must
give JAX's own outputs, unless the pair has outputs of its own.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import jax
import numpy as np
from jax.experimental import pallas as pl

from conformance.defects.corpus import Pair
from tilegrind import pallas
from tilegrind.ir.module import VERSION


def semantics_of(pair: Pair) -> str | None:
    """The semantics of axes that declare none; a TPU has its own default."""
    return None if pair.target == "tpu" else "parallel"


@dataclass(frozen=True)
class Cases:
    """Folders of the two kernels of a pair; None if this exporter does not support one, and why not."""

    broken: Path | None
    repaired: Path | None
    refused: str = ""


def write_all(pairs: Sequence[Pair], folder: Path) -> dict[str, Cases]:
    """Writes all cases; returns them by the labels of the pairs."""
    with pl.enable_debug_checks():
        return {pair.label: _write(pair, folder / pair.group / pair.name) for pair in pairs}


def _write(pair: Pair, folder: Path) -> Cases:
    try:
        exported = [_export(pair, kind, folder / kind) for kind in ("broken", "repaired")]
    except pallas.ExportError as error:
        return Cases(None, None, str(error))
    return Cases(*exported)


def _module_of(pair: Pair, function: Callable[..., Any]) -> tuple[dict[str, Any], Sequence[Any]]:
    """The module of one of the functions of a pair, and its inputs."""
    if pair.write:
        return pair.write(function)
    return pallas.export(function, *pair.inputs, grid_semantics=semantics_of(pair)).json(), pair.inputs


def _export(pair: Pair, kind: str, folder: Path) -> Path:
    """The case of one kernel, without expected outputs."""
    content, inputs = _module_of(pair, getattr(pair, kind))
    kernel, = content["kernels"]
    kernel["name"] = f"{pair.name.replace('-', '_')}_{kind}"
    kernel["dialect"] = pair.dialect
    names = [param["name"] for param in kernel["params"] if param["role"] in ("prefetch", "input")]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(content) + "\n", encoding="utf-8")
    np.savez(folder / "inputs.npz", **dict(zip(names, inputs, strict=True)))
    case = {"tilegrind": VERSION, "name": f"{pair.label}/{kind}", "why": pair.why, "kernel": "kernel.json",
            **({} if pair.target == "any" else {"target": pair.target}),
            "inputs": {name: {"file": "inputs.npz", "key": name} for name in names}}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
    return folder


def outputs_of(pair: Pair, names: Sequence[str]) -> list[Any]:
    """The outputs of the repaired kernel, which has those names: those that the pair states, else those of JAX's own interpreter."""
    if pair.outputs is not None:
        stated = pair.outputs(*pair.inputs)
        return [stated[name] for name in names] if isinstance(stated, Mapping) else list(stated)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jax.tree.leaves(pair.repaired(*pair.inputs))


def expect_outputs(pairs: Sequence[Pair], cases: dict[str, Cases]) -> None:
    """Adds the expected outputs to the cases of the repaired kernels."""
    for pair in pairs:
        folder = cases[pair.label].repaired
        if folder is None:
            continue
        content = json.loads((folder / "kernel.json").read_text())
        names = [param["name"] for param in content["kernels"][0]["params"] if param["role"] == "output"]
        outputs = outputs_of(pair, names)
        np.savez(folder / "expected.npz", **dict(zip(names, map(np.asarray, outputs), strict=True)))
        case: dict[str, Any] = json.loads((folder / "case.json").read_text())
        case["expect"] = {"outputs": {name: {"file": "expected.npz", "key": name} for name in names},
                          "compare": {"ulp": 4}}
        (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
