"""Options of runs, tried before the first run needs them."""

from __future__ import annotations

from typing import Any

from . import runtime
from .ir.module import Module


def prepared(**settings: Any) -> runtime.Executable:
    """A prepared kernel that does nothing, so that the library judges the settings, those of `Module.prepare`.  The caller closes
    it; until then its device stays open.  Raises ValueError."""
    nothing = runtime.loads(Module([{"name": "nothing", "grid": [], "params": [], "body": {}}], []).dumps())
    try:
        return nothing.prepare(**settings)
    except runtime.Error as problem:
        raise ValueError(str(problem)) from None
