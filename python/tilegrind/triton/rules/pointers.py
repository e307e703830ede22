"""Arithmetic of pointers, and what they are as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.builder import Value
from ..lowering import pointers as lowering
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import Pointers
from ..ttir.syntax import Op
from ..ttir.types import Type


def pointers(operand: Any) -> Pointers:
    if not isinstance(operand, Pointers):
        raise Unsupported("its operand is no pointer")
    return operand


@rule("tt.addptr")
def _add(conv: Converter, op: Op, operands: list[Any]) -> Pointers:
    return advanced(conv, pointers(operands[0]), operands[1])


def advanced(conv: Converter, base: Pointers, offsets: Value) -> Pointers:
    """Pointers so many elements further.  Offsets do not wrap: their sums have 64 bits."""
    if base.offsets is None:
        return base.at(offsets, base.shape)
    wide = [conv.builder.convert(one, "i64") for one in (base.offsets, offsets)]
    if base.known is None:  # these are addresses of bytes
        size = conv.builder.constant(lowering.size_of(base.pointee), "i64")
        wide[1] = conv.builder.emit1("mul", [wide[1], conv.builder.broadcast(size, wide[1].shape)], wide[1].type)
    shape = np.broadcast_shapes(*(one.shape for one in wide))
    wide = [conv.builder.broadcast(one, shape) for one in wide]
    return base.at(conv.builder.emit1("add", wide, wide[0].type), base.shape)


@rule("tt.ptr_to_int")
def _to_number(conv: Converter, op: Op, operands: list[Any]) -> Value:
    return lowering.address(conv, pointers(operands[0]))


@rule("tt.int_to_ptr")
def _of_number(conv: Converter, op: Op, operands: list[Any]) -> Pointers:
    (number,) = conv.numbers(operands)
    return lowering.at_address(conv, number, str(Type(op.outputs[0].element.pointee)))
