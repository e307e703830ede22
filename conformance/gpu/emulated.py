"""PTX text in the emulator, with the interface of `cuda.py`: it tries the checks themselves where there is no GPU."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tilegrind import emulator


def arrays() -> Any:
    """The module of arrays."""
    return np


class Module:
    """The entries of a text."""

    def __init__(self, text: str) -> None:
        self._module = emulator.load(text)
        self._entries = self._module.entries()

    def run(self, entry: str, args: Sequence[Any], *, grid: Sequence[int] = (1,), block: Sequence[int] = (1,),
            shared_bytes: int = 0, seed: int = 0) -> None:
        """Runs a grid to its end.  Arrays are written in place.  Raises RuntimeError where it traps."""
        run = self._module.run(args, entry=self._entries.index(entry), grid=grid, block=block, shared_bytes=shared_bytes, seed=seed,
                               same_values=True, arbitrary_registers=True)
        if run.trap:
            raise RuntimeError(run.trap.text)


def load(text: str) -> Module:
    """The module of a PTX text.  Raises tilegrind.Error for what is not understood."""
    return Module(text)
