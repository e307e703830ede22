"""Which part of memory a use of a reference selects, as far as it is known before the kernel runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from jax._src.indexing import Slice
from jax._src.state.indexing import NDIndexer

from ...ir.builder import Value


@dataclass
class Selection:
    """By dimension of the whole memory: its extent, the first element selected (None: not known), how many, how far apart, and
    whether the dimension is one of what is selected.  `listed`: the array that lists elements of a dimension."""

    extents: list[int]
    starts: list[int | None]
    sizes: list[int]
    steps: list[int]
    kept: list[bool]
    listed: Value | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(size for size, kept in zip(self.sizes, self.kept) if kept)


def select(shape: Sequence[int], transforms: Sequence[Any]) -> Selection | None:
    """What the indexers `transforms` select of memory of `shape`; None if there are other transforms, or sizes are not known."""
    rank = len(shape)
    found = Selection(list(shape), [0] * rank, list(shape), [1] * rank, [True] * rank)
    for transform in transforms:
        if not isinstance(transform, NDIndexer):
            return None
        dims = [d for d in range(rank) if found.kept[d]]
        if len(dims) != len(transform.indices):
            return None
        for dim, entry in zip(dims, transform.indices):
            if not _apply(found, dim, entry):
                return None
    return found


def _apply(found: Selection, dim: int, entry: Any) -> bool:
    sliced = isinstance(entry, Slice)
    start = _static(entry.start if sliced else entry)
    if sliced:
        if not isinstance(entry.size, int) or not isinstance(entry.stride, int):
            return False
        found.sizes[dim] = entry.size
    elif getattr(entry, "shape", ()):
        found.listed, found.sizes[dim], start = entry, math.prod(entry.shape), None
    else:
        found.sizes[dim], found.kept[dim] = 1, False
    before = found.starts[dim]
    found.starts[dim] = None if start is None or before is None else before + start * found.steps[dim]
    found.steps[dim] *= entry.stride if sliced else 1
    return True


def _static(number: Any) -> int | None:
    if isinstance(number, Value):
        number = number.const
    return int(number) if isinstance(number, (int, float)) or hasattr(number, "__index__") else None


@dataclass
class Tile:
    """Shared memory as a use sees it.

    dtype, held   of its elements, and the shape in which they are held
    tiling        the tile, () if none; swizzle: bytes, 0 if none
    steps         the transforms after those that undo both
    """

    dtype: Any
    held: tuple[int, ...]
    tiling: tuple[int, ...]
    swizzle: int
    steps: list[Any]

    @property
    def is_turned(self) -> bool:
        return sum(tuple(getattr(t, "permutation", ())) == (1, 0) for t in self.steps) % 2 == 1

    @property
    def logical(self) -> tuple[int, ...]:
        """The shape before `steps`."""
        if not self.tiling:
            return self.held
        rank, count = len(self.held), len(self.tiling)
        blocks = self.held[rank - 2 * count : rank - count]
        return (*self.held[: rank - 2 * count], *(block * size for block, size in zip(blocks, self.tiling)))

    @property
    def selection(self) -> Selection | None:
        return select(self.logical, self.steps)


def dtype_of(aval: Any, transforms: Sequence[Any]) -> Any:
    """The dtype of what a use sees."""
    dtypes = [transform.dtype for transform in transforms if type(transform).__name__ in ("ExtractAliasedRef", "BitcastTransform")]
    return dtypes[-1] if dtypes else aval.dtype


def tile_of(aval: Any, transforms: Sequence[Any]) -> Tile | None:
    """Shared memory with the transforms of a use; None if it is held in tiles of tiles."""
    held = tuple(aval.shape)
    tiling: tuple[int, ...] = ()
    swizzle = 0
    steps = []
    for transform in transforms:
        name = type(transform).__name__
        if name == "ExtractAliasedRef":
            held = tuple(transform.shape)
        elif name == "UnswizzleRef":
            swizzle = int(transform.swizzle)
        elif name == "UntilingTransform":
            if tiling or len(held) < 2 * len(transform.tiling):
                return None
            tiling = tuple(transform.tiling)
        else:
            steps.append(transform)
    return Tile(dtype_of(aval, transforms), held, tiling, swizzle, steps)
