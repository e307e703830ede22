"""What the page knows of one output on one input set."""

from dataclasses import dataclass, field

import numpy as np

from ...judging.verdicts import error_fractions, steps
from . import histogram
from .encode import bits, packed
from .layout import NO_BOUND, cells_of, layout_of

WORST = 20  # elements in the table


@dataclass(frozen=True)
class Columns:
    """Arrays side by side: the first is judged; those that are None are not there, or have another type."""

    names: tuple
    arrays: tuple = field(repr=False)


@dataclass(frozen=True)
class Places:
    """Which program, and which location of the kernel's, stored each element last; None where that is not known."""

    programs: np.ndarray | None = field(repr=False, default=None)
    locations: np.ndarray | None = field(repr=False, default=None)


def output_data(name, expected, columns, tile, places, budget):
    """JSON data of an output.

    expected  judging.Expected
    columns   Columns, with arrays of the output's type
    tile      the extents of a block
    """
    layout = layout_of(expected.bits.shape, tile)
    got = columns.arrays[0]
    fractions, is_open, moved = _errors(expected, got)
    cells = cells_of(layout, np.where(is_open, NO_BOUND, fractions), budget.side)
    chosen = chosen_elements(fractions, layout, cells, budget.elements)
    is_whole = len(chosen) == layout.count
    return {
        "name": name, "dtype": expected.bits.dtype.name, "bytes": expected.bits.dtype.itemsize,
        "shape": list(expected.bits.shape), "tile": list(tile), "is_judged": got is not None,
        "layout": {"rows": layout.rows, "columns": layout.columns, "row_lines": layout.row_lines,
                   "column_lines": layout.column_lines},
        "cells": _cells(cells, expected, columns, is_whole),
        "elements": _elements(chosen, is_whole, expected, columns, places, fractions, moved),
        "worst": [int(at) for at in _worst(fractions)] if got is not None else [],
        "histograms": {"fractions": histogram.of_fractions(fractions, is_open) if got is not None else [],
                       "steps": histogram.of_steps(moved) if moved is not None else []},
        "differing": [[columns.names[i], _differing(got, columns.arrays[i])] for i in range(1, len(columns.names))
                      if got is not None and columns.arrays[i] is not None],
        "largest": _largest(expected),
    }


def _errors(expected, got):
    """|got - R| / B, which elements have no bound, and for floats the distance from R rounded, in values of the dtype."""
    count = expected.bits.size
    if got is None:
        return np.zeros(count), np.ones(count, bool), None
    if expected.exact is None:
        return np.where(got != expected.bits, np.inf, 0.0).reshape(-1), np.zeros(count, bool), None
    fractions, is_open = error_fractions(expected, got)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.exact.astype(got.dtype)
    return fractions.reshape(-1), is_open.reshape(-1), steps(got, rounded).reshape(-1)


def chosen_elements(fractions, layout, cells, most):
    """The elements whose values are kept, sorted: all, or half of them around the worst, and half those that cells stand
    for, the worst first."""
    if layout.count <= most:
        return np.arange(layout.count)
    near = _in_worst_tiles(fractions, layout, most // 2)
    stand = np.unique(cells.at)
    stand = stand[np.argsort(-fractions[stand], kind="stable")][:most - len(near)]
    return np.union1d(np.union1d(near, stand), _worst(fractions))


def _in_worst_tiles(fractions, layout, most):
    """The elements of the tiles with the worst errors; of the last one, if it is too large, those around its worst."""
    worst = np.zeros(int(layout.tiles.max()) + 1)
    np.maximum.at(worst, layout.tiles, fractions)
    rank = np.empty(len(worst), np.int64)
    rank[np.argsort(-worst, kind="stable")] = np.arange(len(worst))
    ranks = rank[layout.tiles]
    whole = int(np.searchsorted(np.cumsum(np.bincount(ranks)), most, "right"))  # tiles that fit
    near, part = np.flatnonzero(ranks < whole), np.flatnonzero(ranks == whole)
    center = part[np.argmax(fractions[part])]
    rows, columns = np.abs(np.array(np.divmod(part, layout.columns)) - np.array([np.divmod(center, layout.columns)]).T)
    return np.concatenate([near, part[np.lexsort((columns, rows))][:most - len(near)]])


def _worst(fractions):
    """The elements that are farthest off, the farthest first; those that are exact are none of them."""
    near = np.argsort(-fractions, kind="stable")[:WORST]
    return near[fractions[near] > 0]


def _cells(cells, expected, columns, is_whole):
    found = {"rows": cells.rows, "columns": cells.columns, "height": cells.height, "width": cells.width,
             "most": packed(cells.most, "f8"), "at": packed(cells.at, "u4")}
    if not is_whole:  # else the elements have them
        arrays = [*columns.arrays, expected.exact]
        found["values"] = [packed(_values(array, cells.at), "f4") for array in arrays]
    return found


def _values(array, chosen):
    if array is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(array).reshape(-1)[chosen].astype(np.float64)


def _elements(chosen, is_whole, expected, columns, places, fractions, moved):
    def of(array):
        return None if array is None else array.reshape(-1)[chosen]

    return {
        "count": len(chosen), "index": None if is_whole else packed(chosen, "u4"),
        "columns": [None if array is None else {"value": packed(_values(array, chosen), "f8"), "bits": bits(of(array))}
                    for array in columns.arrays],
        "exact": packed(of(expected.exact), "f8"), "bound": packed(of(expected.bound), "f8"),
        "fraction": packed(fractions[chosen], "f8"), "steps": packed(of(moved), "f8"),
        "program": packed(of(places.programs), "i4"), "location": packed(of(places.locations), "i4"),
    }


def _differing(a, b):
    """How many elements have other bits; all NaNs count as one."""
    if a.dtype.kind in "biu":
        return int(np.count_nonzero(a != b))
    a, b = a.astype(np.float64), b.astype(np.float64)
    return int(np.count_nonzero(~((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b))))


def _largest(expected):
    """The greatest finite size of a result, for colours."""
    with np.errstate(invalid="ignore"):
        sizes = np.abs((expected.bits if expected.exact is None else expected.exact).astype(np.float64))
    sizes = sizes[np.isfinite(sizes)]
    return float(sizes.max()) if sizes.size else 0.0
