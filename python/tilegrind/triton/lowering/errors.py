"""The only error that a conversion raises."""

from __future__ import annotations

from ...ir import errors
from ...ir.errors import Unsupported
from ..ttir.locations import Location

__all__ = ["ExportError", "Unsupported"]


class ExportError(errors.ExportError):
    """A Triton kernel that Tilegrind does not support.

    op       the operation of TTIR at fault
    file     the file with its line, or None where Triton has kept no place
    line     the line
    message  what is wrong, without the place
    """

    def __init__(self, op: str, location: Location | None, message: str):
        super().__init__(op, location.file if location else None, location.line if location else None, message)
        self.op = op
