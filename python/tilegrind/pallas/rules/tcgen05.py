"""Rules for tensor memory of Mosaic GPU, and the products of tcgen05 that accumulate in it.

Where two blocks of a cluster multiply together, each has half of the rows of the sum and of the left factor, and half of the columns
of the right one.  The first of them does everything: it starts what happens in both, and arrives at the barriers of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence

from ..gpu.cluster import Coordinates
from ..gpu.tensor_memory import metadata_of, rows_of_half, scales_of, selections
from ...ir.builder import Builder, Later, Type, Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..tracing.jaxprs import unflattened
from .gpu import one_barrier
from .references import content, fill, of_peer, transformed

Blocks = Sequence[Coordinates | None]  # those that multiply together; None is the block itself


@dataclass
class _Use:
    """A reference with the transforms of its use."""

    conv: Converter
    ref: Value
    transforms: Sequence[Any]

    def at(self, block: Coordinates | None) -> Value:
        """Of that block of the cluster, what is used."""
        ref = self.ref if block is None else of_peer(self.conv, self.ref, block)
        return transformed(self.conv, ref, self.transforms)


def _together(conv: Converter, params: Any, do: Callable[[Blocks], None]) -> None:
    """Does something for the block itself, or for both blocks that multiply together: the first of them does it."""
    if params.get("collective_axis") is None:
        do([None])
        return
    axes = conv.cluster.axes(params["collective_axis"]) if conv.cluster is not None else ()
    if not axes or axes != (len(conv.cluster.shape) - 1,) or conv.cluster.size(axes) != 2:
        raise Unsupported("two blocks multiply together along the last axis of a cluster, of size 2")
    conv.cluster.by_first(axes, lambda: do(list(conv.cluster.members(axes))))


# -- products --

_NAMES = ("acc", "a", "b", "barrier", "a_scale", "b_scale", "a_sparse_metadata")


def _uses(conv: Converter, eqn: Any, operands: Sequence[Value]) -> dict[str, _Use]:
    """The references of a product, by name."""
    held = dict(barrier=eqn.params["arrive"], a_scale=eqn.params["scaled"], b_scale=eqn.params["scaled"],
                a_sparse_metadata=eqn.params["sparse"])
    names = [name for name in _NAMES if held.get(name, True)]
    flat = operands[len(names):]
    transforms, _ = unflattened(eqn, flat, *(f"{name}_transforms_tree" for name in _NAMES))
    of = dict(zip(_NAMES, transforms))
    return {name: _Use(conv, ref, of[name]) for name, ref in zip(names, operands)}


@rule("mosaic_gpu", "tcgen05_mma")
def _mma(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A product behind those that the thread has started, and an arrival behind it if there is a barrier."""
    accumulate = operands.pop(3)
    uses = _uses(conv, eqn, operands)

    def start(blocks: Blocks) -> None:
        for block in blocks:
            _multiply(conv, uses, block, blocks, accumulate)
        if "barrier" in uses:
            _arrive(conv, uses["barrier"], blocks)

    _together(conv, eqn.params, start)
    return []


def _multiply(conv: Converter, uses: dict[str, _Use], block: Coordinates | None, blocks: Blocks, accumulate: Value) -> None:
    """What a product does in one block: each block has some columns of the right factor."""
    build, acc, lhs = conv.builder, uses["acc"].at(block), uses["a"].at(block)
    scales = [uses[name].at(block) for name in ("a_scale", "b_scale") if name in uses]
    metadata = [selections(build, uses["a_sparse_metadata"].at(block), lhs.dtype)] if "a_sparse_metadata" in uses else []
    (rows, _), are_apart = acc.shape, len(blocks) > 1 and acc.shape[0] == 64
    for number, other in enumerate(blocks):
        rhs = uses["b"].at(other)
        columns = rhs.shape[1]
        ours = [_rows(build, scales[0], 0, rows), _rows(build, scales[1], rows_of_half(scales[1], number, columns, are_apart), columns)
                ] if scales else []
        _start(conv, [_columns(build, acc, number * columns, columns), lhs, rhs, *ours, *metadata], accumulate)


def _rows(build: Builder, ref: Value, start: int, count: int) -> Value:
    if ref.shape[0] == count:
        return ref
    return build.view(ref, [], (count, ref.shape[1]), [["slice", start, count, 1], ["slice", 0, ref.shape[1], 1]])


