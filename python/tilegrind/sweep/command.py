"""The command ``tilegrind sweep``."""

import argparse
import os
import sys
import traceback

from .. import shards, whole_file
from . import plan as plans
from . import kinds, summary
from .canonical import canonical
from .drive import Drive
from .engines import engine_of
from .errors import DEFECT, STOPPED, SweepError
from .log import FAILED, LOST
from .progress import Progress
from .store import UNEQUAL, Store

CLEAN, FINDINGS = 0, 1
DEADLINE = 300.0
EPILOG = """Exit codes: 0 clean; 1 findings, or units without a result; 2 wrong usage, or a file that cannot be read or
written; 3 invalid input; 4 a defect of Tilegrind itself; 130 stopped by Ctrl-C: what is done is kept."""


def _plan(given):
    made = plans.make(given.spec, given.out)
    for kind, units in sorted(made.head["kinds"].items()):
        print(f"{kind}: {units:,} units, {made.head['runs'][kind]:,} runs")
    print(f"digest {made.digest}")
    return CLEAN


def _run(given):
    """`run` and `work`."""
    plan, shard, store = plans.read(given.plan), _shard(given.shard), Store(given.store, create=True)
    store.clean()
    mine = {unit: line for unit, line in plan.lines.items() if shard.has_id(unit)}
    done = store.ids()
    units = {unit: line for unit, line in mine.items() if unit not in done}
    progress = Progress({unit: kinds.runs_of(line) for unit, line in units.items()}, None if given.quiet else sys.stderr)
    outcomes = []
    if units:
        on = _scheduler(given.scheduler) if given.scheduler else given.on
        jobs = max(1, min(given.jobs, len(units)))
        engine = engine_of(on, jobs, plan.files, store.path.absolute(), given.deadline)
        drive = Drive(units, store, engine, progress)
        try:
            outcomes = drive.run()
        finally:
            progress.end()
    return _told(given, len(mine) - len(units), outcomes)


def _shard(text):
    try:
        return shards.shard_of(text)
    except shards.BadShard as problem:
        raise SweepError(str(problem)) from None


def _scheduler(address):
    return address if "://" in address else f"dask://{address}"


def _told(given, kept, outcomes):
    """Prints what this call has run; returns the exit code.  `merge` judges the whole plan."""
    troubled = sum(outcome.state in (FAILED, LOST) for outcome in outcomes)
    findings = sum(outcome.findings + (outcome.state == UNEQUAL) for outcome in outcomes)
    shown = f"; tilegrind sweep merge {given.plan} --store {given.store} shows them"
    print(f"{len(outcomes) - troubled:,} units have run, {kept:,} had a result before, {troubled:,} have none; "
          f"{findings:,} findings" + (shown if findings else ""))
    return FINDINGS if findings or troubled else CLEAN


def _status(given):
    plan, stores = plans.read(given.plan), [Store(path) for path in given.store]
    table, troubles = summary.status(plan, stores)
    unequal = sorted({unit for store in stores for unit in store.unequal()} & plan.lines.keys())
    if given.json:
        print(canonical({"kinds": table, "failed": troubles, "nondeterministic-unit": unequal}))
    else:
        for kind, row in table.items():
            print(f"{kind}: " + ", ".join(f"{value:,} {name}" for name, value in row.items()))
        for unit, why in sorted(troubles.items()):
            print(f"unit {unit[:16]}: {why}")
        for unit in unequal:
            print(f"unit {unit[:16]}: nondeterministic-unit")
    return FINDINGS if troubles or unequal else CLEAN


def _merge(given):
    plan, stores, texts = plans.read(given.plan), [Store(path) for path in given.store], []
    merged = summary.merge(plan, stores, texts.append if given.out else None)
    if given.out:
        _write(given.out, "".join(f"{text}\n" for text in texts))
    print(merged.as_json() if given.json else summary.text_of(merged, plan))
    return CLEAN if merged.is_whole and not merged.findings else FINDINGS


def _write(path, text):
    try:
        whole_file.write(path, text)
    except OSError as problem:
        raise SweepError(f"{path}: cannot be written: {problem.strerror}") from None


def _count(text):
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes")
    return int(text)


def _add_running(commands, name, summary_, on):
    command = commands.add_parser(name, help=summary_, description=summary_, epilog=EPILOG)
    command.add_argument("plan", metavar="PLAN")
    command.add_argument("--store", metavar="DIR", required=True, help="folder of results; it is made if there is none")
    command.add_argument("--shard", metavar="I/N", help=shards.HELP)
    command.add_argument("--quiet", action="store_true", help="no progress on standard error")
    command.set_defaults(function=_run, on=on, jobs=1, scheduler=None, deadline=DEADLINE)
    return command


def _parser():
    parser = argparse.ArgumentParser(prog="tilegrind sweep", epilog=EPILOG,
                                     description="Very many runs as units of work, on one machine or many (docs/sweep.md).")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("plan", help="make the plan of a SPEC", epilog=EPILOG)
    command.add_argument("spec", metavar="SPEC", help="what to run, in TOML, or in JSON if its name ends in .json")
    command.add_argument("-o", "--out", metavar="PLAN", required=True,
                         help="the plan; its files go to the folder PLAN.files")
    command.set_defaults(function=_plan)
    run = _add_running(commands, "run", "run the units of a plan that the store has no result of", "processes")
    run.add_argument("--jobs", metavar="N", type=_count, default=os.cpu_count() or 1, help="processes; default: one a core")
    engines = run.add_mutually_exclusive_group()
    engines.add_argument("--on", metavar="ENGINE", help="here, processes:N (default), dask://HOST:PORT, or "
                         "MODULE:FUNCTION, which returns an Executor of concurrent.futures")
    engines.add_argument("--scheduler", metavar="ADDRESS", help="the scheduler of Dask distributed, HOST:PORT")
    run.add_argument("--deadline", metavar="SECONDS", type=float, default=DEADLINE, help="how long to wait for a "
                     "scheduler that does not answer, at the beginning or later; default: 300")
    _add_running(commands, "work", "the same, one after the other in this process", "here")
    for name, summary_, function in (("status", "say how much of a plan is done", _status),
                                     ("merge", "demand one result of each unit, and add them up", _merge)):
        command = commands.add_parser(name, help=summary_, description=summary_, epilog=EPILOG)
        command.add_argument("plan", metavar="PLAN")
        command.add_argument("--store", metavar="DIR", required=True, action="append", help="folder of results; repeatable")
        command.add_argument("--json", action="store_true", help="print one JSON object instead of text")
        command.set_defaults(function=function)
    command.add_argument("-o", "--out", metavar="FILE", help="also write all results, a line each, in the order of ids")
    return parser


def main(arguments=None):
    """Runs the command; returns its exit code."""
    try:
        given = _parser().parse_args(arguments)
        return given.function(given)
    except KeyboardInterrupt:
        print("tilegrind sweep: stopped; what is done is kept", file=sys.stderr)
        return STOPPED
    except SweepError as problem:
        print(f"tilegrind sweep: {problem}", file=sys.stderr)
        return problem.code
    except BrokenPipeError:
        raise
    except Exception:
        traceback.print_exc()
        return DEFECT
