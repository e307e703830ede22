"""What runs units at the same time: processes of this machine, or an executor that others provide.

An engine has

    capacity                    how many units it should hold at once
    submit(unit, line)          begins a unit
    settled(seconds)            Outcomes of units that have ended since, waiting for at most so long.  Units whose process
                                or scheduler ended are LOST: nothing is known of them, and `why` says what has happened
    close(at_once)              ends its processes; at_once: without waiting for units that run
"""

import importlib
import multiprocessing
import os
import re
import signal
import threading
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, ProcessPoolExecutor, wait

from . import log
from .errors import SweepError
from .work import Outcome, perform

WATCH = 1.0  # seconds


def _end_without(parent):
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def _begin_worker(parent):
    """A worker ends at once by Ctrl-C, as its unit is lost anyway, and soon after its parent has been killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_without, args=(parent,), daemon=True).start()


def processes(count):
    """A pool of processes.  They are spawned, not forked, as the parent may have threads."""
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin_worker, (os.getpid(),))


class Executor:
    """Units on a concurrent.futures.Executor.

    make      makes it; once more if one of its processes has been killed, after which a pool is of no use
    capacity  how many units it runs at once
    """

    def __init__(self, make, capacity, files, store):
        self.capacity, self._make, self._arguments = capacity, make, (str(files), str(store))
        self._executor, self._flying = make(), {}

    def submit(self, unit, line):
        try:
            future = self._executor.submit(perform, line, *self._arguments)
        except BrokenExecutor:  # known of already, or by `settled` soon
            self._executor = self._make()
            future = self._executor.submit(perform, line, *self._arguments)
        self._flying[future] = unit, self._executor

    def settled(self, seconds):
        cancelled = {future for future in self._flying if future.cancelled()}  # `wait` waits for these, and nobody ends them
        done = cancelled or wait(self._flying, seconds, FIRST_COMPLETED).done
        used = {self._flying[future][1] for future in done if not future.cancelled()
                and isinstance(future.exception(), BrokenExecutor)}
        outcomes = [self._outcome(future) for future in done]
        if self._executor in used:  # and not one that `submit` has replaced already
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
        return outcomes

    def _outcome(self, future):
        unit, _ = self._flying.pop(future)
        try:
            return future.result()
        except BrokenExecutor:
            return Outcome(unit, log.LOST, why="a process that may have run it was killed")
        except CancelledError:  # it had not begun
            return Outcome(unit, log.LOST)
        except Exception as problem:  # of whatever kind: the other units go on
            return Outcome(unit, log.FAILED, why=f"{type(problem).__name__}: {problem}")

    def close(self, at_once):
        if at_once:
            for child in multiprocessing.active_children():
                child.kill()
        self._executor.shutdown(wait=not at_once, cancel_futures=True)


class Here:
    """Units one after the other in this process."""

    capacity = 1

    def __init__(self, files, store):
        self._arguments, self._outcomes = (str(files), str(store)), []

    def submit(self, unit, line):
        self._outcomes.append(perform(line, *self._arguments))

    def settled(self, seconds):
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def close(self, at_once):
        """There is nothing to end."""


def _imported(text):
    module, _, name = text.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as problem:
        raise SweepError(f"--on {text}: {problem}") from None


def _address_of(text):
    """The address of a scheduler as Dask spells it."""
    if not re.fullmatch(r"(dask|tcp|tls|wss?)://[^/]+:\d+/?", text):
        raise SweepError(f"{text}: is no address of a scheduler: HOST:PORT, dask://HOST:PORT or tls://HOST:PORT")
    return re.sub("^dask:", "tcp:", text)


def engine_of(text, jobs, files, store, deadline):
    """The engine that an option names: "here", "processes[:N]", "dask://HOST:PORT", or "MODULE:FUNCTION", which returns a
    concurrent.futures.Executor.

    jobs      how many units at once, where `text` says nothing of it
    deadline  seconds within which a scheduler must answer
    """
    if text == "here":
        return Here(files, store)
    if "://" in text:
        from .dask_engine import Dask

        return Dask(_address_of(text), files, store, deadline)
    kind, _, number = text.partition(":")
    if kind == "processes":
        if number and not (number.isdigit() and int(number)):
            raise SweepError(f"--on {text}: {number!r} is no number of processes")
        count = int(number) if number else jobs
        return Executor(lambda: processes(count), count, files, store)
    if not kind or not number:
        raise SweepError(f"--on {text}: known are here, processes:N, dask://HOST:PORT and MODULE:FUNCTION")
    return Executor(_imported(text), jobs, files, store)
