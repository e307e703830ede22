"""Rules for Mosaic GPU's cluster launch control: a cluster takes over the work of one that has not begun.

The first thread of a cluster asks, and the answer is copied to memory of each block, as a GPU's multicast does: the number of the
grid point in all four words, or a number below zero.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import jax

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..tracing.jaxprs import unflattened
from .gpu import one_barrier
from .references import of_peer, transformed

_ANSWER_BYTES, _WORDS = 16, 4


def _words(conv: Converter, ref: Value) -> Value:
    """The memory of an answer as words.  Raises Unsupported if it is no such memory."""
    build, width = conv.builder, max(1, dtypes.bits(ref.dtype) // 8)
    if math.prod(ref.shape) * width != _ANSWER_BYTES:
        raise Unsupported(f"an answer has {_ANSWER_BYTES} bytes, and {ref.dtype}{list(ref.shape)} has not")
    column = build.recast("view_reshape", ref, ref.dtype, (_ANSWER_BYTES // width, 1))
    column = build.recast("view_bitcast", column, "i32", (_WORDS, 1))
    return build.recast("view_reshape", column, "i32", (_WORDS,))


def _resident(conv: Converter) -> int:
    """How many clusters the device runs at once, if it says so: those begin in any case.  Each block has a multiprocessor to
    itself."""
    blocks = math.prod(conv.cluster.shape) if conv.cluster is not None else 1
    return getattr(jax.devices()[0], "core_count", 0) // blocks


def _first_of(conv: Converter, axes: Sequence[int]) -> Value | None:
    """0 for the thread that is the first along these axes of the grid; None: there is no other."""
    total: Value | None = None
    for axis in axes:
        place = conv.builder.emit1("program_id", [], ("i32", ()), axis=axis)
        total = place if total is None else conv.builder.emit1("or", [total, place], ("i32", ()))
    return total


def _by_first(conv: Converter, axes: Sequence[int], action: Any) -> None:
    """Lets only the thread do this that is the first along these axes."""
    place = _first_of(conv, axes)
    if place is None:
        action()
        return
    with conv.builder.region() as first:
        action()
    with conv.builder.region() as others:
        pass
    conv.builder.emit("switch", [place], [], [first, others])


@rule("mosaic_gpu", "try_cluster_cancel")
def _ask(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Each thread arrives at the barrier of its own block, whose phase lasts until the answer is there."""
    if conv.devices is not None:
        raise Unsupported("clusters that take over the work of others are not supported on a mesh of devices")
    build = conv.builder
    result, barrier, *flat = operands
    (of_result, of_barrier), _ = unflattened(eqn, flat, "result_transforms_tree", "barrier_transforms_tree")
    own = one_barrier(conv, barrier, of_barrier)
    blocks = range(len(conv.cluster.shape)) if conv.cluster is not None else ()
    threads = [axis for axis in conv.scratch.thread_axes if axis not in conv.scratch.cluster_axes]

    def ask() -> None:
        resident = _resident(conv)
        number = build.emit1("cancel_launch", [], ("i32", ()), **({"resident": resident} if resident else {}))
        answer = build.broadcast(number, (_WORDS,))
        for at in conv.cluster.members(blocks) if conv.cluster is not None else [None]:
            memory = transformed(conv, result if at is None else of_peer(conv, result, at), of_result)
            told = own if at is None else one_barrier(conv, barrier, of_barrier, at)
            build.emit("dma_start", [answer, _words(conv, memory), told], expected=True)

    _by_first(conv, threads, lambda: build.emit("barrier_expect", [own, build.i32(_ANSWER_BYTES)]))
    _by_first(conv, conv.scratch.thread_axes, ask)
    return build.emit("barrier_arrive", [own])


@rule("mosaic_gpu", "query_cluster_cancel")
def _answer(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The indices are undefined if nothing was taken over."""
    build = conv.builder
    result, *flat = operands
    [transforms], _ = unflattened(eqn, flat, "transforms_tree")
    words = _words(conv, transformed(conv, result, transforms, reads=True))
    at = [["slice", 0, 1, 1]]
    number = build.emit1("load", [words], ("i32", (1,)), index=at)
    success = build.emit1("ge", [number, build.broadcast(build.i32(0), (1,))], ("bool", (1,)))
    taken = build.reshape(build.emit1("load", [words, success], ("i32", (1,)), index=at, mask=True), ())
    return [*(_index(conv, taken, name) for name in eqn.params["grid_names"]), build.reshape(success, ())]


def _index(conv: Converter, number: Value, name: Any) -> Value:
    """The index along an axis of the grid of the grid point with this number, which counts the last axis fastest."""
    build, sizes = conv.builder, conv.scratch.grid_sizes
    if name not in conv.axis_names[:len(sizes)]:
        raise Unsupported(f"{name!r} is no axis of the grid")
    axis = conv.axis_names.index(name)
    behind = build.i32(math.prod(sizes[axis + 1:]))
    place = build.emit1("div", [number, behind], ("i32", ()))
    return build.emit1("rem", [place, build.i32(sizes[axis])], ("i32", ()))
