"""Folders with cases (docs/case.md), as front ends write them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from .ir.module import VERSION


def folder_name(kernel: str) -> str:
    """The start of the name of the folder for a case of a kernel."""
    return re.sub(r"[^A-Za-z0-9_.=-]", "_", kernel)


def new_folder(parent: Path, start: str) -> Path:
    """A new folder, created atomically, so that no other process has it."""
    number = 0
    while True:
        folder = parent / f"{start}-{number}"
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1


def new_file(parent: Path, start: str) -> Path:
    """A new JSON file, created atomically, so that no other process has it."""
    number = 0
    while True:
        path = parent / f"{start}-{number}.json"
        try:
            path.touch(exist_ok=False)
            return path
        except FileExistsError:
            number += 1


def save_arrays(path: Path, names: Sequence[str], arrays: Sequence[Any]) -> None:
    """Writes an npz file.  Types that numpy does not have (bf16, fp8, int4) are stored as raw bytes; the
    kernel has their types."""
    contents = {}
    for name, array in zip(names, arrays, strict=True):
        data = np.asarray(array)
        native = data.dtype.kind in "biuf" and data.dtype.isbuiltin == 1
        contents[name] = data if native else data.view(np.dtype(f"V{data.dtype.itemsize}"))
    np.savez(path, **contents)


def expectation(outputs: Sequence[str], compare: Any) -> dict[str, Any]:
    """The key `expect` of a case: arrays of `expected.npz` by name, and how results are compared with them."""
    return {"outputs": {name: {"file": "expected.npz", "key": name} for name in outputs},
            "compare": compare if isinstance(compare, str) else dict(compare)}


def save_case(folder: Path, kernel: str, inputs: Mapping[str, Any], *, grid: Sequence[int] = (), settings: Mapping[str, Any] = {},
              made_by: Mapping[str, str] = {}) -> None:
    """Writes a kernel, as the text of a module, and its inputs into a folder that there is.  `grid` has the sizes of its dynamic
    axes, `settings` are more keys of the case."""
    save_arrays(folder / "inputs.npz", list(inputs), list(inputs.values()))
    (folder / "kernel.json").write_text(kernel, encoding="utf-8")
    case: dict[str, Any] = {"tilegrind": VERSION, "name": folder.name, "kernel": "kernel.json", **settings}
    if grid:
        case["dynamic_grid"] = [int(size) for size in grid]
    case["inputs"] = {name: {"file": "inputs.npz", "key": name} for name in inputs}
    case["made_by"] = dict(made_by)
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
