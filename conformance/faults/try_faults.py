"""Seeded faults: ./bootstrap faults.

It puts one fault of faults.toml at a time into a copy of the tree, builds and tests the copy, the cheapest test
first, until a test fails.  A fault that no test finds shows a gap in the tests.  Before all faults the tree
without a fault must pass every test.

    try_faults.py                    all faults
    try_faults.py NAME...            those faults; patterns like 'emulator-*' are allowed
    try_faults.py --check            only whether each fault can still be put into the tree
    try_faults.py --document         only writes docs/seeded-faults.md anew
    try_faults.py --expected NAME... first the check that the list expects to find the fault, then the others

The result of each fault is stored in found.tsv and shown in docs/seeded-faults.md.

Exit code 0 if all faults are found, 1 if one is not, 2 if the list is wrong or the tree without a fault fails.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import time
from pathlib import Path
from typing import Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from conformance.faults import checks, faults, record  # noqa: E402
from conformance.faults.checks import Check, Outcome  # noqa: E402
from conformance.faults.faults import Fault  # noqa: E402
from conformance.faults.record import Found  # noqa: E402
from conformance.faults.scratch import BuildFailed, Scratch, processors  # noqa: E402

NICE = 15


def first_failure(usable: Sequence[Check], scratch: Scratch) -> tuple[Check | None, Outcome | None]:
    for check in usable:
        outcome = checks.run(check, scratch)
        if outcome.failed:
            return check, outcome
    return None, None


def in_order(fault: Fault, usable: Sequence[Check], expected: bool) -> list[Check]:
    """The checks from the cheapest on; if asked for, the one that the list expects before all others."""
    return sorted(usable, key=lambda check: check.name != fault.expect) if expected else list(usable)


def examine(fault: Fault, usable: Sequence[Check], scratch: Scratch) -> Found:
    """Tries a fault and prints its row of the table.  Raises BuildFailed."""
    start = time.monotonic()
    with scratch.with_fault(fault):
        check, outcome = first_failure(usable, scratch)
    found = Found(check.name, outcome.says) if check and outcome else Found("", "")
    print(f"{fault.name:31} {fault.file:30} {time.monotonic() - start:6.1f} s  "
          + (f"{found.check}: {found.says}" if check else "NOT FOUND")
          + ("" if found.check == fault.expect else f" (expected: {fault.expect})"), flush=True)
    return found


def passes(usable: Sequence[Check], scratch: Scratch) -> bool:
    """Whether the tree without a fault passes all checks; prints how long each check takes."""
    for check in usable:
        outcome = checks.run(check, scratch)
        print(f"no fault: {check.name}: " + (f"FAILED: {outcome.says}" if outcome.failed else
                                              f"passed, {outcome.seconds:.1f} s"), flush=True)
        if outcome.failed:
            return False
    return True


# -- the command --


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to try (default: all)")
    parser.add_argument("--check", action="store_true", help="build nothing")
    parser.add_argument("--document", action="store_true", help="try nothing")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "faults", help="folder of the copy and its build")
    parser.add_argument("--jobs", type=int, default=processors(), help="how many processes build at once")
    parser.add_argument("--last", default=checks.CHECKS[-1].name, choices=[check.name for check in checks.CHECKS],
                        metavar="CHECK", help="leave out the dearer ones: %(choices)s")
    parser.add_argument("--expected", action="store_true", help="begin with the check that the list expects to find the fault")
    parser.add_argument("--no-control", action="store_true", help="skip the tests without a fault")
    return parser.parse_args(argv)


def chosen(found: Sequence[Fault], names: Sequence[str]) -> list[Fault]:
    """The faults with these names.  Raises Malformed for a name that matches none."""
    for name in names:
        if not fnmatch.filter([fault.name for fault in found], name):
            raise faults.Malformed(f"there is no fault {name}")
    return [fault for fault in found if not names or any(fnmatch.fnmatch(fault.name, name) for name in names)]


def examine_all(wanted: Sequence[Fault], listed: Sequence[Fault], usable: Sequence[Check], scratch: Scratch,
                expected: bool) -> int:
    """Tries the faults and returns the exit code.  Stores each result at once, so that an interrupted run is not lost."""
    found, missed, broken = record.read(), [], 0
    for fault in wanted:
        try:
            found[fault.name] = examine(fault, in_order(fault, usable, expected), scratch)
        except BuildFailed as error:
            print(f"{fault.name:31} does not compile, which is no fault: {error}", flush=True)
            broken += 1
            continue
        record.write(found, listed)
        missed += [] if found[fault.name].check else [fault.name]
    print(f"{len(wanted)} faults, {len(wanted) - len(missed) - broken} found, {len(missed)} not"
          + (f": {', '.join(missed)}" if missed else ""))
    return 2 if broken else 1 if missed else 0


def write_document(listed: Sequence[Fault]) -> None:
    record.DOCUMENT.write_text(record.document(listed, record.read(), checks.CHECKS), encoding="utf-8")


def try_all(options: argparse.Namespace, listed: Sequence[Fault], wanted: Sequence[Fault]) -> int:
    """Returns the exit code."""
    usable = checks.available(options.last)
    left_out = [check.name for check in checks.CHECKS if check not in usable]
    if left_out:
        print(f"left out: {', '.join(left_out)}")
    scratch = Scratch(ROOT, options.work, options.jobs)
    checks.write_cases(scratch)
    if not options.no_control:
        if not passes(usable, scratch):
            print("the tree fails without a fault, so that nothing can be shown")
            return 2
        passed = Found("passes", ", ".join(check.name for check in usable))
        record.write(record.read() | {record.NO_FAULT: passed}, listed)
    code = examine_all(wanted, listed, usable, scratch, options.expected)
    write_document(listed)
    return code


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    try:
        listed = faults.read()
        wanted = chosen(listed, options.names)
    except faults.Malformed as problem:
        print(problem)
        return 2
    wrong = faults.problems(listed, ROOT)
    for problem in wrong:
        print(problem)
    if wrong or options.check:
        return 2 if wrong else 0
    if options.document:
        write_document(listed)
        return 0
    os.nice(NICE)
    return try_all(options, listed, wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
