"""What a value of TTIR is in our kernels: a value, a pointer with the memory that it points into, or a tensor there of which boxes are accessed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Sequence, Union

from ...ir import dtypes
from ...ir.builder import Value
from ..ttir.types import Type
from .errors import Unsupported
from .ranks import held


@dataclass(frozen=True)
class Tensor:
    """A tensor in the memory of a launch.

    name     of the parameter, or what a finding calls it
    memory   the number of its memory
    offset   bytes before its first element there
    dtype    ours, of its elements
    shape    and
    strides  of its dimensions, in elements
    """

    name: str
    memory: int
    offset: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{','.join(map(str, self.shape))}]{self._strides()}"

    def _strides(self) -> str:
        dense = 1
        for extent, stride in reversed(list(zip(self.shape, self.strides))):
            if extent != 1 and stride != dense:
                return f" with strides {', '.join(map(str, self.strides))}"
            dense *= extent
        return ""

    def runs(self) -> tuple[list[int], list[int]]:
        """Its bytes as `view_tensor` wants them (docs/ir.md): extents and steps, which fall to 1."""
        if 0 in self.shape:
            return [0], [1]
        size = dtypes.bits(self.dtype) // 8
        dims = [(extent, stride * size) for extent, stride in zip(self.shape, self.strides) if extent != 1 and stride != 0]
        found: list[tuple[int, int]] = []
        for extent, step in [*sorted(dims, key=lambda one: -one[1]), (size, 1)]:
            if found and found[-1][1] == extent * step:
                extent, step = found.pop()[0] * extent, step
            found.append((extent, step))
        return [extent for extent, _ in found], [step for _, step in found]

    def span(self) -> int:
        """Bytes from its first to its last one, both included; 0 without elements."""
        extents, steps = self.runs()
        return 0 if 0 in extents else sum((extent - 1) * step for extent, step in zip(extents, steps)) + 1


@dataclass(frozen=True, eq=False)
class Place:
    """A tensor of the launch that is converted.

    number  of the place
    memory  the reference to its memory, which has one dimension
    bytes   of the memory
    tensor  the tensor there
    """

    number: int
    memory: Value
    bytes: int
    tensor: Tensor


@dataclass(frozen=True)
class Pointers:
    """Pointers into the memory of one parameter, whose place is known; or into that of several.

    known    the memory, one-dimensional, of elements as wide as what they point to; None if there are several `options`
    pointee  TTIR's type of what they point to
    shape    that of the tensor of pointers; () is one pointer
    offsets  how many elements behind the first one of the memory, of any shape that broadcasts to `shape`; None: 0.
             Where there are several options: virtual addresses (lowering/pointers.py)
    options  the places that they may point into
    """

    known: Value | None
    pointee: str
    shape: tuple[int, ...] = ()
    offsets: Value | None = None
    options: tuple[Place, ...] = ()

    @property
    def ref(self) -> Value:
        """The memory.  Raises Unsupported if it is not known which."""
        if self.known is None:
            raise Unsupported("its pointer may be one into several arrays, which is not supported here")
        return self.known

    def at(self, offsets: Value | None, shape: tuple[int, ...]) -> "Pointers":
        return replace(self, offsets=offsets, shape=shape)


@dataclass(frozen=True)
class Boxed:
    """A tensor in memory of which boxes are read and written.

    base      pointer to its first element
    extents, strides  of its dimensions, in elements, i64
    box       extents of what is read or written at once
    """

    base: Pointers
    extents: tuple[Value, ...]
    strides: tuple[Value, ...]
    box: tuple[int, ...]

    @property
    def parts(self) -> tuple[Value, ...]:
        """The numbers that it consists of, beside its pointer."""
        return self.extents + self.strides

    def of(self, base: Pointers, parts: Sequence[Value]) -> "Boxed":
        """One of another place and other numbers."""
        rank = len(self.extents)
        return replace(self, base=base, extents=tuple(parts[:rank]), strides=tuple(parts[rank:2 * rank]))


@dataclass(frozen=True)
class Descriptor(Boxed):
    """A tensor descriptor, which is told where a box begins when it is used.

    element   TTIR's type of the elements; here integers tell whether they are signed: si32, ui32
    padding   "zero" or "nan": what lies outside
    rounds    whether f32 elements are rounded to tf32 when they are read
    """

    element: str
    padding: str = "zero"
    rounds: bool = False


@dataclass(frozen=True)
class BlockPointer(Boxed):
    """A block pointer, which knows where its box begins.

    starts    the first index of the box along each dimension, i64
    """

    starts: tuple[Value, ...]

    @property
    def parts(self) -> tuple[Value, ...]:
        return super().parts + self.starts

    def of(self, base: Pointers, parts: Sequence[Value]) -> "Boxed":
        return replace(super().of(base, parts), starts=tuple(parts[2 * len(self.extents):]))


Meaning = Union[Value, Pointers, Boxed]

# TTIR's integers have no sign: operations have it.  Signed dtypes stand for them.
DTYPES = {"i1": "bool", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "index": "i64", "f16": "f16", "bf16": "bf16",
          "f32": "f32", "f64": "f64", "f8E4M3FN": "f8e4m3fn", "f8E5M2": "f8e5m2", "f8E4M3FNUZ": "f8e4m3fnuz",
          "f8E5M2FNUZ": "f8e5m2fnuz"}


def is_pointer(pointee: str) -> bool:
    return pointee.startswith("!tt.ptr<")


def pointee_of(pointer: str) -> str:
    """TTIR's type of what a type of pointers points to."""
    return pointer.removeprefix("!tt.ptr<").removesuffix(">")


def memory_dtype(pointee: str) -> str:
    """The dtype of memory that pointers to `pointee` point to: an i1 is a byte there, and a pointer an address.
    Raises KeyError for what there is none for."""
    if is_pointer(pointee):
        return "i64"
    return "i8" if pointee == "i1" else DTYPES[pointee]


def dtype_of(kind: Type) -> str:
    """The dtype of the elements of a type.  Raises KeyError, with the element type, for those that there is none for."""
    return DTYPES[str(kind.element)]


def dims_of(kind: Type) -> tuple[int, ...]:
    return kind.shape or ()


def shape_of(kind: Type) -> tuple[int, ...]:
    """That of our array, which is flat if the type has more dimensions than that may have."""
    return held(dims_of(kind))
