"""Runs public suites of Triton kernels as they are, with `pytest --tilegrind`, from a checkout (docs/triton-public-suites.md).

    public.py --liger DIR | --fla DIR [FILE...] [--orders] [--seconds N] [--all] [-k EXPRESSION] [--json FILE]

FILE is part of a test file's path.  Each file has a process of its own, and each test a time limit; tests that public_SUITE.toml
leaves are not begun, but for `--all`.  With `--json`, rows of files that
were run take the place of those in FILE.  Exit 1 if a test fails, or has a finding, that public_SUITE.toml does not explain.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from conformance.triton.run import left_behind, outcomes, table  # noqa: E402
from conformance.triton.sizes import size_of  # noqa: E402
from conformance.triton.suites import Expected, find  # noqa: E402

COLUMNS = ("tests", "passed", "executed", "skipped", "expected", "left", "failed", "slow", "findings")
HANGING = 180  # seconds behind the limit of a test after which its process is ended


@dataclass(frozen=True)
class Suite:
    """A public suite.  `folders` have its tests, `packages` what they import; `options` are those of pytest."""

    name: str
    folders: tuple[str, ...]
    packages: tuple[str, ...]
    options: tuple[str, ...]


ON_A_GPU = ("--tilegrind-device", "cuda", "--tilegrind-capability", "90")
SUITES = (Suite("liger", ("test/transformers", "test/triton", "test/megatron"), ("src", "."), ON_A_GPU),
          Suite("fla", ("tests/ops", "tests/modules", "tests/layers"), (".",), ON_A_GPU[:2]))


@dataclass
class Known:
    """What public_SUITE.toml explains: tests that are expected to fail, texts of findings that were judged, and tests that are left; with
    `largest`, also those whose size (sizes.py) is greater."""

    expected: list[Expected]
    findings: frozenset[str]
    left: list[Expected]
    largest: int | None = None

    @classmethod
    def of(cls, suite: Suite) -> Known:
        path = Path(__file__).with_name(f"public_{suite.name}.toml")
        read = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return cls([Expected(**row) for row in read.get("expected", ())], frozenset(row["text"] for row in read.get("finding", ())),
                   [Expected(**row) for row in read.get("left", ())], read.get("largest"))

    def why_left(self, test: str) -> str | None:
        """The reason for which a test is not begun; None of one that is."""
        if self.largest is not None and size_of(test) > self.largest:
            return f"the numbers in its name multiply to more than {self.largest}"
        return next((one.reason for one in [find(test, self.left)] if one), None)


@dataclass
class Result:
    """Of one file.  `surprises` are tests that failed, or passed, against what is known, each with a text."""

    file: str
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # of expected failures, and of what is left
    findings: Counter[str] = field(default_factory=Counter)  # tests with each finding
    surprises: dict[str, str] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        return {"file": self.file, **{name: self.counts[name] for name in COLUMNS}, "reasons": dict(self.reasons),
                "found": dict(self.findings)}


# ---- running ----


def files_of(suite: Suite, folder: Path, names: list[str]) -> list[str]:
    """Test files with one of these names in their paths, relative to the checkout."""
    found = sorted(path.relative_to(folder).as_posix() for one in suite.folders for path in (folder / one).rglob("test_*.py"))
    return [file for file in found if not names or any(name in file for name in names)]


def run_file(suite: Suite, file: str, options: argparse.Namespace) -> Result:
    """Runs one file in a process of its own; again from behind a test that ended the process, or that had to be ended."""
    tests, lines, known = [file], [], Known.of(suite)
    with tempfile.TemporaryDirectory() as work:
        record = Path(work) / "record"
        while tests:
            record.write_text("")
            is_whole = run_pytest(suite, tests, options, record, [] if options.all else leaving(known))
            new = [json.loads(line) for line in record.read_text().replace(f"{options.folder}/", "").splitlines()]
            lines += new
            tests = [] if is_whole else left_behind(new)
    return judged(file, lines, known)


def leaving(known: Known) -> list[str]:
    """Options of public_plugin.py for the tests that are not begun."""
    return [*(f"--tilegrind-leave={one.tests}" for one in known.left), *([f"--tilegrind-largest={known.largest}"] if known.largest else [])]


def run_pytest(suite: Suite, tests: list[str], options: argparse.Namespace, record: Path, leaving: list[str]) -> bool:
    """Whether pytest came to its end: tests passed, or failed, or there were none."""
    folders = [ROOT / "python", ROOT, ROOT / "conformance" / "triton", *(options.folder / one for one in suite.packages), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tilegrind.pytest_plugin", "-p", "public_plugin", "-p", "no:cacheprovider",
               "--tilegrind", "--tilegrind-orders", "yes" if options.orders else "no", *suite.options, "--tilegrind-record", str(record),
               "--tilegrind-seconds", str(options.seconds), "--tb=short", *leaving, *tests]
    command += ["-k", options.k] if options.k else []
    output = None if options.verbose else subprocess.DEVNULL
    with subprocess.Popen(command, cwd=options.folder, env=environment, stdout=output, stderr=output) as process:
        while process.poll() is None:
            time.sleep(0.2)
            if time.time() - record.stat().st_mtime > options.seconds + HANGING:
                process.kill()
        return process.returncode in (0, 1, 5)


# ---- judging ----


def judged(file: str, lines: list[dict[str, Any]], known: Known) -> Result:
    """What the lines of recording.py say of a file."""
    result, found = Result(file), outcomes(lines)
    result.counts["tests"] = len(found)
    if not found:
        result.surprises[file] = "no test ran"
    for test, line in found.items():
        judge(result, test, line, known)
    return result


def judge(result: Result, test: str, line: dict[str, Any], known: Known) -> None:
    expected, outcome = find(test, known.expected), line["outcome"]
    result.findings.update(line["findings"])
    if line["findings"]:
        result.counts["findings"] += 1
        result.counts["executed"] += 1
        new = [text for text in line["findings"] if text not in known.findings]
        result.surprises.update({test: new[0]} if new else {})
    elif outcome == "passed":
        result.counts["passed"] += 1
        result.counts["executed"] += line["runs"] > 0
        if expected is not None and not expected.some:
            result.surprises[test] = f"passes, and is expected to fail: {expected.reason}"
    elif outcome in ("skipped", "xfailed"):
        result.counts["skipped"] += 1
    elif outcome == "left":
        result.counts["left"] += 1
        result.reasons.update([known.why_left(test) or "no reason"])
    elif expected is not None:
        result.counts["expected"] += 1
        result.reasons[expected.reason] += 1
    elif outcome == "slow":
        result.counts["slow"] += 1
    else:
        result.counts["failed"] += 1
        result.surprises[test] = (line["refused"] or [line["why"]])[0].replace("\n", " ")[:300]


# ---- the command ----


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description="Public suites of Triton kernels, in Tilegrind.")
    which = made.add_mutually_exclusive_group(required=True)
    for suite in SUITES:
        which.add_argument(f"--{suite.name}", type=Path, metavar="DIR", help="a checkout of the suite")
    made.add_argument("files", nargs="*", metavar="FILE", help="some files: parts of their paths")
    made.add_argument("--orders", action="store_true", help="each kernel in other orders of its programs too")
    made.add_argument("--seconds", type=int, default=90, help="that a test may take (default: 90)")
    made.add_argument("--json", type=Path, metavar="FILE", help="where results go")
    made.add_argument("--all", action="store_true", help="also tests that are left otherwise")
    made.add_argument("-k", metavar="EXPRESSION", help="as of pytest")
    made.add_argument("--verbose", action="store_true", help="show what pytest says")
    return made


def stored(path: Path, results: list[Result], orders: bool) -> str:
    """The text of a file of results, with these in place of older ones."""
    rows = {row["file"]: row for row in json.loads(path.read_text(encoding="utf-8"))["files"]} if path.exists() else {}
    rows.update((one.file, one.row()) for one in results)
    return json.dumps({"orders": orders, "files": [rows[file] for file in sorted(rows)]}, indent=1) + "\n"


def main() -> int:
    options = parser().parse_args()
    suite = next(one for one in SUITES if getattr(options, one.name) is not None)
    options.folder = getattr(options, suite.name).resolve()
    files = files_of(suite, options.folder, options.files)
    if not files:
        parser().error(f"{options.folder} has no such test files of {suite.name}")
    results = []
    for file in files:
        results.append(run_file(suite, file, options))
        for test, text in results[-1].surprises.items():
            print(f"{test}: {text}", flush=True)
        if options.json:
            options.json.write_text(stored(options.json, results, options.orders), encoding="utf-8")
    print(table(results, COLUMNS))
    return int(any(one.surprises for one in results))


if __name__ == "__main__":
    sys.exit(main())
