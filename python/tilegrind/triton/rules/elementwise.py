"""Arithmetic on each element: arith, math, and operations of Triton that are like them."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.pointers import select
from ..lowering.values import Pointers
from ..ttir.syntax import Op
from .lanes import Lanes, together

# Operations whose results have the type of their operands, by ours.  Since operands are elements or arrays alike, the same rules
# serve combine functions of reductions, whose bodies are on scalars.
SAME = {
    "arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul", "arith.divf": "div", "arith.remf": "rem",
    "tt.precise_divf": "div", "tt.approx_divf": "div", "tt.precise_sqrt": "sqrt", "arith.negf": "neg", "math.absf": "abs", "math.absi": "abs",
    "math.exp": "exp", "math.exp2": "exp2", "math.log": "log", "math.log2": "log2", "math.sin": "sin", "math.cos": "cos",
    "math.sqrt": "sqrt", "math.rsqrt": "rsqrt", "math.erf": "erf", "math.floor": "floor", "math.ceil": "ceil", "math.tanh": "tanh",
    "math.fma": "fma", "math.tan": "tan", "math.asin": "asin", "math.acos": "acos", "math.atan": "atan", "math.atan2": "atan2",
    "math.sinh": "sinh", "math.cosh": "cosh", "math.asinh": "asinh", "math.acosh": "acosh", "math.atanh": "atanh",
    "math.cbrt": "cbrt", "math.log1p": "log1p", "math.expm1": "expm1", "math.powf": "pow",
    "math.ctpop": "population_count", "math.ctlz": "clz",
    "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.divsi": "div", "arith.remsi": "rem",
    "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor", "arith.maxsi": "max", "arith.minsi": "min",
    "arith.shli": "shift_left", "arith.shrsi": "shift_right_arithmetic", "arith.shrui": "shift_right_logical",
}
# Those of unsigned integers: operands and results are read as such.
UNSIGNED = {"arith.divui": "div", "arith.remui": "rem", "arith.maxui": "max", "arith.minui": "min", "tt.mulhiui": "mul_high"}
# Of i1, where the sum and the product are those of numbers modulo 2, and the signed order is that of 0 and -1.
OF_BOOLS = {"arith.addi": "xor", "arith.subi": "xor", "arith.muli": "and", "arith.maxsi": "and", "arith.minsi": "or",
            "arith.maxui": "or", "arith.minui": "and"}
# The greater or lesser one, and what is given where one is NaN.
EXTREMA = {"arith.maxnumf": ("max", "drop"), "arith.minnumf": ("min", "drop"),
           "arith.maximumf": ("max", "propagate"), "arith.minimumf": ("min", "propagate")}
PROPAGATION = {"none": "drop", "all": "propagate"}


@rule(*SAME)
def _same(conv: Converter, op: Op, operands: list[Any]) -> Value:
    values = together(conv, *conv.numbers(operands))
    name = OF_BOOLS.get(op.name, SAME[op.name]) if values[0].dtype == "bool" else SAME[op.name]
    return conv.builder.emit1(name, values, values[0].type)


@rule(*UNSIGNED)
def _unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    lanes, values = Lanes(conv), conv.numbers(operands)
    if values[0].dtype == "bool":
        return lanes(OF_BOOLS[op.name], *values)
    return lanes.signed(lanes(UNSIGNED[op.name], *map(lanes.unsigned, values)))


def nan_of(name: str) -> dict[str, str]:
    """The attribute `nan` of what takes the greatest or the least of many by the operation `name`; no attribute for others."""
    return {"nan": EXTREMA[name][1]} if name in EXTREMA else {}


@rule(*EXTREMA)
def _extremum(conv: Converter, op: Op, operands: list[Any]) -> Value:
    name, nan = EXTREMA[op.name]
    return Lanes(conv)(name, *conv.numbers(operands), nan=nan)


@rule("tt.clampf")
def _clamp(conv: Converter, op: Op, operands: list[Any]) -> Value:
    value, low, high = conv.numbers(operands)
    return Lanes(conv)("clamp", low, value, high, nan=PROPAGATION[op.attributes.get("propagateNan", "none")])


@rule("arith.select")
def _select(conv: Converter, op: Op, operands: list[Any]) -> Any:
    condition, yes, no = operands
    if isinstance(yes, Pointers) or isinstance(no, Pointers):
        return select(conv, condition, yes, no)
    return Lanes(conv).select(condition, yes, no)
