"""References as rules see them: what a chain of transforms makes of one, on this device and block or another."""

from __future__ import annotations

from typing import Any, Sequence

from jax._src.indexing import Slice
from jax._src.state.indexing import NDIndexer
from jax._src.state.types import BitcastTransform, ReshapeTransform, TransposeTransform

from ..gpu import shared_memory, tensor_memory
from ...ir.builder import Value, type_text
from ...ir.dtypes import ir_dtype, numpy_dtype
from ...ir.errors import OtherDevices, Unsupported
from ..lowering.converter import Converter
from ..lowering.devices import Devices

# Transforms that change how memory is addressed, not its contents.
_TRANSPARENT = ("MemorySpaceCastTransform", "IdentityTransform")


class Access:
    """A part of a reference: the reference, its `index` attribute and index operands, its shape.
    `repeated` is the shape that a load has in JAX, where slices of stride 0 repeat their element."""

    def __init__(self, ref: Value, index: list[Any], operands: list[Value], shape: tuple[int, ...],
                 repeated: tuple[int, ...] | None = None):
        self.ref = ref
        self.index = index
        self.operands = operands
        self.shape = shape
        self.repeated = shape if repeated is None else repeated


def access(conv: Converter, ref: Value, transforms: Sequence[Any], may_repeat: bool = False,
           reads: bool = False) -> Access:
    """The access that a chain of transforms describes, which only `reads` or may also write.  Appends a view for each transform
    but the last, and for the last unless it is an indexer.  With `may_repeat` the last may have slices of stride 0."""
    steps = [t for t in transforms if type(t).__name__ not in _TRANSPARENT]
    last = steps.pop() if steps and isinstance(steps[-1], NDIndexer) else None
    ref = transformed(conv, ref, steps, reads)
    if last is not None:
        return _indexed(conv, *_widened(conv, ref, last, reads), may_repeat)
    return Access(ref, [["slice", 0, extent, 1] for extent in ref.shape], [], ref.shape)


def content(conv: Converter, ref: Value) -> Value:
    """What the memory of a reference holds."""
    return conv.builder.emit1("load", [ref], ref.type, index=access(conv, ref, ()).index)


def fill(conv: Converter, ref: Value, value: Value) -> None:
    """Stores a value to all of the memory of a reference."""
    conv.builder.emit("store", [ref, value], index=access(conv, ref, ()).index)


def transformed(conv: Converter, ref: Value, transforms: Sequence[Any], reads: bool = False) -> Value:
    """The reference that a chain of transforms makes from `ref`, for reading only or also for writing."""
    build = conv.builder
    ref, steps = _memory(conv, ref, transforms)
    for transform in steps:
        if isinstance(transform, NDIndexer):
            ref = _view(conv, _indexed(conv, *_widened(conv, ref, transform, reads)))
        elif isinstance(transform, TransposeTransform):
            order = list(transform.permutation)
            ref = build.recast("view_transpose", ref, ref.dtype, [ref.shape[d] for d in order],
                               permutation=order)
        elif isinstance(transform, ReshapeTransform):
            ref = build.recast("view_reshape", ref, ref.dtype, transform.shape)
        elif isinstance(transform, BitcastTransform):
            dtype = ir_dtype(transform.dtype)
            ref = build.recast("view_bitcast", ref, dtype, _bitcast_shape(ref, dtype))
        else:
            raise Unsupported(f"{type(transform).__name__} on a reference is not supported")
    return ref


def _memory(conv: Converter, ref: Value, transforms: Sequence[Any]) -> tuple[Value, Sequence[Any]]:
    """The memory as its use sees it, of a union the member, and the transforms after those that undo how it is held."""
    ref, steps = placed(conv, ref, [t for t in transforms if type(t).__name__ not in _TRANSPARENT])
    known = conv.views.get(ref.id, ())
    if known:
        if tuple(steps[: len(known)]) != known:
            raise Unsupported("memory in tiles or with a swizzle is used in another view than its own")
        return ref, steps[len(known) :]
    if steps and type(steps[0]).__name__ == "ExtractAliasedRef":
        if steps[0].layout is not None:
            return tensor_memory.member(conv.builder, ref, steps[0]), steps[1:]
        return shared_memory.undone(conv.builder, shared_memory.member(conv.builder, ref, steps[0]), steps[1:])
    return ref, steps


