"""Which check found each fault: stored in found.tsv, shown in docs/seeded-faults.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

from conformance.faults.checks import Check
from conformance.faults.faults import Fault

RECORD = Path(__file__).resolve().parent / "found.tsv"
DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "seeded-faults.md"
NO_FAULT = "(none)"  # the row of the tree without a fault, which passes every check


@dataclass(frozen=True)
class Found:
    """The first check that failed, and its message; no check if nothing failed."""

    check: str
    says: str


def read(path: Path = RECORD) -> dict[str, Found]:
    """By the names of the faults."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = (line.split("\t") for line in lines)
    return {name: Found(check, says) for name, check, says in rows}


def write(found: Mapping[str, Found], faults: Sequence[Fault], path: Path = RECORD) -> None:
    """Writes the record in the order of the list; faults that are no longer in it are dropped."""
    names = [NO_FAULT, *(fault.name for fault in faults)]
    path.write_text("".join(f"{name}\t{found[name].check}\t{found[name].says}\n" for name in names if name in found),
                    encoding="utf-8")


def _cell(text: str) -> str:
    for character in "\\|*_<":
        text = text.replace(character, "&lt;" if character == "<" else "\\" + character)
    return text


def _found_by(found: Found | None) -> str:
    if found is None:
        return "not tried yet"
    return f"{found.check}: {_cell(found.says)}" if found.check else "**nothing**"


def document(faults: Sequence[Fault], found: Mapping[str, Found], checks: Sequence[Check]) -> str:
    by_check = {check.name: sum(found[fault.name].check == check.name for fault in faults if fault.name in found)
                for check in checks}
    lines = [
        "# Seeded faults", "",
        "<!-- written by ./bootstrap faults -->",
        f"How much do the tests see? {len(faults)} faults, each one changed place in one source file, were put one at a time "
        "into a copy of the tree, which was built and tested, the cheapest test first, until one failed. "
        "The tree without a fault passes all tests. `./bootstrap faults` repeats that; "
        "[`conformance/faults/faults.toml`](../conformance/faults/faults.toml) has what is changed.", "",
        "| test | what it is | faults that it found first |", "|---|---|---|",
        *(f"| {check.name} | {_cell(check.about)} | {by_check[check.name]} |" for check in checks), "",
        "| fault | file | what it breaks | found by |", "|---|---|---|---|",
        *(f"| {fault.name} | `{fault.file}` | {_cell(fault.breaks)} | {_found_by(found.get(fault.name))} |"
          for fault in faults)]
    return "\n".join(lines) + "\n"
