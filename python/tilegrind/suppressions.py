"""Suppressions: rules that hide known findings (docs/reports.md).

>>> known = tilegrind.Suppressions("known.supp")
>>> run = module.check(inputs, suppressions=known)
>>> run.findings, run.suppressed, known.unused()
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ._native import lib, text
from .errors import Collected


@dataclass(frozen=True)
class Suppression:
    """A block of a suppression file."""

    name: str
    file: str
    line: int


class Suppressions:
    """The suppressions of some files, and how often each was used."""

    def __init__(self, *paths):
        self._handle = lib.tg_suppressions_new()
        if not self._handle:
            raise MemoryError
        self._uses = Counter()
        self._sources = []
        for path in paths:
            self.add_file(path)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.tg_suppressions_free(self._handle)

    def add_file(self, path):
        """Adds the blocks of a file; raises an Error that names invalid lines."""
        self._add(lib.tg_suppressions_add_file, str(path).encode())
        self._sources.append(Path(path).read_text(encoding="utf-8"))

    def add_text(self, source, file=""):
        """Adds the blocks of a text, which errors call `file`."""
        data = source.encode()
        self._add(lib.tg_suppressions_add_text, data, len(data), file.encode())
        self._sources.append(source)

    def _add(self, function, *arguments):
        with Collected() as errors:
            errors.check(function(self._handle, *arguments, errors.handle))

    @property
    def source(self):
        """All blocks as one text, in their order."""
        return "\n".join(self._sources)

    def __len__(self):
        return lib.tg_suppressions_count(self._handle)

    def __getitem__(self, index):
        if not 0 <= index < len(self):
            raise IndexError(index)
        found = lib.tg_suppressions_get(self._handle, index)
        return Suppression(text(found.name), text(found.file), found.line)

    def _find(self, report, index):
        """The first suppression that covers a finding of a report, counting this as a use; or None."""
        number = lib.tg_suppressions_find(self._handle, report, index)
        if number == len(self):
            return None
        self._uses[number] += 1
        return self[number]

    def uses(self):
        """(suppression, number of findings that it has covered so far) for each."""
        return [(self[i], self._uses[i]) for i in range(len(self))]

    def unused(self, kernel=None):
        """Suppressions that have covered no finding; if `kernel` is given, only those that apply to its findings."""
        return [self[i] for i in range(len(self)) if not self._uses[i]
                and (kernel is None or lib.tg_suppressions_concern(self._handle, i, kernel.encode()))]


def suppressions_of(given):
    """Converts the argument `suppressions` of a run: None, Suppressions, a path or several."""
    if given is None or isinstance(given, Suppressions):
        return given
    return Suppressions(*([given] if isinstance(given, str) or hasattr(given, "__fspath__") else given))
