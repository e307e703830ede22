"""Reductions with any combine function.

The function is on elements; converted on arrays it combines halves, so that a reduction takes a tree of them: element i with
element i + n/2, as the library of Triton does on a device.  Which tree it is, is open in Triton."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering import ranks
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import Meaning, dims_of, shape_of
from ..ttir.syntax import Block, Function, Op
from .elementwise import nan_of
from .elements import on_elements
from .shapes import part

# What a combine function does if it is one operation on both of its arguments: our reduction with the same tree.
ALONE = {"arith.addf": "reduce_sum", "arith.addi": "reduce_sum", "arith.mulf": "reduce_prod", "arith.muli": "reduce_prod",
         "arith.maxnumf": "reduce_max", "arith.maxsi": "reduce_max", "arith.minnumf": "reduce_min", "arith.minsi": "reduce_min",
         "arith.andi": "reduce_and", "arith.ori": "reduce_or", "arith.xori": "reduce_xor", "arith.maximumf": "reduce_max",
         "arith.minimumf": "reduce_min"}


@rule("tt.reduce")
def _reduce(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    values, axis = along_axis(conv, op, operands)
    alone = only_op(conv, op.regions[0])
    if alone in ALONE and values[0].dtype != "bool":
        left = tuple(extent for dim, extent in enumerate(values[0].shape) if dim != axis)
        values = [conv.builder.emit1(ALONE[alone], values, (values[0].dtype, left), axes=[axis], **nan_of(alone))]
    else:
        values = _halved(conv, op, values, axis)
    return [conv.builder.reshape(value, shape_of(kind)) for value, kind in zip(values, op.outputs)]


def _halved(conv: Converter, op: Op, values: list[Value], axis: int) -> list[Value]:
    while values[0].shape[axis] > 1:
        half = values[0].shape[axis] // 2
        first, second = ([part(conv, value, axis, start, half) for value in values] for start in (0, half))
        values = combine(conv, op, first, second)
    return values


def along_axis(conv: Converter, op: Op, operands: list[Any]) -> tuple[list[Value], int]:
    """The operands with the axis of the operation as a dimension of their own, and the number of that."""
    dims, axis = dims_of(op.inputs[0]), op.attributes["axis"]
    arrays = [ranks.along(conv.builder, value, dims, axis) for value in conv.numbers(operands)]
    return [value for value, _ in arrays], arrays[0][1]


def combine(conv: Converter, op: Op, earlier: list[Value], later: list[Value]) -> list[Value]:
    """The combine function on arrays of one shape; so are its results."""
    blocks = op.regions[0]
    return on_elements(conv, blocks, [*earlier, *later], [one.dtype for one in earlier], lambda values: _combined(conv, blocks, values))


def _combined(conv: Converter, blocks: list[Block], values: list[Value]) -> list[Meaning]:
    last, results = conv.region(blocks, values)
    if last.name not in ("tt.reduce.return", "tt.scan.return"):
        raise Unsupported("its combine function does not end")
    return results


def only_op(conv: Converter, region: list[Block]) -> str | None:
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
