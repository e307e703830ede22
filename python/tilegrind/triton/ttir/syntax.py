"""What a module of TTIR consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

from .locations import Location
from .types import Type


@dataclass(frozen=True)
class Argument:
    """An argument of a function or of a block."""

    name: str
    type: Type
    location: Location | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Literal:
    """`dense<values>`: `values` is one element, a nested list of them, or bytes (little-endian); elements are as in `Attribute`."""

    values: Any


@dataclass(frozen=True)
class Typed:
    """An attribute with its type, such as `0 : i32`, where the type is not the usual one."""

    value: Any
    type: Type


@dataclass(frozen=True)
class Bits:
    """A float given by its bits, `0xFF800000`."""

    bits: int


@dataclass
class Op:
    """An operation as it is printed.

    results     names of its results; of `%r:2` these are `%r#0` and `%r#1`
    operands    names of its operands, in the order of the text
    lists       of each `[...]` among them: how many operands stand before it, and in it
    words       bare words, numbers and literals in the order of the text: predicates, kinds, scopes, names of functions
    behind      how many operands stand before each of the words
    attributes  those in braces, and those that stand as `name = value`
    inputs, outputs  the types behind the colon: before and behind `->` or `to`; without either, all are inputs
    regions     lists of blocks
    successors  labels and the operands that each gets
    """

    name: str
    results: tuple[str, ...] = ()
    operands: list[str] = field(default_factory=list)
    lists: list[tuple[int, int]] = field(default_factory=list)
    words: list[Any] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: list[Type] = field(default_factory=list)
    outputs: list[Type] = field(default_factory=list)
    regions: list[list["Block"]] = field(default_factory=list)
    successors: list[tuple[str, list[str]]] = field(default_factory=list)
    location: Location | None = None
    line: int = 0


@dataclass
class Block:
    label: str | None = None
    arguments: list[Argument] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass
class Function:
    name: str
    is_public: bool
    arguments: list[Argument]
    results: list[Type]
    attributes: dict[str, Any]
    blocks: list[Block]
    location: Location | None = None


@dataclass
class Module:
    functions: dict[str, Function]
    attributes: dict[str, Any] = field(default_factory=dict)

    def entry(self) -> Function:
        """The kernel: the public function.  Raises ValueError unless there is just one."""
        public = [one for one in self.functions.values() if one.is_public]
        if len(public) != 1:
            raise ValueError(f"a module has one public function; this one has {len(public)}")
        return public[0]


def all_ops(blocks: list[Block]) -> Iterator[Op]:
    """The operations of these blocks and of the regions in them, in the order of the text."""
    for block in blocks:
        for op in block.ops:
            yield op
            for region in op.regions:
                yield from all_ops(region)
