"""A plugin of pytest for Triton's own tests: Tilegrind is Triton's device from the beginning, and each test's outcome, launches and
findings are lines of JSON in the file that `--tilegrind-record` names."""

from __future__ import annotations

import contextlib
import json
import signal
from typing import Any, Generator, Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilegrind-suite")
    group.addoption("--tilegrind-record", required=True)
    group.addoption("--tilegrind-order", default="sequential")
    group.addoption("--tilegrind-checks", default="none")
    group.addoption("--tilegrind-seconds", type=int, default=120, help="for each test; 0: no limit")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(config), "tilegrind-recorder")


class Recorder:
    def __init__(self, config: pytest.Config) -> None:
        self._seconds = config.getoption("--tilegrind-seconds")
        self._file = open(config.getoption("--tilegrind-record"), "a", encoding="utf-8", buffering=1)
        self._config, self._naming_cuda = config, set[str]()
        self._active = self._interpreter("cpu")
        self._active.start()

    def _interpreter(self, device: str) -> Any:
        from tilegrind.triton import interpreter

        return interpreter(self._config.getoption("--tilegrind-order"), checks=self._config.getoption("--tilegrind-checks"),
                           findings="collect", prints="thread", device=device)

    def _write(self, **line: Any) -> None:
        self._file.write(json.dumps(line) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        from conformance.triton.suites import naming_cuda

        tests = [item.nodeid for item in session.items]
        self._naming_cuda = naming_cuda(tests)
        self._write(collected=tests)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write(began=nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with self._for(item.nodeid):
            signal.signal(signal.SIGALRM, _too_long)
            signal.alarm(self._seconds)
            try:
                return (yield)
            finally:
                signal.alarm(0)

    @contextlib.contextmanager
    def _for(self, test: str) -> Iterator[None]:
        """The interpreter that a test needs, without results of others."""
        usual = self._active
        usual.take()
        with self._interpreter("cuda") if test in self._naming_cuda else contextlib.nullcontext(usual) as self._active:
            yield
        self._active = usual

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "call" or report.outcome != "passed":
            seen = self._active.take()
            self._write(test=item.nodeid, outcome="xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome,
                        why=str(call.excinfo.value)[:300] if call.excinfo else "", runs=seen.runs,
                        refused=[str(error)[:300] for error in seen.refused],
                        findings=sorted({f"{one.kind} in {one.kernel}" for one in seen.findings}))
        return report

    def pytest_sessionfinish(self) -> None:
        self._active.stop()
        self._file.close()


def _too_long(*_: Any) -> None:
    raise TimeoutError("the test takes longer than --tilegrind-seconds")
