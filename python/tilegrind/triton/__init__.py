"""Triton kernels in Tilegrind, on the CPU (docs/triton.md).

``interpreter()`` is a context manager in which launches of Triton kernels run in Tilegrind, on numpy arrays and torch tensors, and
``install()`` does the same for a whole process.
``check()`` is one in which they run with every check and in many orders.
``capture(folder)`` writes a case for each launch, and ``export(launch)`` gives the modules of launches without running them.
``undefined(array)`` and ``defined(array)`` say what has been written to arrays.
``crosscheck(kernel, *args, grid=...)`` runs one launch as the PTX that Triton makes of it, too, and compares (docs/triton-ptx.md).

`ttir`, `lowering`, `rules` and `launch` read what Triton's compiler writes, and need no Triton.
"""

from __future__ import annotations

import importlib
from typing import Any

# Where each name is.  All is loaded when it is first asked for: Triton imports `triton.backend` of this package from inside its own
# `import triton`, when little of Triton is there yet, and no fault of ours may end that.
_HOMES = {"Active": "interpreting", "Capture": "capturing", "Checked": "..checked", "ExportError": "lowering.errors",
          "FindingError": "..raising", "FindingWarning": "..raising", "KernelRuns": "..checked", "Module": "..ir.module", "NotCompared": "ptx.compiling",
          "capture": "capturing", "check": "checking", "crosscheck": "crosschecking", "defined": "running.undefined",
          "export": "exporter", "install": "interpreting", "interpreter": "interpreting", "undefined": "running.undefined",
          "uninstall": "interpreting"}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    return getattr(importlib.import_module(home if home.startswith("..") else f".{home}", __name__), name)
