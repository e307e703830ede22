"""`tt.map_elementwise`: a function of elements, or of some that are neighbours, on all of them."""

from __future__ import annotations

import math
from typing import Any

from ...ir.builder import Value
from ..lowering.calls import region
from ..lowering.converter import Converter, rule
from ..lowering.values import dtype_of, shape_of
from ..ttir.syntax import Op
from .elements import on_elements
from .shapes import part


@rule("tt.map_elementwise")
def _map(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    pack = op.attributes.get("pack", 1)
    rows = math.prod(operands[0].shape) // pack
    columns = [part(conv, table, 1, number, 1) for table in (conv.builder.reshape(value, (rows, pack)) for value in conv.numbers(operands))
               for number in range(pack)]
    columns = [conv.builder.reshape(column, (rows,)) for column in columns]
    dtypes = [dtype_of(kind) for kind in op.outputs for _ in range(pack)]
    found = on_elements(conv, op.regions[0], columns, dtypes, lambda elements: region(conv, op.regions[0], elements))
    return [_joined(conv, found[number * pack:(number + 1) * pack], shape_of(kind)) for number, kind in enumerate(op.outputs)]


def _joined(conv: Converter, columns: list[Value], shape: tuple[int, ...]) -> Value:
    tables = [conv.builder.reshape(column, (*column.shape, 1)) for column in columns]
    kind = (tables[0].dtype, (tables[0].shape[0], len(tables)))
    table = conv.builder.emit1("concatenate", tables, kind, axis=1) if len(tables) > 1 else tables[0]
    return conv.builder.reshape(table, shape)
