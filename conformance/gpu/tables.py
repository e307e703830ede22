"""Every row of tests/emulator/forms/ on a GPU: operands of an instruction, and the bits that it is to give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import numpy as np

FORMS = Path(__file__).resolve().parents[2] / "tests" / "emulator" / "forms"
_THREADS = 96  # whole warps: some instructions want them


@dataclass(frozen=True)
class Table:
    """Rows of an entry: `columns` are arrays of unsigned integers, the first `results` of them what it is to give."""

    entry: str
    results: int
    columns: list[np.ndarray]


@dataclass(frozen=True)
class Wrong:
    """A row whose result is another."""

    entry: str
    operands: list[str]
    want: list[str]
    got: list[str]

    def __str__(self) -> str:
        return f"{self.entry} of {' '.join(self.operands)}: {' '.join(self.got)}, and not {' '.join(self.want)}"


def read(text: str) -> Iterator[Table]:
    """The tables in the comments of a file: `//: ENTRY b32 = b16 pred`, then `// 00000003 = 0001 00000001` for each row."""
    head: list[str] = []
    rows: list[list[int]] = []
    for line in [*text.splitlines(), "//: "]:
        if line.startswith("//:"):
            if rows:
                yield _table(head, rows)
            head, rows = line[3:].split(), []
        elif line.startswith("// ") and head:
            rows.append([int(word, 16) for word in line[3:].split() if word != "="])


def _table(head: list[str], rows: list[list[int]]) -> Table:
    kinds = [word for word in head[1:] if word != "="]
    bytes_of = [4 if kind == "pred" else int(kind[1:]) // 8 for kind in kinds]
    columns = [np.array([row[i] for row in rows], np.uint64).astype(f"u{size}") for i, size in enumerate(bytes_of)]
    return Table(head[0], head.index("=") - 1, columns)


def check(module: Any, table: Table) -> list[Wrong]:
    """The rows of a table for which the module gives something else."""
    rows = len(table.columns[0])
    got = [np.zeros_like(column) for column in table.columns[:table.results]]
    grid = (-(-rows // _THREADS),)
    module.run(table.entry, [*got, *(column.copy() for column in table.columns[table.results:]), np.uint32(rows)], grid=grid, block=(_THREADS,))
    differs = np.zeros(rows, bool)
    for want, column in zip(table.columns, got):
        differs |= want != column
    return [Wrong(table.entry, *(_hex(part, row) for part in (table.columns[table.results:], table.columns[:table.results], got)))
            for row in np.flatnonzero(differs)]


def _hex(columns: list[np.ndarray], row: int) -> list[str]:
    return [f"{int(column[row]):0{2 * column.itemsize}x}" for column in columns]


def run(device: Any) -> dict[str, Any]:
    """All files: how many rows there are, those that are wrong, and what the device does not take."""
    report: dict[str, Any] = {"entries": 0, "rows": 0, "wrong": {}, "refused": {}}
    for file in sorted(FORMS.glob("*.ptx")):
        text = file.read_text()
        try:
            module = device.load(text)
        except Exception as error:  # the rest of the files is of use
            report["refused"][file.name] = str(error)[:500]
            continue
        for table in read(text):
            wrong = check(module, table)
            report["entries"] += 1
            report["rows"] += len(table.columns[0])
            if wrong:
                report["wrong"][table.entry] = {"rows": len(table.columns[0]), "wrong": len(wrong), "first": [str(one) for one in wrong[:8]]}
    return report
