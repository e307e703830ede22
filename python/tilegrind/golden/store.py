"""Changes to a folder of goldens.  A writer holds a lock of the folder, and a golden appears whole or not at all."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from .. import whole_file
from ..digests import digest
from . import bundle
from .contracts import is_text
from .bad_bundle import BadBundle
from .folder import CONTRACT, GOLDEN, KEPT, KERNEL, MANIFEST, PENDING, SENSITIVITY, Busy, Folder, Refused
from .xfail import XFAIL

_LEAST_DIGITS = 12  # of a digest that stands for what was reviewed


class Store(Folder):
    """A folder of goldens that are read and changed."""

    def read(self, name, pending=False):
        """The Bundle of that name.  Raises BadBundle, also where there is none."""
        path = self.path(name, pending)
        if not path.is_dir():
            is_pending = not pending and self.path(name, pending=True).is_dir()
            raise BadBundle(f"{self.root}: there is no {'pending ' * pending}golden {name}; there are: "
                            f"{', '.join(self.names(pending)) or 'none'}"
                            + f"; one of that name is pending: `tilegrind golden review {name}` shows it" * is_pending)
        return bundle.read(path)

    def put_pending(self, made):
        """Makes a Bundle pending; one of that name that was pending before is replaced.  Returns its folder."""
        with self._locked():
            return self._put(made, self.path(made.name, pending=True))

    def accept(self, name, why, reviewed, equivalents=None):
        """Moves a pending golden to the accepted ones.  Returns its folder.

        why          the reason, which is kept in the golden
        reviewed     digest of the pending golden, or its first 12 digits at least: what was reviewed is what is accepted
        equivalents  as for Bundle.accepted
        Raises Refused and BadBundle; then nothing has changed.
        """
        if not why.strip():
            raise Refused("a golden is accepted for a reason, which is kept in it")
        with self._locked():
            pending = self.read(name, pending=True)
            if len(reviewed) < _LEAST_DIGITS or not pending.digest.startswith(reviewed):
                raise Refused(f"{name}: the pending golden has digest {pending.digest[:16]}, not {reviewed}: review it first")
            old = self.manifest().get(name, ("", 0))[0]
            path = self._put(pending.accepted(why.strip(), old, equivalents or {}), self.path(name))
            data = (path / GOLDEN).read_bytes()
            self._write_manifest({**self.manifest(), name: (digest(data), len(data))})
            self._remove(self.path(name, pending=True))
        return path

    def reject(self, name):
        """Removes a pending golden."""
        with self._locked():
            if name not in self.names(pending=True):
                raise Refused(f"{self.root}: no golden {name} is pending")
            self._remove(self.path(name, pending=True))

    def remove(self, name):
        """Removes an accepted golden, or what is left of one."""
        with self._locked():
            if name not in self.names() and name not in self.manifest():
                raise Refused(f"{self.root}: there is no golden {name}")
            self._remove(self.path(name))
            self._write_manifest({other: row for other, row in self.manifest().items() if other != name})

    @contextlib.contextmanager
    def _locked(self):
        """Keeps other writers out.  Raises Busy where another process writes."""
        self.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise Busy(f"{self.root}: another process changes these goldens; nothing was changed") from None
        try:
            yield
        finally:
            os.close(handle)

    def _put(self, made, path):
        from ..runtime import write_arrays

        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=path.parent))
        try:
            for name, text in ((GOLDEN, made.text()), (KERNEL, made.module), (SENSITIVITY, made.sensitivity)):
                (scratch / name).write_bytes(text.encode())
            if is_text(made.contract):
                (scratch / CONTRACT).write_bytes(made.contract.encode())
            if made.kept:
                write_arrays(scratch / KEPT, dict(sorted(made.kept.items())))
            if (path / XFAIL).exists():  # what is known of runners stays, until a check says otherwise
                shutil.copy(path / XFAIL, scratch)
            scratch.chmod(0o755)
            _replace(scratch, path)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return path

    def _remove(self, path):
        shutil.rmtree(path, ignore_errors=True)
        with contextlib.suppress(OSError):
            (self.root / PENDING).rmdir()

    def _write_manifest(self, rows):
        lines = [f"{name}\t{sha256}\t{size}\n" for name, (sha256, size) in sorted(rows.items())]
        whole_file.write(self.root / MANIFEST, "".join(lines))


def _replace(new, path):
    """Puts a folder in the place of another, which stays if that fails."""
    old = path.with_name(f".old-{path.name}")
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        os.rename(path, old)
    try:
        os.rename(new, path)
    except OSError:
        if old.exists():
            os.rename(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)
