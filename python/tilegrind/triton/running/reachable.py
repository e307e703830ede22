"""Arrays that a launch reaches by addresses in its numbers, and that are none of its parameters."""

from __future__ import annotations

import gc
from typing import Any, Iterable

import numpy as np

from ...ir import dtypes
from ...ir.errors import Unsupported
from ..ttir.syntax import Module, all_ops
from .arrays import as_numpy
from .storages import Passed, passed


def asks_for_addresses(module: Module) -> bool:
    """Whether a kernel makes pointers of numbers."""
    ops = [op for function in module.functions.values() for op in all_ops(function.blocks)]
    return any(op.name == "tt.int_to_ptr" or (op.name == "tt.load" and any(out.is_pointer for out in op.outputs)) for op in ops)


def reached(arrays: list[Passed], numbers: Iterable[np.ndarray]) -> list[Passed]:
    """The arrays of the program that any of the integers of 64 bits points into, in the order of these integers, and that are none of
    `arrays`.  They are looked for among all objects that have `data_ptr`, as tensors of torch have."""
    wide = [one.array for one in arrays if one.size == 8 and one.array.dtype.kind in "iu"]
    integers = np.concatenate([one.reshape(-1).astype(np.int64) for one in [*wide, *numbers]] or [np.empty(0, np.int64)])
    known = {(one.address, one.array.shape) for one in arrays}
    found: dict[tuple[int, tuple[int, ...]], tuple[int, Any, str]] = {}
    for candidate, elements in _live():
        key = (elements.ctypes.data, elements.shape)
        if key in known or key in found:
            continue
        start, end = np.lib.array_utils.byte_bounds(elements)
        hits = np.flatnonzero((integers >= start) & (integers < end))
        if hits.size:
            found[key] = (int(hits[0]), candidate, _dtype(elements))
    in_order = sorted(found.values(), key=lambda one: one[0])
    return [passed(f"reached.{number}", one, dtype) for number, (_, one, dtype) in enumerate(in_order) if dtype]


def _live() -> Iterable[tuple[Any, np.ndarray]]:
    for one in gc.get_objects():
        if not hasattr(type(one), "data_ptr"):
            continue
        try:
            elements = as_numpy(one)
        except (TypeError, ValueError, RuntimeError):
            continue
        if elements.size:
            yield one, elements


def _dtype(elements: np.ndarray) -> str:
    """Ours; "" for those that there is none for."""
    try:
        name = dtypes.ir_dtype(elements.dtype)
    except Unsupported:
        return ""
    return "i8" if name == "bool" else name
