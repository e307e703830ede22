"""Kinds about loops and what they accumulate: steps and terms left out or repeated, and how a sum begins."""

from __future__ import annotations

from typing import Iterator

from .editing import Builder, after, at_end, at_start, before, redirect, remove
from .ir import Kernel, Op, Type
from .patterns import Accumulator, Patterns, accumulators, carry_axes, summed_dimension
from .registry import Site, at, kind


def _induction(k: Kernel, loop: Op, carry: int) -> tuple[int, Op, int] | None:
    """(argument, op that adds the step, step) of a carry that is an integer scalar and grows by a constant in each step."""
    body = loop.regions[-1]
    argument = body["args"][carry + (loop.name == "for")]["id"]
    add = k.op(body["yield"][carry])
    if k.type(argument).shape or not k.type(argument).is_int or add is None or add.name != "add" or argument not in add.ins:
        return None
    step = Patterns(k).number(add.ins[1 - add.ins.index(argument)])
    return (argument, add, step) if step is not None and step > 0 else None


def _counter(k: Kernel, loop: Op) -> tuple[int, Op] | None:
    """(number of the carry, comparison) of a `while` that goes on while a growing carry is below a bound."""
    condition = loop.regions[0]
    compare = k.op(condition.get("yield", [None])[0]) if condition.get("yield") else None
    arguments = [arg["id"] for arg in condition.get("args", ())]
    if compare is None or compare.name not in ("lt", "le") or compare.ins[0] not in arguments:
        return None
    carry = arguments.index(compare.ins[0])
    return (carry, compare) if _induction(k, loop, carry) is not None else None


def _runs(p: Patterns, loop: Op) -> bool:
    """Whether a `for` may run at all."""
    lower, upper = p.ranges.of(loop.ins[0]), p.ranges.of(loop.ins[1])
    return lower[0] < upper[1]


