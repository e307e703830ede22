"""Ranges of the integers and bools of a kernel, to tell whether a mask can be false or an index reach its end.

A bool is 0 or 1.  A value of which nothing is known has the range (-inf, inf).  Wrapping is not considered: a kernel whose
indices wrap has other problems.
"""

from __future__ import annotations

import math

from .editing import read_number
from .ir import Kernel, Op

Range = tuple[float, float]

ANY: Range = (-math.inf, math.inf)
_SAME = {"broadcast_in_dim", "reshape", "transpose", "tile", "slice", "rev", "assume_multiple", "convert"}


class Ranges:
    """The ranges of a kernel's values, computed when asked for."""

    def __init__(self, kernel: Kernel):
        self._kernel, self._known = kernel, {}

    def of(self, value: int) -> Range:
        """The least and the greatest number that elements of a value may be."""
        if not self._known:  # operands first, so that no chain of ops, however long, needs deep recursion
            for op in self._kernel.ops:
                for out in op.outs:
                    self._range(out)
        return self._range(value)

    def _range(self, value: int) -> Range:
        if value not in self._known:
            self._known[value] = ANY  # of a carry, while it is being computed
            self._known[value] = self._compute(value)
        return self._known[value]

    def decided(self, value: int) -> bool:
        """Whether all elements are the same, known number."""
        low, high = self.of(value)
        return low == high

    def _compute(self, value: int) -> Range:
        found = self._kernel.values[value]
        if found.region is not None:
            return self._argument(found)
        if not (found.type.is_int or found.type.kind == "bool"):
            return ANY
        op = found.op
        limits = (0.0, 1.0) if found.type.kind == "bool" else ANY
        rule = _RULES.get(op.name)
        result = rule(*(self._range(i) for i in op.ins)) if rule else self._other(op)
        return max(result[0], limits[0]), min(result[1], limits[1])

    def _argument(self, found) -> Range:
        if found.op is None:  # of an index map: the indices of the program
            sizes = [axis["size"] for axis in self._kernel.grid]
            if found.region is not self._kernel.body and found.index < len(sizes):
                return _below(sizes[found.index])
        elif found.op.name == "for" and found.index == 0:
            lower, upper = self._range(found.op.ins[0]), self._range(found.op.ins[1])
            return lower[0], max(upper[1] - 1, lower[0])
        elif found.op.name == "for":
            return self._induction(found)
        return ANY

    def _induction(self, found) -> Range:
        """Of a carry that grows by a constant in each step of a `for`."""
        step = self._kernel.op(found.region["yield"][found.index - 1])
        own = found.region["args"][found.index]["id"]
        if step is None or step.name != "add" or own not in step.ins:
            return ANY
        other = step.ins[1 - step.ins.index(own)]
        grows, start = self._range(other), self._range(found.op.ins[found.index + 2])
        lower, upper, by = (self._range(i) for i in found.op.ins[:3])
        if grows[0] < 0 or by[0] <= 0 or not math.isfinite(upper[1] - lower[0]):
            return ANY
        steps = max(math.ceil((upper[1] - lower[0]) / by[0]) - 1, 0)
        return start[0], start[1] + steps * grows[1]

    def _other(self, op: Op) -> Range:
        if op.name == "constant":
            return _of_constant(op)
        if op.name == "iota":
            return 0.0, op.type.shape[op.data["axis"]] - 1.0
        if op.name == "program_id":
            return _below(self._kernel.grid[op.data["axis"]]["size"])
        if op.name == "num_programs":
            size = self._kernel.grid[op.data["axis"]]["size"]
            return (1.0, math.inf) if size == "dynamic" else (size, size)
        if op.name == "select":
            cases = [self._range(i) for i in op.ins[1:]]
            return min(c[0] for c in cases), max(c[1] for c in cases)
        return ANY


def _below(size) -> Range:
    return (0.0, math.inf) if size == "dynamic" else (0.0, size - 1.0)


def _of_constant(op: Op) -> Range:
    data = op.data["value"]
    numbers = [read_number(item) for item in (data if isinstance(data, list) else [data])]
    return (float(min(numbers)), float(max(numbers))) if numbers else ANY


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _product(a: Range, b: Range) -> Range:
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _quotient(a: Range, b: Range) -> Range:
    if b[0] <= 0 or not math.isfinite(b[0]):
        return ANY
    corners = [x if math.isinf(x) else (0.0 if math.isinf(y) else float(math.trunc(x / y))) for x in a for y in b]
    return min(corners), max(corners)


def _remainder(a: Range, b: Range) -> Range:
    if b[0] <= 0:
        return ANY
    most = min(b[1] - 1, max(abs(a[0]), abs(a[1])))
    return (0.0 if a[0] >= 0 else -most), (0.0 if a[1] <= 0 else most)


def less(a: Range, b: Range) -> Range:
    """Of a < b."""
    return float(a[1] < b[0]), float(a[0] < b[1])


def less_or_equal(a: Range, b: Range) -> Range:
    """Of a <= b."""
    return float(a[1] <= b[0]), float(a[0] <= b[1])


def meet(a: Range, b: Range) -> bool:
    """Whether an element of a may equal one of b."""
    return a[0] <= b[1] and b[0] <= a[1]


def _equal(a: Range, b: Range) -> Range:
    return float(a == b and a[0] == a[1]), float(meet(a, b))


def _not(a: Range) -> Range:
    return (1 - a[1], 1 - a[0]) if 0 <= a[0] and a[1] <= 1 else ANY


_RULES = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _product,
    "div": _quotient,
    "rem": _remainder,
    "neg": lambda a: (-a[1], -a[0]),
    "not": _not,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "and": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])) if max(a[1], b[1]) <= 1 and min(a[0], b[0]) >= 0 else ANY,
    "or": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])) if max(a[1], b[1]) <= 1 and min(a[0], b[0]) >= 0 else ANY,
    "lt": less,
    "le": less_or_equal,
    "gt": lambda a, b: less(b, a),
    "ge": lambda a, b: less_or_equal(b, a),
    "eq": _equal,
    "ne": lambda a, b: _not(_equal(a, b)),
    **{name: (lambda a: a) for name in _SAME},
}
