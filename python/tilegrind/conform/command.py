"""``tilegrind conform``: judges an implementation of the kernel language by a suite of cases."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from importlib import resources
from pathlib import Path
from typing import Sequence

from .. import shards, whole_file
from . import page, reports, running, self_test, suite, xfail
from .features import FEATURES, LEVELS
from .running import Journal, Result, Selection
from .session import Limits
from .verdicts import FAULTS, MET, NEUTRAL

OK, FAILED, USAGE, INVALID, DEFECT, SKIPPED, INTERRUPTED = 0, 1, 2, 3, 4, 77, 130
ADAPTERS = {
    "library": ["library"],
    "cpu": ["command_line", "--backend", "cpu"],
    "emulator": ["command_line", "--backend", "emulator"],
    "jax-interpret": ["jax_runner", "--mode", "interpret"],
    "jax-compiled": ["jax_runner", "--mode", "compiled"],
}
_EPILOG = """\
Exit codes: 0 all that the implementation supports is met; 1 it is not, or a list of known failures is stale; 2 wrong
usage, or a file that cannot be read or written; 3 a file that is no suite or no list; 4 a defect of Tilegrind itself; 77
no case was run; 130 stopped by Ctrl-C.
"""


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 1024")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilegrind conform", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="tilegrind conform [OPTION]... -- COMMAND [ARGUMENT]...\n"
              "       tilegrind conform [OPTION]... --runner NAME | --shell TEMPLATE\n"
              "       tilegrind conform --self-test | --explain", description=__doc__)
    what = parser.add_argument_group("what is judged")
    what.add_argument("command", nargs="*", help="a runner, which speaks the protocol tilegrind-runner/1")
    what.add_argument("--runner", choices=ADAPTERS, help="one that comes with Tilegrind")
    what.add_argument("--shell", metavar="TEMPLATE",
                      help="a shell command with {kernel}, {inputs}, {outputs}, and optionally {order}, {grid}")
    what.add_argument("--self-test", action="store_true", help="judge runners with known faults")
    what.add_argument("--explain", action="store_true", help="list levels, features and verdicts")
    which = parser.add_argument_group("which cases")
    which.add_argument("--suite", type=Path, metavar="FILE", help="the suite; default: the one that is installed")
    which.add_argument("--level", action="append", default=[], choices=LEVELS, help="only of this level; repeatable")
    which.add_argument("--filter", action="append", default=[], metavar="PATTERN",
                       help="only cases whose id fits a pattern with * and ?; repeatable")
    which.add_argument("--shard", metavar="I/N", help=shards.HELP)
    which.add_argument("--xfail", type=Path, action="append", default=[], metavar="FILE", help="known failures; repeatable")
    which.add_argument("--list", action="store_true", help="print the cases and what they ask for, and run nothing")
    how = parser.add_argument_group("how")
    how.add_argument("--jobs", type=_count, default=1, metavar="N", help="processes of the runner; default: 1")
    how.add_argument("--timeout", type=_seconds, default=30.0, metavar="SECONDS", help="of one run; default: 30")
    how.add_argument("--resume", type=Path, metavar="FILE",
                     help="keep results in FILE, and run only what it does not have yet")
    out = parser.add_argument_group("reports")
    for name in ("json", "junit", "tap", "html", "badge"):
        text = "a badge's text" if name == "badge" else name.upper()
        out.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write {text}")
    out.add_argument("--write-xfail", type=Path, metavar="FILE", help="write the failures as a list; only of a whole suite")
    out.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _command(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[str]:
    """The runner's command."""
    given = [bool(options.command), options.runner is not None, options.shell is not None]
    if sum(given) != 1:
        parser.error("one runner is required: a command after --, --runner NAME or --shell TEMPLATE")
    if options.runner:
        return shipped(options.runner)
    if options.shell:
        return [sys.executable, "-m", "tilegrind.conform.adapters.shell", options.shell]
    return options.command


def shipped(name: str) -> list[str]:
    """The command of a runner of ADAPTERS."""
    module, *more = ADAPTERS[name]
    return [sys.executable, "-m", f"tilegrind.conform.adapters.{module}", *more]


def installed_suite() -> Path | None:
    """The suite that came with the package."""
    path = resources.files(__package__).joinpath("suite.zip")
    return Path(str(path)) if path.is_file() else None


def _load_suite(parser: argparse.ArgumentParser, path: Path | None) -> suite.Suite:
    path = path or installed_suite()
    if path is None:
        parser.error("no suite is installed; --suite FILE names one, and in a checkout conformance/suite.py -o FILE "
                     "makes one")
    return suite.load(path)


def _shard(parser: argparse.ArgumentParser, text: str | None) -> shards.Shard:
    try:
        return shards.shard_of(text)
    except shards.BadShard as problem:
        parser.error(str(problem))


