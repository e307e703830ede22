"""The kill matrix of a golden, for the page."""

from ...mutants import KINDS
from ..bad_bundle import BadBundle
from ..folder import SENSITIVITY


def matrix_of(bundle):
    """JSON data: the names of the sets, and [kind, site, outcome, margins, reason] of each mutant."""
    head, *lines = bundle.sensitivity.removesuffix("\n").split("\n")
    sets, reasons = head.split("\t")[3:], {(kind, site): why for kind, site, why in bundle.alive}
    rows = [_row(bundle.name, number, line, len(sets), reasons) for number, line in enumerate(lines, 2)]
    there = {row[0] for row in rows}
    return {"sets": sets, "rows": rows, "about": {kind.name: kind.about for kind in KINDS if kind.name in there}}


def _row(name, number, line, sets, reasons):
    fields = line.split("\t")
    if len(fields) != 3 + sets:
        raise BadBundle(f"{name}/{SENSITIVITY}:{number}: {len(fields)} fields, not {3 + sets}")
    kind, site, outcome, *margins = fields
    why = reasons.get((kind, site), "")
    return [kind, site, "allowed" if outcome == "alive" and why else outcome, margins, why]
