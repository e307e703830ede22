"""A Tilegrind module as Python data, and its text."""

from __future__ import annotations

import copy
import json
import os
from typing import Any

from .. import json_text

VERSION = "0.1"


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
        return json_text.dumps(self._tree())

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
