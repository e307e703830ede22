"""Errors that end a sweep, each with the exit code of the command."""

USAGE, INVALID, DEFECT, STOPPED = 2, 3, 4, 130


class SweepError(Exception):
    """Wrong usage, or a file that cannot be read or written."""

    code = USAGE


class InvalidError(SweepError):
    """A file that is not what it should be; the text begins with the file and the place in it."""

    code = INVALID


class StoreError(SweepError):
    """A store that cannot keep results, such as one on a full disk.  No unit can go on."""


class UnitError(Exception):
    """A unit that could not run here: it has no result, and may have one elsewhere or later."""
