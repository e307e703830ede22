"""Tables, as text and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Table:
    """A titled table; `notes` are sentences below it.  All cells are texts."""

    title: str
    head: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        self.rows.append([str(cell) for cell in cells])

    def text(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        return "\n".join([self.title, *body, *self.notes])

    def markdown(self) -> str:
        body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in [self.head, *self.rows]]
        body.insert(1, "|" + "---|" * len(self.head))
        notes = ["", *[f"* {note}" for note in self.notes]] if self.notes else []
        return "\n".join([f"### {self.title}", "", *body, *notes, ""])


@dataclass
class Part:
    """What a part of the run has found: tables, and the failures that make the run fail."""

    tables: list[Table]
    failures: list[str] = field(default_factory=list)
