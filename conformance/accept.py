"""The acceptance table: ./bootstrap accept.

Every build runs real kernels, exported from JAX, on every instruction set, in every order and on
several threads.  All runs of a kernel must give the same bits, and the bits must be right.  There is one row
for each kernel; docs/acceptance.md says how rows are judged.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from conformance import acceptance_verdicts as verdicts  # noqa: E402
from conformance.acceptance_cases import Case, all_cases  # noqa: E402
from conformance.acceptance_kernels import KERNELS  # noqa: E402

ORDERS = ("sequential", "reversed", "shuffled:7", "parallel", "interleaved:7")
THREADS = ("parallel:1", "parallel:2", "parallel:4")
ISAS = ("baseline", "avx2", "avx512")

# Each build: the preset that it is based on, and its compiler.  The first one runs all orders.
BUILDS = {
    "gcc-release": ("release", "gcc"),
    "gcc-debug": ("debug", "gcc"),
    "clang-release": ("release", "clang"),
    "clang-debug": ("debug", "clang"),
}


class Failure(Exception):
    """The table cannot be produced."""


def fail_unless_done(command: Sequence[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def build(name: str, work: Path, jobs: int) -> Path:
    """The command of one build, which is built or updated."""
    preset, compiler = BUILDS[name]
    if shutil.which(compiler) is None:
        raise Failure(f"{compiler} is missing: install it (Debian, Ubuntu: apt install {compiler})")
    folder, start = work / name, time.monotonic()
    if not (folder / "build.ninja").exists():
        fail_unless_done(["cmake", "--preset", preset, "-B", str(folder),
                          f"-DCMAKE_C_COMPILER={compiler}", "-DTG_TESTS=OFF"])
    fail_unless_done(["cmake", "--build", str(folder), "--target", "tilegrind_cli",
                      "--parallel", str(jobs)])
    print(f"built {name} in {time.monotonic() - start:.0f} s", flush=True)
    return folder / "tilegrind"


def working_isas(command: Path) -> list[str]:
    """The instruction sets of a build that work on this machine."""
    try:
        done = subprocess.run([command, "doctor", "--json"], capture_output=True, text=True)
        states = json.loads(done.stdout)["isa"]
    except (OSError, ValueError) as error:
        raise Failure(f"{command} is not the command tilegrind: {error}") from error
    return [isa for isa in ISAS if states.get(isa) == "works"]


# -- runs --


@dataclass(frozen=True)
class Run:
    """One run of a case: the command's report, the outputs, and a digest of their bits."""

    report: Mapping[str, Any]
    outputs: Mapping[str, np.ndarray]
    digest: str


def run(command: Path, case: Case, order: str, isa: str | None = None) -> Run:
    """Raises Failure if the command refuses the case."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.npz"
        choice = ["--isa", isa] if isa else []
        done = subprocess.run([command, "run", case.folder, "--order", order, "--out", out,
                               "--json", *choice], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise Failure(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
        with np.load(out) as found:
            outputs = dict(found)
    digest = hashlib.sha256()
    for name, array in outputs.items():
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return Run(json.loads(done.stdout)["runs"][0], outputs, digest.hexdigest())


@dataclass
class Row:
    """Results of one case.  Counts are (runs with the bits of the first one, runs)."""

    case: Case
    programs: int
    orders: tuple[int, int]
    threads: tuple[int, int]
    builds: tuple[int, int]
    ulps: int
    verdict: verdicts.Verdict

    @property
    def passed(self) -> bool:
        return self.verdict.passed and all(
            same == count for same, count in (self.orders, self.threads, self.builds))


def examine(case: Case, commands: Mapping[str, Path], isas: Mapping[str, Sequence[str]]) -> Row:
    """All runs of a case."""
    main = next(iter(commands.values()))
    first = run(main, case, "sequential")

    def same(runs: Sequence[Run]) -> tuple[int, int]:
        return sum(r.digest == first.digest for r in runs), len(runs)

    orders = [first, *(run(main, case, order) for order in ORDERS[1:])]
    threads = [run(main, case, order) for order in THREADS]
    builds = [run(command, case, "sequential", isa)
              for name, command in commands.items() for isa in isas[name]]
    verdict = verdicts.judge(case, first.report, first.outputs)
    return Row(case, first.report["programs"], same(orders), same(threads), same(builds),
               verdicts.worst_ulps(first.report), verdict)


def refused(case: Case, reason: str) -> Row:
    """The row of a case that could not be run."""
    return Row(case, 0, (0, 1), (0, 1), (0, 1), 0, verdicts.Verdict(False, reason))


# -- the table --


def line(*cells: Any) -> str:
    name, programs, orders, threads, builds, ulps, verdict = cells
    return (f"{name:52} {programs:>8}  {orders:>6}  {threads:>7}  {builds:>6}  {ulps:>13}  "
            f"{verdict}").rstrip()


def show(row: Row) -> None:
    def counts(pair: tuple[int, int]) -> str:
        return "{}/{}".format(*pair)

    word = "passed" if row.passed else "FAILED"
    print(line(row.case.label, row.programs, counts(row.orders), counts(row.threads),
               counts(row.builds), f"{row.ulps:,}", f"{word}: {row.verdict.reason}"), flush=True)


def show_all(cases: Sequence[Case], commands: Mapping[str, Path],
             isas: Mapping[str, Sequence[str]], jobs: int) -> bool:
    """Prints the rows of the table as they are ready; returns whether all passed."""
    start = time.monotonic()
    print(f"\norders: {', '.join(ORDERS)}\nthreads: {', '.join(THREADS)}\nbuilds: "
          + ", ".join(f"{name} ({' '.join(found)})" for name, found in isas.items()))
    for isa in ISAS:
        if not all(isa in found for found in isas.values()):
            print(f"note: this machine does not run {isa}")
    print("orders, threads, builds: how many gave the bits of the first run; ULP: the largest "
          "distance to JAX\n")
    print(line("kernel", "programs", "orders", "threads", "builds", "ULP", "verdict"))

    def attempt(case: Case) -> Row:
        try:
            return examine(case, commands, isas)
        except Failure as failure:
            return refused(case, str(failure))

    passed, source = 0, None
    with ThreadPoolExecutor(jobs) as pool:
        for row in pool.map(attempt, cases):
            if row.case.kernel.source != source:
                source = row.case.kernel.source
                print(f"\n{source}")
            show(row)
            passed += row.passed
    print(f"\nall runs took {time.monotonic() - start:.0f} s\n{len(cases)} rows, {passed} passed")
    return passed == len(cases)


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", nargs="*", help="the kernels to examine; all if none is given")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "accept",
                        help="folder for builds and cases")
    parser.add_argument("--cli", action="append", default=[], metavar="NAME=FILE",
                        help="a command to use instead of building; repeatable")
    parser.add_argument("--jobs", type=int, help="how many processes run at once",
                        default=int(os.environ.get("TG_JOBS", 0)) or os.cpu_count())
    options = parser.parse_args(argv)
    unknown = [name for name in options.kernel if name not in KERNELS]
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    return options


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    try:
        commands = {name: Path(file).resolve() for name, _, file in
                    (given.partition("=") for given in options.cli)}
        commands = commands or {name: build(name, options.work, options.jobs) for name in BUILDS}
        isas = {name: working_isas(command) for name, command in commands.items()}
        cases = all_cases(options.work, options.kernel or list(KERNELS))
    except Failure as failure:
        print(f"accept: {failure}", file=sys.stderr)
        return 2
    passed = show_all(cases, commands, isas, options.jobs)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
