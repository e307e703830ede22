"""A plugin of pytest for Triton's own tests: Tilegrind is Triton's device from the beginning, and what becomes of each test goes into
the file that `--tilegrind-record` names (recording.py)."""

from __future__ import annotations

from typing import Any

import pytest
from recording import Recording


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
        from tilegrind.triton import interpreter

        super().__init__(config.getoption("--tilegrind-record"), config.getoption("--tilegrind-seconds"))
        self._active = interpreter(config.getoption("--tilegrind-order"), checks=config.getoption("--tilegrind-checks"), findings="collect")
        self._active.start()

    def seen(self, report: pytest.TestReport) -> dict[str, Any]:
        seen = self._active.take()
        return {"runs": seen.runs, "refused": [str(error)[:300] for error in seen.refused],
                "findings": sorted({f"{one.kind} in {one.kernel}" for one in seen.findings})}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._active.take()  # what modules launch while they are imported belongs to no test
        super().pytest_collection_finish(session)

    def pytest_unconfigure(self) -> None:
        self._active.stop()
        super().pytest_unconfigure()
