"""The C library, as ctypes sees it: include/tilegrind/tilegrind.h, declaration by declaration."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16
from ctypes import c_uint64, c_void_p
from pathlib import Path


def _find():
    """Path or name of the library that TILEGRIND_LIBRARY names, else the one beside this file, else an installed one."""
    beside = Path(__file__).with_name("libtilegrind.so")
    path = os.environ.get("TILEGRIND_LIBRARY") or (str(beside) if beside.exists() else None)
    path = path or ctypes.util.find_library("tilegrind")
    if not path:
        raise ImportError(f"libtilegrind.so is neither at {beside} nor installed; "
                          "the environment variable TILEGRIND_LIBRARY may name it")
    return path


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("file", c_char_p), ("where", c_char_p), ("offset", c_int64),
                ("message", c_char_p)]


class ParamInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("role", c_char_p), ("dtype", c_char_p), ("rank", c_int),
                ("shape", POINTER(c_int64)), ("alias", c_char_p)]


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DLDtype(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32), ("dtype", DLDtype),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class Array(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("tensor", DLTensor)]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)
PRINT = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class RunOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("order", c_char_p), ("compat", c_char_p),
                ("dynamic_grid", POINTER(c_int64)), ("dynamic_grid_count", c_size_t),
                ("isa", c_char_p), ("max_findings", c_size_t), ("progress", PROGRESS),
                ("context", c_void_p), ("print", PRINT), ("profile", c_char_p),
                ("backend", c_char_p), ("checks", c_char_p), ("target", c_char_p), ("trap", c_char_p),
                ("partly_written", c_char_p), ("max_steps", c_int64), ("executor", c_void_p)]


class CheckOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("shuffles", c_int), ("interleavings", c_int), ("seed", c_uint64)]


class Finding(ctypes.Structure):
    _fields_ = [("kind", c_char_p), ("level", c_char_p), ("kernel", c_char_p), ("op", c_char_p),
                ("param", c_char_p), ("file", c_char_p), ("function", c_char_p), ("line", c_int64),
                ("rank", c_int), ("program", POINTER(c_int64)), ("count", c_int64), ("message", c_char_p),
                ("first", c_int64), ("last", c_int64), ("order", c_char_p), ("related_count", c_size_t),
                ("hint", c_char_p), ("caller_count", c_size_t)]


class Caller(ctypes.Structure):
    _fields_ = [("file", c_char_p), ("function", c_char_p), ("line", c_int64), ("skipped", c_char_p)]


class Related(ctypes.Structure):
    _fields_ = [("role", c_char_p), ("op", c_char_p), ("param", c_char_p), ("file", c_char_p),
                ("function", c_char_p), ("line", c_int64), ("program", POINTER(c_int64))]


class RunStats(ctypes.Structure):
    _fields_ = [("programs", c_int64), ("threads", c_int), ("seconds", c_double),
                ("order", c_char_p), ("isa", c_char_p), ("profile", c_char_p),
                ("backend", c_char_p), ("instructions", c_int64)]


class Suppression(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("file", c_char_p), ("line", c_int64)]


class FindingKindInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("level", c_char_p), ("means", c_char_p)]


_HANDLE = c_void_p  # tg_module *, tg_errors *, tg_report *, tg_executable *, tg_suppressions *: opaque
_TEXT = c_void_p  # char * to be freed with tg_text_free

# name: (result, parameters...)
_DECLARATIONS = {
    "tg_version": (c_char_p,),
    "tg_status_text": (c_char_p, c_int),
    "tg_status_name": (c_char_p, c_int),
    "tg_processor_count": (c_int,),
    "tg_text_free": (None, _TEXT),
    "tg_errors_new": (_HANDLE,),
    "tg_errors_free": (None, _HANDLE),
    "tg_errors_count": (c_size_t, _HANDLE),
    "tg_errors_get": (Error, _HANDLE, c_size_t),
    "tg_module_load_file": (c_int, c_char_p, POINTER(_HANDLE), _HANDLE),
    "tg_module_load_text": (c_int, c_char_p, c_size_t, POINTER(_HANDLE), _HANDLE),
    "tg_module_free": (None, _HANDLE),
    "tg_module_kernel_count": (c_size_t, _HANDLE),
    "tg_module_kernel_name": (c_char_p, _HANDLE, c_size_t),
    "tg_module_print": (_TEXT, _HANDLE, c_int, _HANDLE),
    "tg_module_ptx": (_TEXT, _HANDLE, c_char_p, c_char_p, c_char_p, _HANDLE),
    "tg_schema": (_TEXT,),
    "tg_module_map": (_TEXT, _HANDLE, c_char_p, c_char_p, c_int, _HANDLE),
    "tg_module_param_count": (c_size_t, _HANDLE, c_char_p),
    "tg_module_param": (ParamInfo, _HANDLE, c_char_p, c_size_t),
    "tg_module_dynamic_axes": (c_size_t, _HANDLE, c_char_p),
    "tg_dtype_to_dlpack": (DLDtype, c_char_p),
    "tg_run": (c_int, _HANDLE, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions),
               POINTER(_HANDLE), _HANDLE),
    "tg_check": (c_int, _HANDLE, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions), POINTER(CheckOptions),
                 POINTER(_HANDLE), _HANDLE),
    "tg_executable_new": (c_int, _HANDLE, c_char_p, POINTER(RunOptions), POINTER(_HANDLE), _HANDLE),
    "tg_executable_free": (None, _HANDLE),
    "tg_report_free": (None, _HANDLE),
    "tg_report_finding_count": (c_size_t, _HANDLE),
    "tg_report_finding": (Finding, _HANDLE, c_size_t),
    "tg_report_related": (Related, _HANDLE, c_size_t, c_size_t),
    "tg_report_stats": (RunStats, _HANDLE),
    "tg_report_caller": (Caller, _HANDLE, c_size_t, c_size_t),
    "tg_finding_kind_count": (c_size_t,),
    "tg_finding_kind_get": (FindingKindInfo, c_size_t),
    "tg_suppressions_new": (_HANDLE,),
    "tg_suppressions_free": (None, _HANDLE),
    "tg_suppressions_add_file": (c_int, _HANDLE, c_char_p, _HANDLE),
    "tg_suppressions_add_text": (c_int, _HANDLE, c_char_p, c_size_t, c_char_p, _HANDLE),
    "tg_suppressions_count": (c_size_t, _HANDLE),
    "tg_suppressions_get": (Suppression, _HANDLE, c_size_t),
    "tg_suppressions_concern": (c_int, _HANDLE, c_size_t, c_char_p),
    "tg_suppressions_find": (c_size_t, _HANDLE, _HANDLE, c_size_t),
    "tg_suppression_for": (_TEXT, _HANDLE, c_size_t),
}


def _declare(library):
    for name, (result, *parameters) in _DECLARATIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


def _load(path):
    """The library.  The OpenMP of gcc reads once, when it is loaded, how its threads wait for work: by default they spin, which
    takes time from others on a busy machine.  Where the user has not said how, they sleep."""
    policy = "OMP_WAIT_POLICY"
    if policy in os.environ:
        return ctypes.CDLL(path)
    os.environ[policy] = "passive"
    try:
        return ctypes.CDLL(path)
    finally:
        del os.environ[policy]  # others say it for themselves


path = _find()
lib = _declare(_load(path))


def text(pointer):
    """The str of a fixed char *, None for NULL."""
    return None if pointer is None else pointer.decode("utf-8", "replace")


def take_text(pointer):
    """The str of a char * that is ours to free, None for NULL."""
    if not pointer:
        return None
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        lib.tg_text_free(pointer)
