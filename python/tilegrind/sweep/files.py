"""Reads and writes whole files."""

import os
import tempfile
from pathlib import Path

from .errors import SweepError


def read_text(path):
    """The text of a file; SweepError where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise SweepError(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise SweepError(f"{path}: byte {problem.start}: is no UTF-8") from None


def write_whole(path, data):
    """Writes bytes to a temporary file beside `path`, forces them to the disk and renames the file."""
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
