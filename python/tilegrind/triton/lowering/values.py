"""What a value of TTIR is in our kernels: a value, or a pointer whose memory is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Union

from ...ir.builder import Value
from ..ttir.types import Type


@dataclass(frozen=True)
class Pointers:
    """Pointers into the memory of one parameter.

    ref      the memory, one-dimensional
    pointee  TTIR's type of what they point to
    shape    that of the tensor of pointers; () is one pointer
    offsets  how many elements behind the first one of `ref`, of any shape that broadcasts to `shape`; None: 0
    """

    ref: Value
    pointee: str
    shape: tuple[int, ...] = ()
    offsets: Value | None = None

    def at(self, offsets: Value | None, shape: tuple[int, ...]) -> "Pointers":
        return replace(self, offsets=offsets, shape=shape)


Meaning = Union[Value, Pointers]

# TTIR's integers have no sign: operations have it.  Signed dtypes stand for them.
DTYPES = {"i1": "bool", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "index": "i64", "f16": "f16", "bf16": "bf16",
          "f32": "f32", "f64": "f64", "f8E4M3FN": "f8e4m3fn", "f8E5M2": "f8e5m2", "f8E4M3FNUZ": "f8e4m3fnuz",
          "f8E5M2FNUZ": "f8e5m2fnuz"}


def dtype_of(kind: Type) -> str:
    """The dtype of the elements of a type.  Raises KeyError, with the element type, for those that there is none for."""
    return DTYPES[str(kind.element)]


def shape_of(kind: Type) -> tuple[int, ...]:
    return kind.shape or ()
