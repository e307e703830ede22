"""Conversions between dtypes."""

from __future__ import annotations

from typing import Any

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..lowering.pointers import retyped
from ..lowering.values import Pointers
from ..ttir.syntax import Op
from ..ttir.types import Type
from .lanes import Lanes

ROUNDINGS: dict[str, dict[str, Any]] = {"rtne": {}, "rtz": {"rounding": "zero"}}
# To these infinities and values beyond the greatest finite one become that one.
SATURATED = {"f8e4m3fn", "f8e5m2"}


def target(op: Op) -> str:
    """The dtype of the result."""
    return number_type(op.outputs[0])[0]


@rule("arith.extf", "arith.truncf", "arith.fptosi", "arith.index_cast")
def _convert(conv: Converter, op: Op, operands: list[Any]) -> Value:
    return conv.builder.convert(conv.numbers(operands)[0], target(op))


@rule("arith.extsi", "arith.sitofp")
def _of_signed(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, (value,) = Lanes(conv), conv.numbers(operands)
    if value.dtype == "bool":
        value = lanes("neg", lanes.convert(value, "i8"))  # true is -1
    return lanes.convert(value, target(op))


@rule("arith.extui", "arith.uitofp")
def _of_unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, (value,) = Lanes(conv), conv.numbers(operands)
    return lanes.convert(lanes.unsigned(value), target(op))


@rule("arith.trunci")
def _cut(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, (value,) = Lanes(conv), conv.numbers(operands)
    if target(op) == "bool":
        value = lanes("and", value, 1)
    return lanes.convert(value, target(op))


@rule("arith.fptoui")
def _to_unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, (value,) = Lanes(conv), conv.numbers(operands)
    if target(op) == "bool":
        return lanes.convert(value, "bool")
    return lanes.signed(lanes.convert(value, "u" + target(op)[1:]))


@rule("tt.fp_to_fp")
def _between_floats(conv: Converter, op: Op, operands: list[Any]) -> Value:
    (value,) = conv.numbers(operands)
    rounding, to = op.attributes.get("rounding", "rtne"), target(op)
    if rounding not in ROUNDINGS:
        raise Unsupported(f"the rounding {rounding} is not supported")
    if dtypes.bits(value.dtype) < dtypes.bits(to):
        return conv.builder.convert(value, to)
    saturate: dict[str, Any] = {"saturate": True} if to in SATURATED else {}
    return Lanes(conv).convert(value, to, **ROUNDINGS[rounding], **saturate)


@rule("arith.bitcast", "tt.bitcast")
def _bitcast(conv: Converter, op: Op, operands: list[Any]) -> Any:
    (value,) = operands
    if isinstance(value, Pointers):
        return retyped(conv, value, str(Type(op.outputs[0].element.pointee)))
    if "bool" in (target(op), value.dtype):
        return conv.builder.convert(value, target(op))
    return Lanes(conv).bitcast(value, target(op))
