"""Kinds `orders` and `check`: a case in order sequential, reversed, and in many that seeds decide.

One call of the library runs all orders of a unit and compares the bits of their outputs with those of order sequential, so
that a run of a small kernel takes two microseconds.  An order with other outputs is a finding; hence the digests of a
unit's outputs are those of all its orders, unless it has findings.
"""

import ctypes
import functools
import shlex

from . import unit_files
from .case_files import cases_of
from .kind import Kind

SEEDED = ("shuffled", "interleaved")  # the others need no seed, or are not decided by it, as `parallel`
OPTIONS = ("profile", "target", "trap")


def options_of(table):
    """Options of the command that a table of a SPEC sets."""
    given = {name: table.take(name, str, "") for name in OPTIONS}
    return {name: value for name, value in given.items() if value}


def known_of(table, base, files):
    """{"suppressions": files} if the table names a file of suppressions."""
    name = table.take("suppressions", str, "")
    return {"suppressions": files.add(base, [name])} if name else {}


def _units_of(table, base, files, checks):
    orders = table.choices("orders", SEEDED, list(SEEDED))
    common = {"checks": checks, **options_of(table), **known_of(table, base, files)}
    cases, seeds = cases_of(table, base, files), table.seeds()
    table.end()
    for case in cases:
        for first, count in seeds:
            counts = {order: count if order in orders else 0 for order in SEEDED}
            yield {"case": case, "first": first, **counts, **common}


@functools.lru_cache(maxsize=8)
def _opened(folder):
    """A case, which stays open: units of one case follow each other."""
    from .cases import Case

    return Case(folder)


def case_of(unit, root):
    """The open case of a unit, its files verified."""
    return _opened(unit_files.verified(root, unit["case"]["files"]))


def suppressions_of(unit, root):
    """The Suppressions of a unit, or None."""
    if "suppressions" not in unit:
        return None
    from ..runtime import Suppressions

    folder = unit_files.verified(root, unit["suppressions"])
    return Suppressions(*(folder / name for name in unit["suppressions"]))


def given_options(unit):
    """The options of the library that a unit sets."""
    return {name: unit[name] for name in OPTIONS if name in unit}


def repeated(unit, finding):
    """The command that shows a finding of a unit again, from the folder of the SPEC."""
    words = ["tilegrind", "run", unit["case"]["name"], "--order", finding.order]
    words += [word for name, value in given_options(unit).items() for word in (f"--{name}", value)]
    is_replay = finding.order.startswith("replay:")
    words += [] if is_replay or unit["checks"] == "none" else ["--check", unit["checks"]]
    return shlex.join(words)


def failure_of(unit, finding):
    """A finding as a result shows it."""
    where = f"{finding.file}:{finding.line}" if finding.file else ""
    return {"kind": finding.kind, "level": finding.level, "kernel": finding.kernel, "at": where, "order": finding.order,
            "program": list(finding.program or ()), "message": finding.message, "repeat": repeated(unit, finding)}


def whole(unit):
    """The command that repeats a unit of these kinds."""
    words = ["tilegrind", "check", unit["case"]["name"], "--check", unit["checks"], "--seed", str(unit["first"]),
             "--shuffles", str(unit["shuffled"]), "--interleavings", str(unit["interleaved"])]
    return shlex.join(words + [word for name, value in given_options(unit).items() for word in (f"--{name}", value)])


def outputs_of(run, repeat):
    """(digests, worst figures, failures) of the outputs of a CaseRun."""
    digests, worst, failures = {}, {}, []
    for name, digest, comparison in run.outputs():
        digests[name] = digest
        if comparison is not None:
            worst[name] = {"ulps": comparison.worst_ulps, "differing": comparison.differing,
                           "failing": comparison.failing}
        if comparison is not None and not comparison.agree:
            failures.append({"kind": "unexpected-output", "level": "error", "repeat": repeat,
                             "message": f"{comparison.failing} of {comparison.count} elements of {name} are not as the "
                                        f"case expects, the first is {comparison.first_failing}"})
    return digests, worst, failures


def _run(unit, root):
    from .._native import CheckOptions

    orders = CheckOptions(ctypes.sizeof(CheckOptions), unit["shuffled"] or -1, unit["interleaved"] or -1, unit["first"])
    with case_of(unit, root).run({"checks": unit["checks"], **given_options(unit)}, orders) as run:
        findings, expected, covered = run.findings(suppressions_of(unit, root))
        digests, worst, failures = outputs_of(run, whole(unit))
        absent = run.absent
    failures = [failure_of(unit, finding) for finding in findings] + failures
    if absent:
        failures.append({"kind": "absent-finding", "level": "error", "repeat": whole(unit),
                         "message": f"{absent} of the findings that the case expects are absent"})
    counters = {"runs": _runs_of(unit), "findings": len(failures), "expected": expected, "suppressed": covered}
    return {"counters": counters, "digests": digests, "worst": worst, "failures": failures}


def _runs_of(unit):
    return 2 + sum(unit[order] for order in SEEDED)


ORDERS = Kind("orders", lambda table, base, files: _units_of(table, base, files, "none"), _runs_of, _run)
CHECK = Kind("check", lambda table, base, files: _units_of(table, base, files, ",".join(table.texts("checks", "all"))),
             _runs_of, _run)
