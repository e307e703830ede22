"""Runs Triton's own tests in Tilegrind, from a checkout of Triton (docs/triton-suites.md).

    run.py --triton DIR [FILE...] [--order ORDER] [--checks NAMES] [-k EXPRESSION] [--json FILE]

Files are those of `suites.FILES`, or some of them: "test_core" is enough of a name.  Exit 1 if a test fails that is not expected to, or
passes that is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from conformance.triton.suites import FILES, Expected, expected, find  # noqa: E402

OUTPUT = "output"  # of pytest, a file in a folder of the run
COLUMNS = ("tests", "passed", "executed", "skipped", "expected", "failed", "findings")


class Counted(Protocol):
    """A row of a table."""

    file: str
    counts: Counter[str]


@dataclass
class Result:
    """Of one file.  `executed` counts the tests that passed with a launch in Tilegrind; `surprises` are tests that failed or passed
    against what is expected, each with a text."""

    file: str
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # of expected failures
    surprises: dict[str, str] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        return {"file": self.file, **{name: self.counts[name] for name in COLUMNS}, "reasons": dict(self.reasons)}


def chosen(names: list[str]) -> list[str]:
    """The files with these names.  Raises SystemExit for one that there is not."""
    for name in names:
        if not any(name in file for file in FILES):
            sys.exit(f"run.py: there is no {name} among {', '.join(FILES)}")
    return [file for file in FILES if not names or any(name in file for name in names)]


def run_file(file: str, options: argparse.Namespace) -> Result:
    """Runs one file in a process of its own; again from behind a test that ended the process."""
    with tempfile.TemporaryDirectory() as work:
        record = Path(work) / "record"
        tests: list[str] = [file]
        lines: list[dict[str, Any]] = []
        while tests:
            record.write_text("")
            code = run_pytest(tests, options, record, Path(work))
            new = [json.loads(line) for line in record.read_text().splitlines()]
            lines += new
            tests = left_behind(new) if code < 0 else []
        result = judged(file, lines, expected())
        if not lines:
            result.surprises[file] += ": " + last_line(Path(work) / OUTPUT)
        return result


def run_pytest(tests: list[str], options: argparse.Namespace, record: Path, work: Path) -> int:
    unit = options.triton / "python" / "test" / "unit"
    folders = [ROOT / "python", ROOT, ROOT / "conformance" / "triton", unit]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "TRITON_CACHE_DIR": str(work / "cache")}
    # Huge pages: without them, page faults of large tensors take 40% of the time of test_conversions.
    environment.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "suite_plugin", "-p", "no:cacheprovider", "--rootdir", str(unit), "-c", "/dev/null",
               "--confcutdir", str(options.triton / "python"), "--device", "cpu", "--tilegrind-record", str(record), "--tilegrind-order",
               options.order, "--tilegrind-checks", options.checks, "--tilegrind-seconds", str(options.seconds), *tests]
    command += ["-k", options.k] if options.k else []
    with (work / OUTPUT).open("wb") as output:
        to = None if options.verbose else output
        return subprocess.run(command, cwd=unit, env=environment, stdout=to, stderr=to).returncode


def last_line(output: Path) -> str:
    """The last line with an error of what a command said, or else its last line."""
    lines = [line.strip() for line in output.read_text(errors="replace").splitlines()] if output.exists() else []
    said = [line for line in lines if line]
    return ([line for line in said if "rror:" in line] or said or ["it said nothing"])[-1]


def left_behind(lines: list[dict[str, Any]]) -> list[str]:
    """The tests behind the one in which a process ended."""
    collected = next((line["collected"] for line in lines if "collected" in line), [])
    began = [line["began"] for line in lines if "began" in line]
    return collected[collected.index(began[-1]) + 1:] if began and began[-1] in collected else []


def judged(file: str, lines: list[dict[str, Any]], known: list[Expected]) -> Result:
    """What the lines of suite_plugin.py say of a file."""
    result, found = Result(file), outcomes(lines)
    result.counts["tests"] = len(found)
    if not found:
        result.surprises[file] = "no test ran"
    for test, line in found.items():
        judge(result, test, line, find(test, known))
    return result


def outcomes(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last line of recording.py of each test that began, in order; of one in which the process ended, that it failed."""
    last = {line["test"]: line for line in lines if "test" in line}
    ended = {"outcome": "failed", "why": "the process ended", "runs": 0, "findings": [], "refused": []}
    return {line["began"]: last.get(line["began"], ended) for line in lines if "began" in line}


def judge(result: Result, test: str, line: dict[str, Any], known: Expected | None) -> None:
    outcome = line["outcome"]
    result.counts["findings"] += bool(line["findings"])
    if outcome == "passed":
        result.counts["passed"] += 1
        result.counts["executed"] += line["runs"] > 0
        if known is not None and not known.some:
            result.surprises[test] = f"passes, and is expected to fail: {known.reason}"
    elif outcome in ("skipped", "xfailed"):
        result.counts["skipped"] += 1
    elif known is not None:
        result.counts["expected"] += 1
        result.reasons[known.reason] += 1
    else:
        result.counts["failed"] += 1
        result.surprises[test] = (line["refused"] or [line["why"]])[0].replace("\n", " ")[:300]


def table(results: Sequence[Counted], columns: Sequence[str] = COLUMNS) -> str:
    rows = [["file", *columns], *([one.file, *(str(one.counts[name]) for name in columns)] for one in results)]
    rows.append(["all", *(str(sum(one.counts[name] for one in results)) for name in columns)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description="Triton's own tests, in Tilegrind.")
    made.add_argument("--triton", type=Path, required=True, metavar="DIR", help="a checkout of Triton, of the version that is installed")
    made.add_argument("files", nargs="*", metavar="FILE", help=f"some of {', '.join(FILES)}")
    made.add_argument("--order", default="sequential", help="in which programs run")
    made.add_argument("--checks", default="none", metavar="NAMES", help="checks besides those that always run")
    made.add_argument("--seconds", type=int, default=600, help="that a test may take (default: 600)")
    made.add_argument("--jobs", type=int, default=1, help="files at once (default: 1)")
    made.add_argument("--json", type=Path, metavar="FILE", help="where results go")
    made.add_argument("-k", metavar="EXPRESSION", help="as of pytest")
    made.add_argument("--verbose", action="store_true", help="show what pytest says")
    return made


def main() -> int:
    options = parser().parse_args()
    options.triton = options.triton.resolve()
    if not (options.triton / "python" / "test" / "unit").is_dir():
        parser().error(f"{options.triton} is no checkout of Triton: there is no python/test/unit")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda file: run_file(file, options), chosen(options.files)))
    print(table(results))
    for result in results:
        for test, text in result.surprises.items():
            print(f"{test}: {text}")
    if options.json:
        options.json.write_text(json.dumps({"order": options.order, "checks": options.checks, "files": [one.row() for one in results]},
                                           indent=1) + "\n", encoding="utf-8")
    return int(any(one.surprises for one in results))


if __name__ == "__main__":
    sys.exit(main())
