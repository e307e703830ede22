"""What the tensor memory accelerator demands of copies between global and shared memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

import jax

from ...ir import dtypes
from ...ir.builder import Value
from ..tracing.jaxprs import unflattened
from .demands import broken
from .judging import Scene, judges
from .selection import Selection, Tile, dtype_of, select, tile_of

_UNIT_BITS = 128
_SHARED_UNIT = 128  # bytes
_MOST_BOX, _MOST_RANK = 256, 5
_ROWS = 4  # that one copy of listed rows moves

_REDUCES = {**dict.fromkeys(("add",), ("f16", "bf16", "f32", "i32", "u32", "i64", "u64")),
            **dict.fromkeys(("min", "max"), ("f16", "bf16", "i32", "u32", "i64", "u64")),
            **dict.fromkeys(("and", "or", "xor"), ("i32", "u32", "i64", "u64"))}


@dataclass
class _Copy:
    """One copy: the global side, the shared side, and their names."""

    array: Selection | None
    tile: Tile
    array_dtype: Any
    names: str
    infers: bool

    @property
    def bits(self) -> int:
        return jax.dtypes.itemsize_bits(self.array_dtype)


@judges("copy_gmem_to_smem")
def _copy_in(scene: Scene, eqn: Any, operands: Sequence[Value]) -> None:
    source, target = operands[:2]
    keys = ("src_transforms_treedef", "dst_transforms_treedef")
    flat = operands[3:] if eqn.params.get("has_barrier", True) else operands[2:]
    (of_source, of_target), _ = unflattened(eqn, flat, *keys)
    names = f"{scene.name(source, 'the array')} to {scene.name(target, 'shared memory')}"
    blocks = _blocks(scene, eqn.params)
    divided = getattr(eqn.params.get("leader_tracked"), "axis", None)
    copy = _copy(scene, (eqn.invars[0].aval, of_source), (eqn.invars[1].aval, of_target), names)
    if copy is None:
        return
    if divided is not None and copy.array is not None:
        _take_part(copy.array, divided, blocks)
        blocks = 1
    _check_sides(copy)
    mode = getattr(eqn.params.get("oob_mode"), "name", "ZEROS")
    _check(copy, blocks, is_bulk=mode != "ZEROS" and blocks == 1)


@judges("copy_smem_to_gmem")
def _copy_out(scene: Scene, eqn: Any, operands: Sequence[Value]) -> None:
    source, target, *flat = operands
    (of_source, of_target), _ = unflattened(eqn, flat, "src_transforms_treedef", "dst_transforms_treedef")
    names = f"{scene.name(source, 'shared memory')} to {scene.name(target, 'the array')}"
    copy = _copy(scene, (eqn.invars[1].aval, of_target), (eqn.invars[0].aval, of_source), names)
    kind = eqn.params.get("reduction_op")
    if copy is None:
        return
    _check_sides(copy)
    dtype = dtypes.ir_dtype(copy.array_dtype)
    if kind in _REDUCES and dtype not in _REDUCES[kind]:
        broken("tma_reduces", f"{kind} of {dtype}, from {names}")
    _check(copy, 1, is_bulk=kind is None)


def _copy(scene: Scene, array: tuple[Any, Sequence[Any]], shared: tuple[Any, Sequence[Any]], names: str) -> _Copy | None:
    """The copy; None if too little is known of it."""
    _check_coordinates((*array[1], *shared[1]), names)
    own = [t for t in shared[1] if type(t).__name__ != "ClusterRefTransform"]
    tile = tile_of(shared[0], own)
    if tile is None:
        return None
    infers = scene.infers and not tile.tiling and not tile.swizzle
    return _Copy(select(array[0].shape, array[1]), tile, dtype_of(*array), names, infers)


def _take_part(array: Selection, dim: int, blocks: int) -> None:
    """Makes the selection that of one of the blocks that divide it along a dimension of what is selected."""
    dims = [d for d, kept in enumerate(array.kept) if kept]
    array.sizes[dims[dim]] //= blocks


def _check_sides(copy: _Copy) -> None:
    """Both sides must fit each other."""
    if copy.tile.dtype != copy.array_dtype:
        broken("tma_types", f"{copy.array_dtype} and {copy.tile.dtype}, from {copy.names}")
    selection = copy.tile.selection
    if copy.array is None or selection is None or copy.array.listed is not None:
        return
    if copy.array.shape != selection.shape:
        broken("tma_shapes", f"{copy.array.shape} of the array and {selection.shape} of shared memory, from {copy.names}")


def _check_coordinates(transforms: Sequence[Any], names: str) -> None:
    for transform in transforms:
        for entry in getattr(transform, "indices", ()):
            start = getattr(entry, "start", entry)
            if isinstance(start, Value) and not start.shape and dtypes.is_float(start.dtype):
                broken("tma_coordinates", f"one is of {start.dtype}, from {names}")


def _blocks(scene: Scene, params: Any) -> int:
    """How many blocks copy together."""
    sizes = []
    for name in jax.tree.leaves(params.get("collective_axes") or ()):
        size = scene.cluster_size(name)
        if size is None:
            broken("tma_axis", f"the cluster has no axis {name!r}")
        sizes.append(size)
    if sizes and params.get("leader_tracked") is not None and math.prod(scene.mesh.cluster) not in (1, 2):
        broken("tma_pair", f"{math.prod(scene.mesh.cluster)} blocks copy, and one is told")
    return math.prod(sizes)


def _check(copy: _Copy, blocks: int, is_bulk: bool) -> None:
    """All rules of one copy."""
    array = copy.array
    if array is None:
        return
    _check_strides(copy, array)
    _check_shared(copy)
    if array.listed is not None:
        _check_rows(copy, array, array.listed)
        return
    if copy.infers or any(hasattr(t, "permutation") for t in copy.tile.steps):
        return
    box = _divided(copy, _box(copy, array), blocks)
    if len(box) > _MOST_RANK:
        broken("tma_rank", f"the box {tuple(box)} has {len(box)} dimensions, from {copy.names}")
    _check_minor(copy, box[-1] if box else 1)
    if not (is_bulk and _is_contiguous(copy, array)):
        _check_extents(copy, box)


def _check_strides(copy: _Copy, array: Selection) -> None:
    for dim in range(len(array.extents) - 1):
        stride = math.prod(array.extents[dim + 1 :])
        if stride * copy.bits % _UNIT_BITS:
            broken("tma_stride_unit", f"the stride of dimension {dim} of the array is {stride} elements of {copy.bits} bits, "
                                      f"from {copy.names}")


def _check_minor(copy: _Copy, extent: int) -> None:
    """That it is as long as the swizzle, JAX itself makes sure of."""
    if extent * copy.bits % _UNIT_BITS:
        broken("tma_box_unit", f"it has {extent} elements of {copy.bits} bits, from {copy.names}")


def _check_extents(copy: _Copy, box: Sequence[int]) -> None:
    for dim, extent in enumerate(box):
        if extent > _MOST_BOX:
            broken("tma_box", f"dimension {dim} of the box {tuple(box)} has {extent}, from {copy.names}")


def _box(copy: _Copy, array: Selection) -> list[int]:
    """What one instruction moves, without dimensions of extent 1; the last are those of a tile.  Dimensions that are indexed become
    one if there are too many."""
    indexed = [extent for extent, kept in zip(array.extents, array.kept) if not kept and extent != 1]
    kept = [(extent, size) for extent, size, is_kept in zip(array.extents, array.sizes, array.kept) if is_kept]
    count = len(copy.tile.tiling)
    outer, inner = kept[: len(kept) - count], kept[len(kept) - count :]
    parts = [*outer, *((-(-e // t), -(-s // t)) for (e, s), t in zip(inner, copy.tile.tiling))]
    box = [size for extent, size in parts if extent != 1 or size != 1] + [t for t in copy.tile.tiling if t != 1]
    leading = [1] * len(indexed)
    return [*(leading if len(leading) + len(box) <= _MOST_RANK else [1] * bool(leading)), *box]


def _divided(copy: _Copy, box: list[int], blocks: int) -> list[int]:
    """The part of a box that each of `blocks` moves: of the first dimensions, as far as they can be divided.  The rows of a swizzle
    cannot."""
    left, part = blocks, list(box)
    for dim in range(len(box) - bool(copy.tile.swizzle)):
        share = math.gcd(part[dim], left)
        part[dim] //= share
        left //= share
        if part[dim] != 1:
            break
    if left != 1:
        broken("tma_shares", f"the box {tuple(box)} cannot be divided among {blocks} blocks, from {copy.names}")
    return part


def _is_contiguous(copy: _Copy, array: Selection) -> bool:
    """Whether a plain copy of bytes would do."""
    if copy.tile.swizzle or copy.tile.tiling:
        return False
    first = next((d for d, size in enumerate(array.sizes) if size != 1), len(array.sizes))
    return all(size == extent for size, extent in zip(array.sizes[first + 1 :], array.extents[first + 1 :]))


def _check_rows(copy: _Copy, array: Selection, listed: Value) -> None:
    """Rows that an array lists: four are one instruction."""
    if dtypes.is_float(listed.dtype) or listed.dtype == "bool" or dtypes.bits(listed.dtype) > 32:
        broken("tma_listed", f"they are of {listed.dtype}, from {copy.names}")
    rows = math.prod(listed.shape)
    if rows % _ROWS:
        broken("tma_rows", f"{rows} are listed, from {copy.names}")
    columns = copy.tile.tiling[-1] if copy.tile.tiling else array.sizes[-1]
    _check_minor(copy, columns)
    if columns * _ROWS * copy.bits % (_SHARED_UNIT * 8):
        broken("tma_shared_address", f"each 4 rows have {columns * _ROWS * copy.bits // 8} bytes, from {copy.names}")
    _check_extents(copy, (1, columns))


# -- the side of shared memory --


def _check_shared(copy: _Copy) -> None:
    selection = copy.tile.selection
    if selection is None:
        return
    if any(step != 1 for step in selection.steps):
        broken("tma_contiguous", f"the slice of shared memory has strides {tuple(selection.steps)}, from {copy.names}")
    held = _held(copy, selection)
    if held is None or copy.infers:
        return
    extents, starts, sizes = held
    first = next((d for d, size in enumerate(sizes) if size != 1), len(sizes))
    if any(size != extent for size, extent in zip(sizes[first + 1 :], extents[first + 1 :])):
        broken("tma_contiguous", f"{tuple(sizes)} of {tuple(extents)} as it is held, from {copy.names}")
    if None not in starts:
        begin = sum(start * math.prod(extents[d + 1 :]) for d, start in enumerate(starts)) * copy.bits // 8
        if begin % _SHARED_UNIT:
            broken("tma_shared_address", f"it begins at {begin}, from {copy.names}")


def _held(copy: _Copy, selection: Selection) -> tuple[list[int], list[Any], list[int]] | None:
    """The selection of shared memory in the dimensions in which it is held: extents, starts, sizes."""
    tiling = copy.tile.tiling
    rank = len(selection.extents) - len(tiling)
    extents, starts, sizes = selection.extents[:rank], list(selection.starts[:rank]), selection.sizes[:rank]
    for dim, tile in enumerate(tiling, rank):
        start, size = selection.starts[dim], selection.sizes[dim]
        if size % tile or (start is not None and start % tile):
            broken("tma_tiles", f"{size} elements from {start} on of dimension {dim}, whose tiles have {tile}, from {copy.names}")
        extents, sizes = [*extents, selection.extents[dim] // tile], [*sizes, size // tile]
        starts.append(None if start is None else start // tile)
    return [*extents, *tiling], [*starts, *(0 for _ in tiling)], [*sizes, *tiling]
