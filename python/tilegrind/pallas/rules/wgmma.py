"""Rules for products on tensor cores of Mosaic GPU: `wgmma`, whose accumulator is memory of one thread."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ..lowering.converter import Converter, refuse, rule
from ..tracing.jaxprs import unflattened
from .references import content, fill, transformed


def is_accumulator(aval: Any) -> bool:
    return type(aval).__name__ == "WGMMAAbstractAccumulatorRef"


def wait_for_products(conv: Converter, newest: Value, **attrs: Any) -> None:
    """Waits for all products but those of the newest groups."""
    conv.builder.emit("dot_wait_groups", [newest], **attrs)


@rule("mosaic_gpu", "wgmma_ref")
def _wgmma(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """One product, which is a group of its own, as in JAX's lowering.  Mosaic GPU promises that all earlier ones are complete then: the
    lowering waits for none, but users may rely on what is promised.  A strict check finds those who do."""
    transforms, _ = unflattened(eqn, operands[3:], "acc_transforms_tree", "a_transforms_tree", "b_transforms_tree")
    factors = [transformed(conv, one, of) if one.is_ref else one for one, of in zip(operands[:3], transforms)]
    conv.builder.emit("dot_start", factors, instruction="wgmma")
    conv.builder.emit("dot_commit")
    wait_for_products(conv, conv.builder.i32(1), promised=True)
    return []


@rule("mosaic_gpu", "wgmma_wait")
def _wgmma_wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    # The number of groups is an operand in JAX 0.10, a parameter in later versions.
    wait_for_products(conv, conv.builder.convert(operands[0], "i32") if operands else conv.builder.i32(eqn.params["n"]))
    return []


@rule("mosaic_gpu", "wgmma_accumulator_deref_p", "wgmma_accumulator_deref")
def _accumulator_load(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if eqn.params["wait_n"] is not None:
        wait_for_products(conv, conv.builder.i32(eqn.params["wait_n"]))
    return [content(conv, operands[0])]


@rule("mosaic_gpu", "wgmma_accumulator_store_p", "wgmma_accumulator_store")
def _accumulator_store(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The result, which nothing uses while the accumulator is a reference, is what was stored."""
    del eqn
    ref, value = operands
    fill(conv, ref, value)
    return [value]


refuse("mosaic_gpu", "wgmma", reason="an accumulator that is a value is not in any user's kernel")
