"""Kinds about precision: sums and operands in a dtype that is too narrow."""

from __future__ import annotations

import functools
from typing import Callable, Iterator

from .editing import Builder, after, before, redirect
from .ir import DTYPE, Kernel, Op, Type
from .patterns import MOVES, Patterns, accumulators, summed_dimension
from .registry import Site, at, kind

_PARTS = 16  # a sum inside an op is rounded after each of at most so many parts


def _narrower(wide: Type, dtype: str) -> bool:
    """Whether a dtype of the same kind has fewer digits than another."""
    if DTYPE[dtype].kind == "float":
        return wide.is_float and DTYPE[wide.dtype].mantissa_bits > DTYPE[dtype].mantissa_bits
    return wide.is_int and DTYPE[wide.dtype].bits > DTYPE[dtype].bits


def _narrow_sums(dtype: str, p: Patterns) -> Iterator[Site]:
    grown = {found.add.number: found.add for found in accumulators(p)}
    inside = {op.number: op for op in p.kernel.in_body("reduce_sum", "dot_general") if p.is_data(op)}
    for number in sorted(grown | inside):
        op = p.kernel.ops[number]
        wide = _sum_type(p.kernel, op)
        if _narrower(wide, dtype) and (number in grown or _terms(p.kernel, op) > 1):
            edit = _round_result if number in grown else _round_parts
            yield at(p, op, functools.partial(edit, dtype=dtype))


def _sum_type(k: Kernel, op: Op) -> Type:
    """The dtype in which an op sums, with the result's shape."""
    if op.name != "dot_general" or not op.type.is_float or op.type.dtype == "f64":
        return op.type
    return op.type.of_dtype("f32")


def _terms(k: Kernel, op: Op) -> int:
    """How many terms an op sums along the first of its dimensions; 1 if there is none."""
    axis = summed_dimension(k, op)
    return 1 if axis is None else k.type(op.ins[0]).shape[axis]


def _round_result(k: Kernel, op: Op, dtype: str) -> None:
    builder = after(k, op)
    redirect(k, op.out, builder.convert(builder.convert(op.out, dtype), op.type.dtype), builder.made)


def _round_parts(k: Kernel, op: Op, dtype: str) -> None:
    """Replaces a sum by one of parts, rounded after each."""
    builder, wide = after(k, op), _sum_type(k, op)
    terms = _terms(k, op)
    part = -(-terms // _PARTS)
    total = None
    for start in range(0, terms, part):
        term = _part_of(builder, k, op, start, min(part, terms - start), wide)
        total = term if total is None else builder.two("add", total, term)
        total = builder.convert(builder.convert(total, dtype), wide.dtype)
    result = total if wide == op.type else builder.convert(total, op.type.dtype)
    redirect(k, op.out, result, builder.made)


def _part_of(builder: Builder, k: Kernel, op: Op, start: int, count: int, wide: Type) -> int:
    axes = [summed_dimension(k, op), *op.data.get("rhs_contract", ())[:1]]
    operands = []
    for operand, axis in zip(op.ins, axes):
        full = k.type(operand)
        starts = [start if d == axis else 0 for d in range(len(full.shape))]
        shape = tuple(count if d == axis else extent for d, extent in enumerate(full.shape))
        operands.append(builder.emit("slice", [operand], Type(full.dtype, shape), start=starts, stride=[1] * len(shape)))
    attributes = {name: value for name, value in op.data.items() if name not in ("op", "in", "out", "loc")}
    return builder.emit(op.name, operands, wide, **attributes)


for _dtype in ("bf16", "f16", "i16", "i8"):
    kind(f"accumulator-{_dtype}")(functools.partial(_narrow_sums, _dtype))


def _through(bits: tuple[int, int], builder: Builder, value: int) -> int:
    return builder.one("reduce_precision", value, exponent_bits=bits[0], mantissa_bits=bits[1])


def _through_e4m3(builder: Builder, value: int) -> int:
    """Saturates, as casts on hardware do: f8e4m3fn has no infinity."""
    whole = builder.type(value)
    limits = [builder.constant(limit, whole) for limit in (-448, 448)]
    bounded = builder.emit("clamp", [limits[0], value, limits[1]], whole)
    return builder.convert(builder.convert(bounded, "f8e4m3fn"), whole.dtype)


def _digits(p: Patterns, value: int) -> int:
    """The mantissa bits of the narrowest float that a value has passed through unchanged."""
    least = DTYPE[p.kernel.type(value).dtype].mantissa_bits
    while (op := p.kernel.op(value)) is not None and op.name in (*MOVES, "convert"):
        value = op.ins[0]
        if not p.kernel.type(value).is_float:
            break
        least = min(least, DTYPE[p.kernel.type(value).dtype].mantissa_bits)
    return least


def _narrow_operands(digits: int, narrow: Callable[[Builder, int], int], p: Patterns) -> Iterator[Site]:
    def edit(k: Kernel, op: Op) -> None:
        builder = before(k, op)
        op.data["in"] = [narrow(builder, operand) for operand in op.ins]

    for op in p.kernel.in_body("dot_general"):
        if p.is_data(op) and p.kernel.type(op.ins[0]).is_float and max(_digits(p, i) for i in op.ins) > digits:
            yield at(p, op, edit)


kind("operand-bf16")(functools.partial(_narrow_operands, 7, functools.partial(_through, (8, 7))))
kind("operand-tf32")(functools.partial(_narrow_operands, 10, functools.partial(_through, (8, 10))))
kind("operand-e4m3")(functools.partial(_narrow_operands, 3, _through_e4m3))