class _Progress:
    """A line on standard error about each failure, and one about how far the run is."""

    def __init__(self, listed: dict[str, xfail.Expected], quiet: bool):
        self._listed, self._quiet, self._live = listed, quiet, sys.stderr.isatty() and not quiet
        self._next = time.monotonic() + 5

    def __call__(self, done: int, of: int, result: Result) -> None:
        if self._quiet:
            return
        clear = "\r\x1b[K" if self._live else ""
        if xfail.outcome(result, self._listed).is_bad:
            print(f"{clear}{_line(result)}", file=sys.stderr)
        if self._live or time.monotonic() > self._next:
            self._next = time.monotonic() + 5
            print(f"{clear}{done} of {of} cases", end="" if self._live and done < of else "\n", file=sys.stderr, flush=True)


def _line(result: Result) -> str:
    return ": ".join(filter(None, (result.id, result.verdict.kind, result.verdict.detail)))


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    _require_folders(parser, options)
    cases = _load_suite(parser, options.suite)
    selection = Selection(tuple(options.level), tuple(options.filter), _shard(parser, options.shard))
    tasks = running.selected(cases, selection)
    if options.list:
        return _list(cases, {task.id for task in tasks})
    if options.write_xfail and not selection.is_whole:
        parser.error("--write-xfail needs a run of the whole suite")
    command, listed = _command(parser, options), xfail.read(options.xfail)
    journal = Journal(options.resume, cases, command)
    try:
        done = running.run(cases, command, tasks, journal, Limits(run=options.timeout), options.jobs,
                           _Progress(listed, options.quiet))
    finally:
        journal.close()
    outcomes = [xfail.outcome(result, listed) for result in done.results]
    stale = xfail.stale(listed, (result.id for result in done.results), running.ids(cases), selection.is_whole)
    report = reports.Report(cases, command, done.hello, outcomes, stale, selection.is_whole, done.starts)
    _write(options, report)
    if options.write_xfail:
        xfail.write(options.write_xfail, done.results, listed)
    _print(report)
    return FAILED if report.is_bad else OK if any(one.status in ("pass", "xfail") for one in outcomes) else SKIPPED


def _require_folders(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuses reports that could not be written: before the run, and not after it."""
    for name in ("json", "junit", "tap", "html", "badge", "write_xfail"):
        path = getattr(options, name)
        if path and not path.absolute().parent.is_dir():
            parser.error(f"--{name.replace('_', '-')} {path}: there is no folder {path.absolute().parent}")


def _list(cases: suite.Suite, chosen: set[str]) -> int:
    for case in cases.cases:
        if case.id in chosen:
            asked = {kind: sorted(getattr(case.asked, kind)) for kind in ("dtypes", "ops", "features")}
            print(case.level, case.id, *(f"{kind}={','.join(words)}" for kind, words in asked.items() if words))
    return OK


def _write(options: argparse.Namespace, report: reports.Report) -> None:
    made = {"json": reports.as_json, "junit": reports.as_junit, "tap": reports.as_tap, "html": page.as_html,
            "badge": lambda report: report.badge + "\n"}
    for name, make in made.items():
        path = getattr(options, name)
        if path:
            whole_file.write(path, make(report))


def _print(report: reports.Report) -> None:
    for problem in report.problems:
        print(problem)
    if report.outcomes and report.hello is None and report.starts:
        print(_line(report.outcomes[0].result))
        return
    for level in report.levels:
        if level.total:
            print(f"{level.name:3} {level.state:8} {level.met:5} of {level.total:5} met, {level.failed:4} failed   "
                  f"{LEVELS[level.name]}")
    counts = ", ".join(f"{count} {status}" for status, count in sorted(report.counts().items()))
    print(f"{report.name}: {counts}")
    print(report.badge)


def _explain() -> int:
    for title, words in (("levels", LEVELS), ("features", FEATURES), ("verdicts that meet a case", MET),
                         ("verdicts that say nothing", NEUTRAL), ("faults", FAULTS)):
        print(f"{title}:")
        for word, meaning in words.items():
            print(f"  {word:20} {meaning}")
    return OK


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command.  Its exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if options.explain:
            return _explain()
        return self_test.run() if options.self_test else _run(parser, options)
    except (suite.BadSuite, xfail.BadList, running.BadJournal) as problem:
        print(f"tilegrind conform: {problem}", file=sys.stderr)
        return INVALID
    except BrokenPipeError:
        raise
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        print(f"tilegrind conform: {place}{problem.strerror}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        traceback.print_exc()
        print("tilegrind conform: this is a defect of Tilegrind, please report it", file=sys.stderr)
        return DEFECT
