"""JSON text: laid out for people and for git, and read strictly."""

from __future__ import annotations

import json
import math
from typing import Any

_WIDTH = 110


def dumps(tree: Any) -> str:
    """JSON text: whatever fits on a line stays on one, and so do lists of plain elements."""
    return _layout(tree, 0) + "\n"


def loads(text: str | bytes) -> Any:
    """What a JSON text holds.  Raises ValueError, also for a key that occurs twice, for NaN and infinities, numbers too
    large for a double, half a surrogate pair, and values nested too deeply to be read."""
    try:
        tree = json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant, parse_float=_finite)
        if (b"\\u" if isinstance(text, bytes) else "\\u") in text:
            _refuse_surrogates(tree)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None
    return tree


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} occurs twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _refuse_surrogates(tree: Any) -> None:
    """Python's reader takes half a surrogate pair, which no file and no terminal can hold."""
    try:
        json.dumps(tree, ensure_ascii=False).encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"\\u{ord(problem.object[problem.start]):04x} is half a character") from None


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
