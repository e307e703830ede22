"""Functions of elements on arrays.

Without branches such a function runs on arrays at once, else in a loop on one element after the other."""

from __future__ import annotations

import math
from typing import Callable, Sequence

from ...ir.builder import Value
from ..lowering.converter import Converter
from ..lowering.values import Meaning
from ..ttir.syntax import Block, all_ops

# Operations whose meaning is another one for arrays than for each of their elements.
BRANCHES = {"scf.if", "scf.for", "scf.while", "cf.br", "cf.cond_br", "tt.assert", "tt.print"}
Function = Callable[[list[Value]], list[Meaning]]


def on_elements(conv: Converter, blocks: list[Block], arrays: Sequence[Value], dtypes: Sequence[str], function: Function) -> list[Value]:
    """Appends a function on arrays of one shape; returns its results, which have that shape and these dtypes.

    blocks    the text of the function, which says whether it branches
    function  appends it for arguments: arrays, or elements, which have no dimensions"""
    shape = arrays[0].shape
    if not _has_branches(conv, blocks):
        return [conv.builder.broadcast(one, shape) for one in conv.numbers(function(list(arrays)))]
    columns = [conv.builder.reshape(one, (math.prod(shape),)) for one in arrays]
    return [conv.builder.reshape(one, shape) for one in _in_loop(conv, columns, dtypes, function)]


def _in_loop(conv: Converter, columns: list[Value], dtypes: Sequence[str], function: Function) -> list[Value]:
    builder, (rows,) = conv.builder, columns[0].shape
    carries = [builder.broadcast(builder.constant(0, dtype), (rows,)) for dtype in dtypes]
    arguments = [builder.value("i32", ()), *(builder.value(*one.type) for one in carries)]
    with builder.region(arguments) as body:
        row, before = arguments[0], arguments[1:]
        elements = [builder.reshape(builder.emit1("dynamic_slice", [one, row], (one.dtype, (1,))), ()) for one in columns]
        found = [builder.reshape(one, (1,)) for one in conv.numbers(function(elements))]
        body.yields = [builder.emit1("dynamic_update_slice", [all_, one, row], all_.type) for all_, one in zip(before, found)]
    return builder.emit("for", [builder.i32(0), builder.i32(rows), builder.i32(1), *carries], [one.type for one in carries], [body])


def _has_branches(conv: Converter, blocks: list[Block]) -> bool:
    """Also in the functions that it calls."""
    for op in all_ops(blocks):
        called = conv.module.functions.get(op.words[0]) if op.name == "tt.call" else None
        if op.name in BRANCHES or (called and _has_branches(conv, called.blocks)):
            return True
    return False
