"""What the generated declarations say of structs, held against the C compiler: ctypes checks nothing by itself."""

import ctypes
import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tilegrind import _declarations, _native

INCLUDE = Path(__file__).resolve().parents[2] / "include"
STRUCTS = {name: kind for name, kind in inspect.getmembers(_declarations, inspect.isclass)
           if issubclass(kind, ctypes.Structure)}


def c_name(name):
    """tg_run_options of RunOptions."""
    return "tg" + re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), name)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_structs_lie_in_memory_as_the_compiler_has_them(tmp_path):
    asked, found = [], []
    for name, kind in STRUCTS.items():
        asked.append(f"sizeof({c_name(name)})")
        found.append(ctypes.sizeof(kind))
        for member, _ in kind._fields_:
            asked += [f"offsetof({c_name(name)}, {member})", f"sizeof((({c_name(name)} *)0)->{member})"]
            found += [getattr(kind, member).offset, getattr(kind, member).size]
    headers = "".join(f'#include "tilegrind/{header.name}"\n' for header in sorted((INCLUDE / "tilegrind").glob("*.h")))
    (tmp_path / "ask.c").write_text("#include <stdio.h>\n" + headers + "int main(void)\n{\n"
                                    + "".join(f'    printf("%zu\\n", {what});\n' for what in asked) + "}\n")
    subprocess.run(["cc", "-I", INCLUDE, "-o", tmp_path / "ask", tmp_path / "ask.c"], check=True)
    told = subprocess.run([tmp_path / "ask"], capture_output=True, text=True, check=True).stdout
    assert dict(zip(asked, map(int, told.split()), strict=True)) == dict(zip(asked, found, strict=True))


def test_every_struct_and_function_of_the_headers_is_there():
    bound = ("status.h", "tilegrind.h", "build.h", "bounds.h", "comparison.h", "arrays.h", "case.h", "random.h", "layout.h",
             "record.h", "mesh.h", "emulator.h")  # the package uses no others
    text = "".join((INCLUDE / "tilegrind" / name).read_text() for name in bound)
    assert {c_name(name) for name in STRUCTS} == set(re.findall(r"^typedef struct (\w+) \{", text, re.M))
    assert set(_declarations.FUNCTIONS) == set(re.findall(r"^TG_API [^;]*?(tg_\w+)\(", text, re.M))
    assert all(hasattr(_native.lib, name) for name in _declarations.FUNCTIONS)


def test_function_pointers_of_one_name_in_two_structs_are_two_types():
    assert dict(_declarations.RunHook._fields_)["run"] is _declarations.RUN
    assert dict(_declarations.MeshHook._fields_)["run"] is _declarations.MESH_HOOK_RUN is not _declarations.RUN


def test_texts_that_are_the_readers_to_free_are_not_copied():
    assert _declarations.FUNCTIONS["tg_schema"] == (ctypes.c_void_p,)
    assert _declarations.FUNCTIONS["tg_version"] == (ctypes.c_char_p,)
