"""Rules for code that a kernel of Mosaic GPU inserts: MLIR, or PTX as text."""

from __future__ import annotations

import inspect
from typing import Any

from ..emitted.code import effect_of_code
from ..gpu.inserted_code import effect_of, trace
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule


@rule("mosaic_gpu", "inline_mgpu_p", "inline_mgpu")
def _inline(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """What somebody has said that it does, or what it emits; of code that is inserted as text, fences of proxies have a counterpart."""
    function = eqn.params["mgpu_fn"]
    effect = effect_of(function)
    if effect is not None:
        return conv.inline(trace(effect, eqn, conv.scratch.axes if conv.scratch is not None else ()), operands)
    text = inspect.getclosurevars(function).nonlocals.get("asm") if function.__qualname__.startswith("inline_ptx.") else None
    if not isinstance(text, str):
        return conv.inline(_from_mlir(conv, eqn), operands)
    if operands or not text.strip().startswith("fence.proxy.async"):
        raise Unsupported(f"inline PTX is not supported: {text.strip()}")
    return conv.builder.emit("proxy_fence")


def _from_mlir(conv: Converter, eqn: Any) -> Any:
    """The jaxpr of what the inserted function emits."""
    axes = conv.scratch.axes if conv.scratch is not None else ()
    of_grid = len(conv.scratch.grid_sizes) if conv.scratch is not None else 0
    of_blocks = of_grid + (len(conv.scratch.cluster_axes) if conv.scratch is not None else 0)
    is_warp = conv.warps is not None and not conv.warps.followers
    try:
        return trace(effect_of_code(eqn.params, axes[:of_grid], axes[of_grid:of_blocks], is_warp), eqn, axes)
    except Unsupported as error:
        raise Unsupported(f"{error}; inline_effects can say what it does") from None
