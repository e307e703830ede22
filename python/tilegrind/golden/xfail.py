"""Known failures of runners, a file ``xfail.tsv`` in the golden, which cannot go stale.

    # comment
    RUNNER<tab>SET/OUTPUT<tab>VERDICT<tab># REASON

A listed output must fail, and with that verdict: one that passes, fails otherwise or does not exist fails the check.
Patterns do not exist: each output on each set has a line.  Needs the standard library alone, as `lint` reads these files.
"""

from dataclasses import dataclass
from pathlib import Path

from .bad_bundle import BadBundle

XFAIL = "xfail.tsv"
PASSES = frozenset(("equal", "within"))


@dataclass(frozen=True)
class Expected:
    """A line: the verdict that an output on an input set must get, why, and FILE:LINE."""

    kind: str
    reason: str
    place: str


def read(folder, runner=None):
    """{(set, output): Expected} of a runner in the golden of a folder; of every runner, by (runner, set, output), if it is
    None.  Raises BadBundle, or OSError."""
    path, found = Path(folder) / XFAIL, {}
    if not path.exists():
        return {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, expected = _parsed(line, f"{path}:{number}")
        if key in found:
            raise BadBundle(f"{expected.place}: {key[0]} {key[1]}/{key[2]} is at {found[key].place} already")
        found[key] = expected
    return found if runner is None else {key[1:]: expected for key, expected in found.items() if key[0] == runner}


def _parsed(line, place):
    """((runner, set, output), Expected) of a line.  Raises BadBundle."""
    fields = line.split("\t")
    if len(fields) != 4:
        raise BadBundle(f"{place}: a line is RUNNER, SET/OUTPUT, VERDICT and # REASON, separated by tabs; this has "
                        f"{len(fields)} parts")
    runner, where, kind, reason = map(str.strip, fields)
    chosen, slash, output = where.partition("/")
    if not (runner and chosen and slash and output):
        raise BadBundle(f"{place}: {where!r} is no SET/OUTPUT, or there is no runner before it")
    if not kind or kind in PASSES:
        raise BadBundle(f"{place}: {kind!r} is no verdict of a failure")
    if not reason.startswith("#") or not reason[1:].strip():
        raise BadBundle(f"{place}: the reason is missing: # and a text")
    return (runner, chosen, output), Expected(kind, reason[1:].strip(), place)
