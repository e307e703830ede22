"""The error of files of a golden."""


class BadBundle(ValueError):
    """A golden that is truncated, edited or not one at all; the text says which file, where and why."""
