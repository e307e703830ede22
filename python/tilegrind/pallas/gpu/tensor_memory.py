"""Tensor memory of Mosaic GPU kernels, which is row-major here, and how scales and the metadata of sparse matrices come to be in it.

Both are in shared memory as the copies of tcgen05 want them: a view puts them in the order of their matrix.  A union is memory of words,
as many in each lane as its columns have, of which each use takes its member as it is in lanes and columns.
"""

from __future__ import annotations

import importlib
import math
from typing import Any, Iterator, Sequence

from ...ir import dtypes
from ...ir.builder import Builder, Type, Value
from ...ir.errors import Unsupported
from .shared_memory import narrowest_bits

_LANES = 128
_BITS = 32  # of a lane of a column
_SCALES = (32, 16)  # a tile of scales: those of 128 rows and 4 columns
_SCALES_OF_HALVES = (64, 16)  # a tile that has the scales of 2 x 128 rows
_APART = 128  # rows from those of one half to those of the other
_SELECTIONS = (128, 64)  # a tile of metadata


def shape_in_tensor_memory(held: Sequence[int], own: Sequence[Any]) -> tuple[int, ...]:
    """The shape of tensor memory that is held in two dimensions, after the transforms `own` of its uses.  Raises Unsupported."""
    if not own:
        return tuple(held)
    [transform, *more] = own
    if type(transform).__name__ != "ExpandLeadingBatchDimensionsTransform" or more:
        raise Unsupported(f"tensor memory with {type(transform).__name__} is not supported")
    rows, columns = held
    batch = tuple(transform.batch_shape)
    for extent in batch:
        columns //= extent
    return (*batch, rows, columns)


# -- scales and metadata --


def scales_of(build: Builder, tiles: Value, shape: Sequence[int]) -> Value:
    """The scales (rows, columns) that are in tiles (rows / 128, columns / 4, 32, 16), or (1, columns / 4, 64, 16): element (r, c) of
    128 rows and 4 columns is at (r % 32, r / 32 * 4 + c) of its tile, and the second half below the first.  Raises Unsupported."""
    rows, columns = shape
    if rows % _LANES or columns % 4:
        raise Unsupported(f"scales in tensor memory of shape {tuple(shape)} are not supported")
    count, size = columns // 4, math.prod(tiles.shape[2:])
    if tiles.shape == (rows // _LANES, count, *_SCALES):
        return build.laid_out(tiles, shape, _iters((rows // _LANES, count * size), (4, 4), (32, 16), (count, size), (4, 1)))
    if tiles.shape == (1, count, *_SCALES_OF_HALVES) and rows == 2 * _APART:
        return build.laid_out(tiles, shape, _iters((2, size // 2), (4, 4), (32, 16), (count, size), (4, 1)))
    raise Unsupported(f"scales of shape {tiles.shape} do not fill tensor memory of shape {tuple(shape)}")


def metadata_of(build: Builder, tiles: Value, shape: Sequence[int]) -> Value:
    """The metadata (rows, columns) that are in tiles (rows / 128, columns / 64, 128, 64).  Raises Unsupported."""
    rows, columns = shape
    height, width = _SELECTIONS
    if tiles.shape != (rows // height, columns // width, *_SELECTIONS) or rows % height or columns % width:
        raise Unsupported(f"metadata of shape {tiles.shape} do not fill tensor memory of shape {tuple(shape)}")
    size = height * width
    return build.laid_out(tiles, shape, _iters((rows // height, columns // width * size), (height, width), (columns // width, size),
                                               (width, 1)))


def selections(build: Builder, metadata: Value, factor: str) -> Value:
    """The metadata of a sparse matrix of dtype `factor` in the order of its elements.  With elements of two bytes, rows 8 to 15 of 16
    have changed places with elements 8 to 15 of 16.  Raises Unsupported."""
    bits = dtypes.bits(factor)
    if bits == 8:
        return metadata
    rows, columns = metadata.shape
    if bits != 16 or rows % 16 or columns % 16:
        raise Unsupported(f"metadata of shape {metadata.shape} for sparse matrices of {factor} are not supported")
    return build.laid_out(metadata, metadata.shape, _iters((rows // 16, 16 * columns), (2, 8), (8, columns), (columns // 16, 16),
                                                           (2, 8 * columns), (8, 1)))


def _iters(*iters: tuple[int, int]) -> str:
    """A layout, as docs/layouts.md has it, of these extents and strides."""
    extents, strides = zip(*iters)
    return f"({','.join(map(str, extents))}):({','.join(map(str, strides))})"


def rows_of_half(scales: Value, number: int, count: int, are_apart: bool) -> int:
    """Where the scales of half `number` of the columns of a product begin, each half with `count` of them.  Raises Unsupported if
    they are not there."""
    start = number * (_APART if are_apart else count)
    if start + count > scales.shape[0]:
        raise Unsupported(f"scales of shape {scales.shape} are too few for {start + count} columns")
    return start


# -- unions --


def union_type(union: Any) -> Type:
    """The memory of a union: words as wide as the narrowest elements of its members.  Raises Unsupported."""
    word = narrowest_bits(union)
    lanes, columns = union.inner_aval.shape
    return f"u{word}", (lanes, columns * _BITS // word)


def member(build: Builder, words: Value, extract: Any) -> Value:
    """The member of a union that `extract` takes.  Raises Unsupported."""
    dtype, shape, packing = dtypes.ir_dtype(extract.dtype), tuple(extract.shape), extract.layout.vector_length
    width, word = dtypes.bits(dtype), dtypes.bits(words.dtype)
    columns = math.prod(shape) // _LANES // packing
    start, count, each = extract.offset * _BITS // word, columns * _BITS // word, columns * _BITS // width
    part = build.view(words, [], (_LANES, count), [["slice", 0, _LANES, 1], ["slice", start, count, 1]])
    if width != word:  # a bitcast joins what is along the last dimension but one
        part = build.recast("view_reshape", part, words.dtype, (_LANES * count, 1))
        part = build.recast("view_bitcast", part, dtype, (_LANES * each, 1))
        part = build.recast("view_reshape", part, dtype, (_LANES, each))
    elif dtype != words.dtype:
        part = build.recast("view_bitcast", part, dtype, (_LANES, each))
    step = 1 if packing > 1 else _BITS // width
    return build.laid_out(part, shape, _iters(*_lanes(extract.layout, shape, each), *_columns(shape, step)))


def _lanes(layout: Any, shape: tuple[int, ...], each: int) -> Iterator[tuple[int, int]]:
    """Extents and strides of the rows of a matrix, and of the halves of its columns that are in other lanes, in memory with `each`
    elements in a lane.  Raises Unsupported."""
    tcgen05 = importlib.import_module("jax.experimental.mosaic.gpu.tcgen05")
    (rows, columns), packing = shape, layout.vector_length
    if rows == _LANES and layout == tcgen05.tmem_default_layout(packing):
        yield from ((_LANES, each),)
    elif rows == _LANES // 2 and layout == tcgen05.tmem_half_lane_layout(columns, packing):
        yield from ((4, 32 * each), (16, each), (2, 16 * each))
    elif rows == _LANES // 2 and layout == tcgen05.tmem_m64_collective_layout(columns, packing):
        yield from ((2, 32 * each), (32, each), (2, 64 * each))
    else:
        raise Unsupported("a union with scales, metadata or more than one matrix in a reference is not supported")


def _columns(shape: tuple[int, ...], step: int) -> Iterator[tuple[int, int]]:
    rows, columns = shape
    yield columns * rows // _LANES, step
