"""Plans: a head and units, one line of canonical JSON each, units in the order of their ids.

Files that units read lie in the folder `PLAN.files`, each folder in it named by the digests of its files.
"""

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .. import whole_file
from ..digests import digest
from . import kinds, spec
from .canonical import canonical, parse_canonical
from .errors import InvalidError, SweepError
from .files import read_text
from .unit_files import UnitFiles

KEY, FORMAT = "tilegrind-sweep-plan", 1


@dataclass(frozen=True)
class Plan:
    """A plan that has been read and verified."""

    path: Path
    head: dict
    lines: dict  # id: canonical JSON of the unit, in the order of ids

    @property
    def files(self):
        """The folder with the files of the units."""
        return files_of(self.path)

    @property
    def digest(self):
        """The digest of all units."""
        return self.head["digest"]


def files_of(path):
    """The folder with the files of the plan at `path`."""
    return Path(f"{os.path.abspath(path)}.files")


def _head_of(lines):
    units = [parse_canonical(line, "unit") for line in lines]
    runs = Counter()
    for unit in units:
        runs[unit["kind"]] += kinds.KINDS[unit["kind"]].runs_of(unit)
    return {KEY: FORMAT, "digest": digest("".join(f"{line}\n" for line in lines)), "units": len(units),
            "kinds": dict(Counter(unit["kind"] for unit in units)), "runs": dict(runs)}


def make(spec_path, path):
    """Writes the plan of a SPEC to `path`, and the files of its units beside it; returns the Plan."""
    tag, tables = spec.read(spec_path)
    base, files = Path(spec_path).parent, UnitFiles(files_of(path))
    from ..runtime import version

    common = {"tilegrind": version(), "tag": tag} if tag else {"tilegrind": version()}
    lines = set()
    for table in tables:
        kind = kinds.of(table)
        for unit in kind.units_of(table, base, files):
            lines.add(canonical({"kind": kind.name, **common, **unit}))
    by_id = dict(sorted((digest(line), line) for line in lines))
    head = _head_of(list(by_id.values()))
    try:
        files.write()
        whole_file.write(path, "".join(f"{line}\n" for line in [canonical(head), *by_id.values()]))
    except OSError as problem:
        raise SweepError(f"{path}: cannot be written: {problem.strerror}") from None
    return Plan(Path(path), head, by_id)


def read(path):
    """Reads a plan and verifies its digest and every unit."""
    text = read_text(path)
    first, *lines = text.split("\n")
    head = parse_canonical(first, f"{path}:1")
    if not isinstance(head, dict) or head.get(KEY) != FORMAT:
        raise InvalidError(f"{path}:1: is no plan of format {FORMAT}; tilegrind sweep plan writes plans")
    if lines[-1:] != [""]:
        raise InvalidError(f"{path}:{len(lines) + 1}: ends within a line: the file is cut off")
    body = text[len(first) + 1:]
    if digest(body) != head["digest"]:
        raise InvalidError(f"{path}: the units are not those of the head: it says {head['units']} with digest "
                           f"{head['digest'][:16]}, and there are {len(lines) - 1} with {digest(body)[:16]}")
    for number, line in enumerate(lines[:-1], 2):
        kinds.verify(parse_canonical(line, f"{path}:{number}"), f"{path}:{number}")
    return Plan(Path(path), head, {digest(line): line for line in lines[:-1]})
