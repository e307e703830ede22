"""For plugins of pytest: tells what becomes of each test as lines of JSON, and ends tests that take too long.

    {"collected": [ID...]}
    {"began": ID}
    {"test": ID, "outcome": passed|failed|skipped|xfailed|slow|left, "why": TEXT, "runs": LAUNCHES, "refused": [TEXT...], "findings": [TEXT...]}
"""

from __future__ import annotations

import json
import signal
from typing import Any, Generator

import pytest

AGAIN = 5  # seconds until a test that goes on is interrupted once more


class TooLong(BaseException):
    """No Exception, so that a test does not take it for its own error."""


class Recording:
    """The recorder of a session.  `seen(report)` says what launches of one phase did: runs, refused, findings."""

    def __init__(self, file: str, seconds: int) -> None:
        self._seconds = seconds
        self._file = open(file, "a", encoding="utf-8", buffering=1)
        self._phases: list[Any] = []
        self._is_late = False
        self._is_in_test = False

    def seen(self, report: pytest.TestReport) -> dict[str, Any]:
        raise NotImplementedError

    def write(self, **line: Any) -> None:
        self._file.write(json.dumps(line) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.write(collected=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self.write(began=report.nodeid)
            self.write(test=report.nodeid, outcome=report.outcome, why=_why(report), runs=0, refused=[], findings=[])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._phases = []
        self.write(began=nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        self._is_late = False
        before = signal.signal(signal.SIGINT, self._interrupted), signal.signal(signal.SIGALRM, self._too_long)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for which, handler in zip((signal.SIGINT, signal.SIGALRM), before):
                signal.signal(which, handler)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        return (yield from self._phase())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        return (yield from self._phase())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, Any]:
        return (yield from self._phase())

    def _phase(self) -> Generator[None, Any, Any]:
        """What a phase runs may be interrupted; what pytest does with the outcome may not."""
        self._is_in_test = True
        try:
            return (yield)
        finally:
            self._is_in_test = False

    def _too_long(self, *_: Any) -> None:
        """A launch notes SIGINT and ends; nothing else in the library ends it."""
        self._is_late = True
        if self._is_in_test:
            signal.raise_signal(signal.SIGINT)

    def _interrupted(self, *frame: Any) -> None:
        if self._is_late:
            raise TooLong(f"takes longer than {self._seconds} s")
        signal.default_int_handler(*frame)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._phases.append((report, self.seen(report)))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        reports, seen = zip(*self._phases)
        worst = next((one for one in reports if one.outcome == "failed"), next((one for one in reports if one.outcome == "skipped"), reports[-1]))
        outcome = "slow" if self._is_late else "xfailed" if worst.outcome == "skipped" and hasattr(worst, "wasxfail") else worst.outcome
        self.write(test=nodeid, outcome=outcome, why=_why(worst), runs=sum(one["runs"] for one in seen),
                   **{name: sorted({text for one in seen for text in one[name]}) for name in ("refused", "findings")})

    def pytest_unconfigure(self) -> None:
        self._file.close()


def _why(report: Any) -> str:
    """What a report says in a line or two; empty for a test that passed."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr or "")
    return text[-300:] if crash is None else text[:300]
