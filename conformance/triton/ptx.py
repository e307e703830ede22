"""Prints how the kernels of this folder run as Triton's own PTX in the emulator, beside the reference.

    ptx.py [--target 80] [--seed N] [-k PART]   a table; exit 1 if a kernel traps, or differs by more than its row says
    ptx.py --explain                            with the first operation of each that differs
    ptx.py --markdown                           the same for docs/triton-ptx.md

It needs Triton, and no GPU.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from conformance.triton.kernels import atomics, elementwise, products, reductions  # noqa: E402
from conformance.triton.kernels.case import Case  # noqa: E402
from tilegrind.triton.crosschecking import Crosscheck, crosscheck  # noqa: E402

CASES = [*elementwise.CASES, *reductions.CASES, *atomics.CASES, *products.CASES]
TARGETS = (80, 90)
LIMIT = 50_000_000  # warp instructions


def run(case: Case, target: int, seed: int = 0, explain: bool = False) -> Crosscheck:
    """One launch of the case, with every detector on.  Raises what `crosscheck` raises."""
    arguments = case.arguments(np.random.default_rng(0))
    return crosscheck(case.kernel, *arguments, grid=case.grid, target=target, seed=seed, instruction_limit=LIMIT, explain=explain,
                      **case.constants)


def verdict(case: Case, done: Crosscheck) -> tuple[bool, str]:
    """Whether the outcome is as the case says, and what it is."""
    if done.trap:
        return False, f"{done.trap.kind} at {done.trap.at.source}:{done.trap.at.source_line}: {done.trap.message}"
    if done.findings:
        return False, str(done.findings[0])
    largest = max((one.largest for one in done.differences), default=0.0)
    if not any(one.differing for one in done.differences):
        return True, "equal"
    text = f"{largest:.1e} at most" + (f": {case.why}" if largest <= case.within else "")
    return largest <= case.within, text + (f"; {done.first}" if done.first else "")


def rows(targets: list[int], seed: int, part: str, explain: bool = False) -> list[tuple[str, int, bool, str]]:
    """Name, target, whether it is as expected, and what came of it."""
    found = []
    for case in CASES:
        for target in targets:
            if target < case.least or part not in case.name:
                continue
            try:
                found.append((case.name, target, *verdict(case, run(case, target, seed, explain))))
            except Exception as error:  # a row of the table, which fails it
                found.append((case.name, target, False, f"{type(error).__name__}: {str(error)[:300]}"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", type=int, choices=TARGETS, action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-k", default="", metavar="PART", help="only kernels with this in their names")
    parser.add_argument("--explain", action="store_true", help="tell the first operation that differs")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    table = rows(given.target or list(TARGETS), given.seed, given.k, given.explain)
    if given.markdown:
        print("| kernel | target | outcome |\n|---|---|---|")
    for name, target, is_fine, text in table:
        if given.markdown:
            print(f"| {name} | sm_{target} | {text} |")
        else:
            print(f"{'ok  ' if is_fine else 'FAIL'} {name:28} sm_{target}  {text}")
    failed = sum(not is_fine for _, _, is_fine, _ in table)
    if not given.markdown:
        print(f"{len(table) - failed} of {len(table)} launches of {len({name for name, *_ in table})} kernels as expected")
    return 1 if failed or not table else 0


if __name__ == "__main__":
    sys.exit(main())
