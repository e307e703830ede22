"""Kinds about masks: comparisons of positions that are one off, masks that are always true, values of masked lanes."""

from __future__ import annotations

import functools
import math
from typing import Iterator

from .editing import before, redirect
from .intervals import meet
from .ir import Kernel, Op, Type
from .patterns import Patterns, mask_index
from .registry import Site, at, kind

_STRICTNESS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
_SHIFTED_OPERAND = {"lt": 0, "le": 1, "gt": 1, "ge": 0}  # one more there moves the other way than _STRICTNESS


@kind("mask-strictness")
def mask_strictness(p: Patterns) -> Iterator[Site]:
    for op in p.mask_comparisons():
        if meet(*(p.ranges.of(i) for i in op.ins)) and not _only_clips(p, op):
            yield at(p, op, _flip_strictness)


def _only_clips(p: Patterns, op: Op) -> bool:
    """Whether all that a mask leaves out is outside the memory, and nothing that is loaded there is stored inside."""
    users = [use.op for use in p.kernel.uses.get(op.out, ()) if use.region is None]
    return all(user.name in ("load", "store") and mask_index(user) is not None and user.ins[mask_index(user)] == op.out
               and (_clips(p, user) if user.name == "store" else _lanes_are_unused(p, user)) for user in users)


def _lanes_are_unused(p: Patterns, op: Op) -> bool:
    """Whether nothing uses what a load gives where its mask is false."""
    return p.used_only_under(op.out, op.ins[mask_index(op)])


def _flip_strictness(k: Kernel, op: Op) -> None:
    op.data["op"] = _STRICTNESS[op.name]


@kind("mask-shifted")
def mask_shifted(p: Patterns) -> Iterator[Site]:
    for op in p.mask_comparisons():
        if p.lanes.issuperset(op.ins):
            yield at(p, op, _shift)


def _shift(k: Kernel, op: Op) -> None:
    which = _SHIFTED_OPERAND[op.name]
    op.ins[which] = before(k, op).with_number("add", op.ins[which], 1)


def masking_selects(p: Patterns) -> Iterator[Op]:
    """Selects of data by a mask: a condition that compares positions and is not the same everywhere."""
    for op in p.kernel.in_body("select"):
        if p.is_data(op) and len(op.ins) == 3 and op.ins[0] in p.lane_conditions and not p.ranges.decided(op.ins[0]):
            yield op


@kind("mask-all-true")
def mask_all_true(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("load", "store", "swap", "atomic_rmw"):
        if mask_index(op) is not None and not p.ranges.decided(op.ins[mask_index(op)]):
            if not (_lanes_are_unused(p, op) if op.name == "load" else _clips(p, op)):
                yield at(p, op, _set_mask)
    for op in masking_selects(p):
        live = live_case(p, op)
        if _masked_before(p, op, live):
            continue

        def edit(k: Kernel, select: Op, live: int = live) -> None:
            redirect(k, select.out, select.ins[live])

        yield at(p, op, edit)


def _clips(p: Patterns, op: Op) -> bool:
    """Whether the mask of a store leaves out no more than what is outside the memory, where stores have no effect."""
    compare = p.kernel.op(p.origin(op.ins[mask_index(op)]))
    if compare is None or compare.name != "lt":
        return False
    positions, extents = p.origin(compare.ins[0]), p.kernel.type(op.ins[0]).shape
    operands = iter(op.ins[2:])
    for extent, entry in zip(extents, op.data["index"]):
        start = next(operands) if entry[0] == "at" or entry[1] is None else None
        if p.number(compare.ins[1]) != extent:
            continue
        if entry[0] == "at":
            if p.same(start, positions):
                return True
        elif (entry[1] if start is None else p.number(start)) == 0 and _is_iota(p, positions):
            return p.kernel.type(positions).shape == (entry[2],)
    return False


def _is_iota(p: Patterns, value: int) -> bool:
    op = p.kernel.op(value)
    return op is not None and op.name == "iota"


def _masked_before(p: Patterns, op: Op, live: int) -> bool:
    """Whether a select gives masked lanes what the load of the others has given them already."""
    load = p.kernel.op(op.ins[live])
    if load is None or load.name != "load" or not load.data.get("other"):
        return False
    same_mask = p.same(load.ins[mask_index(load)], op.ins[0])
    other, number = p.number(load.ins[-1]), p.number(op.ins[3 - live])
    return live == 2 and same_mask and other is not None and other == number


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


def _exchange_other(number: float, p: Patterns) -> Iterator[Site]:
    """Sites where lanes that do not count have another constant than this one."""
    def edit(k: Kernel, op: Op, which: int) -> None:
        op.ins[which] = before(k, op).constant(number, k.type(op.ins[which]))

    for op, which in _masked_values(p):
        was = p.number(op.ins[which])
        if was is not None and _differs(was, number, p.kernel.type(op.ins[which])):
            yield at(p, op, functools.partial(edit, which=which))


def _masked_values(p: Patterns) -> Iterator[tuple[Op, int]]:
    """(op, operand) that gives lanes their value where the mask is false."""
    for op in p.kernel.in_body("load"):
        if op.data.get("other") and not p.ranges.decided(op.ins[mask_index(op)]) and not _lanes_are_unused(p, op):
            yield op, len(op.ins) - 1
    for op in masking_selects(p):
        yield op, 3 - live_case(p, op)


def _differs(was: float, number: float, kind_of: Type) -> bool:
    if kind_of.kind == "bool" or (math.isinf(number) and not kind_of.is_float):
        return False
    huge = math.isinf(number) and was < -1e30  # a finite stand-in for -inf
    return was != number and not huge


for _name, _number in (("other-zero", 0.0), ("other-one", 1.0), ("other-minus-inf", -math.inf)):
    kind(_name)(functools.partial(_exchange_other, _number))
