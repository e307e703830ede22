"""Element types: numpy names to IR names, and array elements to exact JSON literals."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .errors import Unsupported

# The `numpy` and `id` columns of ir/dtypes.def.
IR_NAMES = {
    "bool": "bool",
    "int2": "i2",
    "int4": "i4",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint2": "u2",
    "uint4": "u4",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "float8_e4m3b11fnuz": "f8e4m3b11fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e4m3": "f8e4m3",
    "float8_e3m4": "f8e3m4",
    "float8_e8m0fnu": "f8e8m0fnu",
    "float4_e2m1fn": "f4e2m1fn",
}
NUMPY_NAMES = {ir: name for name, ir in IR_NAMES.items()}

# Names of JAX's semaphores, and what memory of them holds.
SEMAPHORES = {"semaphore": "sem", "dma_sem": "dma_sem"}

_EXACT_INT = 2**53


def ir_dtype(dtype: Any) -> str:
    """IR name of a JAX or numpy dtype, or of what a semaphore is.  Raises Unsupported for complex, keys, barriers."""
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(getattr(dtype, "name", dtype))
    if name in SEMAPHORES:
        return SEMAPHORES[name]
    if name not in IR_NAMES:
        raise Unsupported(f"dtype {name} has no counterpart")
    return IR_NAMES[name]


def numpy_dtype(ir_name: str) -> np.dtype:
    """The numpy (or ml_dtypes) dtype of an IR name."""
    return np.dtype(NUMPY_NAMES[ir_name])


def is_float(ir_name: str) -> bool:
    """Whether the IR dtype is a float."""
    return ir_name.startswith(("f", "bf"))


def is_signed(ir_name: str) -> bool:
    """Whether the IR dtype is a signed integer."""
    return ir_name.startswith("i")


def bits(ir_name: str) -> int:
    """Width of the IR dtype: the number in its name."""
    return 1 if ir_name == "bool" else int(re.search(r"\d+", ir_name)[0])


def literal(array: np.ndarray) -> Any:
    """A DATA attribute with the elements of `array`: one if all have the same bits, else a list."""
    flat = np.ascontiguousarray(array).reshape(-1)
    raw = flat.view(np.uint8).reshape(flat.size, flat.dtype.itemsize)
    if flat.size and (raw == raw[0]).all():
        return _element(flat[0], raw[0])
    return [_element(value, bits) for value, bits in zip(flat, raw)]


def _element(value: Any, raw: np.ndarray) -> bool | int | str:
    """One element, exactly.  `raw` holds its bytes, lowest first, for the payload of a NaN."""
    name = ir_dtype(value.dtype)
    if name == "bool":
        return bool(value)
    if not is_float(name):
        number = int(value)
        return number if abs(number) < _EXACT_INT else str(number)
    number = float(value)
    if number != number:
        default = np.array(np.nan, value.dtype).tobytes()
        return "nan" if raw.tobytes() == default else "bits:" + raw[::-1].tobytes().hex()
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    return number.hex()
