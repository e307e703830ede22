"""Kinds about masks: comparisons of positions that are one off, masks that are always true, values of masked lanes."""

from __future__ import annotations

from typing import Iterator

from .editing import before, redirect
from .intervals import meet
from .ir import Kernel, Op
from .patterns import Patterns
from .registry import Site, at, kind

_STRICTNESS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
_SHIFTED_OPERAND = {"lt": 0, "le": 1, "gt": 1, "ge": 0}  # one more there moves the other way than _STRICTNESS


@kind("mask-strictness")
def mask_strictness(p: Patterns) -> Iterator[Site]:
    for op in p.mask_comparisons():
        if meet(*(p.ranges.of(i) for i in op.ins)):
            yield at(p, op, _flip_strictness)


def _flip_strictness(k: Kernel, op: Op) -> None:
    op.data["op"] = _STRICTNESS[op.name]


@kind("mask-shifted")
def mask_shifted(p: Patterns) -> Iterator[Site]:
    for op in p.mask_comparisons():
        if all(map(p.lanes, op.ins)):
            yield at(p, op, _shift)


def _shift(k: Kernel, op: Op) -> None:
    which = _SHIFTED_OPERAND[op.name]
    op.ins[which] = before(k, op).with_number("add", op.ins[which], 1)


def mask_index(op: Op) -> int | None:
    """Which operand of a memory op is its mask; None if it has none."""
    return len(op.ins) - 1 - bool(op.data.get("other")) if op.data.get("mask") else None


def masking_selects(p: Patterns) -> Iterator[Op]:
    """Selects of data by a mask: a condition that compares positions and is not the same everywhere."""
    for op in p.kernel.in_body("select"):
        if p.is_data(op) and len(op.ins) == 3 and not p.ranges.decided(op.ins[0]) and _compares_positions(p, op.ins[0]):
            yield op


def _compares_positions(p: Patterns, condition: int) -> bool:
    op = p.kernel.op(p.origin(condition))
    if op is None:
        return False
    if op.name in ("and", "or", "not", "xor"):
        return any(_compares_positions(p, i) for i in op.ins)
    return (op.name in ("eq", "ne", "lt", "le", "gt", "ge") and p.kernel.type(op.ins[0]).is_int
            and any(map(p.lanes, op.ins)))


@kind("mask-all-true")
def mask_all_true(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("load", "store", "swap", "atomic_rmw"):
        if mask_index(op) is not None and not p.ranges.decided(op.ins[mask_index(op)]):
            yield at(p, op, _set_mask)
    for op in masking_selects(p):
        live = live_case(p, op)

        def edit(k: Kernel, select: Op, live: int = live) -> None:
            redirect(k, select.out, select.ins[live])

        yield at(p, op, edit)


def _set_mask(k: Kernel, op: Op) -> None:
    which = mask_index(op)
    op.ins[which] = before(k, op).constant(True, k.type(op.ins[which]))


def live_case(p: Patterns, op: Op) -> int:
    """The operand of a masking select that has the elements which count: not the constant; of two, the one nearer to 0."""
    numbers = [p.number(i) for i in op.ins[1:]]
    if (numbers[0] is None) != (numbers[1] is None):
        return 1 + (numbers[0] is not None)
    if numbers[0] is not None and abs(numbers[0]) < abs(numbers[1]):
        return 1
    return 2
