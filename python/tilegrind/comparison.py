"""Two arrays of one dtype held against each other, bit by bit and in ULP, as the library does it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from . import _native
from ._native import lib
from .arrays import view
from .errors import Collected

UNCOUNTED = 2**64 - 1  # ULP between NaN and a number


@dataclass(frozen=True)
class Comparison:
    """How arrays differ.

    count, differing  elements, and those whose bits differ; NaNs of any bits are alike
    worst             row-major index of the first element with the largest distance in ULP; None where none differs
    worst_ulps        that distance; UNCOUNTED: NaN and a number
    """

    count: int
    differing: int
    worst: int | None
    worst_ulps: int


def compare(got: np.ndarray, want: np.ndarray) -> Comparison:
    """Compares arrays of one dtype and shape.  Raises Error for others."""
    found = _native.Comparison()
    views = [view("got", np.ascontiguousarray(got)), view("want", np.ascontiguousarray(want))]
    with Collected() as errors:
        errors.check(lib.tg_array_compare(*map(ctypes.byref, views), ctypes.byref(found), errors.handle))
    return Comparison(found.count, found.differing, found.worst if found.differing else None, found.worst_ulps if found.differing else 0)
