"""A Tilegrind module as Python data, and its text."""

from __future__ import annotations

import copy
import json
import os
from typing import Any

VERSION = "0.1"
_WIDTH = 110


class Module:
    """Kernels and the source locations to which they refer.

    kernels    list of kernels in the form of docs/ir.md
    locations  list of ``{"file", "line", "function"}``; the first has number 1
    """

    def __init__(self, kernels: list[dict[str, Any]], locations: list[dict[str, Any]]):
        self.kernels = kernels
        self.locations = locations

    @property
    def names(self) -> list[str]:
        """Names of the kernels, in the order in which the program calls them."""
        return [kernel["name"] for kernel in self.kernels]

    def json(self) -> dict[str, Any]:
        """The module as a new tree of dicts, lists, strings, numbers and booleans."""
        return copy.deepcopy(self._tree())

    def dumps(self) -> str:
        """The module as JSON text: one operation per line where it fits."""
        return _layout(self._tree(), 0) + "\n"

    def compact(self) -> str:
        """The module as JSON text without any layout."""
        return json.dumps(self._tree(), allow_nan=False, separators=(",", ":"))

    def _tree(self) -> dict[str, Any]:
        """As `json`, but with the module's own lists and dicts."""
        tree: dict[str, Any] = {"tilegrind": VERSION}
        if self.locations:
            tree["locations"] = self.locations
        tree["kernels"] = self.kernels
        return tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON text to `path`.  Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.dumps())


def _layout(node: Any, indent: int) -> str:
    """JSON text of `node`; whatever fits on a line stays on one, and so do lists of plain elements."""
    flat = json.dumps(node, allow_nan=False)
    if indent + len(flat) <= _WIDTH or not isinstance(node, (dict, list)):
        return flat
    pad = " " * (indent + 1)
    if isinstance(node, dict):
        parts = [f"{json.dumps(key)}: {_layout(value, indent + 1)}" for key, value in node.items()]
        return "{\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * indent + "}"
    if not any(isinstance(value, (dict, list)) for value in node):
        return flat
    parts = [_layout(value, indent + 1) for value in node]
    return "[\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * indent + "]"
