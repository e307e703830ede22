"""Kind `warps`: a case as PTX on the emulator, with its warps in the order of each seed, against the interpreter.

The outputs of every seed must have the bits of the interpreter's.
"""

import shlex

from .case_files import cases_of
from .kind import Kind
from .orders import case_of, failure_of, given_options, options_of, outputs_of

UNSUPPORTED = "ERR_UNSUPPORTED"


def _units_of(table, base, files):
    cases, seeds, options = cases_of(table, base, files), table.seeds(), options_of(table)
    for name in options.keys() - {"profile"}:
        table.fail(name, "the emulator has no such option")
    table.end()
    for case in cases:
        for first, count in seeds:
            yield {"case": case, "first": first, "count": count, **options}


def _repeat(unit, seed):
    words = ["tilegrind", "crosscheck", unit["case"]["name"], "--backends", f"cpu,emulator:{seed}"]
    return shlex.join(words)


def _differing(unit, seed, name):
    return {"kind": "output-differs", "level": "error", "repeat": _repeat(unit, seed),
            "message": f"{name} on emulator:{seed} has other bits than on cpu"}


def _failures_of(unit, case, seed, want):
    with case.run({"backend": f"emulator:{seed}", **given_options(unit)}) as run:
        findings, _, _ = run.findings(None)
        differing = [name for name, digest, _ in run.outputs() if digest != want[name]]
    failures = [{**failure_of({"checks": "none", **unit}, f), "repeat": _repeat(unit, seed)} for f in findings]
    return failures + [_differing(unit, seed, name) for name in differing]


def _run(unit, root):
    from ..runtime import Error

    case, failures, refused = case_of(unit, root), [], 0
    with case.run(given_options(unit)) as run:
        digests, worst, failures = outputs_of(run, shlex.join(["tilegrind", "run", unit["case"]["name"]]))
    for seed in range(unit["first"], unit["first"] + unit["count"]):
        try:
            failures += _failures_of(unit, case, seed, digests)
        except Error as problem:
            if problem.status != UNSUPPORTED:
                raise
            refused = 1  # for every seed alike: the kernel has no PTX
            break
    counters = {"runs": 1 if refused else 1 + unit["count"], "findings": len(failures), "refused": refused}
    return {"counters": counters, "digests": digests, "worst": worst, "failures": failures}


WARPS = Kind("warps", _units_of, lambda unit: 1 + unit["count"], _run)