@kind("last-step-dropped")
def last_step_dropped(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("for"):
        if _runs(p, op):
            yield at(p, op, _shorten_for)
    for op in p.kernel.in_body("while"):
        if _counter(p.kernel, op) is not None:
            yield at(p, op, _shorten_while)
    yield from _in_grid(p, _skip_last)


def _shorten_for(k: Kernel, op: Op) -> None:
    op.ins[1] = before(k, op).two("sub", op.ins[1], op.ins[2])


def _shorten_while(k: Kernel, op: Op) -> None:
    carry, compare = _counter(k, op)
    _, _, step = _induction(k, op, carry)
    compare.ins[1] = before(k, compare).with_number("sub", compare.ins[1], step)


def _in_grid(p: Patterns, edit) -> Iterator[Site]:
    """A site for each sum in memory that grows along an axis of the grid."""
    axes = carry_axes(p)
    for found in accumulators(p) if axes else ():
        if found.memory is not None:
            def change(k: Kernel, op: Op, own: int = found.own) -> None:
                edit(k, op, own, axes[-1])

            yield at(p, found.add, change, f"axis {axes[-1]} of the grid")


def _at_program(builder: Builder, axis: int, index: int) -> int:
    program = builder.emit("program_id", (), Type("i32"), axis=axis)
    return builder.compare("eq", program, builder.constant(index, Type("i32")))


def _skip_last(k: Kernel, op: Op, own: int, axis: int) -> None:
    builder = after(k, op)
    chosen = builder.choose(_at_program(builder, axis, k.grid[axis]["size"] - 1), op.ins[own], op.out)
    redirect(k, op.out, chosen, builder.made)


def _repeat_first(k: Kernel, op: Op, own: int, axis: int) -> None:
    builder = after(k, op)
    twice = builder.two("add", op.out, op.ins[1 - own])
    redirect(k, op.out, builder.choose(_at_program(builder, axis, 0), twice, op.out), builder.made)


@kind("first-step-twice")
def first_step_twice(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("for"):
        if _runs(p, op) and _carries_sum(p, op):
            yield at(p, op, _repeat_for)
    for op in p.kernel.in_body("while"):
        if _counter(p.kernel, op) is not None and _carries_sum(p, op):
            yield at(p, op, _repeat_while)
    yield from _in_grid(p, _repeat_first)


def _carries_sum(p: Patterns, loop: Op) -> bool:
    """Whether a loop has more than counters: repeating a step that only stores changes nothing."""
    first = loop.name == "for"
    carries = len(loop.ins) - (3 if first else 0)
    if any(_induction(p.kernel, loop, i) is None and not _unchanged(loop, i) for i in range(carries)):
        return True
    return any(found.memory is not None and found.add.region is loop.regions[-1] for found in accumulators(p))


def _unchanged(loop: Op, carry: int) -> bool:
    body = loop.regions[-1]
    return body["yield"][carry] == body["args"][carry + (loop.name == "for")]["id"]


def _repeat_for(k: Kernel, op: Op) -> None:
    lower, body = op.ins[0], op.regions[0]
    op.ins[0] = before(k, op).two("sub", lower, op.ins[2])
    counter = body["args"][0]["id"]
    start = at_start(k, body)
    redirect(k, counter, start.two("max", counter, lower), start.made)
    _hold_back(k, op, counter, lower, range(len(op.ins) - 3))


def _repeat_while(k: Kernel, op: Op) -> None:
    carry, _ = _counter(k, op)
    argument, add, step = _induction(k, op, carry)
    first, body = op.ins[carry], op.regions[1]
    op.ins[carry] = before(k, op).with_number("sub", first, step)
    start = at_start(k, body)
    held = start.two("max", argument, first)
    redirect(k, argument, held, [*start.made, add.data])
    _hold_back(k, op, argument, first, [i for i in range(len(op.ins)) if i != carry])


def _hold_back(k: Kernel, loop: Op, counter: int, first: int, carries) -> None:
    """Lets the other counters of a loop stay as they are in the step that is taken once more."""
    body = loop.regions[-1]
    end = at_end(k, body)
    for carry in carries:
        if (found := _induction(k, loop, carry)) is not None:
            repeated = end.compare("lt", counter, first)
            body["yield"][carry] = end.choose(repeated, found[0], body["yield"][carry])


@kind("term-dropped")
def term_dropped(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("reduce_sum", "dot_general"):
        if p.is_data(op) and summed_dimension(p.kernel, op) is not None:
            yield at(p, op, _drop_term)


def _drop_term(k: Kernel, op: Op) -> None:
    builder, kind_of = before(k, op), k.type(op.ins[0])
    first = builder.is_index(kind_of.shape, summed_dimension(k, op), 0)
    op.ins[0] = builder.choose(first, builder.constant(0, kind_of), op.ins[0])


def _initial_stores(p: Patterns, found: Accumulator) -> Iterator[Op]:
    """The stores before a sum in memory grows that give it its first value."""
    loads = [op for op in p.kernel.in_body("load") if p.kernel.ref_root(op.ins[0]) == found.memory]
    for op in p.kernel.in_body("store"):
        if p.kernel.ref_root(op.ins[0]) == found.memory and op.number < found.add.number:
            source = p.kernel.op(p.source(op.ins[1]))
            if source is None or source.name == "constant" or not any(source is load for load in loads):
                yield op


@kind("accumulator-uninitialised")
def accumulator_uninitialised(p: Patterns) -> Iterator[Site]:
    seen = set()
    for found in accumulators(p):
        if found.initial is not None:
            if p.number(found.initial) is not None:
                yield at(p, found.add, _undefine_initial)
            continue
        for op in _initial_stores(p, found):
            if op.number not in seen:
                seen.add(op.number)
                yield at(p, op, lambda k, store: remove(store))


def _undefine_initial(k: Kernel, op: Op) -> None:
    loop, carry = _initial_operand(k, op)
    loop.ins[carry] = before(k, loop).emit("undefined", (), k.type(loop.ins[carry]))


@kind("initial-value-twice")
def initial_value_twice(p: Patterns) -> Iterator[Site]:
    for found in accumulators(p):
        if found.initial is not None:
            if _counts(p, found.initial):
                yield at(p, found.add, _double_initial)
            continue
        for op in _initial_stores(p, found):
            if _counts(p, op.ins[1]):
                yield at(p, op, _double_stored)


def _counts(p: Patterns, initial: int) -> bool:
    """Whether twice an initial value is another value."""
    number = p.number(initial)
    return number is None or 2 * number != number


def _double_initial(k: Kernel, op: Op) -> None:
    loop, carry = _initial_operand(k, op)
    loop.ins[carry] = before(k, loop).two("add", loop.ins[carry], loop.ins[carry])


def _initial_operand(k: Kernel, op: Op) -> tuple[Op, int]:
    """(loop, operand) that is the initial value of the sum that an `add` of the loop's body lets grow."""
    found = next(a for a in accumulators(Patterns(k)) if a.add is op)
    return op.owner, op.owner.ins.index(found.initial, 3 if op.owner.name == "for" else 0)


def _double_stored(k: Kernel, op: Op) -> None:
    op.ins[1] = before(k, op).two("add", op.ins[1], op.ins[1])
