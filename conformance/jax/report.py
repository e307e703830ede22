"""The results of a run of the suites: counts by file, differences, and their two forms, text and JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

from conformance.jax import lifts, refusals
from conformance.jax.expected import Difference
from conformance.jax.session import Outcome, Session, Settings, Times
from conformance.jax.suites import VERSION


@dataclass
class Counts:
    """Results of a set of tests."""

    tests: int
    passed: int
    executed: int  # at least one kernel ran in Tilegrind
    refused: int
    failed: int  # everything else that did not pass
    findings: int  # tests in whose kernels Tilegrind had findings

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values())))


NOTHING = Counts(0, 0, 0, 0, 0, 0)
COUNTS = ("passed", "executed", "refused", "failed", "findings")


def count(outcomes: Mapping[str, Outcome], tests: Iterable[str]) -> Counts:
    tests = list(tests)
    of_tests = [outcomes[test] for test in tests if test in outcomes]
    results = Counter(outcome.result for outcome in of_tests)
    return Counts(
        tests=len(tests),
        passed=results["passed"],
        executed=sum(outcome.runs > 0 for outcome in of_tests),
        refused=results["refused"],
        failed=len(tests) - results["passed"] - results["refused"],
        findings=sum(bool(outcome.findings) for outcome in of_tests),
    )


@dataclass
class FileReport:
    """The tests of one file that pass with stock JAX."""

    file: str
    counts: Counts
    times: Times
    stock_times: Times | None = None
    differences: list[Difference] = field(default_factory=list)
    stock_differences: list[Outcome] = field(default_factory=list)  # tests that no longer pass there


@dataclass
class LiftReport:
    """The tests that ran because of one lift."""

    lift: lifts.Lift
    counts: Counts
    unjudged: int = 0  # tests that a run cannot judge
    skipped: int = 0  # tests that skip for other reasons


@dataclass
class Report:
    settings: Settings
    files: list[FileReport] = field(default_factory=list)
    lifted: list[LiftReport] = field(default_factory=list)
    lifted_differences: list[Difference] = field(default_factory=list)
    refusals: refusals.Counts = field(default_factory=dict)  # of the tests of Mosaic GPU
    refusal_problems: list[str] = field(default_factory=list)

    def differences(self) -> list[Difference]:
        return [one for file in self.files for one in file.differences] + self.lifted_differences

    def problems(self) -> list[str]:
        """Reasons why the run is a failure, a line each."""
        lines = [f"{one.test}: {one.problem}: {one.what}" for one in self.differences() if one.problem]
        for file in self.files:
            lines += [f"{one.test}: {one.result} with stock JAX: {one.message}" for one in file.stock_differences]
        lines += [f"lift '{one.lift.name}': no test of it ran" for one in self.lifted if one.counts.tests == 0]
        return lines + self.refusal_problems


def total(reports: Iterable[FileReport | LiftReport]) -> Counts:
    return sum((one.counts for one in reports), NOTHING)


def file_report(
    session: Session, stock: Mapping[str, str], differences: list[Difference], stock_session: Session | None
) -> FileReport:
    report = FileReport(session.file, count(session.outcomes, stock), session.times, differences=differences)
    if stock_session is not None:
        report.stock_times = stock_session.times
        outcomes = [stock_session.outcomes.get(test, Outcome(test, "missing")) for test in stock]
        report.stock_differences = [outcome for outcome in outcomes if outcome.result != "passed"]
    return report


def lift_reports(session: Session, gpu: bool) -> list[LiftReport]:
    """One for each lift of the file of `session`, for the sake of an NVIDIA GPU or of anything else."""
    return [lift_report(lift, session) for lift in lifts.LIFTS if lift.file == session.file and (lift.sake == lifts.GPU) == gpu]


def lift_report(lift: lifts.Lift, session: Session) -> LiftReport:
    """Tests that skip for other reasons, or that a run cannot judge, are not among the counts."""
    of_lift = {test: outcome for test, outcome in session.outcomes.items() if outcome.lift == lift.name}
    results = Counter(outcome.result for outcome in of_lift.values())
    judged = [test for test, outcome in of_lift.items() if outcome.result not in ("skipped", "unjudged")]
    return LiftReport(lift, count(of_lift, judged), results["unjudged"], results["skipped"])


# -- text --


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell, the first one aligned left, numbers aligned right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]

    def line_of(cells: Sequence[str]) -> str:
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))
        return "  ".join([cells[0].ljust(widths[0]), *rest])

    return "\n".join(map(line_of, lines))


def numbers(counts: Counts) -> list[str]:
    return [str(number) for number in vars(counts).values()]


def files_table(files: Sequence[FileReport]) -> str:
    rows = [[file.file, *numbers(file.counts), f"{file.times.wall:.0f}"] for file in files]
    seconds = sum(file.times.wall for file in files)
    return table(["file", "stock passes", *COUNTS, "s"], [*rows, ["total", *numbers(total(files)), f"{seconds:.0f}"]])


def times_table(files: Sequence[FileReport]) -> str:
    """Tilegrind's times beside stock JAX's, and their ratios; "" if stock JAX did not run.  On a machine with
    other load, compare CPU times."""
    both = [(file.file, file.times, file.stock_times) for file in files if file.stock_times is not None]
    if not both:
        return ""
    both.append(("total", sum((one[1] for one in both), Times()), sum((one[2] for one in both), Times())))
    rows = [
        [file, *(cell for a, b in ((ours.wall, stock.wall), (ours.cpu, stock.cpu)) for cell in (f"{a:.1f}", f"{b:.1f}", f"{a / b:.2f}"))]
        for file, ours, stock in both
    ]
    return table(["seconds", "wall", "stock", "ratio", "CPU", "stock", "ratio"], rows)


def lifts_table(lifted: Sequence[LiftReport]) -> str:
    """The lifts for the sake of one thing after the other, each with their sum."""
    rows = []
    for sake in lifts.SAKES:
        some = [one for one in lifted if one.lift.sake == sake]
        rows += [[one.lift.name, *numbers(one.counts), str(one.unjudged), str(one.skipped)] for one in some]
        if some:
            left_out = [str(sum(one.unjudged for one in some)), str(sum(one.skipped for one in some))]
            rows.append([f"total, skipped for {sake}", *numbers(total(some)), *left_out])
    return table(["lifted skips", "tests", *COUNTS, "unjudged", "skipped"], rows)


def refusals_table(counts: refusals.Counts) -> str:
    """The reasons of refusals, the most frequent first."""
    reasons: Counter[str] = Counter()
    for (_, reason), tests in counts.items():
        reasons[reason] += tests
    return "\n".join(["Refused:", *(f"{tests:6}  {reason}" for reason, tests in reasons.most_common())])


def text(report: Report) -> str:
    """All tables and differences, for a terminal."""
    parts = []
    if report.files:
        parts += [files_table(report.files), times_table(report.files)]
    if report.lifted:
        parts.append(lifts_table(report.lifted))
    if report.refusals:
        parts.append(refusals_table(report.refusals))
    expected = [f"  {one.test}: {one.outcome.result}: {one.reason}" for one in report.differences() if not one.problem]
    if expected:
        parts.append("\n".join(["Expected differences:", *expected]))
    problems = [f"  {line}" for line in report.problems()]
    parts.append("\n".join(["Problems:", *problems] if problems else ["No unexpected difference."]))
    return "\n\n".join(filter(None, parts))


# -- JSON --


def differences_json(differences: Iterable[Difference]) -> list[dict[str, str]]:
    return [
        {
            "test": one.test.removeprefix("tests/pallas/"),
            "result": one.outcome.result,
            "what": one.what,
            "reason": one.reason,
            "problem": one.problem,
        }
        for one in differences
    ]


def file_json(file: FileReport) -> dict[str, Any]:
    times = {"seconds": times_json(file.times), "stock_seconds": times_json(file.stock_times)}
    return {"file": file.file, **vars(file.counts), **times, "differences": differences_json(file.differences)}


def times_json(times: Times | None) -> dict[str, float] | None:
    return times and {"wall": round(times.wall, 1), "cpu": round(times.cpu, 1)}


def as_json(report: Report) -> dict[str, Any]:
    settings = report.settings
    return {
        "jax": VERSION,
        "backend": settings.backend,
        "order": settings.order,
        "compat": settings.compat,
        "findings": settings.findings,
        "tests": settings.tests,
        "files": [file_json(file) for file in report.files],
        "lifted": [
            {"lift": one.lift.name, **vars(one.counts), "unjudged": one.unjudged, "skipped": one.skipped} for one in report.lifted
        ],
        "lifted_differences": differences_json(report.lifted_differences),
    }
