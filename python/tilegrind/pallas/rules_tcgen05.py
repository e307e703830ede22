"""Rules for tensor memory of Mosaic GPU, and the products of tcgen05 that accumulate in it."""

from __future__ import annotations

from typing import Any, Sequence

from .builder import Value
from .converter import Converter, rule
from .errors import Unsupported
from .rules_gpu import one_barrier
from .rules_memory import access, transformed, unflattened


def shape_in_tensor_memory(held: Sequence[int], own: Sequence[Any]) -> tuple[int, ...]:
    """The shape of tensor memory that is held in two dimensions, after the transforms `own` of its uses.  Raises Unsupported."""
    if not own:
        return tuple(held)
    [transform, *more] = own
    if type(transform).__name__ != "ExpandLeadingBatchDimensionsTransform" or more:
        raise Unsupported(f"tensor memory with {type(transform).__name__} is not supported")
    rows, columns = held
    batch = tuple(transform.batch_shape)
    for extent in batch:
        columns //= extent
    return (*batch, rows, columns)


def _alone(params: Any) -> None:
    if params.get("collective_axis") is not None:
        raise Unsupported("tensor cores of two blocks together are not supported")


@rule("mosaic_gpu", "tcgen05_mma")
def _mma(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A product behind those that the thread has started, and an arrival behind it if there is a barrier."""
    params = eqn.params
    _alone(params)
    if params["scaled"] or params["sparse"]:
        raise Unsupported("a product with scales or of a sparse matrix is not supported")
    *refs, accumulate = operands[:4]
    rest = operands[4:]
    barrier = rest.pop(0) if params["arrive"] else None
    transforms, _ = unflattened(eqn, rest, "acc_transforms_tree", "a_transforms_tree", "b_transforms_tree", "barrier_transforms_tree")
    matrices = [transformed(conv, ref, of) for ref, of in zip(refs, transforms)]
    _start(conv, matrices, accumulate)
    return conv.builder.emit("dot_arrive", [one_barrier(conv, barrier, transforms[3])]) if barrier is not None else []


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


@rule("mosaic_gpu", "tcgen05_commit_arrive")
def _commit_arrive(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    _alone(eqn.params)
    barrier, *flat = operands
    [transforms], _ = unflattened(eqn, flat, "barrier_transforms_tree")
    return conv.builder.emit("dot_arrive", [one_barrier(conv, barrier, transforms)])


@rule("mosaic_gpu", "async_copy_smem_to_tmem")
def _copy(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """A copy that takes place in the order of the products."""
    _alone(eqn.params)
    source, target, *flat = operands
    (of_source, of_target), _ = unflattened(eqn, flat, "smem_tree", "tmem_tree")
    return conv.builder.emit("dma_start", [transformed(conv, source, of_source), transformed(conv, target, of_target)],
                             among_products=True)


# -- moves between tensor memory and registers --


@rule("mosaic_gpu", "async_load")
def _load(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The value is there at once."""
    ref, *leaves = operands
    part = access(conv, ref, eqn.params["tree"].unflatten(leaves), reads=True)
    return [conv.builder.emit1("load", [part.ref, *part.operands], (part.ref.dtype, part.shape), index=part.index)]


@rule("mosaic_gpu", "async_store_tmem")
def _store(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, value, *leaves = operands
    part = access(conv, ref, eqn.params["tree"].unflatten(leaves))
    return conv.builder.emit("store", [part.ref, value, *part.operands], index=part.index)


@rule("mosaic_gpu", "commit_tmem", "wait_load_tmem")
def _wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Loads and stores take effect where they stand, so nothing has to be waited for."""
    del conv, eqn, operands
    return []
