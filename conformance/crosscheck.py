"""The cross-check: ./bootstrap crosscheck.

Every conformance case, every kernel of the acceptance table and every repaired kernel of Mosaic GPU runs on the interpreter and, compiled
to PTX, on the emulator, with its warps in several orders: bits and findings must be the same (docs/gpu.md).  The kernels of the table also run in profile
fast, where each element must be within its bound (fast_check.py).  If ptxas is found, it assembles every
text for each target.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from conformance.case_folders import acceptance_cases, semantics_cases, thread_cases  # noqa: E402

KINDS = ("semantics", "acceptance", "threads")
TARGETS = ("sm_80", "sm_90", "sm_90a", "sm_100", "sm_100a")
ASSEMBLY_LIMIT = 60  # seconds per text


# -- runs --


def compare(cli: Path, seeds: int, core: str, folder: Path) -> list[dict[str, Any]]:
    """The report of `tilegrind crosscheck` on the cases in a folder."""
    done = subprocess.run([cli, "crosscheck", "--json", "--seeds", str(seeds), "--tensor-core", core, folder],
                          capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        message = f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return [{"case": str(folder), "backend": "", "verdict": "failed", "message": message}]


def compare_all(cli: Path, seeds: int, folders: Sequence[Path], jobs: int, core: str = "exact") -> Counter[str]:
    """Prints the cases that are not equal; returns how many runs ended in which way."""
    verdicts: Counter[str] = Counter()
    with ThreadPoolExecutor(jobs) as pool:
        for results in pool.map(lambda folder: compare(cli, seeds, core, folder), folders):
            for result in results:
                verdicts[result["verdict"]] += 1
                if result["verdict"] != "equal":
                    print(f"{result['verdict']} {result['case']}, {result['backend']}\n"
                          f"    {result['message']}", flush=True)
    return verdicts


# -- ptxas --


@dataclass(frozen=True)
class Assembly:
    """One text for one target."""

    case: Path
    target: str
    lines: int
    seconds: float
    registers: int
    spilled: int  # bytes of spill stores
    problem: str


def find_ptxas() -> str | None:
    asked = os.environ.get("TILEGRIND_PTXAS")
    return asked or shutil.which("ptxas") or next(
        (path for path in ("/usr/local/cuda/bin/ptxas",) if os.access(path, os.X_OK)), None)


def assemble(ptxas: str, case: Path, text: str, target: str) -> Assembly:
    with tempfile.TemporaryDirectory() as scratch:
        file, start = Path(scratch) / "kernel.ptx", time.monotonic()
        file.write_text(text)
        command = [ptxas, "-v", "-arch", target, file, "-o", Path(scratch) / "kernel.cubin"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=ASSEMBLY_LIMIT)
            said = done.stdout + done.stderr
            problem = said.strip().splitlines()[0] if done.returncode else ""
        except subprocess.TimeoutExpired:
            said, problem = "", f"more than {ASSEMBLY_LIMIT} s"
    seconds = time.monotonic() - start

    def number(pattern: str) -> int:
        return max(map(int, re.findall(pattern, said)), default=0)

    return Assembly(case, target, text.count("\n"), seconds, number(r"Used (\d+) registers"),
                    number(r"(\d+) bytes spill stores"), problem)


def texts_of(cli: Path, case: Path, target: str) -> list[str]:
    """A text for each profile, if they differ; none if the kernel is refused, which the comparison has reported."""
    done = [subprocess.run([cli, "ptx", case, "--target", target, "--profile", profile],
                           capture_output=True, text=True) for profile in ("reference", "fast")]
    return list(dict.fromkeys(d.stdout for d in done if d.returncode == 0))


def assemble_case(cli: Path, ptxas: str, case: Path, targets: Sequence[str]) -> list[Assembly]:
    return [assemble(ptxas, case, text, target)
            for target in targets for text in texts_of(cli, case, target)]


def assemble_all(cli: Path, ptxas: str, cases: Sequence[Path], targets: Sequence[str],
                 jobs: int) -> bool:
    """Prints statistics; returns whether every text was accepted."""
    start = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        found = [a for some in pool.map(
            lambda case: assemble_case(cli, ptxas, case, targets), cases)
                 for a in some]
    bad = [a for a in found if a.problem]
    for a in bad:
        print(f"ptxas, {a.target}: {a.case}\n    {a.problem}")
    largest, slowest = (max(found, key=lambda a: key(a)) for key in
                        (lambda a: a.lines, lambda a: a.seconds))
    spills = [a for a in found if a.spilled]
    print(f"ptxas: {len(found)} assemblies of {len(found) // len(targets)} texts for "
          f"{', '.join(targets)} in {time.monotonic() - start:.0f} s: {len(found) - len(bad)} "
          f"accepted, {len(bad)} not\n"
          f"    largest text: {largest.case.name}, {largest.lines:,} lines, "
          f"{largest.seconds:.2f} s, {largest.registers} registers\n"
          f"    slowest: {slowest.case.name} for {slowest.target}, {slowest.seconds:.2f} s\n"
          f"    most registers: {max(a.registers for a in found)}; texts that spill: "
          f"{len({a.case for a in spills})}, the most {max((a.spilled for a in spills), default=0)}"
          f" bytes")
    return not bad


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", type=Path, default=ROOT / "build" / "tilegrind")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "accept",
                        help="folder of the acceptance table's cases")
    parser.add_argument("--seeds", type=int, default=3, help="orders of warps to try (default 3)")
    parser.add_argument("--only", choices=KINDS, help="one kind of cases")
    parser.add_argument("--target", choices=TARGETS, action="append",
                        help="chips to assemble for; repeatable; default: all of them")
    parser.add_argument("--no-ptxas", action="store_true", help="leave the texts unassembled")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("TG_JOBS", 0)) or os.cpu_count())
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        cases, folders, kernels, is_within = [], [], [], True
        kinds = (options.only,) if options.only else KINDS
        if "semantics" in kinds:
            cases += semantics_cases(options.cli, Path(scratch) / "semantics")
            folders.append(Path(scratch) / "semantics")
        if "acceptance" in kinds:
            kernels = acceptance_cases(options.work)
            cases += kernels
            folders += kernels
        if "threads" in kinds:
            threads = thread_cases(Path(scratch) / "threads")
            cases += threads
            folders += threads
        verdicts = compare_all(options.cli, options.seeds, folders, options.jobs)
        print(f"{len(cases)} cases, {options.seeds} orders of warps, {verdicts.total()} runs in "
              f"{time.monotonic() - start:.0f} s: "
              + ", ".join(f"{verdicts[v]} {v}" for v in ("equal", "different", "refused", "failed")))
        others = [folder for folder in folders if folder not in kernels]
        hopper = compare_all(options.cli, options.seeds, others, options.jobs, "sm90")
        print("the same but for the acceptance table's, with the sums of tensor core sm90: "
              + ", ".join(f"{hopper[v]} {v}" for v in ("equal", "different", "refused", "failed")))
        verdicts += hopper
        if "acceptance" in kinds:
            from conformance.fast_check import check_all
            is_within = check_all(options.cli, options.seeds, kernels, options.jobs)
        ptxas = None if options.no_ptxas else find_ptxas()
        accepted = True
        if ptxas:
            accepted = assemble_all(options.cli, ptxas, cases, options.target or TARGETS,
                                    options.jobs)
        elif not options.no_ptxas:
            print("skipped: no ptxas on this machine (TILEGRIND_PTXAS names one)")
    return 0 if accepted and is_within and not verdicts["different"] and not verdicts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
