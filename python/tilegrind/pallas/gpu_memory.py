"""Shared memory of Mosaic GPU kernels: JAX gives it the shape in which it is held, and each use says how that is undone.

A reference whose every use undoes the same transforms has its logical shape here, and a layout that says where its elements are.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

from . import dtypes
from .errors import Unsupported

_PIECE = 16  # bytes that a swizzle moves as one


def _tiling(own: Sequence[Any]) -> tuple[int, ...]:
    """The tile that the transforms undo; () if none."""
    tilings = [tuple(t.tiling) for t in own if type(t).__name__ == "UntilingTransform"]
    if len(tilings) > 1:
        raise Unsupported("memory in tiles of tiles is not supported")
    return tilings[0] if tilings else ()


def _swizzle(own: Sequence[Any]) -> int:
    """The bytes of the swizzle that the transforms undo; _PIECE if none."""
    swizzles = [t.swizzle for t in own if type(t).__name__ == "UnswizzleRef"]
    return swizzles[0] if swizzles else _PIECE


def logical_shape(held: Sequence[int], own: Sequence[Any]) -> tuple[int, ...]:
    """The shape of memory that is held in shape `held`, after the transforms `own` of its uses.  Raises Unsupported."""
    for transform in own:
        if type(transform).__name__ not in ("UntilingTransform", "UnswizzleRef"):
            raise Unsupported(f"memory with {type(transform).__name__} is not supported")
    tile = _tiling(own)
    rank = len(held) - len(tile)
    blocks = held[rank - len(tile) : rank]
    return (*held[: rank - len(tile)], *(block * size for block, size in zip(blocks, tile)))


def memory_layout(held: Sequence[int], own: Sequence[Any], dtype: str) -> str | None:
    """The layout of that memory, as docs/layouts.md has it; None: row-major."""
    tile = _tiling(own)
    bits = int(math.log2(_swizzle(own) // _PIECE))
    width = dtypes.bits(dtype) // 8
    if not tile and not bits or not width or 0 in held:
        return None
    strides = [math.prod(held[d + 1 :]) for d in range(len(held))]
    rank = len(held) - len(tile)
    order = list(range(rank - len(tile)))
    for d in range(len(tile)):
        order += [rank - len(tile) + d, rank + d]
    iters = f"({','.join(str(held[d]) for d in order)}):({','.join(str(strides[d]) for d in order)})"
    return f"Sw<{bits},{int(math.log2(_PIECE // width))},3> o {iters}" if bits else iters
