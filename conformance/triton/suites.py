"""Which files of Triton's own tests are run, and what is expected of each test."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable

EXPECTED = Path(__file__).with_name("expected.toml")

# Below python/test/unit of a checkout.  What is not here is about GPUs, their compilers, or Gluon.
FILES = ("language/test_core.py", "language/test_standard.py", "language/test_random.py", "language/test_tuple.py",
         "language/test_annotations.py", "language/test_conversions.py", "language/test_decorator.py", "language/test_libdevice.py",
         "language/test_mxfp.py", "language/test_subprocess.py", "language/test_tensor_descriptor.py", "language/test_compile_errors.py",
         "language/test_frontend.py", "language/test_line_info.py", "runtime/test_specialize.py", "runtime/test_autotuner.py",
         "runtime/test_cache.py", "runtime/test_launch.py")


@dataclass(frozen=True)
class Expected:
    """Tests that are expected to fail, and why."""

    tests: str  # ids, in which `*` stands for any text
    reason: str
    some: bool = False  # whether only some of them fail, by random numbers or by how they round

    def covers(self, test: str) -> bool:
        return _fits(test, self.tests)


def _fits(test: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), test) is not None


def _written() -> dict[str, Any]:
    """What is in expected.toml; nothing without that file."""
    return tomllib.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}


def expected() -> list[Expected]:
    """The tables `expected`."""
    return [Expected(**row) for row in _written().get("expected", [])]


def naming_cuda(tests: Iterable[str]) -> set[str]:
    """Those of the tests that name CUDA themselves."""
    patterns = _written().get("cuda", [])
    return {test for test in tests if any(_fits(test, pattern) for pattern in patterns)}


def find(test: str, known: list[Expected]) -> Expected | None:
    """What is expected of a test that may fail; None of one that may not."""
    return next((one for one in known if one.covers(test)), None)
