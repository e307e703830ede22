"""Rules for reductions along axes, and for running ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from ...ir.builder import Value
from ..lowering.converter import Converter, result_type, rule


@rule("lax", "reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or",
      "reduce_xor")
def _reduce(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    axes = sorted(int(axis) for axis in eqn.params["axes"])
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), axes=axes)]


@rule("lax", "argmax", "argmin")
def _arg_reduce(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (axis,) = eqn.params["axes"]
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), axis=int(axis))]


@rule("lax", "cumsum", "cumprod", "cummax", "cummin")
def _running(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    attrs: dict[str, Any] = {"axis": eqn.params["axis"]}
    if eqn.params["reverse"]:
        attrs["reverse"] = True
    return [conv.builder.emit1(eqn.primitive.name, operands, result_type(eqn), **attrs)]


@rule("lax", "cumlogsumexp")
def _cumlogsumexp(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """log2(n) steps over the whole operand, each of which combines twice as many elements as the last."""
    axis, reverse = eqn.params["axis"], eqn.params["reverse"]

    def scan(x: Any) -> Any:
        distance, extent = 1, x.shape[axis]
        low = lax.full((), -np.inf, x.dtype)
        while distance < extent:
            padding = [(0, 0, 0)] * x.ndim
            padding[axis] = (-distance, distance, 0) if reverse else (distance, -distance, 0)
            x = _logaddexp(x, lax.pad(x, low, padding))
            distance *= 2
        return x

    return conv.expand(scan, operands)


def _logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), as in JAX."""
    delta = lax.sub(a, b)
    usual = lax.add(lax.max(a, b), lax.log1p(lax.exp(lax.neg(lax.abs(delta)))))
    return lax.select(lax.ne(delta, delta), lax.add(a, b), usual)
