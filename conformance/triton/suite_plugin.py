"""A plugin of pytest for Triton's own tests: Tilegrind is Triton's device from the beginning, and what becomes of each test goes into
the file that `--tilegrind-record` names (recording.py)."""

from __future__ import annotations

import contextlib
from typing import Any, Generator, Iterator

import pytest
import triton  # noqa: F401  # before conftest.py of the checkout, from whose folder one would be imported that is not built
from recording import Recording
from suites import naming_cuda


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilegrind-suite")
    group.addoption("--tilegrind-record", required=True)
    group.addoption("--tilegrind-order", default="sequential")
    group.addoption("--tilegrind-checks", default="none")
    group.addoption("--tilegrind-seconds", type=int, default=120, help="for each test")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(config), "tilegrind-recorder")


class Recorder(Recording):
    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config.getoption("--tilegrind-record"), config.getoption("--tilegrind-seconds"))
        self._config, self._naming_cuda = config, set[str]()
        self._active = self._interpreter("cpu")
        self._active.start()

    def _interpreter(self, device: str) -> Any:
        from tilegrind.triton import interpreter

        return interpreter(self._config.getoption("--tilegrind-order"), checks=self._config.getoption("--tilegrind-checks"),
                           findings="collect", prints="thread", device=device)

    def seen(self, report: pytest.TestReport) -> dict[str, Any]:
        seen = self._active.take()
        return {"runs": seen.runs, "refused": [str(error)[:300] for error in seen.refused],
                "findings": sorted({f"{one.kind} in {one.kernel}" for one in seen.findings})}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._active.take()  # what modules launch while they are imported belongs to no test
        self._naming_cuda = naming_cuda([item.nodeid for item in session.items])
        super().pytest_collection_finish(session)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with self._for(item.nodeid):
            return (yield from super().pytest_runtest_protocol())

    @contextlib.contextmanager
    def _for(self, test: str) -> Iterator[None]:
        """The interpreter that a test needs, without results of others."""
        usual = self._active
        usual.take()
        with self._interpreter("cuda") if test in self._naming_cuda else contextlib.nullcontext(usual) as self._active:
            yield
        self._active = usual

    def pytest_unconfigure(self) -> None:
        self._active.stop()
        super().pytest_unconfigure()
