"""JAX's own Pallas tests with Tilegrind as JAX's interpreter; docs/jax-suites.md explains the numbers.

    run.py --jax DIR                            all files, from a checkout of tag jax-v0.10.2
    run.py --jax DIR --files pallas_test --order shuffled:7 --stock --json result.json
    run.py --jax DIR --backend emulator         as PTX
    run.py --legality                           instead: which kernels JAX's own lowering refuses, and which Tilegrind

Exit status: 0 all as expected, 1 an unexpected difference, 2 the suites could not be run.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.metadata
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Mapping, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.jax import expected, lifts, refusals, report  # noqa: E402
from conformance.jax.session import Outcome, Session, Settings, run_file  # noqa: E402
from conformance.jax.suites import (  # noqa: E402
    FILES, RAISED, REFUSALS, TAG, VERSION, Checkout, SuiteError, open_checkout, stock_passes)

STOCK = stock_passes()

Kind = tuple[str, str, str]  # of a session: file, interpreter, which skips are lifted: "", LIFTED or GPU
LIFTED, GPU = "skips lifted", "as on a GPU"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    default = Settings()
    parser = argparse.ArgumentParser(
        description="JAX's own Pallas tests, run by Tilegrind.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--jax", metavar="DIR", help=f"a checkout of JAX at tag {TAG}")
    add("--legality", nargs="*", metavar="PATTERN", help="run no tests; compare which kernels of Mosaic GPU JAX's lowering and "
        "Tilegrind refuse, of those whose names are of a pattern (legality.py --help); needs no checkout")
    add("--files", nargs="+", metavar="FILE", default=all_files(), help="test files, without folder and .py")
    add("--tests", default=default.tests, metavar="PATTERN", help="run only tests whose ids are of this pattern")
    add("--backend", default=default.backend, help="where kernels run: cpu, emulator[:SEED], gpu[:NUMBER]")
    add("--order", default=default.order, help="that of programs: sequential, reversed, shuffled:SEED, ...")
    add("--compat", choices=["strict", "jax"], default=default.compat, help="what lies outside, and what is undefined")
    add("--findings", choices=["warn", "raise"], default=default.findings, help="whether a finding fails its test")
    add("--stock", action="store_true", help="run stock JAX as well: its times, and whether its passes still pass")
    add("--no-lifted", dest="lifted", action="store_false", help="leave out the tests that stock JAX skips")
    add("--no-gpu", dest="gpu", action="store_false", help="leave out the tests of Mosaic GPU, which take long")
    add("--write-refusals", action="store_true", help="put what is refused in the tests of Mosaic GPU into refusals.tsv")
    add("--json", metavar="OUT", type=Path, help="write the result here too")
    add("--jobs", type=int, default=1, metavar="N", help="sessions at once; wall times can be compared with 1 only")
    add("--test-seconds", type=float, default=default.quiet_seconds, metavar="S", help="longest time of one test")
    options = parser.parse_args(arguments)
    if options.jax is None and options.legality is None:
        parser.error("the following arguments are required: --jax, or --legality")
    return options


def all_files() -> list[str]:
    return list(dict.fromkeys([*FILES, *lifts.LIFTED_FILES, *lifts.GPU_FILES]))


def settings_of(options: argparse.Namespace) -> Settings:
    return Settings(
        backend=options.backend,
        order=options.order,
        compat=options.compat,
        findings=options.findings,
        quiet_seconds=options.test_seconds,
        tests=options.tests,
    )


def check_jax() -> None:
    """Checks that this Python has the JAX whose tests are run."""
    try:
        found = importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found != VERSION:
        raise SuiteError(f"the tests of {TAG} need jax=={VERSION} in {sys.executable}; found: {found}")


def sessions_of(options: argparse.Namespace) -> dict[Kind, Settings]:
    """Every session to run: for each file, followed with --stock by one with JAX's own interpreter, and by those of its
    lifted tests."""
    sessions = {}
    for file in options.files:
        ours = settings_of(options)
        if file in FILES:
            if options.findings == "warn" and file in RAISED:
                ours = replace(ours, findings="raise:" + ",".join(RAISED[file]))
            sessions[file, "tilegrind", ""] = ours
            if options.stock:
                sessions[file, "stock", ""] = replace(ours, interpreter="stock")
        if options.lifted and file in lifts.LIFTED_FILES:
            sessions[file, "tilegrind", LIFTED] = replace(ours, lifted=True)
        if options.lifted and file in lifts.GPU_FILES and options.gpu and options.backend == "cpu":
            sessions[file, "tilegrind", GPU] = replace(ours, lifted=True, gpu=True)
    return sessions


def run_all(checkout: Checkout, sessions: Mapping[Kind, Settings], jobs: int) -> dict[Kind, Session]:
    """The finished sessions; a line on stderr for each."""

    def note(line: str) -> None:
        print(f"  {line}", file=sys.stderr, flush=True)

    def run(kind: Kind, settings: Settings, folder: Path) -> Session:
        file, interpreter, lifted = kind
        # Tests that pass with stock JAX were not lifted, even if a lift names them.
        session = run_file(checkout, file, settings, folder, note, STOCK.get(file, ()) if lifted else ())
        passed = sum(outcome.result == "passed" for outcome in session.outcomes.values())
        took = f"{session.times.wall:.0f} s, CPU {session.times.cpu:.0f} s"
        note(f"{file}, {interpreter}{lifted and f', {lifted}'}: {passed} passed, {took}")
        return session

    with tempfile.TemporaryDirectory(prefix="tilegrind-jax-") as scratch, ThreadPoolExecutor(jobs) as pool:
        running = {
            kind: pool.submit(run, kind, settings, Path(scratch) / str(index))
            for index, (kind, settings) in enumerate(sessions.items())
        }
        try:
            return {kind: future.result() for kind, future in running.items()}
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def with_executions(outcomes: Mapping[str, Outcome], stock: Mapping[str, str]) -> dict[str, Outcome]:
    """The outcomes, with "not executed" for tests that passed and ran nothing in Tilegrind although they reach JAX's
    interpreter: they have tested nothing."""

    def judged(outcome: Outcome) -> Outcome:
        if outcome.result != "passed" or outcome.runs > 0 or stock.get(outcome.test) not in ("hlo", "tpu", "gpu"):
            return outcome
        if any(test in outcome.test for test in REFUSALS):
            return outcome
        return replace(outcome, result="not executed", message="passed, but no kernel ran in Tilegrind")

    return {test: judged(outcome) for test, outcome in outcomes.items()}


def rows_to_judge(
    options: argparse.Namespace, rows: list[expected.Row], done: Mapping[Kind, Session]
) -> list[expected.Row]:
    """The rows; if not all tests are run, those of tests that are."""
    if options.tests == Settings.tests:
        return rows
    ran = [test for session in done.values() for test in session.outcomes]
    return [row for row in rows if any(map(row.covers, ran))]


def make_report(options: argparse.Namespace, done: Mapping[Kind, Session]) -> report.Report:
    settings = settings_of(options)
    rows = expected.read_rows(expected.EXPECTED.read_text())
    result = report.Report(settings)
    for file in options.files:
        rows_of_file = rows_to_judge(options, [row for row in rows if row.file == file], done)
        if (session := done.get((file, "tilegrind", ""))) is not None:
            stock = {test: kind for test, kind in STOCK[file].items() if fnmatch.fnmatchcase(test, options.tests)}
            session.outcomes = with_executions(session.outcomes, stock)
            differences = expected.judge(session.outcomes, stock, rows_of_file, settings)
            result.files.append(report.file_report(session, stock, differences, done.get((file, "stock", ""))))
        add_lifted(result, options, {kind: done.get((file, "tilegrind", kind)) for kind in (LIFTED, GPU)}, rows_of_file)
    if options.tests == Settings.tests:
        judge_refusals(result, options.write_refusals)
    return result


def add_lifted(
    result: report.Report, options: argparse.Namespace, sessions: Mapping[str, Session | None], rows: list[expected.Row]
) -> None:
    """Adds the sessions of the lifted tests of one file to a report."""
    outcomes: dict[str, Outcome] = {}
    for kind, session in sessions.items():
        if session is None:
            continue
        ran = report.lift_reports(session, kind == GPU)
        result.lifted += ran if options.tests == Settings.tests else [one for one in ran if one.counts.tests]
        of_session = session.outcomes
        if kind == GPU:
            result.refusals = {**result.refusals, **refusals.count(of_session.values())}
            of_session = {test: outcome for test, outcome in of_session.items() if outcome.result != "refused"}
        outcomes.update(of_session)
    if any(sessions.values()):
        result.lifted_differences += expected.judge(outcomes, (), rows, replace(settings_of(options), lifted=True))


def judge_refusals(result: report.Report, write: bool) -> None:
    """Compares the refusals of the tests of Mosaic GPU with the table, or puts them there."""
    ran = [one.lift.name for one in result.lifted if one.lift.sake == lifts.GPU]
    wanted = refusals.read(refusals.REFUSALS.read_text())
    if write:
        wanted = refusals.replaced(wanted, result.refusals, ran)
        refusals.REFUSALS.write_text(refusals.text(wanted))
    result.refusal_problems = refusals.judge(result.refusals, wanted, ran)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        check_jax()
        if options.legality is not None:
            from conformance.jax import legality  # it needs JAX in this process

            return legality.main(options.legality)
        if unknown := sorted(set(options.files) - set(all_files())):
            raise SuiteError(f"no tests are known of {', '.join(unknown)}; known are {', '.join(all_files())}")
        checkout = open_checkout(options.jax, options.files)
        result = make_report(options, run_all(checkout, sessions_of(options), options.jobs))
    except SuiteError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    print(report.text(result))
    if options.json is not None:
        options.json.write_text(json.dumps(report.as_json(result), indent=1) + "\n")
    return 1 if result.problems() else 0


if __name__ == "__main__":
    sys.exit(main())
