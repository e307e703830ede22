"""Parameters of our kernel, which are known when its body is: what it writes, and which addresses it asks for."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from ...ir.builder import Builder, Value, type_text
from .memories import Memory


class Parameters:
    """`table` is the list `params` of a kernel (docs/ir.md), and `references` has the argument of the body for each of them."""

    def __init__(self, builder: Builder, ops: Sequence[dict[str, Any]]) -> None:
        self._builder = builder
        self._written = _written(ops)
        self._inputs: list[tuple[dict[str, Any], Value]] = []
        self._outputs: list[tuple[dict[str, Any], Value]] = []

    @property
    def table(self) -> list[dict[str, Any]]:
        """Inputs first."""
        return [entry for entry, _ in self._inputs + self._outputs]

    @property
    def references(self) -> list[Value]:
        return [ref for _, ref in self._inputs + self._outputs]

    def number(self, name: str, ref: Value) -> None:
        self._inputs.append((_input(name, ref), ref))

    def memory(self, memory: Memory, ref: Value) -> None:
        """A memory: an input, or, if the kernel may write to it, an output and its first value."""
        if ref.id not in self._written:
            self._inputs.append((_input(memory.name, ref), ref))
            return
        before = self._builder.value(ref.dtype, ref.shape, is_ref=True)
        self._inputs.append((_input(f"{memory.name}.before", ref), before))
        self._outputs.append(({"name": memory.name, "role": "output", "type": type_text(ref.dtype, ref.shape),
                               "alias": f"{memory.name}.before", "partly_written": True}, ref))


def _input(name: str, ref: Value) -> dict[str, Any]:
    return {"name": name, "role": "input", "type": type_text(ref.dtype, ref.shape)}


def _written(ops: Sequence[dict[str, Any]]) -> set[int]:
    """The references to memory that operations may write, and those of which these are views."""
    made, found = {}, set()
    for op in _all(ops):
        if op["op"].startswith("view"):
            made[op["out"][0]["id"]] = op["in"][0]
        elif op["op"] != "load" and op.get("in"):
            found.add(op["in"][0])
    for ref in list(found):
        while ref in made:
            ref = made[ref]
            found.add(ref)
    return found


def _all(ops: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for op in ops:
        yield op
        for region in op.get("regions", ()):
            yield from _all(region.get("ops", ()))
