"""Which values of a kernel come from which, in the text of its TTIR after Triton's passes, where all calls are inlined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Sequence

from ..ttir.syntax import Block, Function, Op
from ..ttir.types import Type

_COMBINED = ("tt.reduce", "tt.scan", "tt.map_elementwise")  # whose regions have no values of their own
_READS = ("tt.load", "tt.atomic_rmw", "tt.atomic_cas", "tt.descriptor_load", "tt.histogram")
_SAME = ("arith.", "math.", "tt.clampf", "tt.mulhiui", "tt.precise_", "tt.make_range", "tt.get_")  # results are like the last operand


@dataclass(frozen=True)
class Value:
    """A result of an operation, or what a loop carries.

    op     that gives it, or the loop
    type   None where it is not known
    line   of the text, from 1, behind which the value is there; None where there is no such line
    """

    name: str
    op: Op
    type: Type | None
    line: int | None
    is_carried: bool = False


@dataclass
class Dataflow:
    """Of one function.  `values` are in the order of the text; `sources` are the names of those that each is made of, which for the
    results of loops and conditions are those that their regions yield; `fed` is what the next turn of a loop gets for a carried one."""

    values: dict[str, Value] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=dict)
    fed: dict[str, str] = field(default_factory=dict)

    def is_data(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a value depends on what is in memory, or is a float that is computed: not an index, and no constant."""
        value = self.values.get(name)
        if value is None or name in seen or value.op.name == "arith.constant":
            return False
        if value.op.name in _READS or (value.type is not None and str(value.type.element).startswith(("f", "bf"))):
            return True
        return any(self.is_data(one, seen | {name}) for one in self.sources[name])

    def nearest(self, name: str, wanted: set[str]) -> set[str]:
        """Of `wanted`, the values that this one is made of by way of others."""
        found: set[str] = set()
        self._search(self.sources.get(name, []), wanted, found, {name})
        return found

    def _search(self, names: Sequence[str], wanted: set[str], found: set[str], seen: set[str]) -> None:
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            if name in wanted:
                found.add(name)
            else:
                self._search(self.sources.get(name, []), wanted, found, seen)

    def feeds(self, name: str, carried: str) -> bool:
        """Whether what a loop carries is made of this value in the turn before."""
        return carried in self.fed and (self.fed[carried] == name or bool(self.nearest(self.fed[carried], {name})))


def dataflow_of(function: Function) -> Dataflow:
    """The values of a function with one block, as Triton's passes leave it."""
    found = Dataflow()
    for block in function.blocks:
        _walk(found, block)
    return found


def _walk(found: Dataflow, block: Block) -> None:
    for op, following in zip(block.ops, [*block.ops[1:], None]):
        sources = list(op.operands)
        if op.name not in _COMBINED and op.regions:
            if op.name == "scf.for":
                _carry(found, op)
            for inner in _blocks(op):
                _walk(found, inner)
                sources += inner.ops[-1].operands if inner.ops else []
        line = op.line if not op.regions else following.line - 1 if following else None
        for name, kind in zip(op.results, _types(op)):
            found.values[name] = Value(name, op, kind, line)
            found.sources[name] = sources


def _carry(found: Dataflow, loop: Op) -> None:
    body = loop.regions[0][0]
    yielded = body.ops[-1].operands if body.ops and body.ops[-1].name == "scf.yield" else []
    for argument, first, kind, nxt in zip(body.arguments[1:], loop.operands[3:], loop.outputs, yielded):
        found.values[argument.name] = Value(argument.name, loop, kind, loop.line, is_carried=True)
        found.sources[argument.name] = [first]
        found.fed[argument.name] = nxt


def _blocks(op: Op) -> Iterator[Block]:
    for region in op.regions:
        yield from region


def _types(op: Op) -> list[Type | None]:
    count = len(op.results)
    if len(op.outputs) == count:
        return list(op.outputs)
    if count != 1 or not op.inputs:
        return [None] * count
    if op.name in ("arith.cmpi", "arith.cmpf"):
        return [op.inputs[0].of("i1")]
    if op.name == "tt.load" and op.inputs[0].is_pointer:
        return [op.inputs[0].of(op.inputs[0].pointee)]
    return [op.inputs[-1] if op.name.startswith(_SAME) else None]
