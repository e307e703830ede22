"""Rules for the other primitives of Mosaic GPU: sections of warps, fences, atomic stores, stores to another block."""

from __future__ import annotations

from typing import Any

from ..gpu.warps import mesh_of
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..tracing.jaxprs import unflattened
from .barriers import one_barrier
from .references import Access, access, of_peer


@rule("pallas", "core_map", "mpmd_map")
def _section_of_warps(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if conv.warps is None or mesh_of(eqn.params) is None:
        raise Unsupported("a launch inside of a kernel is not supported")
    return conv.warps.section(eqn, operands)


@rule("mosaic_gpu", "commit_smem")
def _commit_smem(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del eqn, operands
    return conv.builder.emit("proxy_fence")


@rule("mosaic_gpu", "mgpu_atomic_store")
def _atomic_store(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, value = eqn.params["args_tree"].unflatten(operands)
    _update(conv, access(conv, ref, transforms), value, eqn.params["atomic_type"])
    return []


def _update(conv: Converter, part: Access, value: Value, kind: Any) -> None:
    """Each element is one indivisible step; nobody gets the old ones."""
    conv.builder.emit("atomic_rmw", [part.ref, value, *part.operands], [(part.ref.dtype, part.shape)],
                      kind=str(getattr(kind, "value", kind)), index=part.index)


@rule("mosaic_gpu", "async_store_smem")
def _store_in_block(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A store to the memory of a block of the cluster, and an arrival there: of the moments at which the elements may get there,
    only the first one."""
    value, ref, barrier, number, *flat = operands
    (of_ref, of_barrier), _ = unflattened(eqn, flat, "ref_transforms_treedef", "barrier_transforms_treedef")
    at = None
    if conv.cluster is not None:
        at = conv.cluster.moved(dict.fromkeys(conv.cluster.axes(eqn.params["cluster_dim"]), number))
        ref = of_peer(conv, ref, at)
    part = access(conv, ref, of_ref)
    if eqn.params["atomic"] is None:
        conv.builder.emit("store", [part.ref, value, *part.operands], index=part.index)
    else:
        _update(conv, part, value, eqn.params["atomic"])
    return conv.builder.emit("barrier_arrive", [one_barrier(conv, barrier, of_barrier, at)])


@rule("mosaic_gpu", "layout_cast")
def _layout_cast(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The same values; layouts of values are not taken over."""
    del conv, eqn
    return operands
