"""Tensors of more dimensions than our arrays may have: these are flat, row-major.

Triton's library makes them, of extents of 2, to sort.  What works along some of the dimensions joins all others that are neighbours."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Sequence

from ...ir.builder import Builder, Value
from .errors import Unsupported

MOST = 8  # dimensions of our arrays

Shape = tuple[int, ...]


def held(dims: Shape) -> Shape:
    """The shape of our array for a tensor of these dimensions."""
    return dims if len(dims) <= MOST else (math.prod(dims),)


def along(builder: Builder, value: Value, dims: Shape, axis: int) -> tuple[Value, int]:
    """A tensor of these dimensions as an array with `axis` as a dimension of its own; returns that, and which of its dimensions it is."""
    if len(dims) <= MOST:
        return value, axis
    return builder.reshape(value, (math.prod(dims[:axis]), dims[axis], math.prod(dims[axis + 1:]))), 1


def broadcast(builder: Builder, value: Value, before: Shape, after: Shape) -> Value:
    """A tensor of the dimensions `before`, repeated along those that have the extent 1 there and another one in `after`."""
    if len(after) <= MOST:
        return builder.broadcast(value, after)
    repeats = [(key, [after[dim] for dim in group])
               for key, group in groupby(range(len(after)), lambda dim: before[dim] != after[dim])]
    wide = tuple(math.prod(extents) for _, extents in repeats)
    narrow = tuple(1 if is_repeated else extent for (is_repeated, _), extent in zip(repeats, wide))
    _check(wide)
    return builder.reshape(builder.broadcast(builder.reshape(value, narrow), wide), held(after))


def transpose(builder: Builder, value: Value, dims: Shape, order: Sequence[int]) -> Value:
    """A tensor of these dimensions with dimension order[d] as dimension d."""
    after = tuple(dims[dim] for dim in order)
    if len(dims) <= MOST:
        return builder.emit1("transpose", [value], (value.dtype, after), permutation=list(order))
    runs = _runs([dim for dim in order if dims[dim] != 1], [dim for dim, extent in enumerate(dims) if extent != 1])
    joined = sorted(runs)  # in the order of the operand
    extents = tuple(math.prod(dims[dim] for dim in run) for run in joined)
    _check(extents)
    permutation = [joined.index(run) for run in runs]
    value = builder.reshape(value, extents)
    value = builder.emit1("transpose", [value], (value.dtype, tuple(extents[one] for one in permutation)), permutation=permutation)
    return builder.reshape(value, held(after))


def _runs(order: Sequence[int], dims: Sequence[int]) -> list[list[int]]:
    """The dimensions in their new order, those together that follow one another before and afterwards."""
    following = dict(zip(dims, dims[1:]))
    runs: list[list[int]] = []
    for dim in order:
        if runs and following.get(runs[-1][-1]) == dim:
            runs[-1].append(dim)
        else:
            runs.append([dim])
    return runs


def _check(extents: Shape) -> None:
    if len(extents) > MOST:
        raise Unsupported(f"it needs an array of {len(extents)} dimensions; there are at most {MOST}")
