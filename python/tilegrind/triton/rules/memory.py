"""Loads and stores."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.pointers import accesses, address, at_address
from ..lowering.values import BlockPointer, Pointers, is_pointer, memory_dtype, pointee_of
from ..ttir.syntax import Op
from .block_pointers import elements, padding
from .pointers import pointers


def places(conv: Converter, where: Pointers) -> Value:
    """The element of the memory for each pointer."""
    offsets = conv.builder.constant(0, "i32") if where.offsets is None else where.offsets
    return conv.builder.broadcast(offsets, where.shape)


@rule("tt.load")
def _load(conv: Converter, op: Op, operands: list[Any]) -> Any:
    if isinstance(operands[0], BlockPointer):
        return _load_box(conv, op, operands[0])
    where = pointers(operands[0])
    more = [address(conv, one) if isinstance(one, Pointers) else one for one in operands[1:]]
    loaded = read(conv, where, *more)
    return at_address(conv, loaded, pointee_of(where.pointee)) if is_pointer(where.pointee) else loaded


def _load_box(conv: Converter, op: Op, source: BlockPointer) -> Value:
    where, mask = elements(conv, op, source)
    return read(conv, where, mask, None if mask is None else padding(conv, op, where))


def read(conv: Converter, where: Pointers, *more: Value | None) -> Value:
    """What the pointers point to; `more` is nothing, a mask, or a mask and what is there in the place of what it leaves out.

    Of several memories each gives its own elements, and leaves what the others have given."""
    mask, other = (*more, None, None)[:2]
    if other is not None and where.pointee == "i1":
        other = conv.builder.convert(other, memory_dtype(where.pointee))
    for one, on in accesses(conv, where, mask):
        other = _read_one(conv, one, on, other)
    assert other is not None
    return conv.builder.convert(other, "bool") if where.pointee == "i1" else other


def _read_one(conv: Converter, where: Pointers, mask: Value | None, other: Value | None) -> Value:
    more = [one for one in (mask, other) if one is not None and mask is not None]
    attrs: dict[str, Any] = {"index": [["at"]]}
    attrs.update({name: True for name, _ in zip(("mask", "other"), more)})
    return conv.builder.emit1("load", [where.ref, places(conv, where), *more], (where.ref.dtype, where.shape), **attrs)


@rule("tt.store")
def _store(conv: Converter, op: Op, operands: list[Any]) -> None:
    more = [address(conv, one) if isinstance(one, Pointers) else one for one in operands[1:]]
    if isinstance(operands[0], BlockPointer):
        where, mask = elements(conv, op, operands[0])
        return write(conv, where, more[0], *([] if mask is None else [mask]))
    write(conv, pointers(operands[0]), *more)


def write(conv: Converter, where: Pointers, value: Value, *mask: Value) -> None:
    if where.pointee == "i1":
        value = conv.builder.convert(value, memory_dtype(where.pointee))
    for one, on in accesses(conv, where, mask[0] if mask else None):
        attrs: dict[str, Any] = {} if on is None else {"mask": True}
        masks = [] if on is None else [on]
        conv.builder.emit("store", [one.ref, value, places(conv, one), *masks], index=[["at"]], **attrs)
