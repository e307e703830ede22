"""The only error that a conversion raises."""

from __future__ import annotations

from ..ttir.locations import Location


class Unsupported(Exception):
    """Raised inside a rule; becomes an ExportError with the operation's place."""


class ExportError(Exception):
    """A Triton kernel that Tilegrind does not support.

    op       the operation of TTIR at fault
    file     the file with its line, or None where Triton has kept no place
    line     the line
    message  what is wrong, without the place
    """

    def __init__(self, op: str, location: Location | None, message: str):
        where = f"{location.file}:{location.line}: " if location else ""
        super().__init__(f"{where}{op}: {message}")
        self.op = op
        self.file = location.file if location else None
        self.line = location.line if location else None
        self.message = message
