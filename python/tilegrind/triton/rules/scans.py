"""Scans with any combine function.

In which order elements are combined is open in Triton, and shows in the rounding of floats.  `Choices.scans` says it: "sequential",
from the first to the last, or "tree": element i with the one at i - 1, then i - 2, i - 4 ..."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.values import shape_of
from ..ttir.syntax import Op
from .elementwise import nan_of
from .reductions import along_axis, combine, only_op
from .shapes import part

# What a combine function does if it is one operation on both of its arguments: our sequential scan.
ALONE = {"arith.addf": "cumsum", "arith.addi": "cumsum", "arith.mulf": "cumprod", "arith.muli": "cumprod",
         "arith.maxnumf": "cummax", "arith.maxsi": "cummax", "arith.minnumf": "cummin", "arith.minsi": "cummin",
         "arith.maximumf": "cummax", "arith.minimumf": "cummin"}


@rule("tt.scan")
def _scan(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    values, axis = along_axis(conv, op, operands)
    is_reverse = op.attributes.get("reverse", False)
    alone = only_op(conv, op.regions[0])
    if conv.choices.scans == "tree":
        values = _tree(conv, op, values, axis, is_reverse)
    elif alone in ALONE and values[0].dtype != "bool":
        values = [conv.builder.emit1(ALONE[alone], values, values[0].type, axis=axis, reverse=is_reverse, **nan_of(alone))]
    else:
        values = _sequential(conv, op, values, axis, is_reverse)
    return [conv.builder.reshape(value, shape_of(kind)) for value, kind in zip(values, op.outputs)]


def _sequential(conv: Converter, op: Op, values: list[Value], axis: int, is_reverse: bool) -> list[Value]:
    """A loop that carries what is combined so far, and the results, in which it replaces one element after the other."""
    builder, size = conv.builder, values[0].shape[axis]
    start = size - 1 if is_reverse else 0
    carries = [part(conv, value, axis, start, 1) for value in values] + values
    arguments = [builder.value("i32", ()), *(builder.value(*one.type) for one in carries)]
    with builder.region(arguments) as region:
        counter, before, results = arguments[0], arguments[1:1 + len(values)], arguments[1 + len(values):]
        place = builder.emit1("sub", [builder.i32(size - 1), counter], ("i32", ())) if is_reverse else counter
        starts = [place if dim == axis else builder.i32(0) for dim in range(len(values[0].shape))]
        now = combine(conv, op, before, [builder.emit1("dynamic_slice", [value, *starts], one.type) for value, one in zip(values, before)])
        after = [builder.emit1("dynamic_update_slice", [value, one, *starts], value.type) for value, one in zip(results, now)]
        region.yields = [*now, *after]
    bounds = [builder.i32(number) for number in (1, size, 1)]
    return builder.emit("for", [*bounds, *carries], [one.type for one in carries], [region])[len(values):]


def _tree(conv: Converter, op: Op, values: list[Value], axis: int, is_reverse: bool) -> list[Value]:
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
