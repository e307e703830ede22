"""What a case asks of an implementation, and the level that follows: both come from the kernel, the order and the data.

Nobody assigns levels: a case has the greatest level of what it asks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np

from ..runner.layout import Type

LEVELS = {
    "L0": "protocol",
    "L1": "core: loads, stores, maps and exact operations on f32, i32 and bool",
    "L2": "all element types",
    "L3": "numerics: elementary functions, sums and products of floats",
    "L4": "edges: masks, ragged blocks, padding, NaN, infinities, zeros with a sign, subnormals",
    "L5": "orders: the same bits in every order of the programs",
    "L6": "atomics",
    "L7": "copies, semaphores, barriers and threads",
    "S": "rounding errors without a bias",
}
FEATURES = {
    "grid": "more than one program",
    "index-maps": "index maps other than zeros",
    "prefetch": "prefetch parameters",
    "dynamic-grid": "axes whose size is given when the kernel runs",
    "control": "loops and branches",
    "views": "references to parts of memory",
    "scratch": "memory of a program or chain",
    "aliases": "outputs in the memory of inputs",
    "prints": "debug_print and check",
    "masks": "loads and stores with a mask",
    "edges": "blocks that lie partly outside an array, padding",
    "specials": "NaN, infinities, zeros with a sign and subnormals among inputs or results",
    "orders": "orders other than sequential",
    "atomics": "atomic operations",
    "async": "copies and semaphores",
    "threads": "threads and barriers",
    "triton": "dialect triton",
    "undefined": "the operation undefined",
}
_CORE_DTYPES = {"f32", "i32", "bool"}
_LEVEL_OF = {"masks": "L4", "edges": "L4", "specials": "L4", "orders": "L5", "atomics": "L6", "async": "L7",
             "threads": "L7"}
_OPS_OF = {
    "control": {"for", "while", "switch"},
    "views": {"view", "view_transpose", "view_reshape", "view_bitcast", "view_part"},
    "scratch": {"alloc", "scoped"},
    "prints": {"debug_print", "check"},
    "atomics": {"atomic_rmw", "atomic_cas", "add_update"},
    "undefined": {"undefined"},
}
# Functions that the best of libraries do not round correctly.
_ELEMENTARY = {"rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
               "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf", "erf_inv", "pow", "atan2",
               "integer_pow"}
# Results that depend on how terms are put together.
_OF_MANY = {"reduce_sum", "reduce_prod", "cumsum", "cumprod", "dot_general", "scatter"}


@dataclass(frozen=True)
class Asked:
    """What a case asks for."""

    level: str
    dtypes: frozenset[str]
    ops: frozenset[str]
    features: frozenset[str]

    def missing_from(self, claims: Mapping[str, list[str]]) -> list[str]:
        """What claims leave out, sorted; a list that is absent leaves out nothing."""
        asked = {"dtypes": self.dtypes, "ops": self.ops, "features": self.features}
        return sorted(f"{kind[:-1]} {word}" for kind, words in asked.items() if kind in claims
                      for word in words - set(claims[kind]))


def asked_by(kernel: Mapping[str, Any], order: str, data: Mapping[str, tuple[Type, bytes]]) -> Asked:
    """What a run of a kernel asks for; ``data`` are its inputs and results."""
    ops = list(_ops_in(kernel))
    names = {op["op"] for op in ops}
    dtypes = {_dtype(text) for text in _types_in(kernel)} - {"sem", "dma_sem", "barrier"}
    features = {feature for feature, of in _OPS_OF.items() if names & of}
    features |= _features_of_launch(kernel)
    if any(op.get("mask") for op in ops):
        features.add("masks")
    if any(name.startswith(("dma_", "semaphore_")) for name in names):
        features.add("async")
    if any(name.startswith("barrier_") for name in names):
        features.add("threads")
    if order != "sequential":
        features.add("orders")
    if any(_has_specials(tensor, content) for tensor, content in data.values()):
        features.add("specials")
    levels = {"L1"} | {_LEVEL_OF[feature] for feature in features if feature in _LEVEL_OF}
    levels |= {"L2"} if dtypes - _CORE_DTYPES else set()
    levels |= {"L3"} if any(map(_is_numeric, ops)) else set()
    return Asked(max(levels), frozenset(dtypes), frozenset(names), frozenset(features))


def programs(kernel: Mapping[str, Any]) -> int:
    """How many programs a grid without dynamic axes has."""
    sizes = [axis["size"] for axis in kernel.get("grid", [])]
    return 0 if "dynamic" in sizes else math.prod(sizes)


def _features_of_launch(kernel: Mapping[str, Any]) -> set[str]:
    found, grid = set(), kernel.get("grid", [])
    params = kernel["params"]
    if kernel.get("dialect") == "triton":
        found.add("triton")
    if any(axis["size"] != 1 for axis in grid):
        found.add("grid")
    if any(axis["size"] == "dynamic" for axis in grid):
        found.add("dynamic-grid")
    if any(axis.get("semantics") == "thread" for axis in grid):
        found.add("threads")
    if any(param["role"] == "prefetch" for param in params):
        found.add("prefetch")
    if any(param["role"] == "scratch" for param in params):
        found.add("scratch")
    if any("alias" in param for param in params):
        found.add("aliases")
    if any("index_map" in param for param in params):
        found.add("index-maps")
    if any(_has_edges(param) for param in params):
        found.add("edges")
    return found


def _has_edges(param: Mapping[str, Any]) -> bool:
    """Whether blocks may lie partly outside the array."""
    blocks = param.get("block", [])
    extents = Type.parse(param["type"]).shape if blocks else ()
    for block, extent in zip(blocks, extents):
        if isinstance(block, dict) and ("element" in block or extent % block["blocked"]):
            return True
    return False


def _ops_in(node: Any) -> Iterator[dict[str, Any]]:
    """All operations of a kernel, those of its index maps included."""
    if isinstance(node, list):
        for item in node:
            yield from _ops_in(item)
    elif isinstance(node, dict):
        if "op" in node:
            yield node
        for value in node.values():
            yield from _ops_in(value)


def _types_in(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _types_in(item)
    elif isinstance(node, dict):
        if isinstance(node.get("type"), str):
            yield node["type"]
        for value in node.values():
            yield from _types_in(value)


def _dtype(text: str) -> str:
    return text.removeprefix("ref<").partition("[")[0]


def _is_numeric(op: Mapping[str, Any]) -> bool:
    """Whether two good implementations may round the results of an operation on floats otherwise."""
    of_floats = any(_dtype(out["type"]).startswith(("f", "bf")) and "ref<" not in out["type"] for out in op.get("out", ()))
    return of_floats and op["op"] in _ELEMENTARY | _OF_MANY


def _has_specials(tensor: Type, content: bytes) -> bool:
    if not tensor.dtype.startswith(("f", "bf")):
        return False
    numbers = np.frombuffer(content, np.uint8).view(tensor.numpy)
    with np.errstate(invalid="ignore"):  # a cast of NaN of a narrow dtype raises the flag
        wide = numbers.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    least = {"f32": 2.0**-126, "f64": 2.0**-1022, "f16": 2.0**-14, "bf16": 2.0**-126}.get(tensor.dtype, 0.0)
    return bool(finite.size != numbers.size or ((finite == 0) & np.signbit(finite)).any()
                or ((finite != 0) & (np.abs(finite) < least)).any())
