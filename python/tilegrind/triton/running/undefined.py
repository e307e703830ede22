"""Which bytes of a program's arrays are undefined, as far as somebody has said so: by storage, as long as that lives.

Launches with check "undefined" take that over, and say what has become of it.  A launch without it defines what it may write to."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Callable, Mapping

import numpy as np

from .arrays import as_numpy
from .storages import Bound, Passed, owner_of, storage_of


@dataclass
class _Known:
    """bytes is 1 for each byte of the storage that is undefined, else 0; None: all are undefined."""

    end: int
    is_there: Callable[[], bool]
    bytes: np.ndarray | None = None


_known: dict[int, _Known] = {}  # by the address of the storage


def undefined(array: Any) -> None:
    """Says that nothing has written the elements of an array (of numpy, or a tensor of torch): what depends on them is found by check
    "undefined".  Views of the same memory know of it, too.  Raises TypeError for what is no array."""
    _set(array, 1)


def defined(array: Any) -> None:
    """Says that all elements of an array are written, as those of an array are of which nothing is said."""
    _set(array, 0)


def _set(array: Any, number: int) -> None:
    elements = as_numpy(array)
    start, end = storage_of(array, elements)
    if number == 0 and _at(start, end) is None:
        return
    is_whole = elements.flags.c_contiguous and elements.nbytes == end - start
    if is_whole and number == 0:
        _known.pop(start, None)
        return
    if _at(start, end) is None:
        _known[start] = _Known(end, _watched(array, elements), None if is_whole else np.zeros(end - start, np.uint8))
    if is_whole:
        _known[start].bytes = None
        return
    bytes_ = _bytes_of(_known[start], start)
    part = bytes_[elements.ctypes.data - start:]
    np.lib.stride_tricks.as_strided(part, (*elements.shape, elements.dtype.itemsize), (*elements.strides, 1))[...] = number


def _watched(array: Any, elements: np.ndarray) -> Callable[[], bool]:
    """What tells whether a storage is still there."""
    if hasattr(array, "untyped_storage"):
        from torch.multiprocessing.reductions import StorageWeakRef

        storage = StorageWeakRef(array.untyped_storage())
        return lambda: not storage.expired()
    owner = weakref.ref(owner_of(elements))
    return lambda: owner() is not None


def _at(start: int, end: int) -> _Known | None:
    known = _known.get(start)
    if known is not None and not known.is_there():
        del _known[start]
        return None
    return known if known is not None and known.end == end else None


def _bytes_of(known: _Known, start: int) -> np.ndarray:
    if known.bytes is None:
        known.bytes = np.ones(known.end - start, np.uint8)
    return known.bytes


@dataclass(frozen=True)
class Undefined:
    """What is known of the memory of a launch.

    inputs   by the name of an input, which of its bytes are undefined: an array that gets what is known after the run
    written  the arrays whose memory the launch may write to
    """

    inputs: dict[str, np.ndarray]
    written: list[Passed]

    def forget(self) -> None:
        """Nothing is known any more of memory that the launch may have written to: it ran without the check."""
        for one in self.written:
            _known.pop(one.start, None)


def undefined_of(bound: Bound, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> Undefined:
    """What is known of the memory of a launch with these inputs and outputs."""
    found = {}
    for name, array in bound.arrays.items():
        bytes_ = _bytes_at(bound.passed[name], bound.addresses[name], array.nbytes)
        if bytes_ is not None:
            found[name if name in inputs else f"{name}.before"] = bytes_
    return Undefined(found, [one for name in outputs for one in bound.passed[name]])


def _bytes_at(arrays: list[Passed], first: int, size: int) -> np.ndarray | None:
    storages = {one.start: one.end for one in arrays if _at(one.start, one.end) is not None}
    if len(storages) != 1:
        return _joined(storages, first, size) if storages else None
    (start,) = storages
    return _bytes_of(_known[start], start)[first - start:first - start + size]


def _joined(storages: dict[int, int], first: int, size: int) -> np.ndarray:
    """Of storages that overlap, which only arrays have that were made of memory by hand: what any of them calls undefined."""
    found = np.zeros(size, np.uint8)
    for start, end in storages.items():
        low, high = max(start, first), min(end, first + size)
        found[low - first:high - first] |= _bytes_of(_known[start], start)[low - start:high - start]
    return found

