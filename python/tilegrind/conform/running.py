"""Runs the cases of a suite: which ones, in how many processes, and what earlier runs have judged already."""

from __future__ import annotations

import contextlib
import fnmatch
import json
import queue
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Sequence

from .. import json_text, whole_file
from ..shards import Shard
from .judge import judge
from .protocol_cases import CASES as PROTOCOL_CASES
from .session import Limits, Session
from .suite import Suite
from .verdicts import Fault, Verdict


@dataclass(frozen=True)
class Result:
    """A case's verdict."""

    id: str
    level: str
    verdict: Verdict


@dataclass(frozen=True)
class Selection:
    """Which cases to run: of these levels (none: all), whose id fits one of the patterns (none: all), of this shard."""

    levels: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    shard: Shard = Shard()

    @property
    def is_whole(self) -> bool:
        return self == Selection()

    def has(self, name: str, level: str) -> bool:
        fits = not self.patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in self.patterns)
        return fits and (not self.levels or level in self.levels) and self.shard.has(name)


class BadJournal(Exception):
    """A file that is no journal of this suite and runner."""


class Journal:
    """Results, a line each, in a file that an interrupted run leaves behind.  Without a file nothing is kept."""

    def __init__(self, path: Path | None, suite: Suite, command: Sequence[str]):
        self._head = {"suite": suite.digest, "runner": list(command)}
        self.found: dict[str, Result] = {}
        self._file = None
        if path is None:
            return
        if path.exists() and path.stat().st_size:
            self._read(path)
        new = not path.exists() or not path.stat().st_size  # the process before may have ended at once
        self._path, self._file = path, path.open("a", encoding="utf-8")
        if new:
            self._write(self._head)

    def _read(self, path: Path) -> None:
        """Raises BadJournal if the file is of another suite or another runner."""
        head, *lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        if head != json.dumps(self._head):
            raise BadJournal(f"{path} is no journal, or one of another suite or another runner")
        for number, line in enumerate(lines[:-1], 2):  # the last one may be cut off
            try:
                row = json_text.loads(line)
                self.found[row["id"]] = Result(row["id"], row["level"],
                                               Verdict(row["verdict"], row["detail"], row["seconds"]))
            except (ValueError, LookupError, TypeError) as problem:
                raise BadJournal(f"{path}:{number}: is no result: {problem}") from None
        if lines[-1]:
            whole_file.write(path, "".join(line + "\n" for line in [head, *lines[:-1]]))

    def _write(self, row: dict) -> None:
        try:
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, str(self._path)) from None

    def add(self, result: Result) -> None:
        if self._file:
            verdict = result.verdict
            self._write({"id": result.id, "level": result.level, "verdict": verdict.kind, "detail": verdict.detail,
                         "seconds": round(verdict.seconds, 4)})

    def close(self) -> None:
        if self._file:
            with contextlib.suppress(OSError):  # a line that could not be written: `add` has told of it
                self._file.close()


@dataclass(frozen=True)
class _Task:
    id: str
    level: str
    judge: Callable[[Session], Verdict]


def _tasks(suite: Suite) -> Iterator[_Task]:
    for name, check in PROTOCOL_CASES.items():
        yield _Task(f"protocol/{name}", "L0", check)
    for case in suite.cases:
        yield _Task(case.id, case.level, lambda session, case=case: judge(session, case))


def selected(suite: Suite, selection: Selection) -> list[_Task]:
    return [task for task in _tasks(suite) if selection.has(task.id, task.level)]


def ids(suite: Suite) -> set[str]:
    """Of all cases, those of the protocol included."""
    return {task.id for task in _tasks(suite)}


@dataclass
class Done:
    """Results by the order of the suite, and the runner's answer to hello, if there was one."""

    results: list[Result]
    hello: dict | None
    starts: int


def run(suite: Suite, command: Sequence[str], tasks: Sequence[_Task], journal: Journal, limits: Limits, jobs: int = 1,
        progress: Callable[[int, int, Result], None] = lambda *_: None) -> Done:
    """Judges tasks in ``jobs`` processes of the runner.  Raises KeyboardInterrupt after it has ended all of them."""
    found = {task.id: journal.found[task.id] for task in tasks if task.id in journal.found}
    if not tasks:
        return Done([], None, 0)
    try:
        hello = _hello(suite, command, limits)
    except Fault as fault:
        return _not_started(tasks, fault.verdict)
    todo: queue.SimpleQueue[_Task] = queue.SimpleQueue()
    for task in tasks:
        if task.id not in found:
            todo.put(task)
    workers = [_Worker(suite, command, limits, todo) for _ in range(max(1, min(jobs, todo.qsize())))]
    try:
        for result in _results(workers, todo.qsize()):
            found[result.id] = result
            journal.add(result)
            progress(len(found), len(tasks), result)
    except BaseException:
        for worker in workers:
            worker.interrupt()
        raise
    finally:
        for worker in workers:
            worker.end()
    return Done([found[task.id] for task in tasks if task.id in found], hello,
                1 + sum(worker.session.starts for worker in workers))


def _hello(suite: Suite, command: Sequence[str], limits: Limits) -> dict:
    """The runner's answer to hello.  Raises Fault: then no case needs to be tried."""
    with Session(command, suite, limits) as session:
        return session.start()


def _not_started(tasks: Sequence[_Task], verdict: Verdict) -> Done:
    """One fault, and not one for each case."""
    hello = Result("protocol/hello", "L0", verdict)
    others = [Result(task.id, task.level, Verdict("skipped", "the runner does not start"))
              for task in tasks if task.id != hello.id]
    return Done([hello, *others], None, 1)


def _results(workers: Sequence[_Worker], count: int) -> Iterator[Result]:
    """Those of all workers as they come.  Raises what a worker raised: a defect of the judge."""
    made: queue.SimpleQueue = queue.SimpleQueue()
    for worker in workers:
        worker.begin(made)
    for _ in range(count):
        result = made.get()
        if isinstance(result, BaseException):
            raise result
        yield result


class _Worker(threading.Thread):
    """A session, and the thread that talks to it."""

    def __init__(self, suite: Suite, command: Sequence[str], limits: Limits, todo: queue.SimpleQueue):
        super().__init__(daemon=True)
        self.session, self._todo, self._stopped = Session(command, suite, limits), todo, False

    def begin(self, made: queue.SimpleQueue) -> None:
        self._made = made
        self.start()

    def run(self) -> None:
        try:
            while not self._stopped:
                task = self._todo.get_nowait()
                self._made.put(Result(task.id, task.level, task.judge(self.session)))
        except queue.Empty:
            pass
        except BaseException as problem:
            self._made.put(problem)

    def interrupt(self) -> None:
        """Ends the runner in the middle of a request."""
        self._stopped = True
        self.session.kill()

    def end(self) -> None:
        """Ends the thread and the runner."""
        if self.is_alive():
            self.join(10)
        with self.session:
            pass
