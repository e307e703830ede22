"""Element types: numpy names to IR names, and array elements to exact JSON literals."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from .._dtypes import DTYPES
from .errors import Unsupported

IR_NAMES = {dtype.numpy: dtype.name for dtype in DTYPES}
_BY_NAME = {dtype.name: dtype for dtype in DTYPES}

# Names of JAX's semaphores, and the dtype of their memory.
SEMAPHORES = {"semaphore": "sem", "dma_sem": "dma_sem"}

_EXACT_INT = 2**53


def ir_dtype(dtype: Any) -> str:
    """IR name of a JAX or numpy dtype, or of a semaphore.  Raises Unsupported for complex, keys, barriers."""
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
    return np.dtype(_BY_NAME[ir_name].numpy)


def is_float(ir_name: str) -> bool:
    """Whether the IR dtype is a float."""
    return _BY_NAME[ir_name].kind == "float"


def is_signed(ir_name: str) -> bool:
    """Whether the IR dtype is a signed integer."""
    return _BY_NAME[ir_name].kind == "sint"


def bits(ir_name: str) -> int:
    """Width of the IR dtype."""
    return _BY_NAME[ir_name].bits


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
