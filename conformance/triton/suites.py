"""Which files of Triton's own tests are run, and what is expected of each test."""

from __future__ import annotations

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path

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

    tests: str  # a pattern of ids, as of fnmatch
    reason: str


def expected() -> list[Expected]:
    """The lists `expected` of expected.toml, each of tables with `tests` and `reason`; none without that file."""
    if not EXPECTED.exists():
        return []
    return [Expected(row["tests"], row["reason"]) for row in tomllib.loads(EXPECTED.read_text(encoding="utf-8"))["expected"]]


def reason_of(test: str, known: list[Expected]) -> str | None:
    """Why a test is expected to fail; None if it is not."""
    return next((one.reason for one in known if fnmatch.fnmatchcase(test, _literal(one.tests))), None)


def _literal(pattern: str) -> str:
    """Brackets of ids are no sets of letters."""
    return pattern.replace("[", "[[]")
