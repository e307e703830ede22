"""The newest JAX's tests of races in Mosaic GPU kernels, with Tilegrind in the place of JAX's GPU interpreter.

    gpu_races.py --jax DIR                   from a checkout of JAX at COMMIT, with the JAX of VERSION in this Python
    gpu_races.py --jax DIR --order reversed  in another order: the verdicts must be the same

Prints a table for each file, and each test that fails; which of them are known, and why, is in KNOWN.
Exit status: 0 all as expected, 1 an unexpected difference, 2 the tests could not be run.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.metadata
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.jax.session import Outcome, Settings, run_file  # noqa: E402
from conformance.jax.suites import Checkout, SuiteError  # noqa: E402

VERSION = "0.12.0.1"
FILES = ("gpu_pallas_interpret_race_detection_test", "gpu_pallas_interpret_cluster_barrier_test",
         "gpu_pallas_interpret_tcgen05_race_detection_test")


@dataclass(frozen=True)
class Known:
    """Tests with another verdict than JAX's.

    tests   a pattern of names of tests
    count   how many of them fail
    why     who is right, and by which rule
    """

    tests: str
    count: int
    why: str


KNOWN: tuple[Known, ...] = ()


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="JAX's newest tests of races in Mosaic GPU kernels, run by Tilegrind.")
    parser.add_argument("--jax", required=True, metavar="DIR", help="a checkout of the newest JAX")
    parser.add_argument("--order", default="sequential", help="that of programs and threads")
    parser.add_argument("--files", nargs="+", choices=FILES, default=FILES, metavar="FILE", help="some of the files only")
    parser.add_argument("--tests", default="*", metavar="PATTERN", help="run only tests whose ids are of this pattern")
    return parser.parse_args(arguments)


def check(checkout: Checkout, files: Sequence[str]) -> None:
    """Checks that this Python has the right JAX, and the checkout the files."""
    try:
        found = importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found != VERSION:
        raise SuiteError(f"these tests need jax=={VERSION} in {sys.executable}; found: {found}")
    for file in files:
        if not checkout.path_of(file).is_file():
            raise SuiteError(f"{checkout.path_of(file)} is missing")


def name_of(outcome: Outcome) -> str:
    return outcome.test.rsplit("::", 1)[-1]


def problems_of(outcomes: Sequence[Outcome], known: Sequence[Known] = KNOWN) -> list[str]:
    """Tests that fail and should not, and those that should and do not."""
    failing = [outcome for outcome in outcomes if outcome.result not in ("passed", "skipped")]
    problems = [f"{name_of(outcome)}: {outcome.result}: {outcome.refusal or outcome.message}" for outcome in failing
                if not any(fnmatch.fnmatchcase(name_of(outcome), one.tests) for one in known)]
    for one in known:
        covered = [outcome for outcome in outcomes if fnmatch.fnmatchcase(name_of(outcome), one.tests)]
        fail = sum(outcome in failing for outcome in covered)
        if covered and fail != one.count:
            problems.append(f"{one.tests}: {fail} fail, but {one.count} are known to: {one.why}")
    return problems


def table(outcomes: Sequence[Outcome]) -> str:
    """One row for each test function."""
    rows = Counter((name_of(outcome).rstrip("0123456789"), outcome.result) for outcome in outcomes)
    lines = [f"{'':64} passed skipped failed refused"]
    for name in dict.fromkeys(name for name, _ in rows):
        counts = [rows[name, result] for result in ("passed", "skipped", "failed", "refused")]
        lines.append(f"{name:64} {counts[0]:6} {counts[1]:7} {counts[2]:6} {counts[3]:7}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    checkout = Checkout(Path(options.jax).resolve())
    settings = Settings(order=options.order, tests=options.tests, gpu_races=True)
    outcomes: list[Outcome] = []
    try:
        check(checkout, options.files)
        with tempfile.TemporaryDirectory(prefix="tilegrind-jax-") as scratch:
            for file in options.files:
                ran = list(run_file(checkout, file, settings, Path(scratch) / file).outcomes.values())
                print(f"{file}: {len(ran)} tests\n{table(ran)}\n", flush=True)
                outcomes += ran
    except SuiteError as error:
        print(f"gpu_races.py: {error}", file=sys.stderr)
        return 2
    problems = problems_of(outcomes)
    print("\n".join(problems) if problems else "No unexpected difference.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
