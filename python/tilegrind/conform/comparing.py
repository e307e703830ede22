"""Compares what a runner wrote with what the suite expects.  All judging of numbers goes through ``compare``.

NaN equals NaN, whatever its sign and payload, and nothing else.  All other elements are compared by their bits.
"""

from __future__ import annotations

from typing import Mapping

import numpy as np

from ..runner.layout import Type
from .files import Written
from .verdicts import Verdict

_LESS_THAN_A_BYTE = {"i2", "i4", "u2", "u4", "f4e2m1fn"}


def compare(expected: Mapping[str, tuple[Type, bytes]], got: Mapping[str, Written]) -> Verdict:
    """The verdict on the outputs of one run."""
    for name, (tensor, data) in expected.items():
        if name not in got:
            return Verdict("missing", name)
        verdict = _compare(name, tensor, data, got[name])
        if verdict is not None:
            return verdict
    return Verdict("equal")


def same(first: Mapping[str, Written], second: Mapping[str, Written]) -> str | None:
    """The name of the first output whose bits differ between two runs, or None."""
    for name, one in first.items():
        if different(one.type, one.data, second[name].data).any():
            return name
    return None


def different(tensor: Type, left: bytes, right: bytes) -> np.ndarray:
    """Which elements differ, flat."""
    a, b = _elements(tensor, left), _elements(tensor, right)
    differs = _bits(tensor, a) != _bits(tensor, b)
    if _has_nan(tensor):
        differs &= ~(np.isnan(a) & np.isnan(b))
    return differs


def _elements(tensor: Type, data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8).view(tensor.numpy)


def _bits(tensor: Type, elements: np.ndarray) -> np.ndarray:
    """Integers that are equal where the bits that count are.  What a byte holds beside a short element does not count."""
    bits = elements.view(f"u{tensor.numpy.itemsize}")
    if tensor.dtype not in _LESS_THAN_A_BYTE:
        return bits
    return bits & (0x3 if tensor.dtype.endswith("2") else 0xF)


def _has_nan(tensor: Type) -> bool:
    return tensor.dtype.startswith(("f", "bf")) and tensor.dtype != "f4e2m1fn"


def _compare(name: str, tensor: Type, data: bytes, got: Written) -> Verdict | None:
    if got.type != tensor:
        return Verdict("shape", f"{name} is {got.type} instead of {tensor}")
    differs = different(tensor, data, got.data)
    if not differs.any():
        return None
    unwritten = differs & got.untouched
    if unwritten.any():
        first = _place(tensor, unwritten)
        return Verdict("not-written", f"{int(unwritten.sum())} elements of {name}, the first at {first}")
    wanted, found = _elements(tensor, data), _elements(tensor, got.data)
    special = differs & _is_special(tensor, wanted, found)
    kind, at = ("special-differs", special) if special.any() else ("differs", differs)
    return Verdict(kind, f"{int(differs.sum())} of {differs.size} elements of {name}; {_place(tensor, at)} is "
                         f"{_text(tensor, found, at)} instead of {_text(tensor, wanted, at)}")


def _is_special(tensor: Type, wanted: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Where NaN, an infinity or the sign of a zero is on one side only."""
    if not _has_nan(tensor):
        return np.zeros(wanted.shape, bool)
    with np.errstate(all="ignore"):
        a, b = wanted.astype(np.float64), found.astype(np.float64)
    return ~np.isfinite(a) | ~np.isfinite(b) | ((a == 0) & (b == 0))


def _place(tensor: Type, mask: np.ndarray) -> str:
    """The first element of a mask, as an index."""
    index = np.unravel_index(int(np.argmax(mask)), tensor.shape or (1,))
    return f"[{','.join(map(str, index))}]" if tensor.shape else "the element"


def _text(tensor: Type, elements: np.ndarray, mask: np.ndarray) -> str:
    """The first element of a mask, and its bits."""
    at = int(np.argmax(mask))
    bits = int(elements.view(f"u{tensor.numpy.itemsize}")[at])
    value = elements[at] if tensor.dtype != "bool" else bits
    return f"{value} (0x{bits:0{2 * tensor.numpy.itemsize}x})"