def _columns(build: Builder, ref: Value, start: int, count: int) -> Value:
    if ref.shape[1] == count:
        return ref
    return build.view(ref, [], (ref.shape[0], count), [["slice", 0, ref.shape[0], 1], ["slice", start, count, 1]])


def _start(conv: Converter, matrices: Sequence[Value], accumulate: Value) -> None:
    """Starts the product, which is added to the accumulator or takes its place."""
    if accumulate.const is not None:
        conv.builder.emit("dot_start", matrices, instruction="tcgen05", **({} if accumulate.const else {"replaces": True}))
        return
    regions = []
    for attrs in ({"replaces": True}, {}):
        with conv.builder.region() as region:
            conv.builder.emit("dot_start", matrices, instruction="tcgen05", **attrs)
        regions.append(region)
    conv.builder.emit("switch", [accumulate], [], regions)


def _arrive(conv: Converter, barrier: _Use, blocks: Blocks) -> None:
    for block in blocks:
        conv.builder.emit("dot_arrive", [one_barrier(conv, barrier.ref, barrier.transforms, block)])


@rule("mosaic_gpu", "tcgen05_commit_arrive")
def _commit_arrive(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    barrier, *flat = operands
    [transforms], _ = unflattened(eqn, flat, "barrier_transforms_tree")
    _together(conv, eqn.params, lambda blocks: _arrive(conv, _Use(conv, barrier, transforms), blocks))
    return []


# -- copies from shared to tensor memory, which take place in the order of the products --


def _copy(conv: Converter, eqn: Any, operands: list[Value], seen: Callable[[Value, Sequence[int]], Value]) -> list[Value]:
    """Each block copies what it has; `seen` gives the source in the shape of the target."""
    source, target, *flat = operands
    (of_source, of_target), _ = unflattened(eqn, flat, "smem_tree", "tmem_tree")

    def copy(blocks: Blocks) -> None:
        for block in blocks:
            to = _Use(conv, target, of_target).at(block)
            conv.builder.emit("dma_start", [seen(_Use(conv, source, of_source).at(block), to.shape), to], among_products=True)

    _together(conv, eqn.params, copy)
    return []


@rule("mosaic_gpu", "async_copy_smem_to_tmem")
def _copy_matrix(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return _copy(conv, eqn, operands, lambda source, _: source)


@rule("mosaic_gpu", "async_copy_scales_to_tmem")
def _copy_scales(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return _copy(conv, eqn, operands, lambda source, shape: scales_of(conv.builder, source, shape))


@rule("mosaic_gpu", "async_copy_sparse_metadata_to_tmem")
def _copy_metadata(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return _copy(conv, eqn, operands, lambda source, shape: metadata_of(conv.builder, source, shape))


# -- moves between tensor memory and registers, each a copy of the thread that takes place at some moment before a wait --


def _registers(conv: Converter, name: str, value_type: Type) -> Value:
    """Memory that stands for registers of the thread."""
    dtype, shape = value_type
    return conv.scratch.of_each_thread(name, dtype, shape, space="registers")()


@rule("mosaic_gpu", "async_load")
def _load(conv: Converter, eqn: Any, operands: list[Value]) -> list[Later]:
    """The value is there when something uses it; when what it is from has been read is not known before the wait."""
    ref, *leaves = operands
    part = transformed(conv, ref, eqn.params["tree"].unflatten(leaves), reads=True)
    target = _registers(conv, "loaded", part.type)
    conv.builder.emit("dma_start", [part, target], registers="target")
    return [Later(part.type, lambda: content(conv, target))]


@rule("mosaic_gpu", "async_store_tmem")
def _store(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, value, *leaves = operands
    part = transformed(conv, ref, eqn.params["tree"].unflatten(leaves))
    source = _registers(conv, "stored", part.type)
    fill(conv, source, value)
    return conv.builder.emit("dma_start", [source, part], registers="source")


@rule("mosaic_gpu", "commit_tmem", "wait_load_tmem")
def _wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Waits for all loads, or stores, of the thread."""
    del operands
    side = "source" if eqn.primitive.name == "commit_tmem" else "target"
    conv.builder.emit("dma_commit", registers=side)
    return conv.builder.emit("dma_wait_groups", [conv.builder.i32(0)], registers=side)
