"""Rules for products of matrices that are values."""

from __future__ import annotations

from typing import Any

from ...ir import dtypes
from ...ir.builder import Value
from ..lowering.converter import Converter, result_type, rule


@rule("lax", "dot_general")
def _dot_general(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = eqn.params["dimension_numbers"]
    attrs: dict[str, Any] = {
        "lhs_contract": list(lhs_contract),
        "rhs_contract": list(rhs_contract),
        "lhs_batch": list(lhs_batch),
        "rhs_batch": list(rhs_batch),
    }
    precision = _precision(eqn.params["precision"])
    if precision is not None:
        attrs["precision"] = precision
    result = result_type(eqn)
    lhs, rhs = _same_dtype(conv, *operands, result[0])
    lhs, rhs = (_as_preset_takes(conv, side, eqn.params["precision"]) for side in (lhs, rhs))
    return [conv.builder.emit1("dot_general", [lhs, rhs], result, **attrs)]


# The dtype to which an algorithm preset rounds its operands.  Presets that split operands into several parts (X3, X6, X9) come
# near to f32, so they use f32.
_PRESET_OPERANDS = {
    "F16_F16_F16": "f16", "F16_F16_F32": "f16", "BF16_BF16_BF16": "bf16", "BF16_BF16_F32": "bf16",
    "TF32_TF32_F32": "tf32",
}


def _as_preset_takes(conv: Converter, value: Value, precision: Any) -> Value:
    """`value` rounded to the dtype that the algorithm preset multiplies."""
    kind = _PRESET_OPERANDS.get(getattr(precision, "name", ""))
    if kind is None or value.dtype not in ("f32", "f64"):
        return value
    if kind == "tf32":
        return conv.builder.emit1("reduce_precision", [value], value.type, exponent_bits=8,
                                  mantissa_bits=10)
    return conv.builder.convert(value, kind)


def _same_dtype(conv: Converter, lhs: Value, rhs: Value, result: str) -> tuple[Value, Value]:
    """Both operands in a dtype that holds each of them exactly: for products of mixed fp8, for instance, or of integers
    with a float sum."""
    pair = (lhs.dtype, rhs.dtype)
    float_sum = dtypes.is_float(result) and not any(map(dtypes.is_float, pair))
    if lhs.dtype == rhs.dtype and not float_sum:
        return lhs, rhs
    if float_sum:
        dtype = "f64" if result == "f64" else "f32"
    elif any(map(dtypes.is_float, pair)):
        dtype = "f64" if "f64" in pair else "f32"
    else:
        dtype = "i64" if any(name.endswith(("64", "u32")) for name in pair) else "i32"
    return conv.builder.convert(lhs, dtype), conv.builder.convert(rhs, dtype)


def _precision(precision: Any) -> str | None:
    """The spelling of JAX's precision; of two that differ, the more precise one."""
    if precision is None:
        return None
    if isinstance(precision, tuple):
        names = [side.name.lower() for side in precision if side is not None]
        return max(names, key=("default", "high", "highest").index, default=None)
    name = getattr(precision, "name", str(precision)).upper()
    if name in ("DEFAULT", "HIGH", "HIGHEST"):
        return name.lower()
    return "highest" if name in ("F32_F32_F32", "F64_F64_F64") else "default"
