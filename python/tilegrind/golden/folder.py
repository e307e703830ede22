"""The folder of goldens as it lies on the disk: accepted ones, their manifest, and pending ones, which nobody has reviewed.

    goldens/manifest.tsv        name, SHA-256 and size of golden.json of every accepted golden, sorted
    goldens/NAME/               an accepted golden: golden.json, kernel.json, sensitivity.tsv; contract.json if it has its own;
                                xfail.tsv, which people write
    goldens/pending/NAME/       one that `record` made

Needs the standard library alone, so that `lint` starts fast.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from ..digests import digest
from . import xfail
from .bad_bundle import BadBundle

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.=-]*")
PENDING = "pending"
MANIFEST = "manifest.tsv"
GOLDEN, KERNEL, SENSITIVITY, KEPT, CONTRACT = "golden.json", "kernel.json", "sensitivity.tsv", "kept.npz", "contract.json"


class Refused(ValueError):
    """What must not be done to goldens, with the reason."""


class Busy(Refused):
    """Another process changes the goldens just now."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a folder of goldens; kind is "pending", "orphan", "missing", "edited", "bad" or "vacuous"."""

    kind: str
    name: str
    text: str

    def __str__(self):
        return f"{self.name}: {self.kind}: {self.text}"


class Folder:
    """The goldens in a folder, which need not exist yet."""

    def __init__(self, path):
        self.root = Path(path)

    def path(self, name, pending=False):
        """The folder of a golden.  Raises Refused for what is no name."""
        if not NAME.fullmatch(name) or name == PENDING:
            raise Refused(f"{name!r} is no name of a golden: letters, digits and, after the first, _.=-")
        return self.root / PENDING / name if pending else self.root / name

    def names(self, pending=False):
        parent = self.root / PENDING if pending else self.root
        if not parent.is_dir():
            return []
        return sorted(path.name for path in parent.iterdir()
                      if path.is_dir() and NAME.fullmatch(path.name) and (pending or path.name != PENDING))

    def manifest(self):
        """(SHA-256, bytes) by name.  Raises BadBundle."""
        path, found, before = self.root / MANIFEST, {}, ""
        if not path.exists():
            return {}
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            fields = line.split("\t")
            if len(fields) != 3 or not NAME.fullmatch(fields[0]) or not fields[2].isdecimal():
                raise BadBundle(f"{path}:{number}: no line of a manifest: name, SHA-256 and bytes, separated by tabs")
            if fields[0] <= before:
                raise BadBundle(f"{path}:{number}: {fields[0]} is not after {before}: names are sorted, and each occurs once")
            before = fields[0]
            found[before] = fields[1], int(fields[2])
        return found

    def problems(self):
        """Every Problem; runs no kernel."""
        try:
            manifest = self.manifest()
        except BadBundle as problem:
            return [Problem("bad", MANIFEST, str(problem))]
        names = set(self.names())
        found = [Problem("pending", name, "nobody has accepted it; `tilegrind golden review` shows it")
                 for name in self.names(pending=True)]
        found += [Problem("missing", name, "the manifest names it, but there is no such folder")
                  for name in sorted(manifest.keys() - names)]
        found += [Problem("orphan", name, "the manifest does not name it: it was not accepted")
                  for name in sorted(names - manifest.keys())]
        for name in sorted(names & manifest.keys()):
            found += _problems_of(self.root / name, manifest[name])
        return found


def _problems_of(path, accepted):
    data = _bytes(path / GOLDEN)
    if (digest(data), len(data)) != accepted:
        return [Problem("edited", path.name, f"{GOLDEN} is not the one that was accepted: the manifest has another SHA-256")]
    try:
        members = json.loads(data)
        files = [(KERNEL, members["kernel"]["sha256"]), (SENSITIVITY, members["mutants"]["sha256"])]
        if isinstance(members["contract"], dict):
            files.append((CONTRACT, members["contract"]["sha256"]))
        alive, kept = [row for row in members["mutants"]["alive"] if not row[2]], members["kept"]
    except (ValueError, LookupError, TypeError) as problem:
        return [Problem("bad", path.name, f"{GOLDEN} is not the JSON of a golden: {problem!r}")]
    found = [Problem("edited", path.name, f"{name} is not the one that {GOLDEN} names: it has another SHA-256")
             for name, sha256 in files if digest(_bytes(path / name)) != sha256]
    found += _problems_of_list(path)
    if kept and not (path / KEPT).is_file():
        found.append(Problem("missing", path.name, f"there is no {KEPT}, with inputs {', '.join(kept)}"))
    if alive:
        found.append(Problem("vacuous", path.name, f"{len(alive)} of its mutants {'pass' if len(alive) > 1 else 'passes'}, as {' '.join(alive[0][:2])}"))
    return found


def _problems_of_list(path):
    """What is wrong with the list of known failures."""
    try:
        xfail.read(path)
    except (BadBundle, OSError) as problem:
        return [Problem("bad", path.name, str(problem))]
    return []


def _bytes(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""
