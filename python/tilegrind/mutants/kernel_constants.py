"""Kinds about constants: divisors of means, epsilons, too few digits."""

from __future__ import annotations

import functools
from typing import Iterator

from .editing import after, before, in_dtype, read_number, redirect, written
from .ir import Kernel, Op
from .kernel_formulas import use_instead
from .patterns import Patterns
from .registry import Site, at, kind


def _means(p: Patterns) -> Iterator[tuple[Op, int, int]]:
    """(op, operand, n) that divides a sum by a constant n, or multiplies it by 1 / n."""
    for op in p.kernel.in_body("div", "mul"):
        for which in (1,) if op.name == "div" else (0, 1):
            summed, number = p.kernel.op(p.source(op.ins[1 - which])), p.number(op.ins[which])
            if p.is_data(op) and summed is not None and summed.name == "reduce_sum" and number:
                n = number if op.name == "div" else 1 / number
                if n >= 2 and abs(n - round(n)) < 1e-4 * n:
                    yield op, which, round(n)


def _divide_by(k: Kernel, op: Op, which: int, n: int) -> None:
    op.ins[which] = before(k, op).constant(n if op.name == "div" else 1 / n, k.type(op.ins[which]))


@kind("mean-by-n-minus-1")
def mean_by_n_minus_1(p: Patterns) -> Iterator[Site]:
    for op, which, n in _means(p):
        yield at(p, op, functools.partial(_divide_by, which=which, n=n - 1))


@kind("mean-by-padded-n")
def mean_by_padded_n(p: Patterns) -> Iterator[Site]:
    for op, which, n in _means(p):
        padded = 1 << (n - 1).bit_length()
        if padded != n:
            yield at(p, op, functools.partial(_divide_by, which=which, n=padded))


def _epsilons(p: Patterns) -> Iterator[tuple[Op, int]]:
    """(op, operand) that keeps a root, logarithm or divisor from 0 with a small constant."""
    for op in p.kernel.in_body("add", "max"):
        numbers = [p.number(i) for i in op.ins]
        if op.type.is_float and (numbers[0] is None) != (numbers[1] is None) and _guards(p, op):
            which = 1 if numbers[0] is None else 0
            if 0 < numbers[which] <= 0.01:
                yield op, which


def _guards(p: Patterns, op: Op) -> bool:
    return any(user.name in ("sqrt", "rsqrt", "log", "log2") or (user.name == "div" and p.source(user.ins[1]) == op.out)
               for user in p.consumers(op.out))


@kind("epsilon-dropped")
def epsilon_dropped(p: Patterns) -> Iterator[Site]:
    for op, which in _epsilons(p):
        yield at(p, op, functools.partial(use_instead, which=1 - which))


@kind("epsilon-times-10")
def epsilon_times_10(p: Patterns) -> Iterator[Site]:
    for op, which in _epsilons(p):
        yield at(p, op, functools.partial(_times_10, which=which))


def _times_10(k: Kernel, op: Op, which: int) -> None:
    op.ins[which] = before(k, op).with_number("mul", op.ins[which], 10)


@kind("epsilon-outside-root")
def epsilon_outside_root(p: Patterns) -> Iterator[Site]:
    for op, which in _epsilons(p):
        root = next((user for user in p.consumers(op.out) if user.name in ("sqrt", "rsqrt")), None)
        if root is not None and op.name == "add":
            number = p.number(op.ins[which])
            yield at(p, root, functools.partial(_move_epsilon, add=op.number, which=which, number=number))


def _move_epsilon(k: Kernel, root: Op, add: int, which: int, number: float) -> None:
    redirect(k, k.ops[add].out, k.ops[add].ins[1 - which])
    builder = after(k, root)
    one = builder.constant(1, root.type)
    result = root.out if root.name == "sqrt" else builder.two("div", one, root.out)
    result = builder.with_number("add", result, number)
    redirect(k, root.out, result if root.name == "sqrt" else builder.two("div", one, result), builder.made)


@kind("constant-3-digits")
def constant_3_digits(p: Patterns) -> Iterator[Site]:
    for op in p.kernel.in_body("constant"):
        if p.is_data(op) and op.type.is_float and not isinstance(op.data["value"], list):
            number = read_number(op.data["value"])
            if number is not None and 1e-30 < abs(number) < 1e30 and in_dtype(_short(number), op.type.dtype) != number:
                yield at(p, op, _shorten)


def _short(number: float) -> float:
    return float(f"{number:.2e}")


def _shorten(k: Kernel, op: Op) -> None:
    op.data["value"] = written(_short(read_number(op.data["value"])), op.type.dtype)
