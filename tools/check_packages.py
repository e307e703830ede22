"""Installs the packages in dist/ as their users do, each in environments of its own, and uses them there.

    check_packages.py dist --python .venv/bin/python --python .venv312/bin/python
    check_packages.py dist --python .venv/bin/python --borrow --only wheel

For each of tree, sdist, wheel and .deb, and each Python that is named, it makes a fresh environment outside the tree.  The environment
also gets that Python's JAX: installed by pip or, with --borrow, from that Python's own packages.  Exit code 1 if anything fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "packages"))

import deb  # noqa: E402
import files  # noqa: E402
from uses import CHECKS  # noqa: E402
from environments import ROOT, Base, Environment, Failure  # noqa: E402

KINDS = ("tree", "sdist", "wheel", "deb")
PATTERNS = {"sdist": "*.tar.gz", "wheel": "*.whl", "deb": "*.deb"}


def find_packages(dist: Path) -> dict[str, Path]:
    packages = {}
    for kind, pattern in PATTERNS.items():
        found = list(dist.resolve().glob(pattern))
        if len(found) != 1:
            sys.exit(f"check_packages.py: {dist} holds {len(found)} of {pattern}; ./bootstrap package makes one")
        packages[kind] = found[0]
    return packages


def attempt(do: Callable[[], None], failures: list[str], name: str) -> str:
    """A cell of the table; errors are added to `failures`."""
    start = time.monotonic()
    try:
        do()
    except Failure as problem:
        failures.append(f"{name}: {problem}")
        return "FAILED"
    return f"ok {time.monotonic() - start:.1f} s"


def print_row(name: str, cells: Sequence[str]) -> None:
    print(f"{name:20}" + "".join(f"{cell:12}" for cell in cells), flush=True)


def check_all(env: Environment, install: str) -> list[str]:
    """Prints the row of an environment whose installation printed `install`.  Returns the failures."""
    failures: list[str] = []
    cells = [attempt(lambda: check(env), failures, f"{env.name}: {name}") for name, check in CHECKS.items()]
    print_row(env.name, [install, *cells])
    return failures


def check_environments(environments: list[Environment], packages: dict[str, Path], borrow: bool) -> list[str]:
    """Installs environments one after another, since pip builds on all processors, and checks them meanwhile.  Returns the failures."""
    failures: list[str] = []
    running: list[Future[list[str]]] = []
    print_row("environment", ["install", *CHECKS])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for env in environments:
            before = len(failures)
            cell = attempt(lambda: env.install(packages, borrow), failures, f"{env.name}: install")
            if len(failures) > before:
                print_row(env.name, [cell, *["-"] * len(CHECKS)])
            else:
                running.append(pool.submit(check_all, env, cell))
    return failures + [failure for checks in running for failure in checks.result()]


def check_files(dist: Path, packages: dict[str, Path], scratch: Path) -> list[str]:
    """Prints the table of the files.  Returns the failures."""
    notes = ROOT / "build-package" / "seconds"
    seconds = dict(line.split() for line in notes.read_text().splitlines()) if notes.exists() else {}
    failures: list[str] = []
    links: dict[str, list[str]] = {}
    attempt(lambda: files.check_sdist(packages["sdist"]), failures, "sdist")
    attempt(lambda: links.update(files.check_wheel(packages["wheel"], scratch / "wheel")), failures, "wheel")
    files.print_files(dist, seconds, links)
    return failures


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path, help="the folder with sdist, wheel and .deb")
    parser.add_argument("--python", action="append", required=True, help="one that has JAX; repeatable")
    parser.add_argument("--only", action="append", choices=KINDS, help="just environments of this kind; repeatable")
    parser.add_argument("--borrow", action="store_true", help="use JAX where that Python has it, instead of pip's")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    packages = find_packages(asked.dist)
    kinds = [kind for kind in KINDS if not asked.only or kind in asked.only]
    with tempfile.TemporaryDirectory(prefix="tilegrind-packages-") as name:
        scratch = Path(name)
        failures = check_files(asked.dist, packages, scratch)
        installed = deb.installed(packages["deb"], scratch / "deb") if "deb" in kinds else nullcontext((scratch, ""))
        try:
            with installed as (root, how):
                environments = [Environment(kind, base, scratch / f"{kind}-{base.jax}", root)
                                for kind in kinds for base in map(Base.of, asked.python)]
                failures += check_environments(environments, packages, asked.borrow)
            print(f"\n.deb: {how}" if how else "")
        except Failure as problem:
            failures.append(f"deb: {problem}")
    for failure in failures:
        print(f"\nFAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
