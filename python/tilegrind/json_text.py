"""JSON text: laid out for people and for git, and read strictly."""

from __future__ import annotations

import json
from typing import Any

_WIDTH = 110


def dumps(tree: Any) -> str:
    """JSON text: whatever fits on a line stays on one, and so do lists of plain elements."""
    return _layout(tree, 0) + "\n"


def loads(text: str | bytes) -> Any:
    """What a JSON text holds.  Raises ValueError, also for a key that occurs twice and for NaN and infinities."""
    return json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} occurs twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _layout(node: Any, indent: int) -> str:
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
