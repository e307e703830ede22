"""Rules for the copies of Mosaic GPU between global and shared memory, which the tensor memory accelerator makes."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, Sequence

from jax._src.indexing import Slice
from jax._src.state.indexing import NDIndexer

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..lowering.tpu_model import ANY_NUMBER
from ..tracing.jaxprs import unflattened
from .barriers import one_barrier, with_followers
from .multimem import on_each_device
from .references import of_peer, placed, transformed


def _box(conv: Converter, ref: Value, transforms: Sequence[Any]) -> Value:
    """The part of global memory that a copy moves, which may reach outside of the array."""
    last = None
    if transforms and isinstance(transforms[-1], NDIndexer):
        *transforms, last = transforms
    whole = transformed(conv, ref, transforms)
    if last is None or not any(_may_leave(entry, extent) for entry, extent in zip(last.indices, whole.shape)):
        return transformed(conv, whole, [last] if last is not None else [])
    starts, sizes, index = [], [], []
    for entry, extent in zip(last.indices, whole.shape):
        sliced = isinstance(entry, Slice)
        if sliced and (entry.stride != 1 or not isinstance(entry.size, int)):
            raise Unsupported("a copy of a slice with a stride is not supported")
        start = entry.start if sliced else entry
        starts.append(conv.builder.as_i32(start))
        sizes.append(entry.size if sliced else 1)
        index.append(["slice", 0, entry.size, 1] if sliced else ["at"])
    part = conv.builder.part(whole, starts, [conv.builder.i32(size) for size in sizes], sizes,
                             [ANY_NUMBER] * len(sizes))
    at = [conv.builder.i32(0)] * index.count(["at"])
    shape = [entry[2] for entry in index if entry[0] == "slice"]
    return conv.builder.view(part, at, shape, index) if at else part


def _may_leave(entry: Any, extent: int) -> bool:
    """Whether it is not known that what an indexer selects of a dimension is inside."""
    start, size, stride = (entry.start, entry.size, entry.stride) if isinstance(entry, Slice) else (entry, 1, 1)
    if isinstance(start, Value):
        start = start.const
    return start is None or not isinstance(size, int) or not 0 <= start <= extent - 1 - (size - 1) * stride


def _list_of_rows(transforms: Sequence[Any]) -> Value | None:
    """The array that lists the rows that a copy moves; None: it moves a box."""
    arrays = [entry for t in transforms if isinstance(t, NDIndexer) for entry in t.indices
              if isinstance(entry, Value) and entry.shape]
    if not arrays:
        return None
    last = transforms[-1]
    if len(arrays) > 1 or not isinstance(last, NDIndexer) or last.indices[0] is not arrays[0] or len(arrays[0].shape) > 1:
        raise Unsupported("an array can only list the rows of what is copied")
    return arrays[0]


def _copies(conv: Converter, whole: Value, transforms: Sequence[Any], tile: Value, may_leave: bool,
            start: Callable[[Value, Value], Any]) -> None:
    """Calls `start` with the two sides of a copy, global memory first; where an array lists rows, in a loop over them, as each
    row is a copy of its own."""
    part = _box if may_leave else transformed
    rows = _list_of_rows(transforms)
    if rows is None:
        start(part(conv, whole, transforms), tile)
        return
    build, (*earlier, last) = conv.builder, transforms
    counter = build.value("i32", ())
    with build.region([counter]) as each:
        listed = build.reshape(build.emit1("dynamic_slice", [rows, counter], (rows.dtype, (1,))), ())
        row = NDIndexer((build.convert(listed, "i32"), *last.indices[1:]), last.shape, ())
        others = [["slice", 0, extent, 1] for extent in tile.shape[1:]]
        start(part(conv, whole, [*earlier, row]), build.view(tile, [counter], tile.shape[1:], [["at"], *others]))
    build.emit("for", [build.i32(0), build.i32(rows.shape[0]), build.i32(1)], [], [each])


def _by_tma(tile: Value) -> dict[str, Any]:
    """The attribute of a copy by the tensor memory accelerator, whose demands are looked at.  Elements of 2 bits it moves four to a
    byte, so that no demand is of single ones."""
    return {"instruction": "tma"} if dtypes.bits(tile.dtype) >= 4 else {}


@rule("mosaic_gpu", "copy_gmem_to_smem")
def _copy_in(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """One arrival of the issuing thread, and a copy that holds up the phase."""
    params = eqn.params
    if not params.get("has_barrier", True):
        raise Unsupported("a copy to shared memory without a barrier is not supported")
    source, target, barrier, *flat = operands
    (of_source, of_target, of_barrier), more = unflattened(
        eqn, flat, "src_transforms_treedef", "dst_transforms_treedef", "barrier_transforms_treedef")
    if more:
        raise Unsupported("a predicate is not supported")
    mode = getattr(params.get("oob_mode"), "name", "ZEROS")
    attrs = {"outside": "zero"} if mode == "ZEROS" else {}
    if params.get("collective_axes") and conv.cluster is not None:
        whole = (transformed if mode == "PROMISE_IN_BOUNDS" else _box)
        _copy_together(conv, params, lambda: whole(conv, source, of_source), (target, of_target), (barrier, of_barrier), attrs)
        return []
    one = one_barrier(conv, barrier, of_barrier)
    source, of_source = placed(conv, source, of_source)
    _copies(conv, source, of_source, transformed(conv, target, of_target), mode != "PROMISE_IN_BOUNDS",
            lambda part, tile: conv.builder.emit("dma_start", [part, tile, one], **_by_tma(tile), **attrs))
    return conv.builder.emit("barrier_arrive", [one])


Transformed = tuple[Value, Sequence[Any]]


def _copy_together(conv: Converter, params: Mapping[str, Any], source: Callable[[], Value], target: Transformed, barrier: Transformed,
                   attrs: dict[str, Any]) -> None:
    """What one block does of a copy that the blocks along some axes of a cluster make together: each brings a share, to all of them
    unless the array is divided among them.  Their barriers are told, or that of the first of them only."""
    cluster = conv.cluster
    axes = cluster.axes(params["collective_axes"])
    size, tracked = cluster.size(axes), params.get("leader_tracked")
    own = transformed(conv, *target)
    is_divided = hasattr(tracked, "axis")
    dim = tracked.axis if is_divided else _share(own.shape, size)
    extent = own.shape[dim] if is_divided else own.shape[dim] // size
    bytes_moved = math.prod(own.shape) * max(1, dtypes.bits(own.dtype) // 8)
    part = _piece(conv, source(), dim, extent, cluster.rank(axes))
    leader = None if tracked is None else cluster.moved(dict.fromkeys(axes, 0))
    if leader is None:
        _expect(conv, one_barrier(conv, *barrier), bytes_moved)
    else:
        cluster.by_first(axes, lambda: _expect(conv, one_barrier(conv, *barrier), bytes_moved * size))
    for at in [cluster.moved({})] if is_divided else cluster.members(axes):
        tile = transformed(conv, of_peer(conv, target[0], at), target[1])
        if not is_divided:
            tile = _piece(conv, tile, dim, extent, cluster.rank(axes))
        told = one_barrier(conv, *barrier, leader or at)
        conv.builder.emit("dma_start", [part, tile, told], **_by_tma(tile), expected=True, **attrs)


def _share(shape: Sequence[int], size: int) -> int:
    """The dimension of which each of `size` blocks brings an equal part."""
    for dim, extent in enumerate(shape):
        if extent % size == 0:
            return dim
    raise Unsupported(f"no dimension of {tuple(shape)} can be divided among {size} blocks")


def _piece(conv: Converter, ref: Value, dim: int, extent: int, number: Value) -> Value:
    """The piece of that number along a dimension that is cut into pieces of `extent`."""
    start = conv.builder.emit1("mul", [number, conv.builder.i32(extent)], ("i32", ()))
    shape = [extent if d == dim else whole for d, whole in enumerate(ref.shape)]
    index = [["slice", None if d == dim else 0, size, 1] for d, size in enumerate(shape)]
    return conv.builder.view(ref, [start], shape, index)


def _expect(conv: Converter, barrier: Value, bytes_moved: int) -> None:
    conv.builder.emit("barrier_expect", [barrier, conv.builder.i32(bytes_moved)])
    conv.builder.emit("barrier_arrive", [barrier])


@rule("mosaic_gpu", "copy_smem_to_gmem")
def _copy_out(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    params = eqn.params
    source, target, *flat = operands
    (of_source, of_target), more = unflattened(eqn, flat, "src_transforms_treedef", "dst_transforms_treedef")
    kind = params.get("reduction_op")
    if kind not in (None, "add", "min", "max", "and", "or", "xor"):
        raise Unsupported(f"a copy that reduces by {kind} is not supported")
    attrs = {} if kind is None else {"kind": kind}

    def copy() -> None:
        for whole, steps in on_each_device(conv, target, of_target):
            _copies(conv, whole, steps, transformed(conv, source, of_source), True,
                    lambda part, tile: conv.builder.emit("dma_start", [tile, part], **_by_tma(tile), **attrs))

    if params["has_user_predicate"]:
        with conv.builder.region() as otherwise:
            pass
        with conv.builder.region() as chosen:
            copy()
        conv.builder.emit("switch", [more[-1]], [], [otherwise, chosen])
    else:
        copy()
    return conv.builder.emit("dma_commit") if params["commit_group"] else []


@rule("mosaic_gpu", "commit_group")
def _commit_group(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del eqn, operands
    return conv.builder.emit("dma_commit")


@rule("mosaic_gpu", "wait_smem_to_gmem")
def _wait_copies(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    attrs = {"reads": True} if eqn.params["wait_read_only"] else {}
    # The number of groups is an operand in JAX 0.10, a parameter in later versions.
    newest = conv.builder.convert(operands[0], "i32") if operands else conv.builder.i32(eqn.params["n"])
    return conv.builder.emit("dma_wait_groups", [newest], **attrs, **with_followers(conv))
