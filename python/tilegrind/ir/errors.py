"""The only error that an export raises."""

from __future__ import annotations


class Unsupported(Exception):
    """Raised inside a conversion rule; becomes an ExportError with the equation's location."""


class OtherDevices(Unsupported):
    """Raised for what concerns other devices, where a conversion knows of none."""


class ExportError(Exception):
    """A program that Tilegrind does not support.

    primitive  name of the primitive of JAX, or operation of Triton, at fault, or ``"pallas_call"`` for the launch itself
    file       the user's source file, or None if no location was kept
    line       the line in it, or None
    message    what is wrong, without the location
    needs_devices  whether the kernel asks for other devices, with which it may be supported
    """

    def __init__(self, primitive: str, file: str | None, line: int | None, message: str):
        where = f"{file}:{line}: " if file is not None else ""
        super().__init__(f"{where}{primitive}: {message}")
        self.primitive = primitive
        self.file = file
        self.line = line
        self.message = message
        self.needs_devices = False
