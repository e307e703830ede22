"""A kernel's JSON (docs/ir.md) as ops, definitions and uses, for reading."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Iterator

from .._dtypes import DTYPES

DTYPE = {dtype.name: dtype for dtype in DTYPES}
_TYPE = re.compile(r"(ref<)?(\w+)\[([\d,]*)\]>?")


@dataclass(frozen=True)
class Type:
    """An element type and a shape; `ref` says whether it is a reference to such an array."""

    dtype: str
    shape: tuple[int, ...] = ()
    ref: bool = False

    @staticmethod
    @functools.lru_cache(maxsize=4096)
    def of(text: str) -> Type:
        ref, dtype, shape = _TYPE.fullmatch(text).groups()
        return Type(dtype, tuple(map(int, shape.split(","))) if shape else (), bool(ref))

    def __str__(self) -> str:
        plain = f"{self.dtype}[{','.join(map(str, self.shape))}]"
        return f"ref<{plain}>" if self.ref else plain

    @property
    def kind(self) -> str:
        """"bool", "sint", "uint", "float", or "none" for semaphores and barriers."""
        return DTYPE[self.dtype].kind if self.dtype in DTYPE else "none"

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        return self.kind in ("sint", "uint")

    def of_dtype(self, dtype: str) -> Type:
        return Type(dtype, self.shape, self.ref)


@dataclass(eq=False)
class Op:
    """An operation and where it is.

    number   its position among all ops, the same in every copy of the kernel
    region   the region that lists it
    owner    the op whose region that is; None in the body and in index maps
    param    the number of the parameter whose index map it is in; None in the body
    """

    number: int
    data: dict[str, Any]
    region: dict[str, Any]
    owner: Op | None
    param: int | None

    @property
    def name(self) -> str:
        return self.data["op"]

    @property
    def ins(self) -> list[int]:
        return self.data.get("in", [])

    @property
    def outs(self) -> list[int]:
        return [value["id"] for value in self.data.get("out", ())]

    @property
    def out(self) -> int:
        """The id of its only result."""
        return self.data["out"][0]["id"]

    @property
    def type(self) -> Type:
        """The type of its only result."""
        return Type.of(self.data["out"][0]["type"])

    @property
    def regions(self) -> list[dict[str, Any]]:
        return self.data.get("regions", [])


@dataclass(frozen=True, eq=False)
class Value:
    """What defines an id: result `index` of `op`; or, if `region` is set, argument `index` of that region of `op`, which is
    None for the body and index maps."""

    type: Type
    op: Op | None
    index: int
    region: dict[str, Any] | None


@dataclass(frozen=True, eq=False)
class Use:
    """Operand `index` of `op`; or, if `region` is set, yield `index` of that region of `op`."""

    op: Op | None
    index: int
    region: dict[str, Any] | None


class Kernel:
    """A kernel's JSON with an index of its ops, definitions and uses, as they are when it is first asked for."""

    def __init__(self, data: dict[str, Any], locations: list[dict[str, Any]] = ()):
        self.data, self.locations = data, locations
        self.added: dict[int, Type] = {}  # types of values that are newer than the index

    @property
    def params(self) -> list[dict[str, Any]]:
        return self.data["params"]

    @property
    def body(self) -> dict[str, Any]:
        return self.data["body"]

    @property
    def grid(self) -> list[dict[str, Any]]:
        return self.data["grid"]

    @functools.cached_property
    def roots(self) -> list[tuple[dict[str, Any], int | None]]:
        """The body and the index maps, with the number of the parameter."""
        maps = [(p["index_map"], i) for i, p in enumerate(self.params) if "index_map" in p]
        return [(self.body, None), *maps]

    @functools.cached_property
    def ops(self) -> list[Op]:
        """All ops, those of a region right after the op that owns it."""
        found: list[Op] = []
        for region, param in self.roots:
            self._collect(region, None, param, found)
        return found

    def _collect(self, region: dict[str, Any], owner: Op | None, param: int | None, found: list[Op]) -> None:
        for data in region.get("ops", ()):
            op = Op(len(found), data, region, owner, param)
            found.append(op)
            for inner in op.regions:
                self._collect(inner, op, param, found)

    def named(self, *names: str) -> Iterator[Op]:
        """Ops with one of these names, index maps included."""
        return (op for op in self.ops if op.name in names)

    def in_body(self, *names: str) -> Iterator[Op]:
        """Ops of the body with one of these names."""
        return (op for op in self.ops if op.name in names and op.param is None)

    @functools.cached_property
    def values(self) -> dict[int, Value]:
        """What defines each id."""
        found = {}
        for region, owner in self._regions():
            for i, arg in enumerate(region.get("args", ())):
                found[arg["id"]] = Value(Type.of(arg["type"]), owner, i, region)
        for op in self.ops:
            for i, out in enumerate(op.data.get("out", ())):
                found[out["id"]] = Value(Type.of(out["type"]), op, i, None)
        return found

    @functools.cached_property
    def uses(self) -> dict[int, list[Use]]:
        """Where each id is used."""
        found = defaultdict(list)
        for op in self.ops:
            for i, operand in enumerate(op.ins):
                found[operand].append(Use(op, i, None))
        for region, owner in self._regions():
            for i, operand in enumerate(region.get("yield", ())):
                found[operand].append(Use(owner, i, region))
        return found

    def _regions(self) -> Iterator[tuple[dict[str, Any], Op | None]]:
        for region, _ in self.roots:
            yield region, None
        for op in self.ops:
            for region in op.regions:
                yield region, op

    def type(self, value: int) -> Type:
        return self.added[value] if value in self.added else self.values[value].type

    def op(self, value: int) -> Op | None:
        """The op whose result a value is; None for an argument of a region and for what is newer than the index."""
        found = None if value in self.added else self.values[value]
        return None if found is None or found.region is not None else found.op

    def ref_root(self, ref: int) -> int:
        """The reference that a chain of views begins with."""
        while (op := self.op(ref)) is not None and op.name.startswith("view"):
            ref = op.ins[0]
        return ref

    def param_of(self, ref: int) -> dict[str, Any] | None:
        """The parameter to whose memory a reference leads; None for other memory."""
        found = self.values[self.ref_root(ref)]
        return self.params[found.index] if found.region is self.body else None

    def place(self, op: Op) -> str:
        """"dot_general at attn.py:71", or the op's number where the kernel has no locations."""
        location = op.data.get("loc")
        if location is None:
            return f"{op.name} #{op.number}"
        found = self.locations[location - 1]
        file, line = found.get("file", "?").rpartition("/")[2], found.get("line", "?")
        return f"{op.name} at {file}:{line}"