def placed(conv: Converter, ref: Value, steps: Sequence[Any]) -> tuple[Value, Sequence[Any]]:
    """The memory of the device, or of the block of the cluster, that the transforms name, and the other transforms."""
    others = [t for t in steps if type(t).__name__ == "PeerMemRef"]
    if not others:
        return _named_block(conv, ref, steps)
    [peer] = others
    at = all_devices(conv).named(conv.builder, peer.device_id, peer.device_id_type)
    return _named_block(conv, conv.devices.of_peer(conv.builder, ref, at), [t for t in steps if t is not peer])


def all_devices(conv: Converter) -> Devices:
    """The devices on which the kernel runs together; an error if it is converted for one of them."""
    if conv.devices is None:
        raise OtherDevices("other devices can be reached only in a shard_map over all axes of its mesh")
    found: Devices = conv.devices
    return found


def shared_semaphores(conv: Converter, key: Any, shape: Sequence[int]) -> Value:
    """This device's semaphores of those that all devices of a `pallas_call` share, the same for the same `key`."""

    def make(whole: Value) -> None:
        name = f"of_devices_{len(conv.cores.hoisted)}"
        conv.cores.hoisted.append(({"name": name, "role": "scratch", "type": type_text(*whole.type), "shared": True}, whole))

    return all_devices(conv).semaphores(conv.builder, key, make, shape)


def _named_block(conv: Converter, ref: Value, steps: Sequence[Any]) -> tuple[Value, Sequence[Any]]:
    """The memory of the block of the cluster that the transforms name, and the other transforms."""
    named = [t for t in steps if type(t).__name__ == "ClusterRefTransform"]
    if not named or conv.cluster is None:
        return ref, [t for t in steps if t not in named]
    to = {axis: number for t in named for name, number in zip(t.dims, t.idxs) for axis in conv.cluster.axes(name)}
    return of_peer(conv, ref, conv.cluster.moved(to)), [t for t in steps if t not in named]


def of_peer(conv: Converter, ref: Value, at: Sequence[Value]) -> Value:
    """The memory of another block of the cluster that corresponds to this block's."""
    peer = conv.cluster.of_peer(ref, at)
    if ref.id in conv.views:
        conv.views[peer.id] = conv.views[ref.id]
    return peer


