"""`tt.map_elementwise`: a function of elements, or of some that are neighbours, on all of them.

Without branches it runs on arrays at once, else in a loop on one element after the other."""

from __future__ import annotations

import math
from typing import Any

from ...ir.builder import Value
from ..lowering.calls import region
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import dtype_of, shape_of
from ..ttir.syntax import Block, Op, all_ops
from .shapes import part

# Operations whose meaning is another one for arrays than for each of their elements.
BRANCHES = {"scf.if", "scf.for", "scf.while", "cf.br", "cf.cond_br", "tt.assert", "tt.print"}


@rule("tt.map_elementwise")
def _map(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    pack = op.attributes.get("pack", 1)
    rows = math.prod(operands[0].shape) // pack
    columns = [part(conv, table, 1, number, 1) for table in (conv.builder.reshape(value, (rows, pack)) for value in conv.numbers(operands))
               for number in range(pack)]
    columns = [conv.builder.reshape(column, (rows,)) for column in columns]
    dtypes = [dtype_of(kind) for kind in op.outputs for _ in range(pack)]
    found = _in_loop(conv, op, columns, dtypes) if _has_branches(conv, op.regions[0]) else _at_once(conv, op, columns)
    return [_joined(conv, found[number * pack:(number + 1) * pack], shape_of(kind)) for number, kind in enumerate(op.outputs)]


def _at_once(conv: Converter, op: Op, columns: list[Value]) -> list[Value]:
    return [conv.builder.broadcast(one, columns[0].shape) for one in conv.numbers(region(conv, op.regions[0], columns))]


def _in_loop(conv: Converter, op: Op, columns: list[Value], dtypes: list[str]) -> list[Value]:
    builder, (rows,) = conv.builder, columns[0].shape
    carries = [builder.broadcast(builder.constant(0, dtype), (rows,)) for dtype in dtypes]
    arguments = [builder.value("i32", ()), *(builder.value(*one.type) for one in carries)]
    with builder.region(arguments) as body:
        row, before = arguments[0], arguments[1:]
        elements = [builder.reshape(builder.emit1("dynamic_slice", [one, row], (one.dtype, (1,))), ()) for one in columns]
        found = [builder.reshape(one, (1,)) for one in conv.numbers(region(conv, op.regions[0], elements))]
        body.yields = [builder.emit1("dynamic_update_slice", [all_, one, row], all_.type) for all_, one in zip(before, found)]
    return builder.emit("for", [builder.i32(0), builder.i32(rows), builder.i32(1), *carries], [one.type for one in carries], [body])


def _joined(conv: Converter, columns: list[Value], shape: tuple[int, ...]) -> Value:
    tables = [conv.builder.reshape(column, (*column.shape, 1)) for column in columns]
    kind = (tables[0].dtype, (tables[0].shape[0], len(tables)))
    table = conv.builder.emit1("concatenate", tables, kind, axis=1) if len(tables) > 1 else tables[0]
    return conv.builder.reshape(table, shape)


def _has_branches(conv: Converter, blocks: list[Block]) -> bool:
    """Also in the functions that it calls."""
    for op in all_ops(blocks):
        called = conv.module.functions.get(op.words[0]) if op.name == "tt.call" else None
        if op.name in BRANCHES or (called and _has_branches(conv, called.blocks)):
            return True
    return False
