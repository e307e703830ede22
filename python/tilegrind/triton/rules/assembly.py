"""Inline assembly of elements, which is PTX."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import Pointers, dtype_of, shape_of
from ..ttir.syntax import Op


@rule("tt.elementwise_inline_asm")
def _assembly(conv: Converter, op: Op, operands: list[Any]) -> list[Value]:
    """What the text may do is judged where it is read as PTX, when the kernel is loaded."""
    if any(isinstance(operand, Pointers) for operand in operands):
        raise Unsupported("inline assembly of pointers: only what computes with numbers is supported")
    values = [conv.builder.broadcast(value, shape_of(op.outputs[0])) for value in conv.numbers(operands)]
    return conv.builder.emit("inline_ptx", values, [(dtype_of(kind), shape_of(kind)) for kind in op.outputs],
                             text=op.words[0], constraints=op.attributes["constraints"],
                             packed=op.attributes["packed_element"])
