"""A plugin of pytest beside `--tilegrind`: what becomes of each test, and what Tilegrind saw in it, goes into the file that
`--tilegrind-record` names (recording.py)."""

from __future__ import annotations

from typing import Any

import pytest
from recording import Recording
from sizes import size_of
from suites import Expected, find


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilegrind-public")
    group.addoption("--tilegrind-record", required=True)
    group.addoption("--tilegrind-seconds", type=int, default=90, help="for each test")
    group.addoption("--tilegrind-leave", action="append", default=[], metavar="PATTERN",
                    help="tests that are not begun; in it `*` stands for any text")
    group.addoption("--tilegrind-largest", type=int, metavar="N", help="nor are tests of a greater size (sizes.py)")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(config), "tilegrind-recorder")


class Recorder(Recording):
    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config.getoption("--tilegrind-record"), config.getoption("--tilegrind-seconds"))
        self._left = [Expected(pattern, "") for pattern in config.getoption("--tilegrind-leave")]
        self._largest = config.getoption("--tilegrind-largest")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in [one for one in items if self._is_left(one.nodeid)]:
            items.remove(item)
            self.write(began=item.nodeid)
            self.write(test=item.nodeid, outcome="left", why="", runs=0, refused=[], findings=[])

    def _is_left(self, test: str) -> bool:
        return find(test, self._left) is not None or (self._largest is not None and size_of(test) > self._largest)

    def seen(self, report: pytest.TestReport) -> dict[str, Any]:
        seen = getattr(report, "tilegrind", None)
        if seen is None:
            return {"runs": 0, "refused": [], "findings": []}
        return {"runs": seen["runs"], "refused": [text for _, text in seen["refused"]], "findings": seen["failing"] + seen["allowed"]}
