"""What kinds look for: where values come from and go to, constants, masks, accumulators.  All by definitions and uses."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Callable, Iterator

from .editing import read_number
from .intervals import Ranges
from .ir import Kernel, Op, Use, Value

MOVES = ("broadcast_in_dim", "reshape", "transpose", "tile", "slice", "rev", "dynamic_slice", "assume_multiple")
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

    def number(self, value: int) -> float | None:
        """The number that all elements of a value are; None if that is not known from constants alone."""
        op = self.kernel.op(self.source(value))
        if op is None:
            return None
        if op.name == "constant":
            data = op.data["value"]
            return None if isinstance(data, (list, bool)) else read_number(data)
        if op.name in _FOLDED:
            parts = [self.number(i) for i in op.ins]
            return None if None in parts else _FOLDED[op.name](*parts)
        return None

    def operands(self, op: Op, *names: str) -> Iterator[tuple[int, Op]]:
        """The operands of an op that, through moves and conversions, are results of one of these ops: (operand index, op)."""
        for i, operand in enumerate(op.ins):
            found = self.kernel.op(self.source(operand))
            if found is not None and found.name in names:
                yield i, found

    def consumers(self, value: int) -> Iterator[Op]:
        """The ops that use a value, also after moves and conversions."""
        for use in self.kernel.uses.get(value, ()):
            if use.region is not None:
                continue
            if use.op.name in (*MOVES, "convert") and use.index == 0:
                yield from self.consumers(use.op.out)
            else:
                yield use.op

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

    def position(self, value: int) -> bool:
        """Whether an integer depends on the element's position in its block or array, or on the program or step."""
        return self._position(self.source(value), frozenset())

    def _position(self, value: int, within: frozenset[int]) -> bool:
        definition = self.kernel.values[value]
        if definition.region is not None:
            return definition.type.is_int
        if definition.op.name in ("iota", "program_id"):
            return True
        if definition.op.name not in ("add", "sub", "mul", "div", "rem", "min", "max", "neg"):
            return False
        return any(self._position(self.source(i), within) for i in definition.op.ins)

    def lanes(self, value: int) -> bool:
        """Whether a value differs between elements because it depends on an iota."""
        op = self.kernel.op(self.source(value))
        if op is None or not op.outs:
            return False
        return op.name == "iota" or (op.name in ("add", "sub", "mul", "div", "rem", "min", "max")
                                     and any(self.lanes(i) for i in op.ins))

    def mask_comparisons(self) -> Iterator[Op]:
        """Comparisons of positions that decide which elements count."""
        for op in self.kernel.in_body(*COMPARISONS):
            if self.kernel.type(op.ins[0]).is_int and any(map(self.position, op.ins)) and self._masks(op):
                yield op

    def _masks(self, op: Op) -> bool:
        """Whether a bool ends in the mask of a memory op or in the condition of a select."""
        return any(self._as_mask(use) for use in self.kernel.uses.get(op.out, ()))

    def _as_mask(self, use: Use) -> bool:
        if use.region is not None:
            return False
        op = use.op
        if op.name == "select":
            return use.index == 0
        if op.data.get("mask") and use.index >= 1:
            return True
        passed = (*MOVES, "and", "or", "not", "xor", "convert")
        return op.name in passed and any(map(self._as_mask, self.kernel.uses.get(op.out, ())))


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
            and (any(q["role"] == "scratch" for q in p.kernel.params) or _revisits(p, i))]


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


def near(number: float | None, wanted: float) -> bool:
    """Whether a constant is a number, up to the precision of a bf16."""
    return number is not None and math.isclose(number, wanted, rel_tol=2**-8)
