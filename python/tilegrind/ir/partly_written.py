"""Outputs that have elements which stay unwritten on purpose: their names, and marking them in kernels."""

from __future__ import annotations

from typing import Any, Sequence

# "o_ref" of any kernel, or "kernel.o_ref"; several as one text, separated by commas, or as a list.
PartlyWritten = str | Sequence[str]


def names_of(given: PartlyWritten) -> tuple[str, ...]:
    """The single names.  Raises ValueError for an empty one."""
    names = tuple(given.split(",") if isinstance(given, str) and given else given)
    if "" in names:
        raise ValueError(f"partly_written={given!r} has an empty name")
    return names


def mark(kernel: dict[str, Any], names: Sequence[str]) -> set[str]:
    """Marks the outputs of a kernel (in the form of docs/ir.md) that are among `names`; returns the names of those outputs."""
    used = set()
    for param in kernel["params"]:
        mine = {param["name"], f"{kernel['name']}.{param['name']}"} & set(names)
        if mine and param["role"] == "output":
            param["partly_written"] = True
            used |= mine
    return used
