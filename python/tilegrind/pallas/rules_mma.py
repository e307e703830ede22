"""Rules for products on tensor cores of Mosaic GPU: `wgmma`, whose accumulator is memory of one thread."""

from __future__ import annotations

from typing import Any

from .builder import Value
from .converter import Converter, refuse, rule
from .rules_memory import access, transformed


def is_accumulator(aval: Any) -> bool:
    return type(aval).__name__ == "WGMMAAbstractAccumulatorRef"


def content(conv: Converter, ref: Value) -> Value:
    """What an accumulator holds."""
    return conv.builder.emit1("load", [ref], ref.type, index=access(conv, ref, ()).index)


def fill(conv: Converter, ref: Value, value: Value) -> None:
    conv.builder.emit("store", [ref, value], index=access(conv, ref, ()).index)


def wait_for_products(conv: Converter, newest: Value) -> None:
    """Waits for all products but those of the newest groups."""
    conv.builder.emit("dot_wait_groups", [newest])


@rule("mosaic_gpu", "wgmma_ref")
def _wgmma(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """One product, which is a group of its own, as in JAX's lowering."""
    *refs, = operands[:3]
    rest = operands[3:]
    for number, name in enumerate(("acc_transforms_tree", "a_transforms_tree", "b_transforms_tree")):
        tree = eqn.params[name]
        if tree is None:
            continue
        leaves, rest = rest[: tree.num_leaves], rest[tree.num_leaves :]
        refs[number] = transformed(conv, refs[number], tree.unflatten(leaves))
    conv.builder.emit("dot_start", refs, instruction="wgmma")
    return conv.builder.emit("dot_commit")


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
