"""python/xla/ffi_abi.h against the header of XLA's interface that the installed JAX brings: sizes, offsets and
numbers, checked by the compiler."""

import re
import shutil
import subprocess

import jax
import pytest
from conftest import ROOT
from ir_check import DTYPES

HEADER = ROOT / "python" / "xla" / "ffi_abi.h"

# ours: XLA's; then the fields that have other names there
STRUCTS = {
    "tg_ffi_extension": ("XLA_FFI_Extension_Base", {}),
    "tg_ffi_api_version": ("XLA_FFI_Api_Version", {}),
    "tg_ffi_span": ("XLA_FFI_ByteSpan", {}),
    "tg_ffi_buffer": ("XLA_FFI_Buffer", {}),
    "tg_ffi_attrs": ("XLA_FFI_Attrs", {"list": "attrs"}),
    "tg_ffi_type_id": ("XLA_FFI_TypeId", {}),
    "tg_ffi_type_info": ("XLA_FFI_TypeInfo", {}),
    "tg_ffi_metadata": ("XLA_FFI_Metadata", {}),
    "tg_ffi_metadata_extension": ("XLA_FFI_Metadata_Extension", {"base": "extension_base"}),
    "tg_ffi_error_create_args": ("XLA_FFI_Error_Create_Args", {"code": "errc"}),
    "tg_ffi_error_destroy_args": ("XLA_FFI_Error_Destroy_Args", {}),
    "tg_ffi_schedule_args": ("XLA_FFI_ThreadPool_Schedule_Args", {"context": "ctx"}),
    "tg_ffi_num_threads_args": ("XLA_FFI_ThreadPool_NumThreads_Args", {"context": "ctx"}),
    "tg_ffi_device_args": ("XLA_FFI_DeviceOrdinal_Get_Args", {"context": "ctx"}),
    "tg_ffi_frame": ("XLA_FFI_CallFrame", {"context": "ctx"}),
    "tg_ffi_api": ("XLA_FFI_Api", {
        "version": "api_version", "internal": "internal_api", "error_create": "XLA_FFI_Error_Create",
        "unused_message": None, "error_destroy": "XLA_FFI_Error_Destroy", "unused_calls": None,
        "state_set": "XLA_FFI_State_Set", "state_get": "XLA_FFI_State_Get", "unused_memory": None,
        "schedule": "XLA_FFI_ThreadPool_Schedule", "num_threads": "XLA_FFI_ThreadPool_NumThreads",
        "unused_futures": None, "device_ordinal": "XLA_FFI_DeviceOrdinal_Get"}),
}
# Two of XLA's stand behind one of ours.
TWINS = [
    ("tg_ffi_buffers", "XLA_FFI_Args", {"list": "args"}),
    ("tg_ffi_buffers", "XLA_FFI_Rets", {"list": "rets"}),
    ("tg_ffi_state_args", "XLA_FFI_State_Set_Args", {"context": "ctx"}),
    ("tg_ffi_state_args", "XLA_FFI_State_Get_Args", {"context": "ctx"}),
]
NUMBERS = {
    "TG_FFI_MAJOR": "XLA_FFI_API_MAJOR", "TG_FFI_EXTENSION_METADATA": "XLA_FFI_Extension_Metadata",
    "TG_FFI_STAGE_INSTANTIATE": "XLA_FFI_ExecutionStage_INSTANTIATE",
    "TG_FFI_STAGE_EXECUTE": "XLA_FFI_ExecutionStage_EXECUTE",
    "TG_FFI_ATTR_STRING": "XLA_FFI_AttrType_STRING", "TG_FFI_BUFFER": "XLA_FFI_ArgType_BUFFER",
    **{f"TG_FFI_{code}": f"XLA_FFI_Error_Code_{code}" for code in (
        "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "UNIMPLEMENTED", "INTERNAL")},
}
PARTIAL = {"tg_ffi_api"}  # XLA's goes on


def fields_of(struct, text):
    """Names of the fields of a struct of ours."""
    body = re.search(rf"typedef struct {struct} {{(.*?)\n}} {struct};", text, re.S)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    names = []
    for declaration in filter(None, map(str.strip, body.split(";"))):
        pointer = re.search(r"\(\*?(\w+)(?:\[\d+\])?\)", declaration)
        names += [pointer[1]] if pointer else [
            re.search(r"(\w+)$", part.strip())[1] for part in declaration.split(",")]
    return names


def assertions():
    text = HEADER.read_text()
    pairs = [(ours, *theirs) for ours, theirs in STRUCTS.items()] + TWINS
    assert set(re.findall(r"^typedef struct (tg_\w+) {", text, re.M)) == {ours for ours, *_ in pairs}
    for ours, theirs, renamed in pairs:
        if ours not in PARTIAL:
            yield f"sizeof({ours}) == sizeof({theirs})"
        for field in fields_of(ours, text):
            other = renamed.get(field, field)
            if other:
                yield f"offsetof({ours}, {field}) == offsetof({theirs}, {other})"
                yield f"sizeof((({ours} *)0)->{field}) == sizeof((({theirs} *)0)->{other})"
    for ours, theirs in NUMBERS.items():
        yield f"(int){ours} == (int){theirs}"
    for name in DTYPES.values():
        spelling = "PRED" if name == "bool" else re.sub(r"^I(?=\d)", "S", name.upper())
        yield f"TG_FFI_{name} == (int)XLA_FFI_DataType_{spelling}"
    yield "TG_FFI_MINOR <= XLA_FFI_API_MINOR"


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_against_the_installed_header(tmp_path):
    lines = ['#include "xla/ffi/api/c_api.h"', '#include "ffi_abi.h"', "#if XLA_FFI_API_MINOR >= 5",
             "#define XLA_FFI_Extension_Base XLA_FFI_InternalExtension", "#endif"]
    lines += [f'_Static_assert({check}, "");' for check in assertions()]
    assert len(lines) > 120
    source = tmp_path / "check.c"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["cc", "-std=c11", "-fsyntax-only", f"-I{jax.ffi.include_dir()}", f"-I{HEADER.parent}", f"-I{ROOT}",
                           source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
