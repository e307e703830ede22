"""Parameters of kernels and numpy arrays, and their conversion into tensors of the library."""

import ctypes
from dataclasses import dataclass

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

from . import _native
from ._dtypes import DTYPES
from ._native import lib, text

_NUMPY = {dtype.name: np.dtype(dtype.numpy) for dtype in DTYPES}
_DLPACK = {numpy_type: lib.tg_dtype_to_dlpack(name.encode()) for name, numpy_type in _NUMPY.items()}


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel; role is "prefetch", "input", "output" or "scratch"."""

    name: str
    role: str
    dtype: np.dtype | None  # None for semaphores, which are scratch only
    shape: tuple
    alias: str | None


def _param(info):
    return Param(text(info.name), text(info.role), _NUMPY.get(text(info.dtype)),
                 tuple(info.shape[:info.rank]), text(info.alias))


def params_of(module, kernel=None):
    """Parameters of a kernel in a module of the library, the first kernel if none is named."""
    name = None if kernel is None else kernel.encode()
    return [_param(lib.tg_module_param(module, name, i)) for i in range(lib.tg_module_param_count(module, name))]


def arrays_for(params, inputs):
    """(name, array, whether it is an output) for each parameter, and for each input that is no parameter."""
    found = []
    for param in params:
        if param.role == "output":
            found.append((param.name, np.empty(param.shape, param.dtype), True))
        elif param.role != "scratch" and param.name in inputs:
            found.append((param.name, np.asarray(inputs[param.name], order="C"), False))
    taken = {name for name, _, is_output in found if not is_output}
    # Inputs that the kernel does not have are passed on too: the library reports the error.
    return found + [(n, np.asarray(a, order="C"), False) for n, a in inputs.items() if n not in taken]


def arrays_at(module, data):
    """Copies of the arrays of a module's first kernel, scratch left out, by the names of the parameters.

    module  a module handle of the library
    data    the address of the memory of each parameter
    """
    found = {}
    for index, param in enumerate(params_of(module)):
        size = int(np.prod(param.shape, dtype=np.int64)) * param.dtype.itemsize if param.role != "scratch" else 0
        memory = (ctypes.c_char * size).from_address(data[index]) if size else b""
        if param.role != "scratch":
            found[param.name] = np.ndarray(param.shape, param.dtype, buffer=memory).copy()
    return found


def copied(array):
    """A copy of an array of the library, which is row-major."""
    tensor = array.tensor
    dtype = _NUMPY[text(lib.tg_dtype_from_dlpack(tensor.dtype))]
    shape = tuple(tensor.shape[:tensor.ndim])
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(tensor.data) if size else b""
    return np.ndarray(shape, dtype, buffer=memory).copy()


def view(name, array):
    """A row-major array under the name of its parameter, as a tensor of the library; the array keeps owning its memory.
    Raises TypeError for a dtype that Tilegrind lacks."""
    if array.dtype not in _DLPACK:
        raise TypeError(f"Tilegrind has no element type {array.dtype}")
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor = _native.Dltensor(data=array.ctypes.data, device=_native.Dldevice(1, 0),
                              ndim=array.ndim, dtype=_DLPACK[array.dtype], shape=shape)
    return _native.Array(name.encode(), tensor)
