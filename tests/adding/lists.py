"""The lists of docs/adding.md, and a toy for each of them: what it changes in the tree, as data.

A folder here is a list.  toy.toml says which section of the document it is, what of the list's names in angle brackets
the toy puts, how many files of the product it may touch, the changes to files that there are, in the order of the list, and
the generators to run afterwards; new/ has the files that are new, at their paths in the tree.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCUMENT = ROOT / "docs" / "adding.md"
OTHERS = {"tests", "examples", "bench", "tools", "demo"}  # folders that are no part of the product, as in tools/structure.py


class Malformed(ValueError):
    """A toy does not fit into the tree; the text says which, and where."""


@dataclass(frozen=True)
class Change:
    """Lines for one file, right in front of or behind its only line that contains a text."""

    file: str
    text: str
    after: str = ""
    before: str = ""


@dataclass(frozen=True)
class Toy:
    name: str      # that of the folder
    section: str   # of the document
    puts: dict     # <name> in the document -> what the toy has there
    most: int      # files of the product that it may touch, those that generators write left out
    changes: tuple
    new: dict      # path -> text
    generators: tuple

    @property
    def files(self) -> list[str]:
        """All that it touches by hand."""
        return sorted({change.file for change in self.changes} | set(self.new))


def read(folder: Path) -> Toy:
    row = tomllib.loads((folder / "toy.toml").read_text(encoding="utf-8"))
    new = folder / "new"
    texts = {str(path.relative_to(new)): path.read_text(encoding="utf-8")
             for path in sorted(new.rglob("*")) if path.is_file()}
    return Toy(folder.name, row["section"], row.get("puts", {}), row["most"],
               tuple(Change(**change) for change in row.get("change", [])), texts, tuple(row.get("generators", [])))


def toys() -> list[Toy]:
    return [read(path.parent) for path in sorted(HERE.glob("*/toy.toml"))]


def is_product(path: str) -> bool:
    return path.partition("/")[0] not in OTHERS


def changed(text: str, change: Change) -> str:
    """The text of a file with the lines of a change.  Raises Malformed where the place is not there exactly once."""
    lines = text.split("\n")
    anchor = change.after or change.before
    found = [i for i, line in enumerate(lines) if anchor in line]
    if not anchor or len(found) != 1:
        raise Malformed(f"{change.file}: {len(found)} lines contain {anchor!r}, not one")
    at = found[0] + (1 if change.after else 0)
    return "\n".join(lines[:at] + change.text.removesuffix("\n").split("\n") + lines[at:])


def add(toy: Toy, tree: Path) -> None:
    """Puts the toy into a tree.  Raises Malformed."""
    for change in toy.changes:
        path = tree / change.file
        if not path.is_file():
            raise Malformed(f"{toy.name}: there is no {change.file}")
        path.write_text(changed(path.read_text(encoding="utf-8"), change), encoding="utf-8")
    for name, text in toy.new.items():
        path = tree / name
        if path.exists():
            raise Malformed(f"{toy.name}: {name} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def listed(document: str, toy: Toy) -> list[str]:
    """The files that the toy's list in the document names: the first of each of its numbered entries, where that begins
    with one."""
    sections = re.split(r"^## (.+)$", document, flags=re.MULTILINE)
    body = dict(zip(sections[1::2], sections[2::2])).get(toy.section)
    if body is None:
        raise Malformed(f"{toy.name}: the document has no section {toy.section!r}")
    found = []
    for first in re.findall(r"^\d+\. (?:new )?\[?`([^`]+)`", body, re.MULTILINE):
        for word, text in toy.puts.items():
            first = first.replace(f"<{word}>", text)
        found.append(first)
    return found


def problems(toy: Toy, document: str) -> list[str]:
    """What is wrong between the toy, its limit and its list."""
    product = [file for file in toy.files if is_product(file)]
    wrong = []
    if len(product) > toy.most:
        wrong.append(f"{toy.name}: touches {len(product)} files of the product, not at most {toy.most}")
    names = listed(document, toy)
    if sorted(names) != toy.files:
        wrong.append(f"{toy.name}: the document lists {', '.join(sorted(names))}; the toy touches {', '.join(toy.files)}")
    return wrong
