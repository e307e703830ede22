"""What kinds look for: where values come from and go to, constants, masks, accumulators.  All by definitions and uses."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from typing import Callable, Iterator

from .editing import read_number
from .intervals import Ranges
from .ir import Kernel, Op, Type, Value

MOVES = ("broadcast_in_dim", "reshape", "transpose", "tile", "slice", "rev", "dynamic_slice", "assume_multiple")
UNARY = ("neg", "abs", "sign", "square", "integer_pow", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2",
         "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
         "logistic", "erf", "erf_inv", "floor", "ceil", "round")
_LANEWISE = {*UNARY, "convert", "not", "reduce_precision", "is_finite", "add", "sub", "mul", "div", "rem", "max", "min",
             "pow", "atan2", "and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge", "select", "clamp"}
_INTEGER_OPS = ("add", "sub", "mul", "div", "rem", "min", "max", "neg")
_POSITIONS = ("iota", "constant", "program_id", "num_programs")
COMPARISONS = ("lt", "le", "gt", "ge")
_FOLDED: dict[str, Callable[..., float]] = {
    "neg": lambda a: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
}


class Patterns:
    """Questions about one kernel, with the answers kept."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.ranges = Ranges(kernel)

    def origin(self, value: int, through: tuple[str, ...] = MOVES) -> int:
        """The value of which another is a copy, moved or repeated."""
        while (op := self.kernel.op(value)) is not None and op.name in through:
            value = op.ins[0]
        return value

    def source(self, value: int) -> int:
        """As `origin`, also through conversions."""
        return self.origin(value, (*MOVES, "convert"))

    # What follows is found in one pass over all ops: operands come before the ops that use them, so that no chain of ops,
    # however long, needs recursion.

    def number(self, value: int) -> float | None:
        """The number that all elements of a value are; None if that is not known from constants alone."""
        return self._constants.get(value)

    @functools.cached_property
    def _constants(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for op in self.kernel.ops:
            if len(op.outs) == 1 and (number := _folded(op, found)) is not None:
                found[op.out] = number
        return found

    def same(self, a: int, b: int) -> bool:
        """Whether two values are equal, moved or repeated aside, as they are computed in the same way."""
        first, second = (self._keys.get(value, value) for value in (self.origin(a), self.origin(b)))
        return first == second

    @functools.cached_property
    def _keys(self) -> dict[int, int]:
        """For the results of pure ops: the first value that is computed in the same way."""
        found: dict[int, int] = {}
        first: dict[tuple, int] = {}
        for op in self.kernel.ops:
            if op.name in _LANEWISE or op.name in MOVES or op.name in _POSITIONS:
                attributes = json.dumps({k: v for k, v in op.data.items() if k not in ("in", "out", "loc")})
                key = (attributes, op.type, *(found.get(i, i) for i in op.ins))
                found[op.out] = first.setdefault(key, op.out)
        return found

    def _computed_from(self, seeds: set[int], through: tuple[str, ...]) -> set[int]:
        """The seeds, and what is computed from them by some ops."""
        found = set(seeds)
        for op in self.kernel.ops:
            if op.name in through and not found.isdisjoint(op.ins):
                found.add(op.out)
        return found

    def _results(self, *names: str) -> set[int]:
        return {op.out for op in self.kernel.named(*names)}

    @functools.cached_property
    def positions(self) -> set[int]:
        """The integers that depend on an element's position in its block or array, or on the program or the step."""
        arguments = {i for i, value in self.kernel.values.items() if value.region is not None and value.type.is_int}
        return self._computed_from(arguments | self._results("iota", "program_id"), (*_INTEGER_OPS, *MOVES, "convert"))

    @functools.cached_property
    def lanes(self) -> set[int]:
        """The numbers that differ between elements because they depend on an iota."""
        return self._computed_from(self._results("iota"), (*_INTEGER_OPS, *MOVES, "convert"))

    @functools.cached_property
    def lane_conditions(self) -> set[int]:
        """The bools that depend on comparisons of such integers."""
        seeds = {op.out for op in self.kernel.named(*COMPARISONS, "eq", "ne")
                 if self.kernel.type(op.ins[0]).is_int and not self.lanes.isdisjoint(op.ins)}
        return self._computed_from(seeds, ("and", "or", "not", "xor", *MOVES))

    @functools.cached_property
    def masks(self) -> set[int]:
        """The values that decide, after moves and logic, in the mask of a memory op or in the condition of a select."""
        found: set[int] = set()
        for op in reversed(self.kernel.ops):
            if op.name == "select":
                found.add(op.ins[0])
            elif (which := mask_index(op)) is not None:
                found.add(op.ins[which])
            elif op.name in (*MOVES, "and", "or", "not", "xor", "convert") and op.out in found:
                found.update(op.ins)
        return found

    def mask_comparisons(self) -> Iterator[Op]:
        """Comparisons of positions that decide which elements count."""
        for op in self.kernel.in_body(*COMPARISONS):
            if self.kernel.type(op.ins[0]).is_int and op.out in self.masks and not self.positions.isdisjoint(op.ins):
                yield op

    def consumers(self, value: int) -> Iterator[Op]:
        """The ops that use a value, also after moves and conversions."""
        waiting = [value]
        while waiting:
            for use in self.kernel.uses.get(waiting.pop(), ()):
                if use.region is None and use.op.name in (*MOVES, "convert") and use.index == 0:
                    waiting.append(use.op.out)
                elif use.region is None:
                    yield use.op

    def used_only_under(self, value: int, mask: int) -> bool:
        """Whether the elements of a value reach nothing but their own places in stores and selects with a mask."""
        waiting, seen = [value], set()
        while waiting:
            for use in self.kernel.uses.get(waiting.pop(), ()):
                if use.region is not None:
                    return False
                if use.op.name == "store" and use.index == 1:
                    if not use.op.data.get("mask") or not self.same(use.op.ins[-1], mask):
                        return False
                elif use.op.name == "select" and use.index == 2 and self.same(use.op.ins[0], mask):
                    continue
                elif use.op.name not in _LANEWISE or use.op.type.shape != self.kernel.type(value).shape:
                    return False
                elif use.op.number not in seen:
                    seen.add(use.op.number)
                    waiting.append(use.op.out)
        return True

    @functools.cached_property
    def data(self) -> set[int]:
        """The numbers of the ops that compute stored values: neither indices, nor masks, nor conditions."""
        waiting = [op.ins[1] for op in self.kernel.in_body("store", "swap", "add_update", "atomic_rmw")]
        waiting += [op.ins[2] for op in self.kernel.in_body("atomic_cas")]
        seen, found = set(), set()
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            definition = self.kernel.values[value]
            if definition.region is None:
                found.add(definition.op.number)
            waiting += _data_operands(definition)
        return found

    def is_data(self, op: Op) -> bool:
        return op.number in self.data


def mask_index(op: Op) -> int | None:
    """Which operand of a memory op is its mask; None if it has none."""
    return len(op.ins) - 1 - bool(op.data.get("other")) if op.data.get("mask") else None


def _folded(op: Op, known: dict[int, float]) -> float | None:
    """The number that an op makes of known numbers; None if that is unknown."""
    if op.name == "constant":
        data = op.data["value"]
        return None if isinstance(data, (list, bool)) else read_number(data)
    if op.name in MOVES or op.name == "convert":
        return known.get(op.ins[0])
    if op.name in _FOLDED and all(i in known for i in op.ins):
        return _FOLDED[op.name](*(known[i] for i in op.ins))
    return None


def _data_operands(definition: Value) -> list[int]:
    """The operands of what defines a value that are data of it."""
    op, index = definition.op, definition.index
    if definition.region is not None:  # an argument of a region
        if op is None or op.name in ("scoped", "switch") or (op.name == "for" and index == 0):
            return []
        carry = index - 1 if op.name == "for" else index
        body = op.regions[-1]
        return [op.ins[carry + 3 if op.name == "for" else carry], body["yield"][carry]]
    if op.name == "for":
        return [op.ins[index + 3], op.regions[0]["yield"][index]]
    if op.name == "while":
        return [op.ins[index], op.regions[1]["yield"][index]]
    if op.name in ("switch", "scoped"):
        return [region["yield"][index] for region in op.regions]
    if op.name == "load":
        return [op.ins[-1]] if op.data.get("other") else []
    if op.name in ("swap", "atomic_rmw", "atomic_cas", "program_id", "num_programs"):
        return []
    if op.name == "select":
        return op.ins[1:]
    if op.name in ("dynamic_slice", "gather"):
        return op.ins[:1]
    return list(op.ins)


@dataclass(frozen=True)
class Accumulator:
    """A sum that grows from step to step: `add` has the value so far as operand `own`.

    initial  the value of a loop's carry before the first step; None if the sum is in memory
    memory   the ref in whose memory the sum is; None if it is a carry
    """

    add: Op
    own: int
    initial: int | None
    memory: int | None

    @property
    def addend(self) -> int:
        return self.add.ins[1 - self.own]


def accumulators(p: Patterns) -> list[Accumulator]:
    """The running sums of a kernel, in loops and in memory."""
    return [found for op in p.kernel.in_body("add") if p.is_data(op) and (found := _accumulator(p, op)) is not None]


def _accumulator(p: Patterns, op: Op) -> Accumulator | None:
    for own, value in enumerate(op.ins):
        for start in _behind_scaling(p, value):
            definition = p.kernel.values[start]
            if definition.region is not None and definition.op is not None:
                if (initial := _carried(p, op, definition)) is not None:
                    return Accumulator(op, own, initial, None)
            elif definition.op is not None and definition.op.name == "load":
                memory = p.kernel.ref_root(definition.op.ins[0])
                if _stored_back(p, op, memory):
                    return Accumulator(op, own, None, memory)
    return None


def _behind_scaling(p: Patterns, value: int) -> list[int]:
    """A value, and the factors of the product that it may be: a running sum may be rescaled before it grows."""
    start = p.source(value)
    op = p.kernel.op(start)
    return [start] if op is None or op.name != "mul" else [start, *(p.source(i) for i in op.ins)]


def _carried(p: Patterns, op: Op, definition: Value) -> int | None:
    """The initial value of the carry that an argument is, if the sum is yielded as this carry."""
    if definition.op.name not in ("for", "while"):
        return None
    carry = definition.index - (definition.op.name == "for")
    body = definition.op.regions[-1]
    if carry < 0 or definition.region is not body or p.source(body["yield"][carry]) != op.out:
        return None
    return definition.op.ins[carry + 3 if definition.op.name == "for" else carry]


def _stored_back(p: Patterns, op: Op, memory: int) -> bool:
    return any(user.name in ("store", "swap") and p.kernel.ref_root(user.ins[0]) == memory for user in p.consumers(op.out))


def carry_axes(p: Patterns) -> list[int]:
    """The axes of the grid along which programs pass on memory: declared `arbitrary`, longer than 1, with scratch or an
    output that is read or whose blocks do not depend on the axis."""
    return [i for i, axis in enumerate(p.kernel.grid)
            if axis.get("semantics") == "arbitrary" and axis["size"] != "dynamic" and axis["size"] > 1
            and (any(q["role"] == "scratch" and Type.of(q["type"]).kind != "none" for q in p.kernel.params)
                 or _revisits(p, i))]


def _revisits(p: Patterns, axis: int) -> bool:
    for param in p.kernel.params:
        if param["role"] != "output":
            continue
        region = param.get("index_map")
        if region is None or not depends(p.kernel, region.get("yield", ()), region["args"][axis]["id"]):
            return True
    return False


def depends(kernel: Kernel, values, on: int) -> bool:
    """Whether one of some values is computed from another."""
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        if value == on:
            return True
        if value not in seen:
            seen.add(value)
            op = kernel.op(value)
            waiting += op.ins if op is not None else ()
    return False


def summed_dimension(kernel: Kernel, op: Op) -> int | None:
    """The first dimension of the first operand over which a sum or dot product adds terms; None if it adds none."""
    dimensions = op.data["axes"] if op.name == "reduce_sum" else op.data["lhs_contract"]
    return dimensions[0] if dimensions and kernel.type(op.ins[0]).shape[dimensions[0]] else None


def near(number: float | None, wanted: float) -> bool:
    """Whether a constant is a number, up to the precision of a bf16."""
    return number is not None and math.isclose(number, wanted, rel_tol=2**-8)
