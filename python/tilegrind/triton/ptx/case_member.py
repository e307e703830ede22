"""The PTX of a launch as a member of a case, and how it is launched (docs/case.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

from ... import emulator
from ..running.launches import Address, Argument, Launch
from .compiling import WARP, Ptx
from .emulating import number, scratch_bytes


def save_ptx(folder: Path, ptx: Ptx, module: emulator.Module, arguments: Sequence[Argument], launch: Launch) -> dict[str, Any]:
    """Writes the PTX into the folder of a case; returns the case's key `ptx`.  Raises NotCompared where a parameter does not fit."""
    params = module.params()
    for argument, param in zip(arguments, params):
        if not isinstance(argument, Address):
            number(launch.inputs[argument.input], *param)
    name = f"triton-sm_{ptx.target}.ptx"
    (folder / name).write_text(ptx.text, encoding="utf-8")
    hidden = [{"zeros": scratch_bytes(ptx, launch.grid)}, {"zeros": 0}][:len(params) - len(arguments)]
    return {"file": name, "threads": ptx.warps * WARP, "ctas": ptx.ctas, "shared_bytes": ptx.shared_bytes,
            "arguments": [*map(_argument, arguments), *hidden]}


def _argument(of: Argument) -> dict[str, Any]:
    return {"memory": of.input, "offset": of.offset} if isinstance(of, Address) else {"number": of.input}
