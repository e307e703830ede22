"""Operations on each element: arith, math, and those of Triton that are like them."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, rule
from ..lowering.errors import Unsupported
from ..lowering.values import Pointers, dtype_of
from ..ttir.syntax import Op
from .memory import pointing_to

# Operations whose results have the type of their operands, by ours.  Since operands are elements or arrays alike, the same rules
# serve combine functions of reductions, whose bodies are on scalars.
SAME = {
    "arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul", "arith.divf": "div", "arith.remf": "rem",
    "tt.precise_divf": "div", "tt.approx_divf": "div", "tt.precise_sqrt": "sqrt", "arith.negf": "neg", "math.absf": "abs", "math.absi": "abs",
    "math.exp": "exp", "math.exp2": "exp2", "math.log": "log", "math.log2": "log2", "math.sin": "sin", "math.cos": "cos",
    "math.sqrt": "sqrt", "math.rsqrt": "rsqrt", "math.erf": "erf", "math.floor": "floor", "math.ceil": "ceil", "math.tanh": "tanh",
    "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.divsi": "div", "arith.remsi": "rem",
    "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor", "arith.maxsi": "max", "arith.minsi": "min",
    "arith.shli": "shift_left", "arith.shrsi": "shift_right_arithmetic", "arith.shrui": "shift_right_logical",
    "arith.maxnumf": "max", "arith.minnumf": "min",
}
# Those of unsigned integers: operands and results are read as such.
UNSIGNED = {"arith.divui": "div", "arith.remui": "rem", "arith.maxui": "max", "arith.minui": "min"}
# Of i1, where the sum and the product are those of numbers modulo 2, and the signed order is that of 0 and -1.
OF_BOOLS = {"arith.addi": "xor", "arith.subi": "xor", "arith.muli": "and", "arith.maxsi": "and", "arith.minsi": "or",
            "arith.maxui": "or", "arith.minui": "and"}
INTEGER_PREDICATES = {"eq": "eq", "ne": "ne", "slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge",
                      "ult": "lt", "ule": "le", "ugt": "gt", "uge": "ge"}
FLOAT_PREDICATES = {"eq": "eq", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}


def together(conv: Converter, *values: Value) -> list[Value]:
    """Scalars made as large as the arrays beside them."""
    shape = max((value.shape for value in values), key=len)
    return [conv.builder.broadcast(value, shape) for value in values]


def unsigned(conv: Converter, value: Value) -> Value:
    """The same bits as an unsigned integer."""
    if not value.dtype.startswith("i"):
        return value
    return conv.builder.emit1("bitcast", [value], ("u" + value.dtype[1:], value.shape))


def signed(conv: Converter, value: Value) -> Value:
    if not value.dtype.startswith("u"):
        return value
    return conv.builder.emit1("bitcast", [value], ("i" + value.dtype[1:], value.shape))


@rule(*SAME)
def _same(conv: Converter, op: Op, operands: list[Any]) -> Value:
    values = together(conv, *conv.numbers(operands))
    name = OF_BOOLS.get(op.name, SAME[op.name]) if values[0].dtype == "bool" else SAME[op.name]
    return conv.builder.emit1(name, values, values[0].type)


@rule(*UNSIGNED)
def _unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    values = together(conv, *conv.numbers(operands))
    if values[0].dtype == "bool":
        return conv.builder.emit1(OF_BOOLS[op.name], values, values[0].type)
    values = [unsigned(conv, value) for value in values]
    return signed(conv, conv.builder.emit1(UNSIGNED[op.name], values, values[0].type))


@rule("arith.maximumf", "arith.minimumf")
def _with_nan(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """In dialect `triton` max and min drop NaN; here it is what they give."""
    a, b = together(conv, *conv.numbers(operands))
    name = "max" if op.name == "arith.maximumf" else "min"
    found = conv.builder.emit1(name, [a, b], a.type)
    for one in (b, a):
        is_nan = conv.builder.emit1("ne", [one, one], ("bool", one.shape))
        found = conv.builder.emit1("select", [is_nan, found, one], a.type)
    return found


@rule("tt.clampf")
def _clamp(conv: Converter, op: Op, operands: list[Any]) -> Value:
    value, low, high = together(conv, *conv.numbers(operands))
    found = conv.builder.emit1("min", [conv.builder.emit1("max", [value, low], value.type), high], value.type)
    if op.attributes.get("propagateNan") != "all":
        return found
    is_nan = conv.builder.emit1("ne", [value, value], ("bool", value.shape))
    return conv.builder.emit1("select", [is_nan, found, value], value.type)


@rule("math.fma")
def _fma(conv: Converter, op: Op, operands: list[Any]) -> Value:
    raise Unsupported("a product and a sum with one rounding are not supported")


@rule("arith.cmpi")
def _compare_integers(conv: Converter, op: Op, operands: list[Any]) -> Value:
    a, b = together(conv, *conv.numbers(operands))
    predicate = op.words[0]
    if predicate[0] == "u":
        a, b = unsigned(conv, a), unsigned(conv, b)
    elif a.dtype == "bool" and predicate[0] == "s":
        a, b = b, a  # true is -1
    return conv.builder.emit1(INTEGER_PREDICATES[predicate], [a, b], ("bool", a.shape))


@rule("arith.cmpf")
def _compare_floats(conv: Converter, op: Op, operands: list[Any]) -> Value:
    a, b = together(conv, *conv.numbers(operands))
    build, boolean = conv.builder.emit1, ("bool", a.shape)
    predicate = op.words[0]
    if predicate in ("true", "false"):
        return conv.builder.constant(predicate == "true", "bool", a.shape)
    ordered = build("and", [build("eq", [a, a], boolean), build("eq", [b, b], boolean)], boolean)
    if predicate == "ord":
        return ordered
    if predicate == "uno":
        return build("not", [ordered], boolean)
    name = predicate[1:]
    if name == "ne":
        different = build("ne", [a, b], boolean)
        return different if predicate == "une" else build("and", [different, ordered], boolean)
    found = build(FLOAT_PREDICATES[name], [a, b], boolean)
    return found if predicate[0] == "o" else build("or", [found, build("not", [ordered], boolean)], boolean)


@rule("arith.select")
def _select(conv: Converter, op: Op, operands: list[Any]) -> Any:
    condition, yes, no = operands
    if isinstance(yes, Pointers) or isinstance(no, Pointers):
        return _select_pointers(conv, condition, yes, no)
    condition, yes, no = together(conv, condition, yes, no)
    return conv.builder.emit1("select", [condition, no, yes], yes.type)


def _select_pointers(conv: Converter, condition: Value, yes: Pointers, no: Pointers) -> Pointers:
    if yes.ref is not no.ref:
        raise Unsupported("a choice between pointers into two arrays is not supported")
    offsets = [conv.builder.convert(one.offsets, "i64") if one.offsets else conv.builder.constant(0, "i64") for one in (no, yes)]
    condition, *offsets = together(conv, condition, *offsets)
    return yes.at(conv.builder.emit1("select", [condition, *offsets], offsets[0].type), yes.shape)


# ---- conversions ----


def _target(op: Op) -> str:
    try:
        return dtype_of(op.outputs[0])
    except KeyError as name:
        raise Unsupported(f"dtype {name} has no counterpart") from None


@rule("arith.extf", "arith.truncf", "arith.fptosi", "arith.index_cast")
def _convert(conv: Converter, op: Op, operands: list[Any]) -> Value:
    return conv.builder.convert(conv.numbers(operands)[0], _target(op))


@rule("arith.extsi", "arith.sitofp")
def _of_signed(conv: Converter, op: Op, operands: list[Any]) -> Value:
    (value,) = conv.numbers(operands)
    found = conv.builder.convert(value, _target(op))
    return found if value.dtype != "bool" else conv.builder.emit1("neg", [found], found.type)  # true is -1


@rule("arith.extui", "arith.uitofp")
def _of_unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    (value,) = conv.numbers(operands)
    return conv.builder.convert(unsigned(conv, value), _target(op))


@rule("arith.trunci")
def _cut(conv: Converter, op: Op, operands: list[Any]) -> Value:
    (value,) = conv.numbers(operands)
    if _target(op) != "bool":
        return conv.builder.convert(value, _target(op))
    one = conv.builder.broadcast(conv.builder.constant(1, value.dtype), value.shape)
    zero = conv.builder.broadcast(conv.builder.constant(0, value.dtype), value.shape)
    lowest = conv.builder.emit1("and", [value, one], value.type)
    return conv.builder.emit1("ne", [lowest, zero], ("bool", value.shape))


@rule("arith.fptoui")
def _to_unsigned(conv: Converter, op: Op, operands: list[Any]) -> Value:
    (value,) = conv.numbers(operands)
    if _target(op) == "bool":
        return conv.builder.convert(value, "bool")
    return signed(conv, conv.builder.convert(value, "u" + _target(op)[1:]))


@rule("tt.fp_to_fp")
def _between_floats(conv: Converter, op: Op, operands: list[Any]) -> Value:
    if op.attributes.get("rounding", "rtne") != "rtne":
        raise Unsupported(f"rounding {op.attributes['rounding']} is not supported")
    return conv.builder.convert(conv.numbers(operands)[0], _target(op))


@rule("arith.bitcast", "tt.bitcast")
def _bitcast(conv: Converter, op: Op, operands: list[Any]) -> Any:
    (value,) = operands
    if isinstance(value, Pointers):
        return pointing_to(conv, value, str(op.outputs[0].element.pointee))
    target = _target(op)
    if target == value.dtype:
        return value
    if "bool" in (target, value.dtype):
        return conv.builder.convert(value, target)
    return conv.builder.emit1("bitcast", [value], (target, value.shape))
