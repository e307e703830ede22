"""Conversions to and from fp8e4b15, which Triton leaves to the backend: the format has no dtype of its own in TTIR.

It is f16 without its two highest bits of exponent and seven lowest of mantissa, so that 0x7f is 1.875.  Rounded are ties away
from zero; what is greater than 1.75, and NaN, becomes 1.75 before it is rounded."""

from __future__ import annotations

from typing import Any

from triton.language import core

_GREATEST = 0x3F00  # 1.75 as f16


@core.builtin
def convert_custom_types(value: Any, to: Any, fp_downcast_rounding: Any = None, _semantic: Any = None) -> Any:
    """Of a tensor of fp8e4b15 to f16 or f32, or the reverse."""
    if value.type.scalar.is_fp8e4b15():
        return _to_f16(value, _semantic).to(to.scalar, _semantic=_semantic)
    if value.type.scalar.is_fp32():
        value = value.to(core.float16, fp_downcast_rounding="rtz", _semantic=_semantic)
    if not value.type.scalar.is_fp16():
        raise TypeError(f"there is no conversion from {value.type.scalar} to {to.scalar}")
    return _of_f16(value, _semantic)


def _to_f16(value: Any, semantic: Any) -> Any:
    bits = value.to(core.uint8, bitcast=True, _semantic=semantic).to(core.uint16, _semantic=semantic)
    size = bits.__and__(0x7F, _semantic=semantic).__lshift__(7, _semantic=semantic)
    sign = bits.__and__(0x80, _semantic=semantic).__lshift__(8, _semantic=semantic)
    return sign.__or__(size, _semantic=semantic).to(core.float16, bitcast=True, _semantic=semantic)


def _of_f16(value: Any, semantic: Any) -> Any:
    bits = value.to(core.uint16, bitcast=True, _semantic=semantic)
    size = core.minimum(bits.__and__(0x7FFF, _semantic=semantic), _GREATEST, _semantic=semantic)
    rounded = size.__lshift__(1, _semantic=semantic).__add__(0x80, _semantic=semantic).__rshift__(8, _semantic=semantic)
    sign = bits.__rshift__(8, _semantic=semantic).__and__(0x80, _semantic=semantic)
    both = sign.__or__(rounded, _semantic=semantic)
    return both.to(core.uint8, _semantic=semantic).to(core.float8e4b15, bitcast=True, _semantic=semantic)
