"""Rows of the lists in .def files, as the C preprocessor sees them."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def expand(definitions, include):
    """Lines of an X-macro file after `definitions`, fields separated by ' @ '."""
    source = f'{definitions}\n#include "{include}"\n'
    done = subprocess.run(["cc", "-E", "-P", "-I", ".", "-Iinclude", "-x", "c", "-"], input=source,
                          cwd=ROOT, capture_output=True, text=True, check=True)
    rows = re.sub(r"\s+", " ", done.stdout).split("ROW @ ")[1:]
    return [[field.strip() for field in row.split(" @ ")] for row in rows]


def unquote(literal):
    """The text of a C string literal without escapes other than \\" ."""
    return literal.strip().strip('"').replace('\\"', '"')
