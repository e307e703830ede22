"""Modules of kernels, verified; what is wrong with one is said where the user wrote it."""

from __future__ import annotations

from typing import Any

from ... import errors, runtime
from ...ir.module import Module
from ..lowering.errors import ExportError
from ..ttir.locations import Location


def verified(name: str, module: Module) -> runtime.Module:
    """The module, ready to run.  Raises ExportError, with the place of the operation at fault if it has one."""
    try:
        return runtime.loads(module.compact())
    except errors.Error as error:
        problem = error.errors[0] if error.errors else None
        op = _at(module, problem.where) if problem else None
        if problem is None or not isinstance(op, dict) or "loc" not in op:
            raise ExportError("module", None, f"{name} is no kernel of ours: {error}") from error
        place = module.locations[op["loc"] - 1]
        message = problem.message.removeprefix(f"{op['op']}: ")
        raise ExportError(op["op"], Location(place["file"], place["line"], 0), message) from error


def _at(module: Module, path: str) -> Any:
    """What the path of a problem, such as `/kernels/0/body/ops/4`, leads to; None if it leads nowhere."""
    found: Any = {"kernels": module.kernels}
    for key in path.split("/")[1:]:
        try:
            found = found[int(key) if isinstance(found, list) else key]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return found
