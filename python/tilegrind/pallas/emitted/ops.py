"""What ops of MLIR compute with scalars, as functions of JAX: those of code that `plgpu.inline_mgpu` inserts.

Integers are held as signed ones; an op of unsigned ones takes their bits.  An index is one of 32 bits.
"""

from __future__ import annotations

from typing import Any, Callable

import jax.numpy as jnp
from jax import lax

from ...ir.errors import Unsupported

# What a value is that differs from lane to lane of a thread: such a value only chooses which lanes do something.
EACH_LANE = object()

OF_LANES = ("gpu.thread_id", "gpu.lane_id", "gpu.block_dim", "nvvm.elect.sync", "nvvm.shfl.sync")

_SAME_TYPE: dict[str, Callable[..., Any]] = {
    "addi": lax.add, "subi": lax.sub, "muli": lax.mul, "divsi": lax.div, "remsi": lax.rem, "maxsi": lax.max, "minsi": lax.min,
    "andi": lax.bitwise_and, "ori": lax.bitwise_or, "xori": lax.bitwise_xor,
    "shli": lax.shift_left, "shrsi": lax.shift_right_arithmetic, "shrui": lax.shift_right_logical,
    "addf": lax.add, "subf": lax.sub, "mulf": lax.mul, "divf": lax.div, "negf": lax.neg, "maximumf": lax.max, "minimumf": lax.min,
    "select": lax.select,
}
_UNSIGNED = {"divui": lax.div, "remui": lax.rem, "maxui": lax.max, "minui": lax.min}
_CASTS = ("index_cast", "trunci", "sitofp", "extf", "truncf")
_ORDERS = (lax.lt, lax.le, lax.gt, lax.ge)
_COMPARED = {number: compare for number, compare in enumerate((lax.eq, lax.ne, *_ORDERS, *_ORDERS))}  # arith.cmpi
_FIRST_UNSIGNED = 6
_COMPARED_FLOATS = {1: lax.eq, 2: lax.gt, 3: lax.ge, 4: lax.lt, 5: lax.le, 13: lax.ne}  # arith.cmpf, as NaN compares in JAX


def dtype_of(mlir: Any, is_signed: bool | None = True) -> Any:
    """The dtype of a type of MLIR that a scalar or an element has; Unsupported if there is none."""
    dtype = _dtypes().get(str(mlir))
    if dtype is None:
        raise Unsupported(f"the inserted code computes with {mlir}, which has no counterpart here")
    return jnp.dtype(f"u{dtype.name}") if is_signed is False and dtype.kind == "i" else dtype


def _dtypes() -> dict[str, Any]:
    names = {"i1": "bool", "index": "int32", "i8": "int8", "i16": "int16", "i32": "int32", "bf16": "bfloat16", "f16": "float16", "f32": "float32"}
    narrow = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}
    return {mlir: jnp.dtype(name) for mlir, name in {**names, **narrow}.items()}


def same_bits(value: Any, dtype: Any) -> Any:
    """An integer as one of the same width of another signedness."""
    dtype = jnp.dtype(dtype)
    if value.dtype == dtype:
        return value
    if value.dtype.kind not in "iu" or dtype.kind not in "iu" or value.dtype.itemsize != dtype.itemsize:
        raise Unsupported(f"the inserted code has {value.dtype} where {dtype} is wanted")
    return lax.convert_element_type(value, dtype)


def computed(op: Any, operands: list[Any]) -> Any:
    """The result of an op of the dialect arith."""
    name = op.name.removeprefix("arith.")
    if any(one is EACH_LANE for one in operands):
        return EACH_LANE
    if name == "constant":
        dtype = dtype_of(op.results[0].type)
        return jnp.asarray(op.attributes["value"].value, dtype)
    if name in _SAME_TYPE:
        return _SAME_TYPE[name](*operands)
    if name in _UNSIGNED:
        return _signed(_UNSIGNED[name](*map(_unsigned, operands)))
    if name in _CASTS or (name == "extsi" and operands[0].dtype != bool):
        return lax.convert_element_type(operands[0], dtype_of(op.results[0].type))
    if name in ("extui", "uitofp"):
        return lax.convert_element_type(_unsigned(operands[0]), dtype_of(op.results[0].type))
    if name == "cmpi" and (number := op.attributes["predicate"].value) in _COMPARED:
        return _COMPARED[number](*(map(_unsigned, operands) if number >= _FIRST_UNSIGNED else operands))
    if name == "cmpf" and (number := op.attributes["predicate"].value) in _COMPARED_FLOATS:
        return _COMPARED_FLOATS[number](*operands)
    raise Unsupported(f"the inserted code has an op {op.name}, which has no counterpart here")


def _unsigned(value: Any) -> Any:
    return value if value.dtype == bool else same_bits(value, f"u{value.dtype.name}")


def _signed(value: Any) -> Any:
    return same_bits(value, value.dtype.name.removeprefix("u"))
