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


def arrays_for(params, inputs, outputs=None):
    """(name, array, whether it is an output) for each parameter, and for each input that is no parameter.  Outputs are new arrays but
    those in `outputs`.  Raises ValueError for one of those that the kernel cannot write."""
    found, outputs = [], dict(outputs or {})
    for param in params:
        if param.role == "output":
            found.append((param.name, _output(param, outputs.pop(param.name, None)), True))
        elif param.role != "scratch" and param.name in inputs:
            found.append((param.name, np.asarray(inputs[param.name], order="C"), False))
    if outputs:
        raise ValueError(f"the kernel has no output {', '.join(outputs)}")
    taken = {name for name, _, is_output in found if not is_output}
    # Inputs that the kernel does not have are passed on too: the library reports the error.
    return found + [(n, np.asarray(a, order="C"), False) for n, a in inputs.items() if n not in taken]


def _output(param, given):
    """The array that an output is written to: a new one, or `given` if the kernel can write that."""
    if given is None:
        return np.empty(param.shape, param.dtype)
    if given.dtype != param.dtype or given.shape != param.shape:
        raise ValueError(f"output {param.name} is {param.dtype}{list(param.shape)}, but {given.dtype}{list(given.shape)} is given")
    if not given.flags.c_contiguous or not given.flags.writeable:
        raise ValueError(f"output {param.name}: the array that is given is not row-major, or read-only")
    return given


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


class UndefinedBytes:
    """Which bytes of inputs are undefined, for the library, as long as this lives.

    known         by name of an input, an array of u8 as long as that has bytes, in which each is 1 or 0; or two of these, before and after
                  the run, which may be one
    are_separate  whether they may not be one, so that the first is copied

    Raises ValueError for names of no input and other arrays."""

    def __init__(self, params, known, are_separate=False):
        sizes = {param.name: int(np.prod(param.shape, dtype=np.int64)) * param.dtype.itemsize for param in params
                 if param.role == "input"}
        self._arrays = {name: _before_and_after(name, one, sizes.get(name), are_separate) for name, one in (known or {}).items()}
        self._list = (_native.UndefinedBytes * len(self._arrays))(
            *(_native.UndefinedBytes(name.encode(), _bytes_of(before), None if after is None else _bytes_of(after))
              for name, (before, after) in self._arrays.items()))

    def options(self):
        """Those of a run."""
        return {"undefined": self._list, "undefined_count": len(self._list)}


def _before_and_after(name, known, size, are_separate):
    before, after = known if isinstance(known, tuple) else (known, None)
    for one in (before, after):
        if one is not None and (one.dtype != np.uint8 or one.shape != (size,) or not one.flags.c_contiguous):
            raise ValueError(f"undefined={name!r}: there is no such input, or what is known of its bytes is no array of u8 as long")
    return (before.copy() if are_separate and before is after else before), after


def _bytes_of(array):
    return ctypes.cast(array.ctypes.data, ctypes.POINTER(ctypes.c_uint8))


def view(name, array):
    """A row-major array under the name of its parameter, as a tensor of the library; the array keeps owning its memory.
    Raises TypeError for a dtype that Tilegrind lacks."""
    if array.dtype not in _DLPACK:
        raise TypeError(f"Tilegrind has no element type {array.dtype}")
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor = _native.Dltensor(data=array.ctypes.data, device=_native.Dldevice(1, 0),
                              ndim=array.ndim, dtype=_DLPACK[array.dtype], shape=shape)
    return _native.Array(name.encode(), tensor)
