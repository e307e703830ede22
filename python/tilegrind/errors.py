"""Errors of the library as exceptions."""

from dataclasses import dataclass

from ._native import OK, lib, take_text, text


@dataclass(frozen=True)
class Problem:
    """One of the problems of an Error."""

    status: str
    file: str | None
    where: str  # JSON pointer within the file
    offset: int  # in bytes, or -1
    message: str

    def __str__(self):
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


class Error(Exception):
    """A file, kernel or call that Tilegrind refuses.

    ``status`` is the spelling of the C status ("ERR_TYPE"), ``errors`` the list of problems.
    """

    def __init__(self, status, errors):
        self.status, self.errors = status, errors
        super().__init__("\n".join(map(str, errors)) or status)


class Collected:
    """Collects the errors of one call."""

    def __enter__(self):
        self.handle = lib.tg_errors_new()
        if not self.handle:
            raise MemoryError
        return self

    def __exit__(self, *_):
        lib.tg_errors_free(self.handle)

    def check(self, status):
        """Raises unless `status` is TG_OK."""
        if status != OK:
            raise Error(text(lib.tg_status_name(status)), self._list())

    def check_text(self, pointer):
        """The text; raises if there is none."""
        if not pointer:
            problems = self._list()
            raise Error(problems[0].status if problems else "ERR_NO_MEMORY", problems)
        return take_text(pointer)

    def _list(self):
        found = (lib.tg_errors_get(self.handle, i) for i in range(lib.tg_errors_count(self.handle)))
        return [Problem(text(lib.tg_status_name(e.status)), text(e.file), text(e.where) or "",
                        e.offset, text(e.message)) for e in found]
