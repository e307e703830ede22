"""Rules for primitives that change shapes, or put arrays together and take them apart, at places that are known when the kernel is
traced.  rearrange.py has those that move elements to positions which depend on values."""

from __future__ import annotations

from typing import Any

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, result_type, rule


@rule("lax", "reshape", "squeeze", "expand_dims")
def _reshape(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if eqn.params.get("dimensions") is not None and eqn.primitive.name == "reshape":
        raise Unsupported("a reshape that permutes dimensions is not supported")
    return [conv.builder.reshape(operands[0], result_type(eqn)[1])]


@rule("lax", "broadcast_in_dim")
def _broadcast_in_dim(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if len(operands) != 1:
        raise Unsupported("the result has a symbolic extent")
    dims = list(eqn.params["broadcast_dimensions"])
    return [conv.builder.emit1("broadcast_in_dim", operands, result_type(eqn), dims=dims)]


@rule("state", "broadcast_to")
def _broadcast_to(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    return [conv.builder.broadcast(operands[0], result_type(eqn)[1])]


@rule("lax", "iota")
def _iota(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    if operands:
        raise Unsupported("the result has a symbolic extent")
    return [conv.builder.emit1("iota", [], result_type(eqn), axis=eqn.params["dimension"])]


@rule("lax", "transpose")
def _transpose(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    permutation = [int(dim) for dim in eqn.params["permutation"]]
    return [conv.builder.emit1("transpose", operands, result_type(eqn), permutation=permutation)]


@rule("lax", "rev")
def _rev(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axes = sorted(eqn.params["dimensions"])
    return [conv.builder.emit1("rev", operands, result_type(eqn), axes=axes)]


@rule("lax", "slice")
def _slice(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    start = list(eqn.params["start_indices"])
    stride = list(eqn.params["strides"] or [1] * len(start))
    return [conv.builder.emit1("slice", operands, result_type(eqn), start=start, stride=stride)]


def _part(conv: Converter, value: Value, axis: int, start: int, size: int) -> Value:
    """The `size` elements of `value` from `start` on along `axis`."""
    shape = list(value.shape)
    shape[axis] = size
    first = [start if dim == axis else 0 for dim in range(len(shape))]
    return conv.builder.emit1("slice", [value], (value.dtype, tuple(shape)), start=first,
                              stride=[1] * len(shape))


@rule("lax", "split")
def _split(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    parts, start = [], 0
    for size in eqn.params["sizes"]:
        parts.append(_part(conv, operands[0], eqn.params["axis"], start, size))
        start += size
    return parts


@rule("lax", "unstack")
def _unstack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (value,) = operands
    axis = eqn.params["axis"] % len(value.shape)
    shape = value.shape[:axis] + value.shape[axis + 1 :]
    return [conv.builder.reshape(_part(conv, value, axis, i, 1), shape)
            for i in range(value.shape[axis])]


@rule("lax", "stack")
def _stack(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    dtype, shape = result_type(eqn)
    axis = eqn.params["axis"] % len(shape)
    layer = shape[:axis] + (1,) + shape[axis + 1 :]
    layers = [conv.builder.reshape(value, layer) for value in operands]
    return [conv.builder.emit1("concatenate", layers, (dtype, shape), axis=axis)]


@rule("lax", "concatenate")
def _concatenate(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axis = eqn.params["dimension"]
    return [conv.builder.emit1("concatenate", operands, result_type(eqn), axis=axis)]


@rule("lax", "pad")
def _pad(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    low, high, interior = ([int(entry[k]) for entry in eqn.params["padding_config"]]
                           for k in range(3))
    return [conv.builder.emit1("pad", operands, result_type(eqn), low=low, high=high,
                               interior=interior)]


@rule("lax", "tile")
def _tile(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Repetitions; a leading dimension that the operand lacks gets extent 1 first."""
    (value,) = operands
    reps = [int(count) for count in eqn.params["reps"]]
    value = conv.builder.reshape(value, (1,) * (len(reps) - len(value.shape)) + value.shape)
    return [conv.builder.emit1("tile", [value], result_type(eqn), reps=reps)]


@rule("lax", "empty", "empty2")
def _empty(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del operands
    return [conv.builder.emit1("undefined", [], result_type(eqn))]
