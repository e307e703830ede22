"""Tensors in a file that several processes map: safetensors (8 bytes with the length of a JSON header, header, data).

The library ``safetensors`` is not used: it has no names for ten of the dtypes of kernels, its numpy part refuses to read
bf16 and fp8, it chooses the order of tensors, so that no guard can stand beside an output, and it cannot write in place. 
Files made here are files that it reads.
"""

from __future__ import annotations

import json
import math
import mmap
from dataclasses import dataclass

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .._dtypes import DTYPES

_ALIGNMENT = 64  # of the data and of each tensor that the judge places
# Names of dtypes in safetensors; those without a name of their own are bytes, one for each element.
_NAMES = {"bool": "BOOL", "f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2", "f8e8m0fnu": "F8_E8M0",
          **{name: name.upper() for name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
                                             "f16", "bf16", "f32", "f64")}}
_NUMPY = {dtype.name: np.dtype(dtype.numpy) for dtype in DTYPES}
BYTES = "U8"


@dataclass(frozen=True)
class Type:
    """Dtype (its name in docs/ir.md) and shape of a tensor."""

    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Type:
        """From ``f32[8,128]``.  Raises ValueError."""
        dtype, bracket, extents = text.partition("[")
        if dtype not in _NUMPY or not bracket or not extents.endswith("]"):
            raise ValueError(f"{text!r} is no type of a tensor")
        return cls(dtype, tuple(int(extent) for extent in extents[:-1].split(",") if extent))

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def numpy(self) -> np.dtype:
        return _NUMPY[self.dtype]

    @property
    def stored(self) -> str:
        """The name of the dtype in the file."""
        return _NAMES.get(self.dtype, BYTES)

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.numpy.itemsize


@dataclass(frozen=True)
class Entry:
    """A tensor in a file; ``begin`` and ``end`` count bytes from the start of the file."""

    dtype: str  # its name in safetensors
    shape: tuple[int, ...]
    begin: int
    end: int


def header_of(tensors: list[tuple[str, Type]]) -> tuple[bytes, dict[str, Entry]]:
    """The bytes before the data of tensors in this order, and where each tensor is."""
    at, entries = 0, {}
    for name, tensor in tensors:
        entries[name] = {"dtype": tensor.stored, "shape": list(tensor.shape),
                         "data_offsets": [at, at + tensor.size]}
        at += tensor.size
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    header = len(text).to_bytes(8, "little") + text
    return header, parse_header(header, len(header) + at)


def parse_header(data: bytes | mmap.mmap, size: int) -> dict[str, Entry]:
    """Where each tensor of a file of ``size`` bytes is, given at least the bytes before its data.  Raises ValueError."""
    length = int.from_bytes(data[:8], "little")
    if size < 8 or length > size - 8:
        raise ValueError("the file ends within its header")
    found = json.loads(data[8:8 + length].decode("utf-8"))
    first, entries = 8 + length, {}
    for name, entry in found.items():
        if name == "__metadata__":
            continue
        begin, end = (first + offset for offset in entry["data_offsets"])
        if not first <= begin <= end <= size:
            raise ValueError(f"tensor {name!r} lies outside the file")
        entries[name] = Entry(entry["dtype"], tuple(entry["shape"]), begin, end)
    return entries


def array_in(memory: mmap.mmap | memoryview, entry: Entry, tensor: Type) -> np.ndarray:
    """The array of a tensor in mapped memory.  Raises ValueError if the file has another type."""
    if entry.dtype != tensor.stored or entry.shape != tensor.shape or entry.end - entry.begin != tensor.size:
        raise ValueError(f"the file has {entry.dtype}{list(entry.shape)} where the kernel has {tensor}")
    view = memoryview(memory)[entry.begin:entry.end]
    return np.frombuffer(view, np.uint8).view(tensor.numpy).reshape(tensor.shape)
