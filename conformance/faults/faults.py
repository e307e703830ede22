"""The seeded faults of faults.toml: reading the list, and putting one fault into a tree.

A fault replaces a piece of text in one source file, such that the program still compiles but
does one thing wrong.  If the tests pass with the fault, they have a gap.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Sequence

LIST = Path(__file__).resolve().parent / "faults.toml"
OTHERS = ("bench", "demo", "examples", "tests", "tools")  # folders that are not part of the product


class Malformed(ValueError):
    """The list of faults is invalid; the text says where."""


@dataclass(frozen=True)
class Fault:
    """One row of the list."""

    name: str
    file: str     # relative to the root of the tree
    breaks: str   # one line: what the fault breaks
    expect: str   # the check that should be the first to fail, see checks.py
    text: str     # occurs exactly once in the file
    becomes: str  # replaces `text`


def read(path: Path = LIST) -> list[Fault]:
    """All faults, in the order of the list.  Raises Malformed for invalid keys or names."""
    keys = {field.name for field in fields(Fault)}
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("fault", [])
    for i, row in enumerate(rows):
        if set(row) != keys or not all(isinstance(value, str) for value in row.values()):
            raise Malformed(f"{path.name}: fault {i + 1}, {row.get('name')}: keys are {', '.join(sorted(keys))}")
    found = [Fault(**row) for row in rows]
    twice = {fault.name for fault in found if sum(other.name == fault.name for other in found) > 1}
    if twice:
        raise Malformed(f"{path.name}: more than one fault is called {', '.join(sorted(twice))}")
    return found


def seeded(fault: Fault, root: Path) -> str:
    """The text of the fault's file with the fault in it.  Raises Malformed unless its text occurs exactly once."""
    if fault.file.partition("/")[0] in OTHERS:
        raise Malformed(f"{fault.name}: {fault.file} is no part of the product")
    try:
        source = (root / fault.file).read_text(encoding="utf-8")
    except OSError as error:
        raise Malformed(f"{fault.name}: {error}") from error
    count = source.count(fault.text) if fault.text else 0
    if count != 1:
        raise Malformed(f"{fault.name}: its text occurs {count} times in {fault.file}, not once")
    if fault.text == fault.becomes:
        raise Malformed(f"{fault.name}: the text stays the same")
    return source.replace(fault.text, fault.becomes)


def problems(found: Sequence[Fault], root: Path) -> list[str]:
    """Reasons why faults cannot be put into the tree."""
    wrong = []
    for fault in found:
        try:
            seeded(fault, root)
        except Malformed as problem:
            wrong.append(str(problem))
    return wrong
