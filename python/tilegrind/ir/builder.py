"""Building operations: values, regions, and the builder that appends operations to regions."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from .._operations import OPERATIONS
from . import dtypes

Type = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Value:
    """An SSA value or a reference.  `const` is its Python value if it is a scalar constant."""

    id: int
    dtype: str
    shape: tuple[int, ...]
    is_ref: bool = False
    const: bool | int | float | None = None

    @property
    def type(self) -> Type:
        return self.dtype, self.shape

    def json(self) -> dict[str, Any]:
        text = type_text(self.dtype, self.shape)
        return {"id": self.id, "type": f"ref<{text}>" if self.is_ref else text}


@dataclass
class Later:
    """A value that is there when something uses it: `now` appends what makes it.  Nothing else may look at it before."""

    type: Type
    now: Callable[[], Value]
    is_ref = False


def type_text(dtype: str, shape: Sequence[int]) -> str:
    """A type as docs/ir.md spells it: ``f32[8,128]``."""
    return f"{dtype}[{','.join(map(str, shape))}]"


@dataclass
class Region:
    """Arguments, operations and yielded values; `constants` are those that its operations may share."""

    args: list[Value] = field(default_factory=list)
    ops: list[dict[str, Any]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    constants: dict[Any, Value] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        if self.args:
            tree["args"] = [value.json() for value in self.args]
        if self.ops:
            tree["ops"] = self.ops
        if self.yields:
            tree["yield"] = [value.id for value in self.yields]
        return tree


class Builder:
    """Appends operations to the innermost open region.  One builder serves one kernel."""

    def __init__(self) -> None:
        self.loc: int | None = None  # location given to the operations that follow
        self._next_id = 0
        self._open: list[Region] = []

    def value(self, dtype: str, shape: Sequence[int], is_ref: bool = False,
              const: Any = None) -> Value:
        """A value with a fresh id; the caller defines it."""
        self._next_id += 1
        return Value(self._next_id - 1, dtype, tuple(shape), is_ref, const)

    @contextlib.contextmanager
    def region(self, args: Sequence[Value] = ()) -> Iterator[Region]:
        """Opens a region with these arguments; the caller sets its `yields` before the end."""
        region = Region(args=list(args))
        self._open.append(region)
        try:
            yield region
        finally:
            self._open.pop()

    def emit(self, op: str, operands: Sequence[Value] = (), results: Sequence[Type] = (),
             regions: Sequence[Region] = (), **attrs: Any) -> list[Value]:
        """Appends an operation; returns its results."""
        return self._append(op, operands, [self.value(*type_) for type_ in results], regions, attrs)

    def emit1(self, op: str, operands: Sequence[Value], result: Type, **attrs: Any) -> Value:
        """Appends an operation with one result; returns it."""
        return self.emit(op, operands, [result], **attrs)[0]

    def view(self, ref: Value, operands: Sequence[Value], shape: Sequence[int],
             index: list[Any]) -> Value:
        """Appends a `view`; returns the new reference."""
        out = self.value(ref.dtype, shape, is_ref=True)
        return self._append("view", [ref, *operands], [out], (), {"index": index})[0]

    def recast(self, op: str, ref: Value, dtype: str, shape: Sequence[int], **attrs: Any) -> Value:
        """Appends a view of all of `ref` in another order, shape or dtype; returns the reference."""
        out = self.value(dtype, shape, is_ref=True)
        return self._append(op, [ref], [out], (), attrs)[0]

    def tensor(self, ref: Value, name: str, offset: int, extents: Sequence[int], steps: Sequence[int]) -> Value:
        """Appends a `view_tensor`; returns the reference through which only the bytes of a tensor are to be accessed."""
        return self.recast("view_tensor", ref, ref.dtype, ref.shape, name=name, offset=offset, extents=list(extents), steps=list(steps))

    def laid_out(self, ref: Value, shape: Sequence[int], layout: str) -> Value:
        """Appends a `view_layout`; returns the reference to the elements of `ref` that `layout` names."""
        out = self.recast("view_layout", ref, ref.dtype, shape)
        self._open[-1].ops[-1]["out"][0]["layout"] = layout
        return out

    def part(self, ref: Value, starts: Sequence[Value], sizes: Sequence[Value],
             most: Sequence[int], beyond: Sequence[int]) -> Value:
        """Appends a `view_part` of at most the shape `most`; returns the new reference."""
        out = self.value(ref.dtype, most, is_ref=True)
        attrs = {"beyond": list(beyond)} if any(beyond) else {}
        return self._append("view_part", [ref, *starts, *sizes], [out], (), attrs)[0]

    def alloc(self, dtype: str, shape: Sequence[int]) -> Value:
        """Appends an `alloc`; returns the reference to its memory."""
        return self._append("alloc", [], [self.value(dtype, shape, is_ref=True)], (), {})[0]

    def _append(self, op: str, operands: Sequence[Value], out: list[Value],
                regions: Sequence[Region], attrs: dict[str, Any]) -> list[Value]:
        _check(op, attrs)
        entry: dict[str, Any] = {"op": op}
        if operands:
            entry["in"] = [value.id for value in operands]
        if out:
            entry["out"] = [value.json() for value in out]
        entry.update((name, _plain(attr)) for name, attr in attrs.items())
        if self.loc is not None:
            entry["loc"] = self.loc
        if regions:
            entry["regions"] = [region.json() for region in regions]
        self._open[-1].ops.append(entry)
        return out

    def constant(self, array: Any, dtype: str, shape: Sequence[int] = ()) -> Value:
        """A constant of `dtype` from an array or a scalar; scalars are shared while in scope."""
        data = np.asarray(array).astype(dtypes.numpy_dtype(dtype))
        value = dtypes.literal(data)
        if tuple(shape):
            return self.emit1("constant", [], (dtype, tuple(shape)), value=value)
        key = (dtype, repr(value))
        for region in self._open:
            if key in region.constants:
                return region.constants[key]
        out = self.value(dtype, (), const=data.item() if dtype == "bool" else data.tolist())
        self._append("constant", [], [out], (), {"value": value})
        self._open[-1].constants[key] = out
        return out

    def i32(self, number: int) -> Value:
        """The scalar constant `number`."""
        return self.constant(number, "i32")

    def as_i32(self, number: Value | int) -> Value:
        """A scalar of any integer dtype, or a number, as an i32."""
        return self.convert(number, "i32") if isinstance(number, Value) else self.i32(int(number))

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """`value` in another shape; itself if it has that shape."""
        if value.shape == tuple(shape):
            return value
        return self.emit1("reshape", [value], (value.dtype, tuple(shape)))

    def convert(self, value: Value, dtype: str) -> Value:
        """`value` in another dtype; itself if it has that dtype."""
        if value.dtype == dtype:
            return value
        return self.emit1("convert", [value], (dtype, value.shape))

    def bitcast(self, value: Value, dtype: str) -> Value:
        """The bits of `value` as another dtype of the same width; itself if it has that dtype."""
        if value.dtype == dtype:
            return value
        return self.emit1("bitcast", [value], (dtype, value.shape))

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """`value` broadcast to `shape` by numpy's rule; itself if it has that shape."""
        shape = tuple(shape)
        if value.shape == shape:
            return value
        dims = list(range(len(shape) - len(value.shape), len(shape)))
        return self.emit1("broadcast_in_dim", [value], (value.dtype, shape), dims=dims)


