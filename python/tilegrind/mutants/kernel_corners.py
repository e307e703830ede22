"""Kinds about what ops do in detail: axes, ties, NaN, signs, roundings, atomics, copies."""

from __future__ import annotations

import functools
import math
from typing import Iterator

from .editing import after, before, redirect
from .ir import DTYPE, Kernel, Op
from .patterns import Patterns
from .registry import Site, at, kind

_REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or", "reduce_xor")


@kind("reduction-other-axis")
def reduction_other_axis(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body(*_REDUCTIONS, "argmax", "argmin"):
        axes = op.data["axes"] if "axes" in op.data else [op.data["axis"]]
        if len(axes) == 1 and p.is_data(op):
            shape = p.kernel.type(op.ins[0]).shape
            other = next((d for d in range(len(shape)) if d != axes[0] and _without(shape, d) == op.type.shape), None)
            if other is not None:
                yield at(p, op, functools.partial(_reduce_over, axis=other))


def _without(shape: tuple[int, ...], dimension: int) -> tuple[int, ...]:
    return shape[:dimension] + shape[dimension + 1:]


def _reduce_over(k: Kernel, op: Op, axis: int) -> None:
    if "axes" in op.data:
        op.data["axes"] = [axis]
    else:
        op.data["axis"] = axis


@kind("reciprocal-12-bits")
def reciprocal_12_bits(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("rsqrt", "div"):
        if p.is_data(op) and op.type.is_float and DTYPE[op.type.dtype].mantissa_bits > 11:
            if op.name == "rsqrt" or p.number(op.ins[1]) is None:
                yield at(p, op, _approximate)


def _approximate(k: Kernel, op: Op) -> None:
    builder, bits = after(k, op), {"exponent_bits": DTYPE[op.type.dtype].exponent_bits, "mantissa_bits": 11}
    if op.name == "rsqrt":
        redirect(k, op.out, builder.one("reduce_precision", op.out, **bits), builder.made)
        return
    reciprocal = builder.two("div", builder.constant(1, op.type), op.ins[1])
    result = builder.two("mul", op.ins[0], builder.one("reduce_precision", reciprocal, **bits))
    redirect(k, op.out, result, builder.made)


@kind("convert-toward-zero")
def convert_toward_zero(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("convert"):
        wide = p.kernel.type(op.ins[0])
        if p.is_data(op) and wide.is_float and op.type.is_float and p.number(op.ins[0]) is None:
            if DTYPE[wide.dtype].mantissa_bits > DTYPE[op.type.dtype].mantissa_bits:
                yield at(p, op, _truncate)


def _truncate(k: Kernel, op: Op) -> None:
    builder, wide = after(k, op), op.ins[0]
    back = builder.convert(op.out, k.type(wide).dtype)
    away = builder.compare("gt", builder.one("abs", back), builder.one("abs", wide))
    lower = builder.with_number("nextafter", op.out, 0)
    redirect(k, op.out, builder.choose(away, lower, op.out), builder.made)


@kind("last-of-ties")
def last_of_ties(p: Patterns) -> Iterator[Site]:
    return (at(p, op, _take_last) for op in p.kernel.in_body("argmax", "argmin"))


def _take_last(k: Kernel, op: Op) -> None:
    axis = op.data["axis"]
    op.ins[0] = before(k, op).one("rev", op.ins[0], axes=[axis])
    builder = after(k, op)
    last = builder.constant(k.type(op.ins[0]).shape[axis] - 1, op.type)
    redirect(k, op.out, builder.two("sub", last, op.out), builder.made)


@kind("nan-skipped")
def nan_skipped(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("max", "min", "reduce_max", "reduce_min"):
        if p.is_data(op) and op.type.is_float:
            yield at(p, op, _skip_nan)


def _skip_nan(k: Kernel, op: Op) -> None:
    builder, operands = before(k, op), list(op.ins)
    if len(operands) == 1:
        limit = -math.inf if op.name == "reduce_max" else math.inf
        operands.append(builder.constant(limit, k.type(operands[0])))
    numbers = [builder.choose(builder.compare("ne", a, a), b, a) for a, b in (operands, operands[::-1])]
    op.data["in"] = numbers[:len(op.ins)]


@kind("remainder-sign")
def remainder_sign(p: Patterns) -> Iterator[Site]:
    """A remainder that follows the divisor is made from one that follows the dividend by an addition and a select."""
    for op in p.kernel.named("rem"):
        if p.ranges.of(op.ins[0])[0] >= 0 and p.ranges.of(op.ins[1])[0] > 0:
            continue
        correction = _correction(p, op)
        if correction is not None:
            yield at(p, op, functools.partial(_drop_correction, select=correction.number))
        elif p.is_data(op):
            yield at(p, op, _follow_divisor)


def _correction(p: Patterns, op: Op) -> Op | None:
    """The select between a remainder and its sum with the divisor."""
    for user in p.consumers(op.out):
        if user.name == "add" and p.source(op.ins[1]) in [p.source(i) for i in user.ins]:
            for select in p.consumers(user.out):
                if select.name == "select" and op.out in map(p.source, select.ins[1:]):
                    return select
    return None


def _drop_correction(k: Kernel, op: Op, select: int) -> None:
    redirect(k, k.ops[select].out, op.out)


def _follow_divisor(k: Kernel, op: Op) -> None:
    builder, divisor = after(k, op), op.ins[1]
    zero = builder.constant(0, op.type)
    signs = [builder.compare("lt", value, zero) for value in (op.out, divisor)]
    wrong = builder.two("and", builder.two("ne", *signs), builder.compare("ne", op.out, zero))
    fixed = builder.choose(wrong, builder.two("add", op.out, divisor), op.out)
    redirect(k, op.out, fixed, builder.made)


@kind("atomic-as-store")
def atomic_as_store(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("add_update", "atomic_rmw"):
        if op.name == "add_update" or op.data["kind"] == "add":
            yield at(p, op, _store_instead)


def _store_instead(k: Kernel, op: Op) -> None:
    if op.name == "add_update":
        op.data["op"] = "store"
    else:
        op.data["kind"] = "xchg"


@kind("copy-awaited-late")
def copy_awaited_late(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("dma_wait"):
        if op.region["ops"][-1] is not op.data:
            yield at(p, op, _wait_last)


def _wait_last(k: Kernel, op: Op) -> None:
    ops = op.region["ops"]
    position = next(i for i, data in enumerate(ops) if data is op.data)
    ops.append(ops.pop(position))

