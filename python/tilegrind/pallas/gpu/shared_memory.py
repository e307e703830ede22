"""Shared memory of Mosaic GPU kernels: JAX gives it the shape in which it is held, and each use says how that is undone.

Memory that is allocated with transforms has its logical shape here, and a layout that says where its elements are: each use
begins by undoing these.  A union is memory of words, of which each use takes its member bit by bit, and sees it by a layout.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import jax

from ...ir import dtypes
from ...ir.builder import Builder, Type, Value
from ...ir.errors import Unsupported

_PIECE = 16  # bytes that a swizzle moves as one
_ALIGNED = 1024  # bytes: where memory of a block begins

_UNDOING = ("UntilingTransform", "UnswizzleRef")


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
        if type(transform).__name__ not in _UNDOING:
            raise Unsupported(f"memory with {type(transform).__name__} is not supported")
    tile = _tiling(own)
    rank = len(held) - len(tile)
    blocks = held[rank - len(tile) : rank]
    return (*held[: rank - len(tile)], *(block * size for block, size in zip(blocks, tile)))


def memory_layout(held: Sequence[int], own: Sequence[Any], dtype: str, each: Sequence[int] = ()) -> str | None:
    """The layout of that memory, as docs/layouts.md has it, where an array of shape `each` has one such memory in each place; None:
    row-major."""
    tile = _tiling(own)
    bits = int(math.log2(_swizzle(own) // _PIECE))
    if not tile and not bits or 0 in held:
        return None
    width = dtypes.bits(dtype) // 8
    if not width:
        return None
    strides = [math.prod(held[d + 1 :]) for d in range(len(held))]
    rank = len(held) - len(tile)
    order = list(range(rank - len(tile)))
    for d in range(len(tile)):
        order += [rank - len(tile) + d, rank + d]
    aligned = -(-math.prod(held) // (_ALIGNED // width)) * (_ALIGNED // width)
    extents = [*each, *(held[d] for d in order)]
    steps = [*(math.prod(each[d + 1 :]) * aligned for d in range(len(each))), *(strides[d] for d in order)]
    iters = f"({','.join(map(str, extents))}):({','.join(map(str, steps))})"
    return f"Sw<{bits},{int(math.log2(_PIECE // width))},3> o {iters}" if bits else iters


# -- unions --


def union_type(union: Any) -> Type:
    """The memory of a union: words as wide as the narrowest elements of its members.  Raises Unsupported."""
    word = narrowest_bits(union)
    size_bytes = math.prod(union.inner_aval.shape)
    return f"u{word}", (size_bytes * 8 // word,)


def narrowest_bits(union: Any) -> int:
    """The width of the narrowest elements of a union's members.  Raises Unsupported."""
    narrowest = min(dtypes.bits(dtypes.ir_dtype(ref.dtype)) for ref in jax.tree.leaves(union.refs, is_leaf=lambda r: hasattr(r, "dtype")))
    if narrowest < 8:
        raise Unsupported("a union of references to elements of less than a byte is not supported")
    return narrowest


def member(build: Builder, words: Value, extract: Any) -> Value:
    """The member of a union that `extract` takes, as it is held."""
    dtype, shape = dtypes.ir_dtype(extract.dtype), tuple(extract.shape)
    width, word = dtypes.bits(dtype), dtypes.bits(words.dtype)
    start, count = extract.offset * 8 // word, math.prod(shape) * width // word
    part = build.view(words, (), (count,), [["slice", start, count, 1]])
    if width != word:  # a bitcast joins what is along the last dimension but one
        part = build.recast("view_reshape", part, words.dtype, (count, 1))
        part = build.recast("view_bitcast", part, dtype, (math.prod(shape), 1))
    elif dtype != words.dtype:
        part = build.recast("view_bitcast", part, dtype, (count,))
    return part if part.shape == shape else build.recast("view_reshape", part, dtype, shape)


def undone(build: Builder, ref: Value, steps: Sequence[Any]) -> tuple[Value, Sequence[Any]]:
    """A member that is held row-major, seen as the first of the transforms `steps` undo how it is held, and the other steps."""
    count = 0
    while count < len(steps) and type(steps[count]).__name__ in _UNDOING:
        count += 1
    own, rest = steps[:count], steps[count:]
    layout = memory_layout(ref.shape, own, ref.dtype)
    if layout is None:
        return ref, steps
    return build.laid_out(ref, logical_shape(ref.shape, own), layout), rest
