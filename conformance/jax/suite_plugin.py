"""The pytest plugin in each process that runs JAX's tests: it installs Tilegrind, lifts skips, and records outcomes.

The job is a JSON file named by TILEGRIND_SUITE_JOB; see session.run_once.  Every test writes a line when it starts and one when it
ends, so that after a crash the record shows which test caused it.
"""

from __future__ import annotations

import contextlib
import fnmatch
import importlib
import json
import os
import time
import unittest
import warnings
from pathlib import Path
from typing import Any

import pytest

import gpu_answers  # of this folder, which session.py puts on the path: JAX's tests see no other module of ours
import gpu_race_answers
import lifts
import smaller
import tpu_answers

JOB = json.loads(Path(os.environ["TILEGRIND_SUITE_JOB"]).read_text())

# Packages that the wheel contains only in part, with the folder of a checkout that has the rest.
COMPLETED_PACKAGES = ("jax._src", "jax._src.lax", "jax._src.pallas", "jax.experimental.mosaic.gpu")

UNJUDGED = "unjudged: "  # begins the reason for skipping a test that no run can judge


class Interpreter:
    """JAX's own interpreter: replaces nothing, counts nothing."""

    def runs(self) -> int:
        return 0

    def refusals(self) -> int:
        return 0

    def refusal(self, number: int) -> str:
        """What was refused by that refusal, without where."""
        raise IndexError(number)


class Tilegrind(Interpreter):
    """Tilegrind as JAX's interpreter, never falling back to JAX's own."""

    def __init__(self) -> None:
        self.pallas = importlib.import_module("tilegrind.pallas")
        options = {name: JOB[name] for name in ("backend", "order", "compat", "findings")}
        self.pallas.install(**options, fallback=False)
        tpu_answers.install(self.pallas)
        if JOB["gpu"]:
            gpu_answers.answer_for_memory(self.pallas.ExportError)
        if JOB["gpu_races"]:
            gpu_race_answers.install(self.pallas)

    def runs(self) -> int:
        return self.pallas.statistics().runs

    def refusals(self) -> int:
        return len(self.pallas.statistics().refused)

    def refusal(self, number: int) -> str:
        error = self.pallas.statistics().refused[number]
        return f"{error.primitive}: {error.message}"


class Recorder:
    """Writes the lines of the running test."""

    def __init__(self, path: str, interpreter: Interpreter) -> None:
        self.file = open(path, "a", encoding="utf-8")
        self.interpreter = interpreter
        self.reports: list[Any] = []

    def write(self, **entry: Any) -> None:
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def start(self, test: str) -> None:
        self.reports = []
        self.runs, self.refusals, self.since = self.interpreter.runs(), self.interpreter.refusals(), time.monotonic()
        self.write(event="start", test=test)

    def end(self, test: str, lift: str) -> None:
        result, message = verdict(self.reports)
        refusal = ""
        if result == "failed" and self.interpreter.refusals() != self.refusals:
            result, refusal = "refused", self.interpreter.refusal(self.refusals)
        if result == "skipped" and message.startswith(UNJUDGED):
            result, message = "unjudged", message.removeprefix(UNJUDGED)
        runs, seconds = self.interpreter.runs() - self.runs, round(time.monotonic() - self.since, 3)
        self.write(event="end", test=test, result=result, message=message, refusal=refusal, runs=runs, seconds=seconds,
                   lift=lift)


def verdict(reports: list[Any]) -> tuple[str, str]:
    """The result of a test from the reports of its phases and subtests, and the start of its error."""
    for wanted in ("failed", "skipped"):
        for report in reports:
            if report.outcome == wanted:
                return wanted, message_of(report)
    return "passed", ""


def message_of(report: Any) -> str:
    if isinstance(report.longrepr, tuple):  # a skip: path, line, reason
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    text = text.split("Failing test case:")[0]  # hypothesis then prints the drawn example
    return " ".join(line.strip() for line in text.splitlines() if line.strip())[:300]


def complete_packages() -> None:
    for name in COMPLETED_PACKAGES:
        importlib.import_module(name).__path__.append(os.path.join(JOB["jax"], *name.split(".")))


class Lifter:
    """Runs the tests of lifts.py, and only these, ignoring their reasons to skip."""

    def __init__(self) -> None:
        self.lifts: list[lifts.Lift] = []  # of the running test
        self.used = ""  # the name of the first of them that was needed
        self.machine = gpu_answers.install(JOB["file"]) if JOB["gpu"] else None
        smaller.install(JOB["file"])
        # Kernels and tests may have no argument that makes a call interpreted.
        self.undo = contextlib.ExitStack()
        importlib.import_module("tilegrind.pallas.running.interpreters").interpret_all(self.undo)
        skip = unittest.TestCase.skipTest

        def skip_unless_lifted(case: unittest.TestCase, reason: str) -> None:
            if not self.passes_over(reason):
                skip(case, reason)

        unittest.TestCase.skipTest = skip_unless_lifted  # type: ignore[method-assign]

    def passes_over(self, reason: str) -> bool:
        lift = next((one for one in self.lifts if reason in one.skips), None)
        if lift is not None:
            self.used = self.used or lift.name
        return lift is not None

    def name(self) -> str:
        """The lift because of which the test has run.  If it met no skip, setting INTERPRET was enough."""
        return self.used or self.lifts[0].name

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if lifts.lifts_of(item.nodeid, JOB["gpu"])]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.lifts, self.used = lifts.lifts_of(item.nodeid, JOB["gpu"]), ""
        item.cls.INTERPRET = not JOB["gpu"]  # type: ignore[attr-defined]
        smaller.adapt(item.module)  # type: ignore[attr-defined]
        if self.machine is not None:
            self.machine.test = item.nodeid
        if why := lifts.why_unjudged(item.nodeid):
            pytest.skip(UNJUDGED + why)


class Outcomes:
    """Calls the recorder, and leaves out tests that an earlier process has done."""

    def __init__(self, lifter: Lifter | None) -> None:
        self.lifter = lifter
        interpreter = Tilegrind() if JOB["interpreter"] == "tilegrind" else Interpreter()
        self.recorder = Recorder(JOB["record"], interpreter)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        done = set(JOB["done"])
        wanted = JOB["tests"]
        items[:] = [item for item in items if item.nodeid not in done and fnmatch.fnmatchcase(item.nodeid, wanted)]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.recorder.write(event="collected", tests=len(session.items))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.recorder.start(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.recorder.reports.append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.recorder.end(nodeid, self.lifter.name() if self.lifter else "")

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        if warning_message.category.__name__ == "FindingWarning":
            self.recorder.write(event="finding", test=nodeid, text=str(warning_message.message))


def pytest_configure(config: pytest.Config) -> None:
    complete_packages()
    lifter = Lifter() if JOB["lifted"] else None
    if lifter is not None:
        config.pluginmanager.register(lifter, "tilegrind-lifts")
    config.pluginmanager.register(Outcomes(lifter), "tilegrind-outcomes")
