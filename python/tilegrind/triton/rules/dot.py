"""Products of matrices."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..ttir.syntax import Op

# Of f32 factors.  At default precision dialect `triton` rounds them to tf32.
PRECISIONS = {"tf32": "default", "ieee": "highest"}


@rule("tt.dot")
def _dot(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """The sum of products, and then the third operand."""
    a, b, c = conv.numbers(operands)
    attrs: dict[str, Any] = {}
    if a.dtype == "f32":
        precision = op.attributes.get("inputPrecision", "ieee")
        if precision not in PRECISIONS:
            raise Unsupported(f"the precision {precision} is not supported")
        attrs["precision"] = PRECISIONS[precision]
    batch = list(range(len(a.shape) - 2))
    result = number_type(op.outputs[0])
    product = conv.builder.emit1("dot_general", [a, b], result, lhs_contract=[len(a.shape) - 1], rhs_contract=[len(a.shape) - 2],
                                 lhs_batch=batch, rhs_batch=batch, **attrs)
    return conv.builder.emit1("add", [product, c], result)
