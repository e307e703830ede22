"""Files that units read: copied when the plan is made, and verified by whoever reads them."""

from pathlib import Path

from .. import whole_file
from ..digests import digest
from .canonical import canonical
from .errors import InvalidError, SweepError, UnitError


def folder_name(files):
    """The name of the folder for files {name: digest}."""
    return digest(canonical(files))


class UnitFiles:
    """The files of a plan that is being made."""

    def __init__(self, folder):
        self._folder, self._contents = Path(folder), {}

    def add(self, folder, names):
        """{name: digest} of files below `folder`, which are copied by `write`."""
        contents = {}
        for name in sorted(set(names)):
            if name.startswith("/") or ".." in Path(name).parts:
                raise InvalidError(f"{folder}: names the file {name!r}, which is outside the folder")
            try:
                contents[name] = (Path(folder) / name).read_bytes()
            except OSError as problem:
                raise SweepError(f"{Path(folder) / name}: {problem.strerror}") from None
        files = {name: digest(data) for name, data in contents.items()}
        self._contents[folder_name(files)] = contents
        return files

    def write(self):
        """Writes all files."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for folder, contents in self._contents.items():
            for name, data in contents.items():
                path = self._folder / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists() or path.read_bytes() != data:
                    whole_file.write(path, data)


def verified(root, files):
    """The folder below `root` that holds `files`, {name: digest}; UnitError unless each file has its digest."""
    folder = Path(root) / folder_name(files)
    for name, wanted in files.items():
        try:
            got = digest((folder / name).read_bytes())
        except OSError as problem:
            raise UnitError(f"{folder / name}: {problem.strerror}; the folder belongs beside its plan") from None
        if got != wanted:
            raise UnitError(f"{folder / name}: has changed: its digest is {got[:16]}, the unit wants {wanted[:16]}")
    return folder
