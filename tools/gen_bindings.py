"""Writes the Python package's description of the library: the declarations of the public headers for ctypes, and the
tables of element types, operations and demands of hardware.

    gen_bindings.py          write them
    gen_bindings.py --check  exit with 1 if one is out of date; tools/gen_docs.py --check does the same

This file contains no facts except the mapping from C to ctypes.
"""

import re
import sys

import c_header
import generated
from xmacro import ROOT, expand, unquote

PACKAGE = ROOT / "python" / "tilegrind"
HEADERS = ["status.h", "tilegrind.h", "build.h", "bounds.h", "comparison.h", "arrays.h", "case.h", "random.h", "layout.h", "record.h",
           "mesh.h", "emulator.h"]
LENT = ["tg_executor"]  # structs that callers in C create; Python only passes pointers to them
NUMBERS = {"char": "c_char", "int": "c_int", "double": "c_double", "size_t": "c_size_t",
           **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


# ---- the headers ----


def class_name(struct):
    """RunOptions of tg_run_options."""
    return "".join(part.capitalize() for part in struct.removeprefix("tg_").split("_"))


class Writer:
    """Names of ctypes for the types of a header."""

    def __init__(self, header):
        self.header = header

    def base(self, name):
        """The type that a value of C's type `name` has."""
        if name in self.header.structs:
            return class_name(name)
        if name in self.header.enums:
            known = self.header.enums[name]
            return self.base(known) if isinstance(known, str) else "c_int"
        return NUMBERS[name]

    def type(self, of):
        """The ctypes type of a C type.  A char * without const is a text that its reader must free, so ctypes must not
        convert it to a copy."""
        if not of.points_to_const:
            return "None" if of.base == "void" else self.base(of.base)
        inner = "c_void_p"
        if of.base == "char":
            inner = "c_char_p" if of.points_to_const[0] else "c_void_p"
        elif of.base not in ("void", *self.header.opaque):
            inner = f"POINTER({self.base(of.base)})"
        for _ in of.points_to_const[1:]:
            inner = f"POINTER({inner})"
        return inner

    def function(self, of):
        """Its result and its parameters."""
        return ", ".join([self.type(of.result), *(self.type(type_) for _, type_ in of.parameters)])


def declarations():
    """The text of _declarations.py."""
    header = c_header.Header(opaque=[*LENT])
    for name in HEADERS:
        header = c_header.read((ROOT / "include" / "tilegrind" / name).read_text(encoding="utf-8"), header)
    statuses = expand("#define TG_STATUS(id, exit, means) ROW @ TG_##id", "tilegrind/status.def")
    header.enums["tg_status"] = {name: value for value, (name,) in enumerate(statuses)}
    writer = Writer(header)
    pointers = function_pointers(header.structs)
    classes = "\n\n\n".join(struct(writer, name, members, pointers) for name, members in header.structs.items())
    constants = [f"{name.removeprefix('TG_')} = {value}" for enum in header.enums.values() if isinstance(enum, dict)
                 for name, value in enum.items()]
    functions = [f'    "{function.name}": ({writer.function(function)}{"," * (not function.parameters)}),'
                 for function in header.functions]
    body = "\n".join([*constants, "", "", classes, "", "", "# name: (result, parameters...)", "FUNCTIONS = {",
                      *functions, "}"])
    names = [name for name in dict.fromkeys(["POINTER", "c_char_p", "c_void_p", *NUMBERS.values()])
             if re.search(rf"\b{name}\b", body)]
    return (f'{head("the headers in include/tilegrind")}\n\nimport ctypes\n'
            f'from ctypes import ({", ".join(names)})\n\n{body}\n')


def function_pointers(structs):
    """The names of the types of function pointers, by struct and member: that of the member, with the struct's before it where an earlier
    struct has a member of the name."""
    names = {}
    for struct_name, members in structs.items():
        for member in members:
            if isinstance(member.type, c_header.Function):
                short = member.name.upper()
                long = f"{struct_name.removeprefix('tg_')}_{member.name}".upper()
                names[struct_name, member.name] = long if short in names.values() else short
    return names


def struct(writer, name, members, pointers):
    """The class of a struct, after the types of its function pointers, which have the names `pointers`."""
    types = {member: writer.type(member.type) + (f" * {member.count}" if member.count else "") for member in members
             if not isinstance(member.type, c_header.Function)}
    lines = [f"{pointers[name, member.name]} = ctypes.CFUNCTYPE({writer.function(member.type)})" for member in members
             if member not in types]
    lines += [*["", ""][:2 * bool(lines)], f"class {class_name(name)}(ctypes.Structure):", "    _fields_ = ["]
    lines += [f'        ("{member.name}", {types[member] if member in types else pointers[name, member.name]}),' for member in members]
    return "\n".join([*lines, "    ]"])


# ---- element types ----


def element_types():
    """The text of _dtypes.py."""
    rows = expand("#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, ...) "
                  "ROW @ #id @ #kind @ bits @ exp @ man @ numpy", "ir/dtypes.def")
    semaphores = expand("#define TG_DTYPE(...)\n#define TG_SEMAPHORE(id, counts) ROW @ #id", "ir/dtypes.def")
    lines = [f'    Dtype("{unquote(name)}", "{unquote(kind).lower()}", {bits}, {exponent}, {mantissa}, "{unquote(numpy)}"),'
             for name, kind, bits, exponent, mantissa, numpy in rows]
    return "\n".join([head("ir/dtypes.def"), "", "from typing import NamedTuple", "", "",
                      "class Dtype(NamedTuple):", '    """A row of the list."""', "",
                      "    name: str", '    kind: str  # "bool", "sint", "uint" or "float"', "    bits: int",
                      "    exponent_bits: int", "    mantissa_bits: int  # stored",
                      "    numpy: str  # name in numpy or ml_dtypes", "", "",
                      "DTYPES = (", *lines, ")", "", "# What only memory holds.",
                      f"SEMAPHORES = ({', '.join(chr(34) + unquote(name) + chr(34) for name, in semaphores)})", ""])


# ---- operations ----


def operations():
    """The text of _operations.py."""
    kinds = dict(expand("#define TG_ATTR(id, kind, ...) ROW @ id @ #kind", "ir/attrs.def"))
    rows = expand("#define TG_A(...) {__VA_ARGS__}\n#define TG_OP(id, least, most, out, regions, rule, domain, traits, "
                  "refs, step, lower, triton, needs, may, means) ROW @ #id @ needs @ may", "ir/ops.def")
    lines = []
    for name, needs, may in rows:
        needed, optional = ([name.strip() for name in names.strip("{}").split(",") if name.strip()] for names in (needs, may))
        flags = [name for name in needed if unquote(kinds[name]) == "BOOL"]  # false if absent
        lines.append(f'    "{unquote(name)}": ({_names(n for n in needed if n not in flags)}, '
                     f'{_names([*needed, *optional])}),')
    return "\n".join([head("ir/ops.def and ir/attrs.def"), "",
                      "# name: (attributes that it needs, all that it may have)", "OPERATIONS = {", *lines, "}", ""])


def _names(names):
    listed = ", ".join(f'"{name}"' for name in names)
    return f"frozenset({{{listed}}})" if listed else "frozenset()"


# ---- demands of hardware ----

DEMANDS = {"tma": "id, demands, source", "wgmma": "id, demands, source", "tcgen05": "id, of, demands, source",
           "kernel": "id, demands, source"}


def demand_rows():
    """What each rule demands, and its source, by the rule's name, which begins with that of its table unless that is `kernel`."""
    found = {}
    for table, columns in DEMANDS.items():
        prefix = "" if table == "kernel" else f"{table}_"
        rows = expand(f"#define TG_{table.upper()}_RULE({columns}) ROW @ #id @ demands @ source", f"layout/legal/{table}.def")
        found.update({prefix + unquote(name): (unquote(demand), unquote(source)) for name, demand, source in rows})
    return found


def demands():
    """The text of _demands.py."""
    lines = [f'    "{rule}": ("{demand}", "{source}"),' for rule, (demand, source) in demand_rows().items()]
    return "\n".join([head("layout/legal/*.def"), "", "# rule: (what it demands, where that is written)", "DEMANDS = {", *lines,
                      "}", ""])


def head(source):
    return f'"""Made by tools/gen_bindings.py from {source}; changes belong there."""'


FILES = {"python/tilegrind/_declarations.py": declarations, "python/tilegrind/_dtypes.py": element_types,
         "python/tilegrind/_operations.py": operations, "python/tilegrind/_demands.py": demands}


if __name__ == "__main__":
    files = ((ROOT / name, make()) for name, make in FILES.items())
    sys.exit(generated.main(files, ROOT, "tools/gen_bindings.py", sys.argv[1:]))
