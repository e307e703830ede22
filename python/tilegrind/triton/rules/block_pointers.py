"""Block pointers: boxes of a tensor in memory that know where they begin.  Triton has them until 3.7.

Only in the dimensions that an access names does it look whether elements lie inside the tensor.  Those that do not are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import BlockPointer, Pointers, memory_dtype
from ..ttir.syntax import Op
from .boxes import indices, inside, where
from .pointers import pointers

PADDINGS = {1: 0, 2: float("nan")}


@rule("tt.make_tensor_ptr")
def _make(conv: Converter, op: Op, operands: list[Any]) -> BlockPointer:
    """The order of dimensions in memory is a hint; the strides say it."""
    numbers = [conv.builder.convert(one, "i64") for one in conv.numbers(operands[1:])]
    rank = len(numbers) // 3
    parts = [tuple(numbers[first:first + rank]) for first in range(0, 3 * rank, rank)]
    return BlockPointer(pointers(operands[0]), parts[0], parts[1], op.inputs[-1].element.box.shape, parts[2])


@rule("tt.advance")
def _advance(conv: Converter, op: Op, operands: list[Any]) -> BlockPointer:
    one, steps = operands[0], [conv.builder.convert(step, "i64") for step in conv.numbers(operands[1:])]
    if not isinstance(one, BlockPointer):
        raise Unsupported("its operand is no block pointer")
    starts = [conv.builder.emit1("add", [start, step], start.type) for start, step in zip(one.starts, steps, strict=True)]
    return replace(one, starts=tuple(starts))


def elements(conv: Converter, op: Op, one: BlockPointer) -> tuple[Pointers, Value | None]:
    """Pointers to the elements of the box, and which of them an access touches; None: all."""
    places, dims = indices(conv, one.starts, one.box), op.attributes.get("boundaryCheck", [])
    return where(conv, one, places, one.box), inside(conv, one, places, one.box, dims) if dims else None


def padding(conv: Converter, op: Op, found: Pointers) -> Value | None:
    """What a load gives for the elements that it leaves out; None: something undefined."""
    number = PADDINGS.get(op.attributes.get("padding"))
    if number is None:
        return None
    dtype = memory_dtype(found.pointee)
    if number != 0 and not dtypes.is_float(dtype):
        raise Unsupported(f"NaN as the padding of {dtype}")
    return conv.builder.broadcast(conv.builder.constant(number, dtype), found.shape)
