"""Parts of cases (docs/case.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Sequence

import numpy as np


def folder_name(kernel: str) -> str:
    """The start of the name of the folder for a case of a kernel."""
    return re.sub(r"[^A-Za-z0-9_.=-]", "_", kernel)


def save_arrays(path: Path, names: Sequence[str], arrays: Sequence[Any]) -> None:
    """Writes an npz file.  Types that numpy does not have (bf16, fp8, int4) are stored as raw bytes; the
    kernel has their types."""
    contents = {}
    for name, array in zip(names, arrays, strict=True):
        data = np.asarray(array)
        native = data.dtype.kind in "biuf" and data.dtype.isbuiltin == 1
        contents[name] = data if native else data.view(np.dtype(f"V{data.dtype.itemsize}"))
    np.savez(path, **contents)
