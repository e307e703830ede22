"""Walks the operations of a kernel and calls the rule of each, which appends ours."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Sequence

from ...ir.builder import Builder, Region, Value
from ..ttir.locations import Location
from ..ttir.syntax import Block, Function, Module, Op
from ..ttir.types import Type
from .choices import Choices
from .errors import ExportError, Unsupported
from .memories import LaunchMemories
from .places import Places
from .values import Meaning, dtype_of, shape_of

Rule = Callable[["Converter", Op, list[Any]], Any]

# Operations that end a block.
ENDS = {"tt.return", "cf.br", "cf.cond_br", "scf.yield", "scf.condition", "tt.reduce.return", "tt.scan.return",
        "tt.map_elementwise.return"}

# Filled by the modules of rules: what converts each operation of TTIR.
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a function as the rule of operations.  It gets the meanings of the operands, and returns that of the result,
    a list of those of several results, or None."""

    def register(function: Rule) -> Rule:
        RULES.update({name: function for name in names})
        return function

    return register


class Converter:
    """Converts the functions of one module.

    builder   receives the operations
    module    the functions, which are inlined where they are called
    memories  the tensors of the launch
    choices   what Triton leaves open
    """

    def __init__(self, builder: Builder, module: Module, places: Places, memories: LaunchMemories,
                 choices: Choices = Choices()) -> None:
        self.memories = memories
        self.builder = builder
        self.choices = choices
        self.module = module
        self.places = places
        self._known: list[dict[str, Meaning]] = [{}]
        self._callers: list[Location | None] = []
        self._functions: list[Function] = []

    # ---- values ----

    def meaning(self, name: str) -> Meaning:
        for known in reversed(self._known):
            if name in known:
                return known[name]
        raise Unsupported(f"{name} is used before it is defined")

    def numbers(self, meanings: Sequence[Meaning]) -> list[Value]:
        """The operands, none of which may be a pointer or a descriptor."""
        if not all(isinstance(one, Value) for one in meanings):
            raise Unsupported("not of pointers")
        return list(meanings)

    def define(self, names: Sequence[str], meanings: Sequence[Meaning]) -> None:
        self._known[-1].update(zip(names, meanings, strict=True))

    @contextlib.contextmanager
    def names(self) -> Iterator[None]:
        """A scope for the names of a region."""
        self._known.append({})
        try:
            yield
        finally:
            self._known.pop()

    # ---- functions, blocks, operations ----

    @contextlib.contextmanager
    def inside(self, function: Function, caller: Location | None) -> Iterator[None]:
        """A scope for the names of a function, which `caller` calls.  Raises Unsupported where it calls itself."""
        if function in self._functions:
            raise Unsupported(f"{function.name} calls itself")
        self._functions.append(function)
        self._callers.append(caller)
        try:
            with self.names():
                yield
        finally:
            self._callers.pop()
            self._functions.pop()

    def block(self, block: Block, arguments: Sequence[Meaning] = ()) -> tuple[Op, list[Meaning]]:
        """Appends a block but the operation that ends it; returns that, and the meanings of its operands.  Of a loop or a condition
        without results that operation is not printed."""
        self.define([one.name for one in block.arguments], arguments)
        last = block.ops[-1] if block.ops and block.ops[-1].name in ENDS else Op("scf.yield")
        for op in block.ops[:-1] if block.ops and last is block.ops[-1] else block.ops:
            self.op(op)
        return last, self._operands(last)

    def region(self, blocks: list[Block], arguments: Sequence[Meaning] = ()) -> tuple[Op, list[Meaning]]:
        """Like `block`, for a region of one block, whose names are its own."""
        if len(blocks) != 1:
            raise Unsupported("a region with several blocks")
        with self.names():
            return self.block(blocks[0], arguments)

    def op(self, op: Op) -> None:
        """Appends one operation.  Raises ExportError with its place."""
        before, self.builder.loc = self.builder.loc, self._place(op)
        try:
            results = self._converted(op)
            self.define(op.results, results)
        except Unsupported as problem:
            raise ExportError(op.name, self._location(op), str(problem)) from None
        except ValueError as problem:
            raise ExportError(op.name, self._location(op), str(problem)) from problem
        except (ArithmeticError, AttributeError, LookupError, TypeError) as problem:
            what = f"it is not written as Tilegrind expects ({type(problem).__name__}: {problem})"
            raise ExportError(op.name, self._location(op), what) from problem
        finally:
            self.builder.loc = before

    def _converted(self, op: Op) -> list[Meaning]:
        if op.name not in RULES:
            raise Unsupported("this operation is not known")
        results = RULES[op.name](self, op, self._operands(op))
        if results is None:
            return []
        return results if isinstance(results, list) else [results]

    def _operands(self, op: Op) -> list[Meaning]:
        return [self.meaning(name) for name in op.operands]

    # ---- places ----

    def location(self, op: Op) -> Location | None:
        """Where an operation is, with the calls that led there."""
        return self._location(op)

    def _location(self, op: Op) -> Location | None:
        place = op.location
        for caller in reversed(self._callers):
            if place is None:
                place = caller
            elif caller is not None:
                place = place.called_from(caller)
        return place

    def _place(self, op: Op) -> int | None:
        return self.places.number(self._location(op), [function.name for function in self._functions])


def number_type(kind: Type) -> tuple[str, tuple[int, ...]]:
    """Our dtype and shape of a type of numbers.  Raises Unsupported for pointers and dtypes that there is no counterpart of."""
    if kind.is_pointer:
        raise Unsupported("pointers that are no parameter's are not supported")
    try:
        return dtype_of(kind), shape_of(kind)
    except KeyError as name:
        raise Unsupported(f"dtype {name} has no counterpart") from None


__all__ = ["Converter", "RULES", "Region", "rule", "number_type"]
