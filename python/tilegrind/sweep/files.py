"""Reads files."""

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
