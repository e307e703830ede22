"""Comparisons of integers and floats."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..ttir.syntax import Op
from .lanes import Lanes

# By what is behind the letter for the sign, or for what NaN gives.
PREDICATES = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


@rule("arith.cmpi")
def _integers(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, (a, b) = Lanes(conv), conv.numbers(operands)
    predicate = op.words[0]
    if predicate in ("eq", "ne"):
        return lanes(predicate, a, b)
    if predicate[0] == "u":
        a, b = lanes.unsigned(a), lanes.unsigned(b)
    elif a.dtype == "bool":
        a, b = b, a  # true is -1
    return lanes(PREDICATES[predicate[1:]], a, b)


@rule("arith.cmpf")
def _floats(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """`o` is false where one is NaN, and `u` true.  Ours are false but for `ne`."""
    lanes, (a, b) = Lanes(conv), conv.numbers(operands)
    predicate = op.words[0]
    if predicate in ("true", "false"):
        return conv.builder.broadcast(conv.builder.constant(predicate == "true", "bool"), lanes("eq", a, b).shape)
    ordered = lanes("and", lanes("eq", a, a), lanes("eq", b, b))
    if predicate in ("ord", "uno"):
        return ordered if predicate == "ord" else lanes("not", ordered)
    found = lanes(PREDICATES[predicate[1:]], a, b)
    if predicate == "one":
        return lanes("and", found, ordered)
    if predicate[0] == "o" or predicate == "une":
        return found
    return lanes("or", found, lanes("not", ordered))
