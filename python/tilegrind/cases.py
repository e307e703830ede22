"""Cases (docs/case.md) and files of arrays, read by the library."""

import ctypes
from dataclasses import dataclass, field

import numpy as np

from ._native import lib, text
from .arrays import copied, view
from .errors import Collected
from .module import Module, json_of, loads


@dataclass(frozen=True)
class Case:
    """A case: a kernel with inputs for it.  ``grid`` has the sizes of the dynamic axes."""

    name: str | None
    why: str | None
    module: Module = field(repr=False)
    kernel: str
    inputs: dict = field(repr=False)
    grid: tuple


def open_case(folder):
    """Reads a case, and verifies its kernel."""
    handle = ctypes.c_void_p()
    with Collected() as errors:
        errors.check(lib.tg_case_open(str(folder).encode(), ctypes.byref(handle), errors.handle))
    try:
        about = lib.tg_case_describe(handle)
        arrays = [lib.tg_case_input(handle, i) for i in range(about.input_count)]
        return Case(text(about.name), text(about.why), loads(json_of(lib.tg_case_module(handle))), text(about.kernel),
                    {text(array.name): copied(array) for array in arrays}, tuple(about.grid[:about.grid_count]))
    finally:
        lib.tg_case_close(handle)


def read_arrays(path):
    """The arrays of a file by name: .npy, .npz or .safetensors."""
    arrays = lib.tg_arrays_new()
    if not arrays:
        raise MemoryError
    try:
        with Collected() as errors:
            errors.check(lib.tg_arrays_read(arrays, str(path).encode(), None, errors.handle))
        found = [lib.tg_arrays_get(arrays, i) for i in range(lib.tg_arrays_count(arrays))]
        return {text(array.name): copied(array) for array in found}
    finally:
        lib.tg_arrays_free(arrays)


def write_arrays(path, arrays):
    """Writes arrays by name to a file, which appears whole or not at all: .npz or .safetensors; .npy takes one."""
    kept = lib.tg_arrays_new()
    if not kept:
        raise MemoryError
    try:
        with Collected() as errors:
            for name, array in arrays.items():
                shown = view(name, np.asarray(array, order="C"))
                errors.check(lib.tg_arrays_add(kept, ctypes.byref(shown), errors.handle))
            errors.check(lib.tg_arrays_write(kept, str(path).encode(), errors.handle))
    finally:
        lib.tg_arrays_free(kept)
