"""The project's tests, from the cheapest to the most expensive, as commands on one build."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Callable

from conformance.faults.scratch import Scratch

MOST_MEMORY = 8 << 30  # bytes of address space; a fault may ask for any amount
LINE = 160             # characters of a check's message that are kept

# Suites of unit tests that take more than a second or two; the others come first.
LONG_SUITES = ("blocks_*", "lanes_*", "ptx_lanes", "ptx_forms", "ptx_convert", "machine_random", "machine_ops", "numerics",
               "elementary", "device_gpu")

# Suites of layouts and meshes, which come before the others.
LAYOUT_SUITES = ("layout_*", "verify_layout", "demands", "physical*", "dma_layouts", "memory_cost*", "mesh_*")

NEEDED = {"defects of layouts": "jax", "layouts by command": "pytest", "acceptance": "jax"}  # Python packages
LAYOUT_TESTS = ("tests/test_layout_cli.py", "tests/test_layout_docs.py", "tests/test_mesh_cli.py", "python/tests/test_layout.py",
                "python/tests/test_mesh.py")

FAILED_TEST = r"^\[FAIL\] (\w+::\w+(?:: Timed out)?)"


@dataclass(frozen=True)
class Outcome:
    """Result of a check: no failure, or the first line of its message."""

    failed: bool
    says: str
    seconds: float


@dataclass(frozen=True)
class Check:
    name: str
    about: str
    target: str  # the build targets that it needs, with blanks between them
    limit: int   # seconds
    command: Callable[[Scratch], list[object]]
    first: str  # regular expression of the line with the failure; its groups are kept


def _unit(pattern: str) -> Callable[[Scratch], list[object]]:
    return lambda s: [s.build_folder / "tilegrind_tests", "-j1", "--fail-fast", "--timeout", "120", "--filter",
                      pattern]


CHECKS = (
    Check("laws of layouts", "each law of the operations on layouts, on 1,000 random ones", "layout_laws", 60,
          lambda s: [s.build_folder / "layout_laws", "--count", "1000"], r"^(\w+ is broken: .*)$"),
    Check("tables of layouts", "expected results of papers and of the tests of others", "layout_judges", 60,
          lambda s: [s.build_folder / "layout_judges", *sorted((s.tree / "tests/layouts/judges").glob("*.json"))],
          r"^  (\S.*)$"),
    Check("cross-check", "every example of what each operation means, on the interpreter and as PTX on the emulator, "
          "in three orders of warps: the same bits and findings", "tilegrind_cli", 60,
          lambda s: [s.build_folder / "tilegrind", "crosscheck", "--backends", "cpu,emulator", "--seeds", "3",
                     cases_folder(s)], r"^(.*(?:different|failed)\b.*)$"),
    Check("meaning", "the same examples on the interpreter: what the example says", "tilegrind_cli", 60,
          lambda s: [sys.executable, s.tree / "conformance/semantics/run.py", "check", "--cli",
                     s.build_folder / "tilegrind"], r"^(\w.*)$"),
    Check("random kernels", "the first 150 of them", "random_programs", 300,
          lambda s: [s.build_folder / "random_programs", "0", "150"], r"^(seed .*)$"),
    Check("defects of layouts", "broken kernels with layouts, and repaired ones: the findings of each, and physical runs",
          "tilegrind_cli tilegrind_shared", 120,
          lambda s: [sys.executable, s.tree / "conformance/defects/run.py", "--cli", s.build_folder / "tilegrind",
                     "--brief", "--only", "layouts_*"], r"^(layouts_\S+: (?:missed|told).*)$"),
    Check("unit tests of layouts", f"the suites {', '.join(LAYOUT_SUITES)}", "tilegrind_tests", 300,
          _unit(f"@({'|'.join(LAYOUT_SUITES)})/*"), FAILED_TEST),
    Check("layouts by command", "layouts and meshes by the command line, from Python and as the documents show them",
          "tilegrind_cli tilegrind_shared", 300,
          lambda s: [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *LAYOUT_TESTS],
          r"^FAILED (\S+)"),
    Check("unit tests", "all but the long suites", "tilegrind_tests", 600, _unit(f"!({'|'.join(LONG_SUITES)})/*"),
          FAILED_TEST),
    Check("acceptance", "the kernels of the acceptance table on the interpreter and as PTX",
          "tilegrind_cli tilegrind_shared", 1200,
          lambda s: [sys.executable, s.tree / "conformance/crosscheck.py", "--cli", s.build_folder / "tilegrind",
                     "--work", s.root / "build" / "accept", "--only", "acceptance", "--no-ptxas", "--seeds", "1",
                     "--jobs", "1"], r"^((?:different|failed) .*)$"),
    Check("long unit tests", f"the suites {', '.join(LONG_SUITES)}", "tilegrind_tests", 1800,
          _unit(f"@({'|'.join(LONG_SUITES)})/*"), FAILED_TEST),
)


def available(last: str) -> tuple[Check, ...]:
    """Checks up to `last` that this Python can run."""
    count = 1 + [check.name for check in CHECKS].index(last)
    return tuple(check for check in CHECKS[:count] if find_spec(NEEDED.get(check.name, "sys")))


def cases_folder(scratch: Scratch) -> Path:
    return scratch.build_folder / "semantics"


def write_cases(scratch: Scratch) -> None:
    """Writes the cases that the cross-check reads."""
    shutil.rmtree(cases_folder(scratch), ignore_errors=True)
    subprocess.run([sys.executable, scratch.tree / "conformance/semantics/run.py", "cases", cases_folder(scratch)],
                   check=True, stdout=subprocess.DEVNULL)


def run(check: Check, scratch: Scratch) -> Outcome:
    """Runs a check.  A check that exceeds its time limit has failed, too, and the outcome says so.  Raises BuildFailed."""
    scratch.build(check.target)
    start = time.monotonic()
    built = {"TILEGRIND": scratch.build_folder / "tilegrind", "TILEGRIND_LIBRARY": scratch.build_folder / "libtilegrind.so",
             "PYTHONPATH": scratch.tree / "python"}
    process = subprocess.Popen(
        [str(word) for word in check.command(scratch)], cwd=scratch.tree, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_bounded,
        env={**os.environ, **{name: str(path) for name, path in built.items()}, "JAX_PLATFORMS": "cpu", "TG_BRISK": "1",
             "OMP_WAIT_POLICY": "passive", "NO_COLOR": "1"})
    try:
        said, _ = process.communicate(timeout=check.limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(True, f"no end within {check.limit} s", time.monotonic() - start)
    seconds = time.monotonic() - start
    if process.returncode == 0:
        return Outcome(False, "", seconds)
    return Outcome(True, _first_words(check, said, process.returncode, scratch), seconds)


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _first_words(check: Check, said: str, code: int, scratch: Scratch) -> str:
    found = re.search(check.first, said, re.MULTILINE)
    line = found[1] if found else next((line for line in said.splitlines() if line.strip()), "")
    if not found and code < 0:
        line = f"ended by {signal.Signals(-code).name}"
    for folder in (cases_folder(scratch), scratch.build_folder, scratch.tree):
        line = line.replace(f"{folder}/", "")
    line = re.sub(r"\S*/cases-\w+/", "", line)  # a folder of the acceptance table
    return line.strip()[:LINE]
