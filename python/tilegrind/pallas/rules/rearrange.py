"""Rules for gather, scatter, sort and top_k: they move elements to positions that depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from ...ir import dtypes
from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, result_type, rule


def _mode(eqn: Any, outside: str) -> str:
    """The spelling of the equation's mode; `outside` stands for FILL_OR_DROP."""
    modes = lax.GatherScatterMode
    mode = modes.from_any(eqn.params["mode"])
    if mode not in (modes.PROMISE_IN_BOUNDS, modes.CLIP, modes.FILL_OR_DROP):
        raise Unsupported(f"mode {mode} is not supported")
    return outside if mode == modes.FILL_OR_DROP else "clip"


@rule("lax", "gather")
def _gather(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    dnums, mode = eqn.params["dimension_numbers"], _mode(eqn, "fill")
    attrs: dict[str, Any] = {
        "offset_dims": list(dnums.offset_dims),
        "collapsed_dims": list(dnums.collapsed_slice_dims),
        "start_index_map": list(dnums.start_index_map),
        "operand_batch": list(dnums.operand_batching_dims),
        "indices_batch": list(dnums.start_indices_batching_dims),
        "slice_sizes": list(eqn.params["slice_sizes"]),
        "mode": mode,
    }
    if mode == "fill":
        attrs["fill"] = _fill_value(operands[0].dtype, eqn.params["fill_value"])
    return [conv.builder.emit1("gather", operands, result_type(eqn), **attrs)]


def _fill_value(dtype: str, given: Any) -> Any:
    """The value that a gather reads outside: the given one, or JAX's default for the dtype."""
    if given is None:
        if dtypes.is_float(dtype):
            given = np.nan
        elif dtype == "bool":
            given = True
        else:
            bits = dtypes.bits(dtype)
            given = -(2 ** (bits - 1)) if dtypes.is_signed(dtype) else 2**bits - 1
    return dtypes.literal(np.asarray(given).astype(dtypes.numpy_dtype(dtype)))


_COMBINE = {"scatter": "set", "scatter-add": "add", "scatter-sub": "sub", "scatter-mul": "mul",
            "scatter-min": "min", "scatter-max": "max"}


@rule("lax", *_COMBINE)
def _scatter(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Drops updates that lie outside although the program promised they do not, as XLA does."""
    name, dnums = eqn.primitive.name, eqn.params["dimension_numbers"]
    if name == "scatter" and eqn.params["update_jaxpr"] is not None:
        raise Unsupported("a scatter with a function of its own is not supported")
    promised = lax.GatherScatterMode.from_any(eqn.params["mode"])
    mode = "drop" if promised == lax.GatherScatterMode.PROMISE_IN_BOUNDS else _mode(eqn, "drop")
    return [conv.builder.emit1(
        "scatter", operands, result_type(eqn),
        offset_dims=list(dnums.update_window_dims),
        collapsed_dims=list(dnums.inserted_window_dims),
        start_index_map=list(dnums.scatter_dims_to_operand_dims),
        operand_batch=list(dnums.operand_batching_dims),
        indices_batch=list(dnums.scatter_indices_batching_dims),
        mode=mode, combine=_COMBINE[name])]


@rule("lax", "sort")
def _sort(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Always stable: of the orders that an unstable sort may give, this is one."""
    return conv.builder.emit("sort", operands, [value.type for value in operands],
                             axis=eqn.params["dimension"], keys=eqn.params["num_keys"])


@rule("lax", "top_k")
def _top_k(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The first k of all in descending order, by XLA's total order of floats, with their indices."""
    (value,), build = operands, conv.builder
    axis, index_type = eqn.params["axis"] % len(value.shape), result_type(eqn, 1)
    indices = build.emit1("iota", [], (index_type[0], value.shape), axis=axis)
    results = build.emit("sort", [value, indices], [value.type, indices.type], axis=axis, keys=1,
                         descending=True, total=True)
    zeros, ones = [0] * len(value.shape), [1] * len(value.shape)
    return [build.emit1("slice", [result], (result.dtype, index_type[1]), start=zeros, stride=ones)
            for result in results]
