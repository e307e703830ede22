"""Pointers, loads and stores.  A pointer's memory is known when the kernel is converted; only its offsets are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import DTYPES, Pointers
from ..ttir.syntax import Op


def pointers(operand: Any) -> Pointers:
    if not isinstance(operand, Pointers):
        raise Unsupported("its pointer is no parameter's")
    return operand


def pointing_to(conv: Converter, where: Pointers, pointee: str) -> Pointers:
    """The same pointers to elements of another type of the same width."""
    if pointee == where.pointee:
        return where
    if pointee not in DTYPES or _width(pointee) != _width(where.pointee):
        raise Unsupported(f"memory of {where.pointee} read as {pointee} is not supported")
    return replace(seen_as(conv, where, memory_dtype(pointee)), pointee=pointee)


def _width(pointee: str) -> int:
    return dtypes.numpy_dtype(memory_dtype(pointee)).itemsize


def memory_dtype(pointee: str) -> str:
    """The dtype of memory: an i1 is a byte there."""
    return "i8" if pointee == "i1" else DTYPES[pointee]


def seen_as(conv: Converter, where: Pointers, dtype: str) -> Pointers:
    """The same pointers into the memory as elements of a dtype of ours, of the same width."""
    if where.ref.dtype == dtype:
        return where
    return replace(where, ref=conv.builder.recast("view_bitcast", where.ref, dtype, where.ref.shape))


@rule("tt.addptr")
def _add(conv: Converter, op: Op, operands: list[Any]) -> Pointers:
    """Offsets do not wrap: their sums have 64 bits."""
    base, offsets = pointers(operands[0]), operands[1]
    if base.offsets is None:
        return base.at(offsets, base.shape)
    wide = [conv.builder.convert(one, "i64") for one in (base.offsets, offsets)]
    shape = np.broadcast_shapes(*(one.shape for one in wide))
    wide = [conv.builder.broadcast(one, shape) for one in wide]
    return base.at(conv.builder.emit1("add", wide, wide[0].type), base.shape)


def places(conv: Converter, where: Pointers) -> Value:
    """The element of the memory for each pointer."""
    offsets = conv.builder.constant(0, "i32") if where.offsets is None else where.offsets
    return conv.builder.broadcast(offsets, where.shape)


@rule("tt.load")
def _load(conv: Converter, op: Op, operands: list[Any]) -> Value:
    where = pointers(operands[0])
    more = conv.numbers(operands[1:])
    attrs: dict[str, Any] = {"index": [["at"]]}
    if more:
        attrs["mask"] = True
    if len(more) > 1:
        attrs["other"] = True
    loaded = conv.builder.emit1("load", [where.ref, places(conv, where), *more], (where.ref.dtype, where.shape), **attrs)
    return conv.builder.convert(loaded, "bool") if where.pointee == "i1" else loaded


@rule("tt.store")
def _store(conv: Converter, op: Op, operands: list[Any]) -> None:
    where = pointers(operands[0])
    value, *mask = conv.numbers(operands[1:])
    if where.pointee == "i1":
        value = conv.builder.convert(value, where.ref.dtype)
    attrs: dict[str, Any] = {"mask": True} if mask else {}
    conv.builder.emit("store", [where.ref, value, places(conv, where), *mask], index=[["at"]], **attrs)
