"""The lines of a program to which operations refer."""

from __future__ import annotations

import os
import re
from typing import Any

from ..ttir.locations import Location


class Places:
    """`table` is the list `locations` of a module (docs/ir.md)."""

    def __init__(self) -> None:
        self.table: list[dict[str, Any]] = []
        self._numbers: dict[Any, int] = {}

    def number(self, location: Location | None, functions: list[str]) -> int | None:
        """The number of a place with the calls that lead there; `functions` are those that are active, the kernel first."""
        if location is None:
            return None
        caller = self.number(location.caller, functions[:-1])
        entry: dict[str, Any] = {"file": shown(location.file), "line": location.line}
        if functions:
            entry["function"] = _short(functions[-1])
        if caller is not None:
            entry["caller"] = caller
        if location.name:
            entry["variable"] = location.name
        key = tuple(entry.items())
        if key not in self._numbers:
            self.table.append(entry)
            self._numbers[key] = len(self.table)
        return self._numbers[key]


def _short(name: str) -> str:
    """`triton.language.standard.max__fp32S128S` is `max`, and `__main__._half__i32` is `_half`."""
    found = re.match(r"_*.+?(?=__)", name.rsplit(".", 1)[-1])
    return found[0] if found else name.rsplit(".", 1)[-1]


def shown(file: str) -> str:
    """The path relative to the current folder if it is inside."""
    here = os.getcwd() + os.sep
    return file[len(here):].replace(os.sep, "/") if file.startswith(here) else file
