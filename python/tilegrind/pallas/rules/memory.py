"""Rules for loads, stores and atomics."""

from __future__ import annotations

from typing import Any

from jax._src import tree_util

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from ..lowering.tpu_model import refuse_hbm
from .references import Access, access


def _write(conv: Converter, eqn: Any, part: Access, value: Value,
           mask: Value | None) -> list[Value]:
    """A store, or a swap if the old value is read."""
    operands = [part.ref, _checked(value, part), *part.operands]
    attrs: dict[str, Any] = {"index": part.index}
    if mask is not None:
        operands.append(_lanes(conv, mask, part))
        attrs["mask"] = True
    if conv.is_used(eqn.outvars[0]):
        return conv.builder.emit("swap", operands, [(part.ref.dtype, part.shape)], **attrs)
    conv.builder.emit("store", operands, **attrs)
    return [value]


def _checked(value: Value, part: Access) -> Value:
    if value.type != (part.ref.dtype, part.shape):
        raise Unsupported(f"a value of type {value.type} goes to {part.ref.dtype}{part.shape}")
    return value


def _lanes(conv: Converter, value: Value, part: Access) -> Value:
    """A mask, or the value for lanes masked off, in the shape of the access; scalars stay scalars."""
    return conv.builder.broadcast(value, part.shape) if value.shape else value


def _refuse_hbm(conv: Converter, eqn: Any, name: str) -> None:
    """Raises JAX's error for a load from HBM or a store to it, which TPU kernels cannot do."""
    if conv.model.is_tpu:
        refuse_hbm(eqn.invars[0].aval, name)


@rule("state", "get")
@rule("mosaic_gpu", "load")
def _get(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, *leaves = operands
    _refuse_hbm(conv, eqn, "get_p")
    part = access(conv, ref, tree_util.tree_unflatten(eqn.params["tree"], leaves), may_repeat=True, reads=True)
    loaded = conv.builder.emit1("load", [part.ref, *part.operands], (part.ref.dtype, part.shape),
                                index=part.index)
    return [conv.builder.broadcast(loaded, part.repeated)]


@rule("state", "swap")
def _swap(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, value, *leaves = operands
    _refuse_hbm(conv, eqn, "swap_p")
    part = access(conv, ref, tree_util.tree_unflatten(eqn.params["tree"], leaves))
    return _write(conv, eqn, part, value, None)


@rule("state", "addupdate")
def _addupdate(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, value, *leaves = operands
    part = access(conv, ref, tree_util.tree_unflatten(eqn.params["tree"], leaves))
    operands = [part.ref, _checked(value, part), *part.operands]
    return conv.builder.emit("add_update", operands, index=part.index)


@rule("pallas", "masked_load")
def _masked_load(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, mask, other = eqn.params["args_tree"].unflatten(operands)
    _refuse_hbm(conv, eqn, "load_p")
    part = access(conv, ref, transforms, reads=True)
    inputs = [part.ref, *part.operands]
    attrs: dict[str, Any] = {"index": part.index}
    if mask is not None:
        inputs.append(_lanes(conv, mask, part))
        attrs["mask"] = True
        if other is not None:
            inputs.append(_lanes(conv, conv.builder.convert(other, ref.dtype), part))
            attrs["other"] = True
    return conv.builder.emit("load", inputs, [(ref.dtype, part.shape)], **attrs)


@rule("pallas", "masked_swap")
def _masked_swap(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, value, mask = eqn.params["args_tree"].unflatten(operands)
    _refuse_hbm(conv, eqn, "swap_p")
    return _write(conv, eqn, access(conv, ref, transforms), value, mask)


@rule("triton", "atomic_rmw")
def _atomic_rmw(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, value, mask = eqn.params["args_tree"].unflatten(operands)
    part = access(conv, ref, transforms)
    inputs = [part.ref, _checked(value, part), *part.operands]
    attrs: dict[str, Any] = {"kind": eqn.params["atomic_type"].value, "index": part.index}
    if mask is not None:
        inputs.append(_lanes(conv, mask, part))
        attrs["mask"] = True
    return conv.builder.emit("atomic_rmw", inputs, [(part.ref.dtype, part.shape)], **attrs)


@rule("triton", "atomic_cas")
def _atomic_cas(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del eqn
    ref = operands[0]
    return conv.builder.emit("atomic_cas", operands, [(ref.dtype, ())], index=[])
