"""Rules for the primitives of Mosaic GPU that reach all devices along axes of a mesh: stores, sums and signals by way of their switch."""

from __future__ import annotations

import functools
from typing import Any, Iterator, Sequence

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..tracing.jaxprs import unflattened
from .references import access, all_devices, placed, transformed

_REDUCTIONS = {"add": "add", "min": "min", "max": "max", "and": "and", "or": "or", "xor": "xor"}


def on_each_device(conv: Converter, ref: Value, transforms: Sequence[Any]) -> Iterator[tuple[Value, Sequence[Any]]]:
    """The memory of each device that a copy to a multicast reference reaches, or of the only one, with the other transforms."""
    multicasts = [t for t in transforms if type(t).__name__ == "MulticastRef"]
    if not multicasts:
        yield placed(conv, ref, transforms)
        return
    rest = [t for t in transforms if t not in multicasts]
    for peer in _peers(conv, ref, multicasts[0].collective_axes):
        yield peer, rest


def _peers(conv: Converter, ref: Value, axes: Any) -> Iterator[Value]:
    """The memory of each device along these axes that corresponds to this device's."""
    devices = all_devices(conv)
    for at in devices.members(conv.builder, axes):
        yield devices.of_peer(conv.builder, ref, at)


@rule("mosaic_gpu", "multimem_store")
def _store(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    value, ref, *flat = operands
    [transforms], _ = unflattened(eqn, flat, "transforms_tree")
    for peer in _peers(conv, ref, eqn.params["collective_axes"]):
        part = access(conv, peer, transforms)
        conv.builder.emit("store", [part.ref, value, *part.operands], index=part.index)
    return []


@rule("mosaic_gpu", "multimem_load_reduce")
def _load_reduced(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The elements of the devices, one after the other in the order of the mesh, each result rounded to their dtype: hardware
    promises no order."""
    ref, *flat = operands
    [transforms], _ = unflattened(eqn, flat, "tree")
    kind = _REDUCTIONS.get(str(eqn.params["reduction_op"]))
    if kind is None:
        raise Unsupported(f"a sum over devices that reduces by {eqn.params['reduction_op']} is not supported")
    parts = [access(conv, peer, transforms, reads=True) for peer in _peers(conv, ref, eqn.params["collective_axes"])]
    loaded = [conv.builder.emit1("load", [part.ref, *part.operands], (part.ref.dtype, part.shape), index=part.index) for part in parts]
    return [functools.reduce(lambda sum, term: conv.builder.emit1(kind, [sum, term], sum.type), loaded)]


@rule("mosaic_gpu", "semaphore_signal_multicast")
def _signal_all(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, value = eqn.params["args_tree"].unflatten(operands)
    for peer in _peers(conv, ref, eqn.params["collective_axes"]):
        conv.builder.emit("semaphore_signal", [transformed(conv, peer, transforms or ()), conv.builder.convert(value, "i32")])
    return []
