"""Conditions that a kernel must keep."""

from __future__ import annotations

import math
from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.values import dims_of
from ..ttir.syntax import Op


@rule("tt.assert")
def _assert(conv: Converter, op: Op, operands: list[Any]) -> None:
    check_all(conv, conv.numbers(operands)[0], dims_of(op.inputs[0]), literal(op.words[0] if op.words else "assertion"))


@rule("llvm.intr.assume")
def _assume(conv: Converter, op: Op, operands: list[Any]) -> None:
    """A compiler takes it for granted; the finding says where it does not hold."""
    check_all(conv, conv.numbers(operands)[0], (), "what tl.assume promises does not hold")


def literal(text: str) -> str:
    """A format that gives the text."""
    return text.replace("{", "{{").replace("}", "}}")


def check_all(conv: Converter, condition: Value, dims: tuple[int, ...], text: str) -> None:
    """A finding where the condition is false somewhere, with the format `text` and the first such element of a tensor of `dims`."""
    if not dims:
        conv.builder.emit("check", [condition], format=text)
        return
    flat = conv.builder.reshape(condition, (math.prod(dims),))
    holds = conv.builder.emit1("reduce_and", [flat], ("bool", ()), axes=[0])
    first = conv.builder.emit1("argmin", [conv.builder.convert(flat, "i32")], ("i32", ()), axis=0)
    index = ", ".join("{}" for _ in dims)
    conv.builder.emit("check", [holds, *coordinates(conv, first, dims)], format=f"{text}: first at element ({index})")


def coordinates(conv: Converter, number: Value, dims: tuple[int, ...]) -> list[Value]:
    """The index of the element whose row-major number it is."""
    found = []
    for dim, extent in enumerate(dims):
        behind = conv.builder.emit1("div", [number, conv.builder.i32(math.prod(dims[dim + 1:]))], ("i32", ()))
        found.append(conv.builder.emit1("rem", [behind, conv.builder.i32(extent)], ("i32", ())))
    return found
