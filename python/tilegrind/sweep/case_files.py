"""Cases that a SPEC names, and the files that they consist of."""

import glob
import os
from pathlib import Path

from .canonical import parse
from .files import read_text


def _named(value):
    """The files that tensors of a case.json name, wherever they are in it."""
    if isinstance(value, dict):
        own = [value["file"]] if isinstance(value.get("file"), str) else []
        return own + _named(list(value.values()))
    return [name for v in value for name in _named(v)] if isinstance(value, list) else []


def names_of(folder):
    """The names of all files of a case: case.json, its kernel, its tensors and its PTX."""
    path = Path(folder) / "case.json"
    case = parse(read_text(path), path)
    values = case if isinstance(case, dict) else {}  # the library says in full what is wrong with it
    return ["case.json", *([values["kernel"]] if isinstance(values.get("kernel"), str) else []),
            *_named([values.get("inputs"), values.get("expect"), values.get("ptx")])]


def cases_of(table, base, files):
    """{"name", "files"} of each case that the patterns in `cases` match, in the order of names.  A pattern matches
    folders, `**` any number of folders; names are relative to `base`, the folder of the SPEC."""
    found = {}
    for pattern in table.texts("cases"):
        folders = [path for path in glob.glob(os.path.join(glob.escape(str(base)), pattern), recursive=True)
                   if os.path.isfile(os.path.join(path, "case.json"))]
        if not folders:
            table.fail("cases", f"no folder that matches {pattern!r} has a case.json")
        for folder in folders:
            name = Path(os.path.relpath(folder, base)).as_posix()
            found[name] = found.get(name) or {"name": name, "files": files.add(folder, names_of(folder))}
    return [found[name] for name in sorted(found)]
