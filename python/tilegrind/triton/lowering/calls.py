"""Calls of functions, and what branches inside them: conditions, and an early `return`, which branches over what is behind it.

Loops are operations, so no branch goes back, and a function is appended where it is called."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ...ir.builder import Region, Value
from ..ttir.locations import Location
from ..ttir.syntax import Block, Function, Op
from .carries import as_carried, carried, check_same_memory, settled
from .converter import Converter
from .errors import Unsupported
from .values import Meaning


def call(conv: Converter, function: Function, arguments: Sequence[Meaning], caller: Location | None = None) -> list[Meaning]:
    """Appends the body of a function; returns its results."""
    with conv.inside(function, caller):
        conv.define([one.name for one in function.arguments], arguments)
        return _blocks(conv, function.blocks, function.blocks[0])


def region(conv: Converter, blocks: list[Block], arguments: Sequence[Meaning]) -> list[Meaning]:
    """Appends a region that may branch, as a function does, with names of its own; returns what it gives."""
    with conv.names():
        return _blocks(conv, blocks, blocks[0], arguments)


def _blocks(conv: Converter, blocks: list[Block], first: Block, arguments: Sequence[Meaning] = ()) -> list[Meaning]:
    """Appends a block of a function and those that it branches to; returns what the function returns."""
    return _follow(conv, blocks, *conv.block(first, arguments))


def _follow(conv: Converter, blocks: list[Block], last: Op, operands: list[Any]) -> list[Meaning]:
    """Goes on behind the last operation of a block; returns what the function returns."""
    if last.name in ("tt.return", "tt.map_elementwise.return"):
        return operands
    if last.name == "cf.br":
        return _go(conv, blocks, last, 0)
    if last.name == "cf.cond_br":
        return branch(conv, conv.numbers(operands)[0], lambda: _go(conv, blocks, last, 0), lambda: _go(conv, blocks, last, 1))
    raise Unsupported(f"a block that ends with {last.name}")


def _go(conv: Converter, blocks: list[Block], last: Op, number: int) -> list[Meaning]:
    label, names = last.successors[number]
    target = next((block for block in blocks if block.label == label), None)
    if target is None:
        raise Unsupported(f"there is no block {label}")
    return _blocks(conv, blocks, target, [conv.meaning(name) for name in names])


def branch(conv: Converter, condition: Value, yes: Callable[[], list[Meaning]], no: Callable[[], list[Meaning]]) -> list[Meaning]:
    """What `yes` or `no` gives, as the condition says; each appends the operations of its side."""
    return settled(lambda moving: _branch(conv, condition, (no, yes), moving))


def _branch(conv: Converter, condition: Value, both: Sequence[Callable[[], list[Meaning]]], moving: frozenset[int]) -> list[Meaning]:
    sides: list[Region] = []
    meanings: list[list[Meaning]] = []
    for appended in both:
        with conv.builder.region() as region:
            found = appended()
            region.yields = carried(conv, found, moving)
        sides.append(region)
        meanings.append(found)
    check_same_memory(*meanings, moving)
    types = [value.type for value in sides[0].yields]
    return as_carried(conv, conv.builder.emit("switch", [condition], types, sides), meanings[0], moving)
