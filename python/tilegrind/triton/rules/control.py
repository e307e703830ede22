"""The grid, calls, loops and conditions."""

from __future__ import annotations

from typing import Any, Callable

from ...ir.builder import Value
from ..lowering.calls import branch, call
from ..lowering.carries import as_carried, carried, check_same_memory, settled
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import Meaning
from ..ttir.syntax import Op

AXES = "xyz"


@rule("tt.get_program_id")
def _program_id(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """x is the fastest axis of Triton, and the last one of a grid the fastest of ours."""
    return conv.builder.emit1("program_id", [], ("i32", ()), axis=2 - AXES.index(op.words[0]))


@rule("tt.get_num_programs")
def _num_programs(conv: Converter, op: Op, operands: list[Any]) -> Value:
    return conv.builder.emit1("num_programs", [], ("i32", ()), axis=2 - AXES.index(op.words[0]))


@rule("tt.call")
def _call(conv: Converter, op: Op, operands: list[Any]) -> list[Meaning]:
    function = conv.module.functions.get(op.words[0])
    if function is None:
        raise Unsupported(f"the function {op.words[0]} is not in the module")
    return call(conv, function, operands, op.location)


@rule("ttg.barrier", "gpu.barrier", "tt.grid_dependency_wait", "tt.grid_dependency_launch_dependents")
def _nothing(conv: Converter, op: Op, operands: list[Any]) -> None:
    """Nothing that a program sees in one thread, and that launches see which follow one another."""


# ---- loops ----


@rule("scf.for")
def _for(conv: Converter, op: Op, operands: list[Any]) -> list[Meaning]:
    return settled(lambda moving: _counted(conv, op, conv.numbers(operands[:3]), operands[3:], moving))


def _counted(conv: Converter, op: Op, bounds: list[Value], first: list[Meaning], moving: frozenset[int]) -> list[Meaning]:
    dtype = bounds[0].dtype
    if op.attributes.get("unsigned"):
        bounds = [_as_positive(conv, one) for one in bounds]
    values = carried(conv, first, moving)
    arguments = [conv.builder.value(*one.type) for one in (bounds[0], *values)]
    with conv.builder.region(arguments) as region:
        counter = conv.builder.convert(arguments[0], dtype)
        _, yielded = conv.region(op.regions[0], [counter, *as_carried(conv, arguments[1:], first, moving)])
        check_same_memory(first, yielded, moving)
        region.yields = carried(conv, yielded, moving)
    results = conv.builder.emit("for", [*bounds, *values], [one.type for one in values], [region])
    return as_carried(conv, results, first, moving)


def _as_positive(conv: Converter, bound: Value) -> Value:
    """An unsigned number of 32 bits at most as an i64."""
    if bound.dtype == "i64":
        raise Unsupported("unsigned counters of 64 bits are not supported")
    return conv.builder.convert(conv.builder.bitcast(bound, f"u{bound.dtype[1:]}"), "i64")


@rule("scf.while")
def _while(conv: Converter, op: Op, operands: list[Any]) -> list[Meaning]:
    """The condition comes first and passes on what the body gets; so it is appended before the loop, and at the end of the body."""
    return settled(lambda moving: _conditional(conv, op, operands, moving))


def _conditional(conv: Converter, op: Op, operands: list[Any], moving: frozenset[int]) -> list[Meaning]:
    before, after = op.regions
    last, (condition, *passed) = conv.region(before, operands)
    if last.name != "scf.condition":
        raise Unsupported("its first region does not end with a condition")
    values = [condition, *carried(conv, passed, moving)]
    arguments = [conv.builder.value(*one.type) for one in values]
    with conv.builder.region(arguments) as test:
        test.yields = arguments[:1]
    arguments = [conv.builder.value(*one.type) for one in values]
    with conv.builder.region(arguments) as body:
        _, yielded = conv.region(after, as_carried(conv, arguments[1:], passed, moving))
        _, (condition, *again) = conv.region(before, yielded)
        check_same_memory(passed, again, moving)
        body.yields = [condition, *carried(conv, again, moving)]
    results = conv.builder.emit("while", values, [one.type for one in values], [test, body])
    return as_carried(conv, results[1:], passed, moving)


# ---- conditions ----


@rule("scf.if")
def _if(conv: Converter, op: Op, operands: list[Any]) -> list[Meaning]:
    (condition,) = conv.numbers(operands)

    def side(number: int) -> Callable[[], list[Meaning]]:
        if number >= len(op.regions):
            return list
        return lambda: conv.region(op.regions[number])[1]

    return branch(conv, condition, side(0), side(1))
