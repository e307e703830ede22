"""Converting a kernel for the arguments of a launch, without running it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .. import runtime
from ..ir.module import Module
from .interpreting import Active
from .running.launches import Launch
from .running.session import Session


@dataclass
class _Kept(Session):
    """A session in which nothing runs."""

    modules: list[runtime.Module] = field(default_factory=list)

    def run(self, launch: Launch) -> None:
        self.modules.append(launch.module)


def export(kernel: Any, *args: Any, grid: Any = (1,), **meta: Any) -> Module:
    """The module of ``kernel[grid](*args, **meta)``; nothing runs.

    kernel  what `triton.jit`, `triton.autotune` or `triton.heuristics` returns; of several configurations the first is taken
    args    as in the launch: numpy arrays, torch tensors, numbers; arrays must be there, as their sizes and dtypes are those of the module
    grid    as in the launch.  The module's grid is open, and runs say how large it is

    Raises ExportError if Tilegrind does not support the kernel.
    """
    kept = _Kept()
    with Active(kept):
        kernel[grid](*args, **meta)
    tree = json.loads(kept.modules[-1].to_json())
    return Module(tree["kernels"], tree.get("locations", []))