def _bitcast_shape(ref: Value, dtype: str) -> tuple[int, ...]:
    """With elements of another width the last dimension but one becomes longer or shorter."""
    bytes_from, bytes_to = numpy_dtype(ref.dtype).itemsize, numpy_dtype(dtype).itemsize
    if bytes_from == bytes_to:
        return ref.shape
    if len(ref.shape) < 2:
        raise Unsupported("a bitcast to another width needs a reference of two dimensions")
    *outer, rows, columns = ref.shape
    return (*outer, rows * bytes_from // bytes_to, columns)


def _view(conv: Converter, part: Access) -> Value:
    if any(operand.shape for operand in part.operands):
        raise Unsupported("a reference indexed with an array cannot be indexed again")
    return conv.builder.view(part.ref, part.operands, part.shape, part.index)


def _widened(conv: Converter, ref: Value, indexer: Any, reads: bool) -> tuple[Value, Any]:
    """If elements beyond the end of `ref` may be accessed: a part of `ref` that includes them, and the remaining indexer for
    that part.  Otherwise both unchanged."""
    beyond = conv.model.beyond(ref, conv.paddings.get(ref.id), reads)
    entries = [_span(entry, extent) for entry, extent in zip(indexer.indices, ref.shape, strict=True)]
    if beyond is None or None in entries or all(fits for _, _, fits in entries):
        return ref, indexer
    starts = [conv.builder.as_i32(start)
              for start, _, _ in entries]
    sizes = [size for _, size, _ in entries]
    part = conv.builder.part(ref, starts, [conv.builder.i32(size) for size in sizes], sizes, beyond)
    rest = tuple(Slice(0, size, 1) if isinstance(entry, Slice) else 0
                 for entry, size in zip(indexer.indices, sizes))
    return part, NDIndexer(rest, part.shape, ())


def _span(entry: Any, extent: int) -> tuple[Any, int, bool] | None:
    """Start and size of the range that an indexer entry selects in a dimension, and whether it is known to fit; None if
    the entry does not select a contiguous range."""
    size, stride, start = 1, 1, entry
    if isinstance(entry, Slice):
        size = entry.size.const if isinstance(entry.size, Value) else entry.size
        stride, start = entry.stride, entry.start
    if isinstance(start, Value) and start.const is not None:
        start = int(start.const)
    if not isinstance(size, int) or size > extent or stride != 1:
        return None
    if isinstance(start, Value):
        return None if start.shape or start.is_ref else (start, size, False)
    if start < 0 and not isinstance(entry, Slice):
        start += extent  # counted from the end
    return int(start), size, 0 <= start <= extent - size


def _indexed(conv: Converter, ref: Value, indexer: Any, may_repeat: bool = False) -> Access:
    """A JAX indexer as an `index` attribute with its operands."""
    index: list[Any] = []
    repeated: list[Any] = []
    operands: list[Value] = []
    for entry, extent in zip(indexer.indices, ref.shape, strict=True):
        if isinstance(entry, Slice):
            repeated.append(_slice_entry(conv, entry, extent, operands))
            index.append(_once(repeated[-1], may_repeat))
        else:
            repeated.append(["at"])
            index.append(["at"])
            operands.append(_position(conv, entry, extent))
    positions = tuple(_int_shape(indexer.int_indexer_shape))
    return Access(ref, index, operands, access_shape(index, positions), access_shape(repeated, positions))


def _once(entry: list[Any], may_repeat: bool) -> list[Any]:
    """A slice; one of stride 0 without the repetition."""
    _, start, size, stride = entry
    if stride != 0:
        return entry
    if not may_repeat:
        raise Unsupported("a slice with stride 0 can only be loaded, without a mask")
    return ["slice", start, min(size, 1), 1]


def _int_shape(shape: Sequence[Any]) -> tuple[int, ...]:
    if not all(isinstance(extent, int) for extent in shape):
        raise Unsupported("an index of dynamic size is not supported")
    return tuple(shape)


def _slice_entry(conv: Converter, entry: Any, extent: int, operands: list[Value]) -> list[Any]:
    """The JSON of a slice.  A start known only at run time is appended to `operands`, and so is one that lies outside, so that
    the run reports it."""
    size = entry.size.const if isinstance(entry.size, Value) else entry.size
    if not isinstance(size, int):
        raise Unsupported("a slice of dynamic size is not supported")
    if entry.stride < 0:
        raise Unsupported(f"a slice with stride {entry.stride} is not supported")
    start = entry.start.const if isinstance(entry.start, Value) else entry.start
    if start is None:
        operands.append(entry.start)
    elif size > 0 and not 0 <= start <= extent - 1 - (size - 1) * entry.stride:
        operands.append(conv.builder.i32(start))
        start = None
    return ["slice", start, size, entry.stride]


def _position(conv: Converter, entry: Any, extent: int) -> Value:
    """The operand of a position; a constant one below 0 counts from the end, as in JAX."""
    if not isinstance(entry, Value):
        entry = conv.builder.i32(int(entry))
    if entry.is_ref:
        raise Unsupported("a reference as an index is not supported")
    if entry.const is not None and entry.const < 0:
        return conv.builder.constant(entry.const + extent, entry.dtype)
    return entry


def access_shape(index: Sequence[Sequence[Any]], positions: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of an access: the positions' common shape replaces them, or comes first if they are not adjacent."""
    at = [dim for dim, entry in enumerate(index) if entry[0] == "at"]
    sizes = [entry[2] for entry in index if entry[0] == "slice"]
    if not at:
        return tuple(sizes)
    first = at[0] if at[-1] - at[0] + 1 == len(at) else 0
    return (*sizes[:first], *positions, *sizes[first:])
