"""Memory as code that `plgpu.inline_mgpu` inserts sees it: in tiles, where the kernel around it sees whole arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Sequence

from jax.experimental import pallas as pl

from ...ir.errors import Unsupported

NO_SWIZZLE = 16  # bytes: rows of this length stay where they are


@dataclass(frozen=True)
class View:
    """ref      a reference of JAX
    tile     the shape of a tile, which the last dimensions of the reference consist of; (): none
    swizzle  in bytes"""

    ref: Any
    tile: tuple[int, ...] = ()
    swizzle: int = NO_SWIZZLE

    @property
    def shape(self) -> tuple[int, ...]:
        """What the inserted code sees: outer dimensions, the numbers of tiles, and the tile."""
        shape, outer = tuple(self.ref.shape), len(self.ref.shape) - len(self.tile)
        return (*shape[:outer], *(extent // tile for extent, tile in zip(shape[outer:], self.tile)), *self.tile)

    def part(self, starts: Sequence[Any], sizes: Sequence[int], rank: int) -> View:
        """A part of whole tiles, of which the first dimensions of extent 1 are left out until it has `rank` of them."""
        within = len(self.shape) - len(self.tile)
        if any(not (isinstance(start, int) and start == 0) for start in starts[within:]) or tuple(sizes[within:]) != self.tile:
            raise Unsupported("the inserted code takes a part of a tile, which is not supported")
        index, left_out = [], len(sizes) - rank
        steps = (1,) * (within - len(self.tile)) + self.tile
        for dimension, (start, size, step) in enumerate(zip(starts, sizes, steps)):
            is_left_out = left_out > 0 and size == 1 and dimension < within - len(self.tile)
            left_out -= is_left_out
            index.append(start if is_left_out else pl.ds(start * step, size * step))
        if left_out:
            raise Unsupported("the inserted code leaves out a dimension of tiles, which is not supported")
        return replace(self, ref=self.ref.at[tuple(index)])

    def element(self, indices: Sequence[Any]) -> Any:
        """The reference to one element."""
        count = len(self.tile)
        within = len(self.shape) - count
        tiles, inside = indices[within - count:within] if count else (), indices[within:]
        of_tiles = [outer * tile + inner for outer, tile, inner in zip(tiles, self.tile, inside)]
        index = (*indices[:within - count], *of_tiles)
        return self.ref.at[index] if index else self.ref


def view_of(ref: Any, transforms: Sequence[Any]) -> View:
    """A reference that is handed over with these transforms; Unsupported if they are not tiles and a swizzle."""
    tile, swizzle = (), NO_SWIZZLE
    for transform in transforms:
        name = type(transform).__name__
        if name == "TilingTransform" and not tile:
            tile = tuple(transform.tiling)
        elif name == "SwizzleTransform":
            swizzle = transform.swizzle
        else:
            raise Unsupported(f"the inserted code takes memory by way of {name}, which is not supported")
    return View(ref, tile, swizzle)
