"""The time limit of the recorder of public suites: a test whose launch goes on is ended, and the next one runs."""

import json
import os

from conftest import FOLDERS, ROOT

pytest_plugins = ["pytester"]

TESTS = '''
import triton
import triton.language as tl
from arrays import iota, zeros
from kernels import add


@triton.jit
def long(o, n):
    total = 0.0
    for i in range(n):
        total += tl.sqrt(tl.load(o) + i)
    tl.store(o, total)


def test_long():
    try:
        long[(1,)](zeros(1), 2_000_000_000)
    except Exception:
        pass


def test_short():
    add[(1,)](iota(4), iota(4), zeros(4), 4, B=4)
'''


def test_a_launch_that_takes_too_long_is_ended(pytester, monkeypatch):
    folders = [*FOLDERS, "conformance/triton"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / one) for one in folders))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_suite=TESTS)
    pytester.runpytest_subprocess("-p", "tilegrind.pytest_plugin", "-p", "public_plugin", "-p", "no:cacheprovider", "--tilegrind",
                                  "--tilegrind-orders=no", "--tilegrind-record=record", "--tilegrind-seconds=10", timeout=120)
    lines = [json.loads(one) for one in (pytester.path / "record").read_text().splitlines()]
    ended = {one["test"].partition("::")[2]: (one["outcome"], one["runs"]) for one in lines if "test" in one}
    assert ended == {"test_long": ("slow", 0), "test_short": ("passed", 1)}
