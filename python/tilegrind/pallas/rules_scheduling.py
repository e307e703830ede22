"""Rules for what Mosaic GPU's dynamic scheduling does: it asks for the work of a cluster that has not begun, and fences the answer.

Every cluster of the grid is a program here, and does its own work: the answer is always that there is none to take over.  A GPU may
answer so at any time.
"""

from __future__ import annotations

import inspect
from typing import Any

from .builder import Value
from .converter import Converter, result_type, rule
from .errors import Unsupported
from .rules_gpu import one_barrier
from .rules_memory import unflattened


@rule("mosaic_gpu", "try_cluster_cancel")
def _ask(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Each thread arrives at the barrier of its own block; the bytes of the answer are nobody's to read."""
    _, barrier, *flat = operands
    (_, of_barrier), _ = unflattened(eqn, flat, "result_transforms_tree", "barrier_transforms_tree")
    return conv.builder.emit("barrier_arrive", [one_barrier(conv, barrier, of_barrier)])


@rule("mosaic_gpu", "query_cluster_cancel")
def _answer(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    *indices, success = (result_type(eqn, number) for number in range(len(eqn.outvars)))
    return [*(conv.builder.constant(0, dtype) for dtype, _ in indices), conv.builder.constant(False, success[0])]


@rule("mosaic_gpu", "inline_mgpu_p", "inline_mgpu")
def _inline(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Of code that is inserted as text only fences of proxies have a counterpart."""
    function = eqn.params["mgpu_fn"]
    text = inspect.getclosurevars(function).nonlocals.get("asm") if function.__qualname__.startswith("inline_ptx.") else None
    if not isinstance(text, str):
        raise Unsupported("code that emits MLIR has no values here")
    if operands or not text.strip().startswith("fence.proxy.async"):
        raise Unsupported(f"inline PTX is not supported: {text.strip()}")
    return conv.builder.emit("proxy_fence")
