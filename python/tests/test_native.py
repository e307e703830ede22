"""What _native.py says of the library, held against the library's header: ctypes checks nothing by itself."""

import ctypes
import re
from pathlib import Path

import pytest

from tilegrind import _native

HEADER = Path(__file__).resolve().parents[2] / "include" / "tilegrind" / "tilegrind.h"
TEXT = re.sub(r"/\*.*?\*/", " ", HEADER.read_text(), flags=re.S)
FUNCTIONS = {name: (result.strip(), [part.strip() for part in parameters.split(",") if part.strip() != "void"])
             for result, name, parameters in re.findall(r"TG_API ([\w ]+?[ *]+)(tg_\w+)\(([^)]*)\);", TEXT)}
STRUCTS = {"tg_run_options": _native.RunOptions, "tg_run_stats": _native.RunStats, "tg_finding": _native.Finding,
           "tg_related": _native.Related,
           "tg_suppression": _native.Suppression, "tg_finding_kind_info": _native.FindingKindInfo,
           "tg_check_options": _native.CheckOptions, "tg_error": _native.Error, "tg_array": _native.Array, "tg_param_info": _native.ParamInfo}


def is_pointer(declared):
    """Whether ctypes passes it as a pointer."""
    return declared in (ctypes.c_char_p, ctypes.c_void_p) or issubclass(declared, ctypes._Pointer)


@pytest.mark.parametrize("name", _native._DECLARATIONS)
def test_functions_take_what_the_header_says(name):
    result, *parameters = _native._DECLARATIONS[name]
    wanted_result, wanted = FUNCTIONS[name]
    assert [is_pointer(p) for p in parameters] == ["*" in w for w in wanted], wanted
    assert (result is not None and is_pointer(result)) == wanted_result.endswith("*")
    assert (result is None) == (wanted_result == "void")


@pytest.mark.parametrize("name", STRUCTS)
def test_structs_have_the_members_of_the_header(name):
    body = re.search(r"typedef struct " + name + r" \{([^}]*)\} " + name + ";", TEXT).group(1)
    members = [re.findall(r"[*\s(](\w+)(?:\[\w+\])?$|\(\*(\w+)\)", m.strip())[0] for m in body.split(";") if m.strip()]
    assert [a or b for a, b in members] == [field for field, _ in STRUCTS[name]._fields_]
