"""Made by tools/gen_bindings.py from ir/dtypes.def; changes belong there."""

from typing import NamedTuple


class Dtype(NamedTuple):
    """A row of the list."""

    name: str
    kind: str  # "bool", "sint", "uint" or "float"
    bits: int
    exponent_bits: int
    mantissa_bits: int  # stored
    numpy: str  # name in numpy or ml_dtypes


DTYPES = (
    Dtype("bool", "bool", 1, 0, 0, "bool"),
    Dtype("i2", "sint", 2, 0, 0, "int2"),
    Dtype("i4", "sint", 4, 0, 0, "int4"),
    Dtype("i8", "sint", 8, 0, 0, "int8"),
    Dtype("i16", "sint", 16, 0, 0, "int16"),
    Dtype("i32", "sint", 32, 0, 0, "int32"),
    Dtype("i64", "sint", 64, 0, 0, "int64"),
    Dtype("u2", "uint", 2, 0, 0, "uint2"),
    Dtype("u4", "uint", 4, 0, 0, "uint4"),
    Dtype("u8", "uint", 8, 0, 0, "uint8"),
    Dtype("u16", "uint", 16, 0, 0, "uint16"),
    Dtype("u32", "uint", 32, 0, 0, "uint32"),
    Dtype("u64", "uint", 64, 0, 0, "uint64"),
    Dtype("f16", "float", 16, 5, 10, "float16"),
    Dtype("bf16", "float", 16, 8, 7, "bfloat16"),
    Dtype("f32", "float", 32, 8, 23, "float32"),
    Dtype("f64", "float", 64, 11, 52, "float64"),
    Dtype("f8e4m3fn", "float", 8, 4, 3, "float8_e4m3fn"),
    Dtype("f8e5m2", "float", 8, 5, 2, "float8_e5m2"),
    Dtype("f8e4m3b11fnuz", "float", 8, 4, 3, "float8_e4m3b11fnuz"),
    Dtype("f8e4m3fnuz", "float", 8, 4, 3, "float8_e4m3fnuz"),
    Dtype("f8e5m2fnuz", "float", 8, 5, 2, "float8_e5m2fnuz"),
    Dtype("f8e4m3", "float", 8, 4, 3, "float8_e4m3"),
    Dtype("f8e3m4", "float", 8, 3, 4, "float8_e3m4"),
    Dtype("f8e8m0fnu", "float", 8, 8, 0, "float8_e8m0fnu"),
    Dtype("f4e2m1fn", "float", 4, 2, 1, "float4_e2m1fn"),
)

# What only memory holds.
SEMAPHORES = ("sem", "dma_sem", "barrier")
