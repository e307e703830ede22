"""Output mutants that replace a whole output or large parts of it."""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np

from .outputs import Change, Output, first_middle_last, kind


@kind("zeros")
def zeros(o: Output) -> Iterator[Change]:
    yield "", np.zeros_like(o.values)


def _mean(o: Output, axis: int | None) -> np.ndarray:
    numbers = np.where(np.isfinite(o.wide), o.wide, 0.0)
    return o.cast(np.broadcast_to(numbers.mean(axis=axis, keepdims=True), o.values.shape))


@kind("mean-of-tensor")
def mean_of_tensor(o: Output) -> Iterator[Change]:
    if o.values.size > 1:
        yield "", _mean(o, None)


@kind("mean-of-rows")
def mean_of_rows(o: Output) -> Iterator[Change]:
    if o.values.ndim > 1 and o.values.size:
        yield "", _mean(o, -1)


@kind("input-returned")
def input_returned(o: Output) -> Iterator[Change]:
    for name, given in o.context.inputs.items():
        if given.shape == o.values.shape:
            yield f"input {name}", o.cast(given.astype(np.float64))


def _before(o: Output) -> np.ndarray:
    """What may have been in the memory before: the outputs of another call, or zeros."""
    other = o.of(o.context.other)
    return np.zeros_like(o.values) if other is None else other


@kind("block-unwritten")
def block_unwritten(o: Output) -> Iterator[Change]:
    for program in first_middle_last(o.programs):
        yield f"program {program}", np.where(o.of(o.context.writers) == program, _before(o), o.values)


@kind("ragged-tile-unwritten")
def ragged_tile_unwritten(o: Output) -> Iterator[Change]:
    for axis, (extent, block) in enumerate(zip(o.values.shape, o.of(o.context.tile) or ())):
        if block > 1 and extent % block:
            last = np.arange(extent) >= extent - extent % block
            shape = [-1 if d == axis else 1 for d in range(o.values.ndim)]
            yield f"axis {axis}", np.where(last.reshape(shape), _before(o), o.values)


@kind("rolled")
def rolled(o: Output) -> Iterator[Change]:
    for axis in range(o.values.ndim):
        yield f"axis {axis}", np.roll(o.values, 1, axis)


@kind("tile-transposed")
def tile_transposed(o: Output) -> Iterator[Change]:
    tile = o.of(o.context.tile) or ()
    axes = [axis for axis, block in enumerate(tile) if block > 1]
    if len(axes) < 2:
        return
    rows, columns = axes[-2:]
    counts = [extent // block for extent, block in zip(o.values.shape, tile)]
    for flat in first_middle_last(range(math.prod(counts))):
        block = np.unravel_index(flat, counts)
        part = tuple(slice(i * n, (i + 1) * n) for i, n in zip(block, tile))
        changed = o.values.copy()
        changed[part] = np.swapaxes(o.values[part], rows, columns).reshape(o.values[part].shape)
        yield f"tile {','.join(str(int(i)) for i in block)}", changed


@kind("blocks-swapped")
def blocks_swapped(o: Output) -> Iterator[Change]:
    programs = o.programs
    for one, other in sorted({(programs[0], programs[1]), (programs[0], programs[-1])} if len(programs) > 1 else ()):
        places = [o.of(o.context.writers) == program for program in (one, other)]
        if places[0].sum() == places[1].sum():
            changed = o.values.copy()
            changed[places[0]], changed[places[1]] = o.values[places[1]], o.values[places[0]]
            yield f"programs {one} and {other}", changed


@kind("affine-rows")
def affine_rows(o: Output) -> Iterator[Change]:
    if o.is_float and o.values.ndim and o.values.size:
        finite = np.where(np.isfinite(o.wide), np.abs(o.wide), 0.0)
        yield "", o.cast(o.wide * 1.125 + finite.max(axis=-1, keepdims=True) * 0.125)


@kind("other-inputs")
def other_inputs(o: Output) -> Iterator[Change]:
    other = o.of(o.context.other)
    if other is not None:
        yield "", other


@kind("half-copied")
def half_copied(o: Output) -> Iterator[Change]:
    axis = next((axis for axis, extent in enumerate(o.values.shape) if extent > 1), None)
    if axis is not None:
        half = o.values.shape[axis] // 2
        start = np.take(o.values, np.arange(half), axis)
        changed = np.moveaxis(o.values.copy(), axis, 0)
        changed[-half:] = np.moveaxis(start, axis, 0)
        yield f"axis {axis}", np.ascontiguousarray(np.moveaxis(changed, 0, axis))
