"""Changes to a kernel's JSON: new ops beside an old one, and uses of a value that become uses of another."""

from __future__ import annotations

import math
from typing import Any, Iterable

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .ir import DTYPE, Kernel, Op, Type

_NAMES = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def read_number(data: Any) -> float | int | None:
    """An element as docs/ir.md writes it; None for floats that are given as bits, which are NaN."""
    if not isinstance(data, str):
        return data
    if data in _NAMES:
        return _NAMES[data]
    if data.startswith("bits:"):
        return None
    return float.fromhex(data) if "0x" in data else int(data)


def in_dtype(number: float, dtype: str) -> float:
    """The float of this dtype that is nearest to a number."""
    return float(np.asarray(number, np.float64).astype(np.dtype(DTYPE[dtype].numpy)))


def written(number: float | int | bool, dtype: str) -> Any:
    """A number as an element of this dtype in JSON; floats are rounded to the dtype."""
    if DTYPE[dtype].kind == "bool":
        return bool(number)
    if DTYPE[dtype].kind != "float":
        return int(number)
    rounded = in_dtype(number, dtype)
    if math.isnan(rounded):
        return "nan"
    return rounded.hex() if math.isfinite(rounded) else ("inf" if rounded > 0 else "-inf")


class Builder:
    """Inserts ops into a region, one after the other, from a position on.  `made` has the new ops."""

    def __init__(self, kernel: Kernel, region: dict[str, Any], position: int, loc: int | None = None):
        self.kernel, self.region, self.position, self.loc = kernel, region, position, loc
        self.made: list[dict[str, Any]] = []

    def emit(self, name: str, ins: Iterable[int], result: Type, **attributes: Any) -> int:
        """A new op with one result; returns the id of the result."""
        out = fresh(self.kernel, result)
        self.insert({"op": name, "in": list(ins), "out": [{"id": out, "type": str(result)}], **attributes})
        return out

    def insert(self, data: dict[str, Any]) -> None:
        """A new op, given as JSON."""
        if self.loc is not None:
            data.setdefault("loc", self.loc)
        self.region.setdefault("ops", []).insert(self.position, data)
        self.position += 1
        self.made.append(data)

    def type(self, value: int) -> Type:
        return self.kernel.type(value)

    def constant(self, number: float | int | bool, result: Type) -> int:
        return self.emit("constant", (), result, value=written(number, result.dtype))

    def one(self, name: str, value: int, **attributes: Any) -> int:
        """An op of one operand whose result has its type."""
        return self.emit(name, [value], self.type(value), **attributes)

    def two(self, name: str, a: int, b: int) -> int:
        """An op of two operands of the same type whose result has that type."""
        return self.emit(name, [a, b], self.type(a))

    def compare(self, name: str, a: int, b: int) -> int:
        return self.emit(name, [a, b], self.type(a).of_dtype("bool"))

    def with_number(self, name: str, a: int, number: float) -> int:
        """An op of `a` and a constant of its type."""
        return self.two(name, a, self.constant(number, self.type(a)))

    def convert(self, value: int, dtype: str) -> int:
        return self.emit("convert", [value], self.type(value).of_dtype(dtype))

    def choose(self, condition: int, if_true: int, if_false: int) -> int:
        return self.emit("select", [condition, if_false, if_true], self.type(if_true))

    def spread(self, scalar: int, shape: tuple[int, ...]) -> int:
        """A scalar, repeated in every element of a shape."""
        if not shape:
            return scalar
        return self.emit("broadcast_in_dim", [scalar], Type(self.type(scalar).dtype, shape), dims=[])

    def is_index(self, shape: tuple[int, ...], axis: int, index: int) -> int:
        """Whether an element of an array of this shape has this index along an axis."""
        positions = self.emit("iota", (), Type("i32", shape), axis=axis)
        return self.compare("eq", positions, self.constant(index, Type("i32", shape)))


def before(kernel: Kernel, op: Op) -> Builder:
    return Builder(kernel, op.region, _position(op), op.data.get("loc"))


def after(kernel: Kernel, op: Op) -> Builder:
    return Builder(kernel, op.region, _position(op) + 1, op.data.get("loc"))


def at_end(kernel: Kernel, region: dict[str, Any]) -> Builder:
    return Builder(kernel, region, len(region.get("ops", ())))


def at_start(kernel: Kernel, region: dict[str, Any]) -> Builder:
    return Builder(kernel, region, 0)


def _position(op: Op) -> int:
    return next(i for i, data in enumerate(op.region["ops"]) if data is op.data)


def fresh(kernel: Kernel, result: Type) -> int:
    """An id that the kernel does not use yet, for a value of this type."""
    value = max(kernel.added or kernel.values, default=-1) + 1
    kernel.added[value] = result
    return value


def redirect(kernel: Kernel, old: int, new: int, keep: Iterable[dict[str, Any]] = ()) -> None:
    """Replaces all uses of `old` by `new`, except by the ops in `keep`."""
    kept = {id(data) for data in keep}
    for use in kernel.uses.get(old, ()):
        if use.region is not None:
            use.region["yield"][use.index] = new
        elif id(use.op.data) not in kept:
            use.op.data["in"][use.index] = new


def remove(op: Op) -> None:
    """Takes an op without results out of its region."""
    del op.region["ops"][_position(op)]
