"""Files that appear whole or not at all.  Needs the standard library alone."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write(path: str | Path, content: str | bytes) -> None:
    """Writes text, as UTF-8, or bytes to a temporary file beside `path`, forces it to the disk, and renames it to `path`.

    A link stays a link: the file that it names is replaced.  A pipe or a device cannot be replaced and is written itself.
    Raises OSError with `path` as its file; then what was there is as before, and no temporary file is left.
    """
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def _replace(target: Path, data: bytes) -> None:
    scratch = target.with_name(f".new-{secrets.token_hex(8)}")  # short, as the longest name that may be is that of `target`
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask takes
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(scratch, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
