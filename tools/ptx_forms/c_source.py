"""The C functions and tables of a translation unit, as pycparser's trees."""

import re
import subprocess

from pycparser import c_ast, c_parser

# Declarations of the standard headers, which are left out of the text.
PRELUDE = """
typedef unsigned long size_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long uint64_t;
"""


def preprocess(unit, root):
    """The text `unit`, in C, after the compiler's preprocessor, without pragmas and without text from outside the
    repository."""
    done = subprocess.run(["cc", "-std=c11", "-E", "-DTG_ISA=baseline", "-D__attribute__(x)=", "-D__extension__=",
                           "-I.", "-Iinclude", "-x", "c", "-"],
                          input=unit, cwd=root, capture_output=True, text=True, check=True)
    ours, lines = True, []
    for line in done.stdout.splitlines():
        marker = re.match(r'#\s+\d+\s+"([^"]*)"', line)
        if marker:
            ours = not marker[1].startswith("/") and marker[1] not in ("<built-in>", "<command-line>")
            lines.append(line)
        elif ours and not line.lstrip().startswith("#"):
            lines.append(line)
    return PRELUDE + "\n".join(lines)


class Source:
    """functions: name -> FuncDef; tables: name -> list of ints; structs: typedef name -> [(field, type name)];
    aliases: typedef name -> the words of its type."""

    def __init__(self, unit, root):
        self.functions, self.tables, self.structs, self.aliases = {}, {}, {}, {}
        for item in c_parser.CParser().parse(preprocess(unit, root)).ext:
            if isinstance(item, c_ast.FuncDef):
                self.functions[item.decl.name] = item
            elif isinstance(item, c_ast.Typedef):
                self._typedef(item)
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.ArrayDecl) and item.init:
                self._table(item)

    def _typedef(self, item):
        kind = item.type.type if isinstance(item.type, c_ast.TypeDecl) else None
        if isinstance(kind, c_ast.IdentifierType):
            self.aliases[item.name] = " ".join(kind.names)
        elif isinstance(kind, c_ast.Struct) and kind.decls:
            if all(isinstance(d.type, c_ast.TypeDecl) for d in kind.decls):
                self.structs[item.name] = [(d.name, type_name(d.type)) for d in kind.decls]

    def _table(self, item):
        values = getattr(item.init, "exprs", [])
        if values and all(isinstance(v, c_ast.Constant) and v.type.endswith("int") for v in values):
            self.tables[item.name] = [integer(v.value) for v in values]


def type_name(node):
    """The words of a declared type without qualifiers; for a pointer, those of its target and a star."""
    if isinstance(node, c_ast.PtrDecl):
        return type_name(node.type) + " *"
    if isinstance(node, c_ast.TypeDecl):
        node = node.type
    return " ".join(node.names) if isinstance(node, c_ast.IdentifierType) else type(node).__name__


def integer(literal):
    return int(literal.rstrip("uUlL"), 0)
