"""PTX text on an NVIDIA GPU, by the CUDA Driver API; the interface is that of `emulated.py`, so that every check runs on either.

>>> module = cuda.load(text)
>>> module.run("kernel", [x, y, numpy.uint32(5000)], grid=(40,), block=(128,))
"""

from __future__ import annotations

import ctypes
import os
import re
from functools import cache
from typing import Any, Sequence

import numpy as np

from tilegrind.emulator import Pointer

_MAX_DYNAMIC_SHARED, _ERROR_LOG, _ERROR_LOG_BYTES = 8, 5, 6  # constants of cuda.h
_FREE_SHARED = 48 * 1024  # bytes of dynamic shared memory that need no attribute


class CudaError(RuntimeError):
    """A call of the driver failed."""


@cache
def _driver() -> ctypes.CDLL:
    """The driver, with the primary context of the first GPU current.  Raises OSError or CudaError where there is none."""
    driver = ctypes.CDLL(os.environ.get("TILEGRIND_LIBCUDA", "libcuda.so.1"))
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _check(driver.cuInit(0), "cuInit")
    _check(driver.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    _check(driver.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent")
    return driver


def _check(code: int, call: str, log: str = "") -> None:
    if code:
        raise CudaError(f"{call} returned {code}{': ' + log if log else ''}")


def arrays() -> Any:
    """The module of arrays that live on the GPU, called as numpy is: CuPy.  Raises ImportError where it is not installed."""
    import cupy

    _driver()
    return cupy


class Memory:
    """Device memory with the bytes of an array; freed with `free`."""

    def __init__(self, array: np.ndarray) -> None:
        self.address, self._array = ctypes.c_uint64(), array
        _check(_driver().cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(array.nbytes, 1))), "cuMemAlloc")
        _check(_driver().cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)), "cuMemcpyHtoD")

    def read(self) -> None:
        """Copies the bytes back into the array."""
        _check(_driver().cuMemcpyDtoH_v2(ctypes.c_void_p(self._array.ctypes.data), self.address, ctypes.c_size_t(self._array.nbytes)), "cuMemcpyDtoH")

    def free(self) -> None:
        _driver().cuMemFree_v2(self.address)


class Module:
    """The entries of a text."""

    def __init__(self, text: str) -> None:
        driver, self._handle = _driver(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        _check(driver.cuModuleLoadDataEx(ctypes.byref(self._handle), text.encode(), 2, options, values), "cuModuleLoadDataEx", log.value.decode())

    def run(self, entry: str, args: Sequence[Any], *, grid: Sequence[int] = (1,), block: Sequence[int] = (1,),
            shared_bytes: int = 0) -> None:
        """Runs a grid to its end.  Arguments are those of `tilegrind.emulator`, or arrays of CuPy; arrays are written in place.  Raises CudaError."""
        driver, entered = _driver(), ctypes.c_void_p()
        _check(driver.cuModuleGetFunction(ctypes.byref(entered), self._handle, entry.encode()), f"cuModuleGetFunction of {entry}")
        if shared_bytes > _FREE_SHARED:
            _check(driver.cuFuncSetAttribute(entered, _MAX_DYNAMIC_SHARED, shared_bytes), "cuFuncSetAttribute")
        pointers = [one if isinstance(one, Pointer) else Pointer(one) if isinstance(one, np.ndarray) else None for one in args]
        arrays = {id(one.array): one.array for one in pointers if one}
        memories = {key: Memory(array) for key, array in arrays.items()}
        try:
            held = [_value(np.uint64(memories[id(to.array)].address.value + to.offset) if to else one) for one, to in zip(args, pointers)]
            params = (ctypes.c_void_p * len(held))(*(value.ctypes.data for value in held))
            _check(driver.cuLaunchKernel(entered, *_extents(grid), *_extents(block), shared_bytes, None, params, None), f"cuLaunchKernel of {entry}")
            _check(driver.cuCtxSynchronize(), entry)
            for memory in memories.values():
                memory.read()
        finally:
            for memory in memories.values():
                memory.free()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            _driver().cuModuleUnload(self._handle)


def load(text: str) -> Module:
    """The module of a PTX text.  One of a newer version than the driver's is taken as if it were of that: its instructions are what counts.

    Raises OSError where there is no driver, CudaError for what it does not take."""
    try:
        return Module(text)
    except CudaError as error:
        newest = re.search(r"Unsupported \.version .*current version is '([\d.]+)'", str(error))
        if not newest:
            raise
    return Module(re.sub(r"(?m)^\.version \S+", f".version {newest[1]}", text, count=1))


def _value(of: Any) -> np.ndarray:
    """The bytes of a parameter."""
    if hasattr(of, "__cuda_array_interface__"):
        of = of.__cuda_array_interface__["data"][0]
    return np.array(of if isinstance(of, np.generic) else np.uint64(of))


def _extents(of: Sequence[int]) -> tuple[int, ...]:
    return (*of, 1, 1, 1)[:3]