def _check(op: str, attrs: dict[str, Any]) -> None:
    """Raises ValueError for an operation that no rule may append, so that the error appears where it is made and not where
    it is read."""
    if op not in OPERATIONS:
        raise ValueError(f"there is no operation {op}")
    needed, known = OPERATIONS[op]
    if not needed <= attrs.keys() <= known:
        raise ValueError(f"{op} has the attributes {sorted(attrs)}; it needs {sorted(needed)} and may have {sorted(known)}")


def _plain(attr: Any) -> Any:
    """An attribute without numpy scalars, which JAX leaves in some parameters and JSON cannot hold."""
    if isinstance(attr, (list, tuple)):
        return [_plain(element) for element in attr]
    return attr.item() if isinstance(attr, np.generic) else attr


def drop_unused_constants(region: dict[str, Any]) -> None:
    """Removes from a kernel's region, in place, each `constant` that nothing reads."""
    used: set[int] = set()
    _collect_uses(region, used)
    _drop(region, used)


def _collect_uses(region: dict[str, Any], used: set[int]) -> None:
    used.update(region.get("yield", ()))
    for op in region.get("ops", ()):
        used.update(op.get("in", ()))
        for inner in op.get("regions", ()):
            _collect_uses(inner, used)


def _drop(region: dict[str, Any], used: set[int]) -> None:
    if "ops" not in region:
        return
    region["ops"] = [
        op for op in region["ops"] if op["op"] != "constant" or op["out"][0]["id"] in used
    ]
    for op in region["ops"]:
        for inner in op.get("regions", ()):
            _drop(inner, used)
    if not region["ops"]:
        del region["ops"]
