"""How closely JAX's outputs and Tilegrind's should agree, derived from the kernel alone.

Both round every operation, but XLA sums in an order of its own, and its elementary functions may have errors of a few
units.  The error of a sum grows with the size of the summed values, so it is measured in steps of the width at
an output's greatest element (docs/case.md, ``scale_ulp``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

_BASE = 4  # steps for rounding each operation once
_PER_TERM = 4  # further steps for each term of the longest sum, as sums may depend on sums


def _regions(op: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for region in op.get("regions", []):
        for inner in region.get("ops", []):
            yield inner
            yield from _regions(inner)


def _shape(text: str) -> list[int]:
    inside = text[text.index("[") + 1 : text.rindex("]")]
    return [int(extent) for extent in inside.split(",") if extent]


def _terms(op: dict[str, Any], shapes: dict[int, list[int]]) -> int:
    """Number of terms that one element of the result of `op` sums up."""
    if op["op"] == "dot_general":
        shape = shapes.get(op["in"][0], [])
        return math.prod(shape[axis] for axis in op["lhs_contract"])
    if op["op"] in ("reduce_sum", "reduce_prod"):
        return math.prod(shapes.get(op["in"][0], [])[axis] for axis in op["axes"])
    if op["op"] in ("cumsum", "cumprod"):
        return shapes.get(op["in"][0], [])[op["axis"]]
    return 1


def default_tolerance(kernel: dict[str, Any]) -> dict[str, int]:
    """``expect.compare`` for a kernel in the form of docs/ir.md."""
    shapes: dict[int, list[int]] = {}
    longest = 1
    outer = {"regions": [kernel["body"]]}
    for op in _regions(outer):
        for value in op.get("out", []):
            if not value["type"].startswith("ref"):
                shapes[value["id"]] = _shape(value["type"])
        longest = max(longest, _terms(op, shapes))
    if longest == 1:
        return {"ulp": _BASE, "scale_ulp": _BASE}
    outputs = [param["type"] for param in kernel["params"] if param["role"] == "output"]
    # Narrow outputs are rounded from sums in f32: the last rounding hides the error of the sum.
    if not any(text.startswith(("f32", "f64")) for text in outputs):
        return {"ulp": _BASE, "scale_ulp": _BASE}
    return {"ulp": _BASE, "scale_ulp": _BASE + _PER_TERM * longest}
