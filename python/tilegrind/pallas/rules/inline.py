"""Rules for code that a kernel of Mosaic GPU inserts: MLIR, or PTX as text."""

from __future__ import annotations

import inspect
from typing import Any

from ..gpu.inserted_code import effect_of, trace
from ..ir.builder import Value
from ..ir.errors import Unsupported
from ..lowering.converter import Converter, rule


@rule("mosaic_gpu", "inline_mgpu_p", "inline_mgpu")
def _inline(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """What somebody has said that it does; of code that is inserted as text, fences of proxies have a counterpart as well."""
    function = eqn.params["mgpu_fn"]
    effect = effect_of(function)
    if effect is not None:
        return conv.inline(trace(effect, eqn, conv.scratch.axes if conv.scratch is not None else ()), operands)
    text = inspect.getclosurevars(function).nonlocals.get("asm") if function.__qualname__.startswith("inline_ptx.") else None
    if not isinstance(text, str):
        raise Unsupported("code that emits MLIR has no values here; inline_effects can say what it does")
    if operands or not text.strip().startswith("fence.proxy.async"):
        raise Unsupported(f"inline PTX is not supported: {text.strip()}")
    return conv.builder.emit("proxy_fence")
