"""Tensor descriptors: boxes of a tensor in memory.  What lies outside is padding when it is read, and is not written."""

from __future__ import annotations

from typing import Any, Sequence

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..lowering.pointers import memory_as
from ..lowering.values import Descriptor, Pointers, memory_dtype
from ..ttir.syntax import Op
from .boxes import counted, elements, indices
from .checks import check_all
from .dot import tf32
from .memory import read, write
from .pointers import pointers

PADDINGS = {1: "zero", 2: "nan"}
KINDS = {"add": "add", "min": "min", "max": "max", "and": "and", "or": "or", "xor": "xor"}
LINE = 16  # bytes, of which strides but the last are multiples


@rule("tt.make_tensor_descriptor")
def _make(conv: Converter, op: Op, operands: list[Any]) -> Descriptor:
    base, rank = pointers(operands[0]), (len(operands) - 1) // 2
    numbers = [conv.builder.convert(one, "i64") for one in conv.numbers(operands[1:])]
    kind = op.inputs[-1].element  # behind the pointer's type
    padding = PADDINGS[op.attributes.get("padding", 1)]
    made = Descriptor(base, tuple(numbers[:rank]), tuple(numbers[rank:]), kind.box.shape, str(kind.box.element), padding)
    _check_strides(conv, made)
    return made


def _check_strides(conv: Converter, made: Descriptor) -> None:
    """As a device demands them."""
    builder, boolean = conv.builder, ("bool", ())
    per_line = max(1, LINE * 8 // dtypes.bits(memory_dtype(made.base.pointee)))
    for stride in made.strides[:-1]:
        rest = builder.emit1("rem", [stride, builder.constant(per_line, "i64")], ("i64", ()))
        holds = builder.emit1("eq", [rest, builder.constant(0, "i64")], boolean)
        check_all(conv, holds, (), f"a stride of a tensor descriptor is no multiple of {LINE} bytes")
    if made.strides[-1].const != 1:
        holds = builder.emit1("eq", [made.strides[-1], builder.constant(1, "i64")], boolean)
        check_all(conv, holds, (), "the last stride of a tensor descriptor is not 1")


# ---- boxes ----


@rule("tt.descriptor_load")
def _load(conv: Converter, op: Op, operands: list[Any]) -> Value:
    source = _descriptor(operands[0])
    where, mask = _box(conv, source, conv.numbers(operands[1:]))
    return conv.builder.reshape(_padded(conv, source, where, mask), number_type(op.outputs[0])[1])


@rule("tt.descriptor_store")
def _store(conv: Converter, op: Op, operands: list[Any]) -> None:
    target, value = _descriptor(operands[0]), operands[-1]
    where, mask = _box(conv, target, conv.numbers(operands[1:-1]))
    write(conv, where, conv.builder.reshape(value, where.shape), mask)


@rule("tt.descriptor_reduce")
def _reduce(conv: Converter, op: Op, operands: list[Any]) -> None:
    """Each element changes as one indivisible step; such a copy orders nothing."""
    target, value = _descriptor(operands[0]), operands[-1]
    where, mask = _box(conv, target, conv.numbers(operands[1:-1]))
    if op.words[0] not in KINDS:
        raise Unsupported(f"{op.words[0]} is not supported")
    ref, value = where.ref, conv.builder.reshape(value, where.shape)
    if target.element.startswith("ui"):
        unsigned = "u" + ref.dtype[1:]
        ref = memory_as(conv, where, unsigned)
        value = conv.builder.emit1("bitcast", [value], (unsigned, value.shape))
    conv.builder.emit1("atomic_rmw", [ref, value, where.offsets, mask], value.type, kind=KINDS[op.words[0]], index=[["at"]], mask=True,
                       sem="relaxed")


@rule("tt.descriptor_gather")
def _gather(conv: Converter, op: Op, operands: list[Any]) -> Value:
    source = _descriptor(operands[0])
    where, mask = _rows(conv, source, *conv.numbers(operands[1:]))
    return _padded(conv, source, where, mask)


@rule("tt.descriptor_scatter")
def _scatter(conv: Converter, op: Op, operands: list[Any]) -> None:
    rows, column, value = conv.numbers(operands[1:])
    where, mask = _rows(conv, _descriptor(operands[0]), rows, column)
    write(conv, where, value, mask)


def _descriptor(operand: Any) -> Descriptor:
    if not isinstance(operand, Descriptor):
        raise Unsupported("its operand is no descriptor that is known")
    return operand


# ---- elements of boxes ----


def _padded(conv: Converter, source: Descriptor, where: Pointers, mask: Value) -> Value:
    dtype = memory_dtype(where.pointee)
    number = float("nan") if source.padding == "nan" and dtypes.is_float(dtype) else 0
    padding = conv.builder.broadcast(conv.builder.constant(number, dtype), where.shape)
    found = read(conv, where, mask, padding)
    return tf32(conv, found) if source.rounds else found


def _box(conv: Converter, one: Descriptor, starts: Sequence[Value]) -> tuple[Pointers, Value]:
    """Pointers to the elements of the box that begins there, and which of them are inside the tensor."""
    return elements(conv, one, indices(conv, starts, one.box), one.box)


def _rows(conv: Converter, one: Descriptor, rows: Value, column: Value) -> tuple[Pointers, Value]:
    """The same of some rows, and as many columns as a box has."""
    count, width = rows.shape[0], one.box[1]
    row = conv.builder.reshape(conv.builder.convert(rows, "i64"), (count, 1))
    return elements(conv, one, [row, counted(conv, column, width, 2, 1)], (count, width))
