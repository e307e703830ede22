"""Kinds about formulas: operands exchanged, parts left out, one function for another."""

from __future__ import annotations

import functools
import math
from typing import Iterator

from .editing import after, before, redirect
from .ir import Kernel, Op
from .patterns import UNARY, Patterns, accumulators, near
from .registry import Site, at, kind

_EVEN = ("abs", "square", "cos", "cosh")
_NEUTRAL = {"add": (0.0,), "sub": (0.0,), "mul": (1.0,), "div": (1.0,), "max": (-math.inf,), "min": (math.inf,)}


def use_instead(k: Kernel, op: Op, which: int) -> None:
    """Uses an operand of an op in place of its result."""
    redirect(k, op.out, op.ins[which])


def _swap_operands(k: Kernel, op: Op, first: int) -> None:
    op.ins[first], op.ins[first + 1] = op.ins[first + 1], op.ins[first]


@kind("subtraction-reversed")
def subtraction_reversed(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("sub"):
        numbers = [p.number(i) for i in op.ins]
        if p.is_data(op) and None in numbers and p.origin(op.ins[0]) != p.origin(op.ins[1]) and not _sign_is_lost(p, op):
            yield at(p, op, functools.partial(_swap_operands, first=0))


def _sign_is_lost(p: Patterns, op: Op) -> bool:
    """Whether all that uses a value gives the same for its negation."""
    users = list(p.consumers(op.out))
    leaves = any(use.region is not None for use in p.kernel.uses.get(op.out, ()))
    return bool(users) and not leaves and all(_is_even(p, user) for user in users)


def _is_even(p: Patterns, op: Op) -> bool:
    if op.name == "select":
        return 0 in map(p.number, op.ins[1:]) and _sign_is_lost(p, op)
    return (op.name in _EVEN or (op.name == "integer_pow" and op.data["exponent"] % 2 == 0)
            or (op.name == "mul" and op.ins[0] == op.ins[1]))


@kind("division-reversed")
def division_reversed(p: Patterns) -> Iterator[Site]:
    return _exchanged_data(p, 0, "div")


def _exchanged_data(p: Patterns, first: int, *names: str) -> Iterator[Site]:
    for op in p.kernel.in_body(*names):
        if p.is_data(op) and p.origin(op.ins[first]) != p.origin(op.ins[first + 1]):
            yield at(p, op, functools.partial(_swap_operands, first=first))


@kind("shift-reversed")
def shift_reversed(p: Patterns) -> Iterator[Site]:
    return _exchanged_data(p, 0, "shift_left", "shift_right_logical", "shift_right_arithmetic")


@kind("select-reversed")
def select_reversed(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("select"):
        if p.is_data(op) and len(op.ins) == 3 and op.ins[1] != op.ins[2]:
            yield at(p, op, functools.partial(_swap_operands, first=1))


def _maximum(p: Patterns, op: Op) -> Op | None:
    """The maximum that a `sub` takes off before an exponential."""
    if not any(user.name in ("exp", "exp2") for user in p.consumers(op.out)):
        return None
    found = p.kernel.op(p.source(op.ins[1]))
    return found if found is not None and found.name in ("max", "reduce_max") else None


def _rescales(p: Patterns, op: Op) -> bool:
    """Whether a `sub` takes the new running maximum off the old one."""
    maximum = _maximum(p, op)
    return (maximum is not None and maximum.name == "max"
            and p.source(op.ins[0]) in [p.source(i) for i in maximum.ins])


@kind("maximum-not-subtracted")
def maximum_not_subtracted(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("sub"):
        if _maximum(p, op) is not None and not _rescales(p, op):
            yield at(p, op, functools.partial(use_instead, which=0))


@kind("accumulator-not-rescaled")
def accumulator_not_rescaled(p: Patterns) -> Iterator[Site]:
    seen = set()
    for op in p.kernel.in_body("sub"):
        factors = [user for user in p.consumers(op.out) if user.name in ("exp", "exp2")] if _rescales(p, op) else []
        for factor in factors:
            for product in p.consumers(factor.out):
                if product.name == "mul" and product.number not in seen:
                    seen.add(product.number)
                    scaled = next(i for i in (0, 1) if p.source(product.ins[1 - i]) == factor.out)
                    yield at(p, product, functools.partial(use_instead, which=scaled))


def _scales(p: Patterns) -> Iterator[tuple[Op, int]]:
    """Products and quotients of data and a constant, with the number of the operand that is data."""
    for op in p.kernel.in_body("mul", "div"):
        numbers = [p.number(i) for i in op.ins]
        if not p.is_data(op) or not op.type.is_float or (numbers[0] is None) == (numbers[1] is None):
            continue
        which = 0 if numbers[0] is None else 1
        factor = numbers[1 - which]
        if factor != 0 and abs(factor) != 1 and math.isfinite(factor) and (op.name == "mul" or which == 0):
            yield op, which


@kind("scale-dropped")
def scale_dropped(p: Patterns) -> Iterator[Site]:
    for op, which in _scales(p):
        yield at(p, op, functools.partial(use_instead, which=which))


@kind("scale-squared")
def scale_squared(p: Patterns) -> Iterator[Site]:
    for op, which in _scales(p):
        yield at(p, op, functools.partial(_scale_again, which=1 - which))


def _scale_again(k: Kernel, op: Op, which: int) -> None:
    builder = after(k, op)
    redirect(k, op.out, builder.two(op.name, op.out, op.ins[which]), builder.made)


def _rename(p: Patterns, names: dict[str, str]) -> Iterator[Site]:
    def edit(k: Kernel, op: Op) -> None:
        op.data["op"] = names[op.name]

    return (at(p, op, edit) for op in p.kernel.in_body(*names) if p.is_data(op))


kind("exp-of-other-base")(functools.partial(_rename, names={"exp": "exp2", "exp2": "exp"}))
kind("log-of-other-base")(functools.partial(_rename, names={"log": "log2", "log2": "log"}))


def _times(p: Patterns, value: int, factor: float) -> int | None:
    """x, if a value is x times a factor, as a product or a quotient."""
    op = p.kernel.op(p.source(value))
    if op is None or op.name not in ("mul", "div"):
        return None
    if op.name == "div":
        return op.ins[0] if near(p.number(op.ins[1]), 1 / factor) else None
    return next((op.ins[1 - i] for i in (0, 1) if near(p.number(op.ins[i]), factor)), None)


def _gelu_argument(p: Patterns, op: Op) -> int | None:
    """x, if an op is erf(x / sqrt(2)) or tanh(sqrt(2 / pi) (x + 0.044715 x^3))."""
    if op.name == "erf":
        return _times(p, op.ins[0], math.sqrt(0.5))
    inner = _times(p, op.ins[0], math.sqrt(2 / math.pi))
    total = None if inner is None else p.kernel.op(p.source(inner))
    if total is None or total.name != "add":
        return None
    return next((total.ins[1 - i] for i in (0, 1) if _times(p, total.ins[i], 0.044715) is not None), None)


@kind("gelu-other-form")
def gelu_other_form(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("erf", "tanh"):
        x = _gelu_argument(p, op)
        if x is not None and p.kernel.type(x) == op.type:
            yield at(p, op, functools.partial(_other_gelu, x=x))


def _other_gelu(k: Kernel, op: Op, x: int) -> None:
    builder = before(k, op)
    if op.name == "tanh":
        op.data["op"], op.ins[0] = "erf", builder.with_number("mul", x, math.sqrt(0.5))
        return
    cube = builder.with_number("mul", builder.one("integer_pow", x, exponent=3), 0.044715)
    op.data["op"] = "tanh"
    op.ins[0] = builder.with_number("mul", builder.two("add", x, cube), math.sqrt(2 / math.pi))


@kind("bias-left-out")
def bias_left_out(p: Patterns) -> Iterator[Site]:
    sums = {found.add.number for found in accumulators(p)}
    for op in p.kernel.in_body("add"):
        loaded = [_is_input(p, i) for i in op.ins]
        if p.is_data(op) and op.number not in sums and loaded[0] != loaded[1]:
            computed = loaded.index(False)
            if p.number(op.ins[computed]) is None and p.kernel.op(p.source(op.ins[computed])) is not None:
                yield at(p, op, functools.partial(use_instead, which=computed))


def _is_input(p: Patterns, value: int) -> bool:
    """Whether a value is loaded from an input, and only moved or converted since."""
    op = p.kernel.op(p.source(value))
    if op is None or op.name != "load":
        return False
    param = p.kernel.param_of(op.ins[0])
    return param is not None and param["role"] == "input"


@kind("op-as-identity")
def op_as_identity(p: Patterns) -> Iterator[Site]:
    scales = {op.number for op, _ in _scales(p)}  # of the kind scale-dropped
    for op in p.kernel.in_body(*UNARY, *_NEUTRAL, "pow"):
        numbers = [p.number(i) for i in op.ins]
        if not p.is_data(op) or op.number in scales or None not in numbers or p.ranges.decided(op.out):
            continue
        which = numbers.index(None)
        other = numbers[1 - which] if len(numbers) > 1 else None
        if other is None or other not in _NEUTRAL.get(op.name, ()):
            yield at(p, op, functools.partial(use_instead, which=which))
