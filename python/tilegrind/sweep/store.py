"""A store: a folder with one file for each result, which any number of processes on any number of machines fill at once.

    store.json            what this folder is
    ab/ID.json            the result of a unit, whose id begins with ab: two lines, the result and its digest
    unequal/ID.DIGEST     another result of the same unit
    log/HOST.PID.jsonl    when which process did what; no result depends on it
    tmp/                  files that are being written

A result is written to tmp/, forced to the disk, and linked to its name.  Linking is atomic, also on NFS, and fails if the
name is taken: so the first result stays.  An equal one is dropped; another one is evidence that a unit is not pure.
"""

import contextlib
import errno
import os
import tempfile
import time
from pathlib import Path

from ..digests import digest
from .canonical import canonical, parse_canonical
from .errors import InvalidError, StoreError, SweepError
from .kinds import FORMAT, RESULT

MARK = canonical({"tilegrind-sweep-store": 1}) + "\n"
NEW, EQUAL, UNEQUAL = "new", "equal", "unequal"
FOLDERS = ("tmp", "log", "unequal")
REMOVE = "remove the file, and its unit runs again"
STALE = 24 * 3600  # seconds after which a file in tmp/ is that of a process that was killed


def _framed(text):
    return f"{text}\n{digest(text)}\n"


def _parsed(content, path, unit):
    """The canonical text of a result file; InvalidError where it is none, or the result of another unit."""
    lines = content.split("\n")
    if len(lines) != 3 or lines[2]:
        raise InvalidError(f"{path}: has {len(content)} bytes and is no whole result; {REMOVE}")
    if digest(lines[0]) != lines[1]:
        raise InvalidError(f"{path}:1: the text has another digest than line 2 says; {REMOVE}")
    result = parse_canonical(lines[0], f"{path}:1")
    if not isinstance(result, dict) or result.get(RESULT) != FORMAT or result.get("unit") != unit:
        raise InvalidError(f"{path}:1: is no result of format {FORMAT} of the unit {unit}")
    return lines[0]


class Store:
    """A store at `path`; SweepError where there is something else."""

    def __init__(self, path, create=False):
        self.path = Path(path)
        mark = self.path / "store.json"
        try:
            if create:
                self._create(mark)
            found = mark.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SweepError(f"{path}: is no store: tilegrind sweep run makes one") from None
        except (OSError, UnicodeDecodeError) as problem:
            raise SweepError(f"{path}: {problem}") from None
        if found != MARK:
            raise InvalidError(f"{mark}: is no store of format 1: it says {found[:80]!r}")

    def _create(self, mark):
        self.path.mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            self._refuse_strangers(mark)
        for folder in FOLDERS:  # also of a store that is there: archives leave out folders that are empty
            (self.path / folder).mkdir(exist_ok=True)
        if not mark.exists():
            with self._written(MARK) as temporary, contextlib.suppress(FileExistsError):
                os.link(temporary, mark)

    def _refuse_strangers(self, mark):
        strangers = {entry.name for entry in os.scandir(self.path)} - {*FOLDERS, mark.name}
        if strangers and not mark.exists():  # another process may have made the store meanwhile, and begun to fill it
            raise SweepError(f"{self.path}: is no store, and not empty: it has {min(strangers)!r}")

    def place(self, unit):
        """The path of the result of a unit."""
        return self.path / unit[:2] / f"{unit}.json"

    @contextlib.contextmanager
    def _written(self, content):
        """A file in tmp/ with `content`, on the disk; it is removed at the end of the block."""
        descriptor, temporary = tempfile.mkstemp(dir=self.path / "tmp")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                os.fchmod(file.fileno(), 0o644)
            yield temporary
        finally:
            os.unlink(temporary)

    def has(self, unit):
        """Whether there is a result of a unit."""
        return self.place(unit).exists()

    def ids(self):
        """The ids of all units that have a result."""
        found = set()
        for folder in os.scandir(self.path):
            if len(folder.name) == 2 and folder.is_dir():
                found.update(name.removesuffix(".json") for name in os.listdir(folder) if name.endswith(".json"))
        return found

    def read(self, unit):
        """The canonical text of the result of a unit; InvalidError where the file is damaged or foreign."""
        path = self.place(unit)
        try:
            return _parsed(path.read_text(encoding="utf-8"), path, unit)
        except UnicodeDecodeError as problem:
            raise InvalidError(f"{path}: byte {problem.start}: is no UTF-8; {REMOVE}") from None

    def put(self, unit, text):
        """Keeps the canonical text of a result.  Returns NEW; EQUAL where the same is there, or UNEQUAL where another one
        is: then both are kept.  StoreError where it cannot be written; then the store is as before."""
        try:
            return self._put(unit, text)
        except OSError as problem:
            full = "; free some space: what is there is whole" if problem.errno in (errno.ENOSPC, errno.EDQUOT) else ""
            raise StoreError(
                f"{self.path}: the result of unit {unit[:16]} cannot be kept: {problem.strerror}{full}") from None

    def _put(self, unit, text):
        place = self.place(unit)
        place.parent.mkdir(exist_ok=True)
        with self._written(_framed(text)) as temporary:
            if _linked(temporary, place):
                return NEW
            if self.read(unit) == text:
                return EQUAL
            _linked(temporary, self.path / "unequal" / f"{unit}.{digest(text)[:16]}")
            return UNEQUAL

    def unequal(self):
        """{unit: paths of its other results}."""
        found = {}
        for path in sorted((self.path / "unequal").glob("*")):
            found.setdefault(path.name.partition(".")[0], []).append(path)
        return found

    def clean(self):
        """Removes what processes that were killed have left in tmp/ long ago."""
        for path in (self.path / "tmp").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > STALE:
                    path.unlink()


def _linked(temporary, place):
    """Whether the file at `place` is this one now: false where there is one already.  On NFS the answer to a link that has
    succeeded may be lost and its repetition fail; then both contents are equal, which is no harm."""
    try:
        os.link(temporary, place)
    except FileExistsError:
        return False
    descriptor = os.open(place.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True
