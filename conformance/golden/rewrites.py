"""Legitimate variants of kernels: what other implementations may do, as changes to the IR."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Iterable

import tilegrind
from tilegrind.mutants.editing import Builder, after, before, redirect
from tilegrind.mutants.ir import Kernel, Op, Type
from tilegrind.mutants.patterns import summed_dimension

Edit = Callable[[Kernel, Op], None]
_FUNCTIONS = ("exp", "exp2", "expm1", "log", "log2", "log1p", "tanh", "logistic", "erf", "rsqrt", "sin", "cos", "tan", "atan", "asinh",
              "sinh", "cosh", "cbrt")
_SUMS = ("reduce_sum", "dot_general")
_INF = {True: "inf", False: "-inf"}


def variants(module: dict[str, Any], kernel: str) -> Iterable[tuple[str, Any]]:
    """(name, module) of each variant that changes a kernel."""
    for name, (ops, edit) in _VARIANTS.items():
        copy = json.loads(json.dumps(module))
        data = next(found for found in copy["kernels"] if found["name"] == kernel)
        one = Kernel(data)
        sites = [op for op in one.in_body(*ops) if _is_narrow_float(one, op)]
        changed = [edit(one, op) for op in sites]
        if any(change is not False for change in changed):
            yield name, tilegrind.loads(json.dumps(copy))


def _is_narrow_float(k: Kernel, op: Op) -> bool:
    return len(op.outs) == 1 and op.type.is_float and op.type.dtype != "f64" and all(k.type(value).is_float for value in op.ins)


# ---- sums in other orders ----


def _axes(k: Kernel, op: Op) -> list[int] | None:
    axis = summed_dimension(k, op)
    return None if axis is None else [axis, *op.data.get("rhs_contract", ())[:1]]


def _sum_type(op: Op) -> Type:
    return op.type.of_dtype("f32") if op.name == "dot_general" else op.type


def _attributes(op: Op) -> dict[str, Any]:
    return {name: value for name, value in op.data.items() if name not in ("op", "in", "out", "loc")}


def _part(builder: Builder, k: Kernel, op: Op, start: int, count: int, stride: int) -> int:
    """The sum of terms start, start + stride, ..."""
    operands = []
    for operand, axis in zip(op.ins, _axes(k, op)):
        full = k.type(operand)
        starts, strides = ([value if d == axis else rest for d in range(len(full.shape))] for value, rest in ((start, 0), (stride, 1)))
        shape = tuple(count if d == axis else extent for d, extent in enumerate(full.shape))
        operands.append(builder.emit("slice", [operand], Type(full.dtype, shape), start=starts, stride=strides))
    return builder.emit(op.name, operands, _sum_type(op), **_attributes(op))


def _finish(k: Kernel, op: Op, builder: Builder, total: int) -> None:
    result = total if builder.type(total) == op.type else builder.convert(total, op.type.dtype)
    redirect(k, op.out, result, builder.made)


def _split(parts: int, add_up: Callable, interleaved: bool, k: Kernel, op: Op) -> bool | None:
    axes = _axes(k, op)
    terms = k.type(op.ins[0]).shape[axes[0]] if axes else 1
    if terms < parts:
        return False
    builder, size = after(k, op), -(-terms // parts)
    if interleaved:
        pieces = [(i, len(range(i, terms, parts)), parts) for i in range(parts)]
    else:
        pieces = [(start, min(size, terms - start), 1) for start in range(0, terms, size)]
    _finish(k, op, builder, add_up(builder, [_part(builder, k, op, *piece) for piece in pieces]))


def _chain(builder: Builder, parts: list[int]) -> int:
    return functools.reduce(lambda a, b: builder.two("add", a, b), parts)


def _backward(builder: Builder, parts: list[int]) -> int:
    return _chain(builder, parts[::-1])


def _tree(builder: Builder, parts: list[int]) -> int:
    while len(parts) > 1:
        pairs = [builder.two("add", a, b) for a, b in zip(parts[::2], parts[1::2])]
        parts = pairs + parts[2 * len(pairs):]
    return parts[0]


def _reversed(k: Kernel, op: Op) -> bool | None:
    axes = _axes(k, op)
    if not axes:
        return False
    builder = before(k, op)
    op.data["in"] = [builder.one("rev", value, axes=[axis]) for value, axis in zip(op.ins, axes)]


def _in_f64(k: Kernel, op: Op) -> None:
    builder = after(k, op)
    operands = [builder.convert(value, "f64") for value in op.ins]
    _finish(k, op, builder, builder.emit(op.name, operands, op.type.of_dtype("f64"), **_attributes(op)))


# ---- elements ----


def _to_side(up: bool, k: Kernel, op: Op) -> None:
    """The neighbour of the exact result on one side: within one ULP."""
    builder = after(k, op)
    wide = builder.emit(op.name, [builder.convert(value, "f64") for value in op.ins], op.type.of_dtype("f64"), **_attributes(op))
    near = builder.convert(wide, op.type.dtype)
    back = builder.convert(near, "f64")
    beyond = builder.two("nextafter", near, builder.constant(float(_INF[up]), op.type))
    is_short = builder.compare("lt" if up else "gt", back, wide)
    redirect(k, op.out, builder.choose(is_short, beyond, near), builder.made)


def _commuted(k: Kernel, op: Op) -> None:
    op.data["in"] = op.ins[::-1]


def _add_of_negative(k: Kernel, op: Op) -> None:
    builder = before(k, op)
    op.data["in"] = [op.ins[0], builder.one("neg", op.ins[1])]
    op.data["op"] = "add"


def _fused(k: Kernel, op: Op) -> bool | None:
    """a b + c with one rounding: in f64, where the product of two f32 is exact."""
    factors = [(i, k.op(value)) for i, value in enumerate(op.ins)]
    product = next(((i, found) for i, found in factors if found is not None and found.name == "mul" and found.type == op.type), None)
    if product is None:
        return False
    i, found = product
    builder = after(k, op)
    a, b, c = (builder.convert(value, "f64") for value in (*found.ins, op.ins[1 - i]))
    product = builder.two("mul", a, b)
    _finish(k, op, builder, builder.two(op.name, *((product, c) if i == 0 else (c, product))))


_VARIANTS: dict[str, tuple[tuple[str, ...], Edit]] = {
    "sums in 2 parts": (_SUMS, functools.partial(_split, 2, _chain, False)),
    "sums in 3 parts": (_SUMS, functools.partial(_split, 3, _chain, False)),
    "sums in 4 parts": (_SUMS, functools.partial(_split, 4, _chain, False)),
    "sums in 8 parts, in pairs": (_SUMS, functools.partial(_split, 8, _tree, False)),
    "sums in 16 parts": (_SUMS, functools.partial(_split, 16, _chain, False)),
    "sums in 5 parts, last first": (_SUMS, functools.partial(_split, 5, _backward, False)),
    "sums of even and odd terms": (_SUMS, functools.partial(_split, 2, _chain, True)),
    "sums of every 8th term": (_SUMS, functools.partial(_split, 8, _chain, True)),
    "sums from the last term on": (_SUMS, _reversed),
    "sums in f64": (_SUMS, _in_f64),
    "functions rounded up": (_FUNCTIONS, functools.partial(_to_side, True)),
    "functions rounded down": (_FUNCTIONS, functools.partial(_to_side, False)),
    "operands exchanged": (("add", "mul"), _commuted),
    "a + -b for a - b": (("sub",), _add_of_negative),
    "fused multiply-add": (("add", "sub"), _fused),
}
NAMES = tuple(_VARIANTS)
