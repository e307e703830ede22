"""What a unit may do: one row for each kind.

A kind says how a table of a SPEC becomes units, how many runs a unit makes, and how to run it.  The result of a unit is a
function of the unit: no time, host, path or order of events is in it.  Those who add a kind write a module with a Kind and
name it in KINDS.
"""

import json

from ..digests import digest
from . import goldens, orders, random_kernels, warps
from .canonical import canonical
from .errors import InvalidError, UnitError

KINDS = {kind.name: kind for kind in (
    orders.ORDERS, orders.CHECK, warps.WARPS, random_kernels.RANDOM, goldens.GOLDEN, goldens.MUTANTS)}

RESULT, FORMAT = "tilegrind-sweep-result", 1
FAILURES = 10  # the first ones, which a result shows in full


def of(table):
    """The kind that a table of a SPEC names."""
    name = table.take("kind", str)
    return KINDS.get(name) or table.fail("kind", f"{name!r} is none of {', '.join(KINDS)}")


def verify(unit, where):
    """InvalidError unless `unit` is one of a known kind."""
    if not isinstance(unit, dict) or unit.get("kind") not in KINDS:
        raise InvalidError(f"{where}: is no unit of a known kind ({', '.join(KINDS)})")


def run(unit, root):
    """Runs a unit, and returns the canonical JSON of its result.

    root  the folder with the files of the plan
    UnitError where this machine lacks what the unit needs.
    """
    from ..runtime import Error, version

    if unit["tilegrind"] != version():
        raise UnitError(f"the plan is one of Tilegrind {unit['tilegrind']}, and this is {version()}: plan it anew")
    try:
        outcome = KINDS[unit["kind"]].run(unit, root)
    except Error as problem:
        raise UnitError(f"{label(unit)}: {problem}") from None
    outcome["failures"] = outcome["failures"][:FAILURES]
    return canonical({RESULT: FORMAT, "unit": digest(canonical(unit)), "kind": unit["kind"], **outcome})


def runs_of(line):
    """How many runs the unit of a line of a plan makes."""
    unit = json.loads(line)
    return KINDS[unit["kind"]].runs_of(unit)


def label(unit):
    """What a unit is about, for people."""
    about = next((unit[what]["name"] for what in ("case", "golden") if what in unit), unit.get("mode"))
    return f"{unit['kind']} {about} from seed {unit['first']}"
