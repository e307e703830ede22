"""Writes expressions of element-wise operations."""

from __future__ import annotations

from typing import Any

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter

PREDICATES = {"eq", "ne", "lt", "le", "gt", "ge", "is_finite"}


def together(conv: Converter, *values: Value) -> list[Value]:
    """Scalars made as large as the arrays beside them."""
    shape = max((value.shape for value in values), key=len)
    return [conv.builder.broadcast(value, shape) for value in values]


class Lanes:
    """`lanes("add", a, 1)` appends the operation; numbers have the dtype and shape of the first value."""

    def __init__(self, conv: Converter) -> None:
        self.conv = conv

    def __call__(self, op: str, *operands: Value | float, **attrs: Any) -> Value:
        first = next(one for one in operands if isinstance(one, Value))
        values = together(self.conv, *(self.number(one, first) for one in operands))
        dtype = "bool" if op in PREDICATES else values[0].dtype
        return self.conv.builder.emit1(op, values, (dtype, values[0].shape), **attrs)

    def number(self, value: Value | float, like: Value) -> Value:
        """A number as a value of the dtype and shape of `like`; a value is given back."""
        if isinstance(value, Value):
            return value
        return self.conv.builder.broadcast(self.conv.builder.constant(value, like.dtype), like.shape)

    def select(self, which: Value, yes: Value | float, no: Value | float) -> Value:
        """Raises StopIteration if both are numbers: they have no dtype."""
        like = next(one for one in (yes, no) if isinstance(one, Value))
        which, yes, no = together(self.conv, which, self.number(yes, like), self.number(no, like))
        return self.conv.builder.emit1("select", [which, no, yes], yes.type)

    def convert(self, value: Value, dtype: str, **attrs: Any) -> Value:
        if value.dtype == dtype:
            return value
        return self.conv.builder.emit1("convert", [value], (dtype, value.shape), **attrs)

    def bitcast(self, value: Value, dtype: str) -> Value:
        if value.dtype == dtype:
            return value
        return self.conv.builder.emit1("bitcast", [value], (dtype, value.shape))

    def unsigned(self, value: Value) -> Value:
        """The same bits as an unsigned integer; a bool is given back."""
        return value if value.dtype == "bool" else self.bitcast(value, f"u{dtypes.bits(value.dtype)}")

    def signed(self, value: Value) -> Value:
        """The same bits as a signed integer; a bool is given back."""
        return value if value.dtype == "bool" else self.bitcast(value, f"i{dtypes.bits(value.dtype)}")

    def is_nan(self, value: Value) -> Value:
        return self("ne", value, value)

    def with_sign(self, size: Value, sign: Value) -> Value:
        """`size` with the sign of `sign`, by their bits."""
        size, sign = together(self.conv, size, sign)
        top = 1 << (dtypes.bits(size.dtype) - 1)
        bits = self("or", self("and", self.unsigned(size), top - 1), self("and", self.unsigned(sign), top))
        return self.bitcast(bits, size.dtype)

    def truncated(self, value: Value) -> Value:
        """A float without its fraction."""
        return self.select(self("lt", value, 0), self("ceil", value), self("floor", value))
