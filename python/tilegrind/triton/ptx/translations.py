"""Kernels as Triton's PTX, each of which is made and read once."""

from __future__ import annotations

from typing import Any

from ... import emulator
from .compiling import Ptx, ptx_of


class Translations:
    """Of kernels that Triton has compiled for us, for one target."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._made: dict[Any, tuple[Any, Ptx, emulator.Module]] = {}  # with what the key is the identity of

    def of(self, made_of: tuple[Any, Any] | None) -> tuple[Ptx, emulator.Module]:
        """The PTX, and as the emulator has read it.  Raises NotCompared, and tilegrind.Error for what the emulator does not understand."""
        key = tuple(map(id, made_of or ()))
        if key not in self._made:
            ptx = ptx_of(made_of, self.target)
            self._made[key] = made_of, ptx, emulator.load(ptx.text, f"{ptx.name}.ptx")
        return self._made[key][1:]
