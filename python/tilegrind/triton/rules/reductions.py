"""Reductions and scans with any combine function.

The function is on elements; converted on arrays it combines halves, so that a reduction takes a tree of them: element i with
element i + n/2, as the library of Triton does on a device.  Which tree it is, is open in Triton."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..ttir.syntax import Block, Function, Op
from .shapes import part

# What a combine function does if it is one operation on both of its arguments: our reduction with the same tree.
ALONE = {"arith.addf": "reduce_sum", "arith.addi": "reduce_sum", "arith.mulf": "reduce_prod", "arith.muli": "reduce_prod",
         "arith.maxnumf": "reduce_max", "arith.maxsi": "reduce_max", "arith.minnumf": "reduce_min", "arith.minsi": "reduce_min",
         "arith.andi": "reduce_and", "arith.ori": "reduce_or", "arith.xori": "reduce_xor"}


@rule("tt.reduce")
def _reduce(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    values, axis = conv.numbers(operands), op.attributes["axis"]
    shape = tuple(extent for dim, extent in enumerate(values[0].shape) if dim != axis)
    alone = _only_op(conv, op.regions[0])
    if alone in ALONE and values[0].dtype != "bool":
        return [conv.builder.emit1(ALONE[alone], values, (values[0].dtype, shape), axes=[axis])]
    while values[0].shape[axis] > 1:
        half = values[0].shape[axis] // 2
        sides = [[part(conv, value, axis, start, half) for value in values] for start in (0, half)]
        values = combine(conv, op, sides[0], sides[1])
    return [conv.builder.reshape(value, shape) for value in values]


@rule("tt.scan")
def _scan(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    """Doubles the distance at each step: element i is combined with the one before at i - 1, then i - 2, i - 4 ..."""
    values, axis = conv.numbers(operands), op.attributes["axis"]
    is_reverse = op.attributes.get("reverse", False)
    size, distance = values[0].shape[axis], 1
    while distance < size:
        rest = size - distance
        ahead = (distance, 0) if is_reverse else (0, distance)  # where the earlier and the later ones begin
        earlier, later = ([part(conv, value, axis, start, rest) for value in values] for start in ahead)
        combined = combine(conv, op, earlier, later)
        kept = rest if is_reverse else 0
        values = [_beside(conv, part(conv, value, axis, kept, distance), new, axis, is_reverse) for value, new in zip(values, combined)]
        distance *= 2
    return values


def _beside(conv: Converter, kept: Value, new: Value, axis: int, is_reverse: bool) -> Value:
    sides = [new, kept] if is_reverse else [kept, new]
    shape = list(new.shape)
    shape[axis] += kept.shape[axis]
    return conv.builder.emit1("concatenate", sides, (new.dtype, tuple(shape)), axis=axis)


def combine(conv: Converter, op: Op, earlier: list[Value], later: list[Value]) -> list[Value]:
    """The combine function on arrays."""
    last, results = conv.region(op.regions[0], [*earlier, *later])
    if last.name not in ("tt.reduce.return", "tt.scan.return"):
        raise Unsupported("its combine function does not end")
    return conv.numbers(results)


def _only_op(conv: Converter, region: list[Block]) -> str | None:
    """The name of the operation that the combine function is, through the function that it calls."""
    if len(region) != 1 or len(region[0].arguments) != 2:
        return None
    return _only(conv, region[0], [one.name for one in region[0].arguments])


def _only(conv: Converter, block: Block, arguments: list[str]) -> str | None:
    if len(block.ops) != 2:
        return None
    op, last = block.ops
    if sorted(op.operands) != sorted(arguments) or last.operands != list(op.results):
        return None
    if op.name != "tt.call":
        return op.name
    function: Function = conv.module.functions[op.words[0]]
    return _only(conv, function.blocks[0], [one.name for one in function.arguments])
