"""Arrays of other libraries as arrays of numpy."""

import ctypes

import ml_dtypes
import numpy as np

# DLPack's type codes (dlpack.h, DLDataTypeCode) that numpy.from_dlpack refuses.
_CODES = {4: {16: ml_dtypes.bfloat16},
          7: {8: ml_dtypes.float8_e3m4}, 8: {8: ml_dtypes.float8_e4m3}, 9: {8: ml_dtypes.float8_e4m3b11fnuz},
          10: {8: ml_dtypes.float8_e4m3fn}, 11: {8: ml_dtypes.float8_e4m3fnuz}, 12: {8: ml_dtypes.float8_e5m2},
          13: {8: ml_dtypes.float8_e5m2fnuz}, 14: {8: ml_dtypes.float8_e8m0fnu}}
_CPU = (1, 3, 11)  # kDLCPU, kDLCUDAHost, kDLROCMHost: all in the memory of this process


class NoArray(TypeError):
    """What an implementation gives is no array."""


def as_array(given):
    """A numpy array of what numpy, jax, torch, or anything with __array__ or __dlpack__ gives; dtypes of ml_dtypes for those that
    numpy does not have.  Raises NoArray."""
    if isinstance(given, np.ndarray):
        return given
    for name in ("detach", "cpu"):  # torch: out of its graph, and to the host
        given = getattr(given, name)() if hasattr(given, name) else given
    problem = None
    if hasattr(given, "__array__"):
        try:
            return _whole(np.asarray(given), given)
        except (TypeError, RuntimeError) as refused:  # torch has no numpy array for bf16
            problem = refused
    if hasattr(given, "__dlpack__"):
        return _of_dlpack(given)
    if problem is not None:
        raise NoArray(f"{type(given).__name__}: {problem}") from problem
    return _whole(np.asarray(given), given)


def _whole(array, given):
    if array.dtype == object:
        raise NoArray(f"{type(given).__name__} is no array")
    return array


def _of_dlpack(given):
    try:
        return np.from_dlpack(given).copy()
    except (BufferError, RuntimeError, TypeError):
        return _of_capsule(given.__dlpack__())


# ---- DLPack's own structures, as dlpack.h has them ----


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


def _of_capsule(capsule):
    """A copy of the array in a capsule; whose owner frees it with the capsule."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    dtype = np.dtype(_CODES.get(tensor.code, {}).get(tensor.bits, "V0"))
    if tensor.device not in _CPU or dtype.itemsize == 0 or tensor.lanes != 1:
        raise NoArray(f"an array of DLPack's type {tensor.code} with {tensor.bits} bits on device {tensor.device}: only arrays in the "
                      "host's memory, of dtypes of numpy and ml_dtypes, can be judged")
    shape = tuple(tensor.shape[: tensor.ndim])
    if 0 in shape:
        return np.empty(shape, dtype)
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else _packed(shape)
    least, most = (sum(pick(0, (extent - 1) * stride) for extent, stride in zip(shape, strides)) for pick in (min, max))
    start = tensor.data + tensor.offset + least * dtype.itemsize
    data = ctypes.string_at(start, (most - least + 1) * dtype.itemsize)
    return np.ndarray(shape, dtype, data, -least * dtype.itemsize, [stride * dtype.itemsize for stride in strides]).copy()


def _packed(shape):
    return tuple(int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape)))
