"""Rules for barriers of Mosaic GPU."""

from __future__ import annotations

from typing import Any, Sequence

from ..gpu.cluster import Coordinates
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..tracing.jaxprs import unflattened
from .references import transformed


def one_barrier(conv: Converter, ref: Value, transforms: Sequence[Any], at: Coordinates | None = None) -> Value:
    """The reference to one barrier; of an array of one, that one.  `at`: that of the block with these coordinates."""
    ref = transformed(conv, ref if at is None else conv.cluster.of_peer(ref, at), transforms)
    if not ref.shape:
        return ref
    if any(extent != 1 for extent in ref.shape):
        raise Unsupported(f"one of the {ref.shape} barriers must be named")
    return conv.builder.view(ref, [conv.builder.i32(0)] * len(ref.shape), (), [["at"]] * len(ref.shape))


@rule("mosaic_gpu", "barrier_arrive", "barrier_wait", "barrier_arrive_and_wait")
def _arrive_or_wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, *flat = operands
    [transforms], more = unflattened(eqn, flat, "transforms_treedef")
    if more:
        raise Unsupported("a predicate is not supported")
    name = eqn.primitive.name
    if name != "barrier_wait":
        for number, one in enumerate(_reached(conv, eqn, ref, transforms)):
            conv.builder.emit("barrier_arrive", [one], **({"at_once": True} if number else {}), **_order_of_products(eqn))
    if name != "barrier_arrive":
        conv.builder.emit("barrier_wait", [one_barrier(conv, ref, transforms)], **with_followers(conv), **_order_of_products(eqn))
    return []


def _order_of_products(eqn: Any) -> dict[str, Any]:
    """The attribute of an arrival or a wait at a barrier that orders the tensor core."""
    orders = getattr(eqn.invars[0].aval.inner_aval.dtype, "orders_tensor_core", False)
    return {"orders_products": True} if orders else {}


def with_followers(conv: Converter) -> dict[str, Any]:
    """The attribute of a wait in which all warps of the thread take part."""
    followers = conv.warps.followers if conv.warps is not None else 0
    return {"followers": followers} if followers else {}


def _reached(conv: Converter, eqn: Any, ref: Value, transforms: Sequence[Any]) -> list[Value]:
    """The barriers at which a thread arrives: of a barrier of a cluster, those of several blocks."""
    barrier = eqn.invars[0].aval.inner_aval.dtype
    if type(barrier).__name__ != "ClusterBarrierType" or conv.cluster is None:
        return [one_barrier(conv, ref, transforms)]
    if barrier.leader_tracked:
        leader = conv.cluster.moved(dict.fromkeys(conv.cluster.axes(barrier.collective_axes), 0))
        return [one_barrier(conv, ref, transforms, leader)]
    return [one_barrier(conv, ref, transforms, at) for at in conv.cluster.reached(barrier.collective_axes)]
