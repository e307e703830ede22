"""Rules for copies that signal semaphores, on one device and to another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from jax._src.indexing import Slice
from jax._src.state.indexing import NDIndexer
from jax._src.state.types import TransformedRef

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..lowering.tpu_model import padding
from .references import access, all_devices, shared_semaphores, transformed


@dataclass
class Side:
    """One side of a copy: a reference and, if its size is known at run time only, the part of it that begins at `starts` and
    is `sizes` long; otherwise both are None.  The part may include the elements `beyond` each dimension."""

    ref: Value
    starts: list[Value] | None = None
    sizes: list[Value] | None = None
    beyond: list[int] | None = None

    def emit(self, conv: Converter, most: Sequence[int]) -> Value:
        """The reference to the side, of at most the shape `most`."""
        if self.starts is None or self.sizes is None or self.beyond is None:
            return self.ref
        return conv.builder.part(self.ref, self.starts, self.sizes, most, self.beyond)


def _side(conv: Converter, ref: Any, reads: bool = False) -> Side:
    """The source or destination of a copy, or a semaphore; `reads` is true for a source."""
    if not isinstance(ref, TransformedRef):
        return Side(ref)
    *earlier, last = ref.transforms or (None,)
    if last is None:
        return Side(ref.ref)
    if not (isinstance(last, NDIndexer) and any(_is_dynamic(entry) for entry in last.indices)):
        return Side(transformed(conv, ref.ref, ref.transforms, reads))
    whole = transformed(conv, ref.ref, earlier)
    return _dynamic_side(conv, whole, last, [0] * len(whole.shape) if earlier else padding(whole))


def _is_dynamic(entry: Any) -> bool:
    """Whether an entry of an indexer is a slice whose size is known at run time only."""
    return isinstance(entry, Slice) and isinstance(entry.size, Value) and entry.size.const is None


def _dynamic_side(conv: Converter, ref: Value, indexer: Any, padded: list[int]) -> Side:
    """Applies all other entries first: a dimension of dynamic size stays whole; then takes the part of the result."""
    whole, starts, sizes, beyond = [], [], [], []
    for entry, extent, pad in zip(indexer.indices, ref.shape, padded, strict=True):
        if not isinstance(entry, Slice):
            whole.append(entry)
            continue
        if not _is_dynamic(entry):
            size = entry.size.const if isinstance(entry.size, Value) else entry.size
            starts.append(conv.builder.i32(0))
            sizes.append(conv.builder.i32(size))
            beyond.append(0)
            whole.append(entry)
            continue
        if entry.stride != 1:
            raise Unsupported("a slice of dynamic size with a stride is not supported")
        starts.append(conv.builder.as_i32(entry.start))
        sizes.append(conv.builder.as_i32(entry.size))
        beyond.append(pad)
        whole.append(Slice(0, extent, 1))
    rest = NDIndexer(tuple(whole), indexer.shape, indexer.int_indexer_shape)
    return Side(transformed(conv, ref, [rest]), starts, sizes, beyond)


def _sides(conv: Converter, source: Any, destination: Any) -> tuple[Value, Value]:
    """Both references; if sizes are known at run time only, with a shape for which both have room."""
    first, second = _side(conv, source, reads=True), _side(conv, destination)
    most = [min(pair) for pair in zip(first.ref.shape, second.ref.shape)]
    return first.emit(conv, most), second.emit(conv, most)


@rule("tpu", "dma_start")
def _dma_start(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Ignores the priority, which is a hint; the order decides when a copy takes place."""
    source, destination, semaphore, source_semaphore, device = eqn.params["tree"].unflatten(operands)
    if eqn.params.get("add"):
        raise Unsupported("a copy that adds is not supported")
    if device is not None:
        return copy_to_device(conv, source, destination, (semaphore, source_semaphore), (device, eqn.params.get("device_id_type")))
    if source_semaphore is not None:
        raise Unsupported("a semaphore for the source of a copy is not supported")
    refs = _sides(conv, source, destination)
    return conv.builder.emit("dma_start", [*refs, _side(conv, semaphore).ref])


@rule("tpu", "dma_wait")
def _dma_wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Waits for the bytes of the source, as JAX's model of the TPU does."""
    source, _, semaphore, source_semaphore, device = eqn.params["tree"].unflatten(operands)
    if device is not None:
        return wait_for_bytes(conv, source, semaphore)
    if source_semaphore is not None:
        raise Unsupported("a semaphore for the source of a copy is not supported")
    side = _side(conv, source, reads=True)
    return conv.builder.emit("dma_wait", [side.emit(conv, side.ref.shape), _side(conv, semaphore).ref])


# -- copies to other devices --

# Semaphores of other devices are those that all programs share, which have no bytes: each DMA semaphore that a remote copy names has
# one of them beside it.


def _shared(conv: Converter, semaphore: Any) -> tuple[Value, Sequence[Any]]:
    """The shared semaphores beside those of a copy, and the transforms that choose one."""
    ref, transforms = _parts(semaphore)
    return shared_semaphores(conv, ref.id, ref.shape), transforms


def _bytes(conv: Converter, side: Side) -> Value:
    """How many bytes a side of a copy has."""
    build, bits = conv.builder, dtypes.bits(side.ref.dtype)
    if side.sizes is None:
        return build.i32(math.prod(side.ref.shape) * max(1, bits // 8))
    count = build.i32(max(1, bits // 8))
    for size in side.sizes:
        count = build.emit1("mul", [count, size], ("i32", ()))
    return count


def copy_to_device(conv: Converter, source: Any, destination: Any, semaphores: tuple[Any, Any], named: tuple[Any, Any]) -> list[Value]:
    """A copy that takes place where it starts, and signals to both devices then: not at a later moment."""
    build, devices = conv.builder, all_devices(conv)
    at = devices.named(build, *named)
    from_side, (ref, transforms) = _side(conv, source, reads=True), _parts(destination)
    if from_side.starts is not None:
        raise Unsupported("a copy of dynamic size to another device is not supported")
    part = access(conv, devices.of_peer(build, ref, at), transforms)
    value = build.emit1("load", [from_side.ref], from_side.ref.type, index=access(conv, from_side.ref, ()).index)
    if value.shape != part.shape:
        raise Unsupported(f"a copy of {value.shape} to {part.shape} on another device is not supported")
    build.emit("store", [part.ref, value, *part.operands], index=part.index)
    count = _bytes(conv, from_side)
    arrived, sent = semaphores
    for semaphore, place in ((arrived, at), (sent, None)):
        shared, chosen = _shared(conv, semaphore)
        shared = shared if place is None else devices.of_peer(build, shared, place)
        build.emit("semaphore_signal", [transformed(conv, shared, chosen), count])
    return []


def _parts(ref: Any) -> tuple[Value, Sequence[Any]]:
    return (ref.ref, ref.transforms) if isinstance(ref, TransformedRef) else (ref, ())


def wait_for_bytes(conv: Converter, source: Any, semaphore: Any) -> list[Value]:
    """Waits for the signal of a copy between devices."""
    shared, chosen = _shared(conv, semaphore)
    return conv.builder.emit("semaphore_wait", [transformed(conv, shared, chosen), _bytes(conv, _side(conv, source, reads=True))])
