"""The .deb, installed for as long as its environments are in use, then purged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from environments import ROOT, Failure

NAME = "tilegrind"


def said(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\nexit code {done.returncode}\n{done.stdout}")
    return done.stdout


def may_install() -> bool:
    """Whether this is root, and no other package of that name would be replaced."""
    known = subprocess.run(["dpkg-query", "--status", NAME], capture_output=True).returncode == 0
    return os.geteuid() == 0 and not known


def files_of(deb: Path) -> list[Path]:
    names = [line.split()[5] for line in said("dpkg-deb", "--contents", deb).splitlines()]
    return [Path("/") / name.removeprefix("./") for name in names if not name.endswith("/")]


# The example for C; it prints ten sums, which tools/check_installed.sh expects too.
USE_FROM_C = ("cc -std=c11 -o run_add {root}/examples/run_add.c $(pkg-config --cflags --libs tilegrind)"
              " && ./run_add {root}/examples/add.json | awk 'NR > 1 {{ sum += $1 }} END {{ exit sum != 1045 }}'")


def check_as_installed(scratch: Path) -> None:
    """Checks what works without further setup: program, library for C, package for the system's Python."""
    for command in ("tilegrind --version", "python3 -m tilegrind --version"):
        said("env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", f"cd / && {command}")
    if "libtilegrind.so.0" not in said("ldconfig", "--print-cache"):
        raise Failure("ldconfig does not know libtilegrind.so.0")
    scratch.mkdir()
    said("env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", f"cd {scratch} && {USE_FROM_C.format(root=ROOT)}")


def check_nothing_left(files: list[Path]) -> None:
    left = [str(path) for path in files if os.path.lexists(path)]
    left += [str(path) for path in (Path("/usr/share/tilegrind"), Path("/usr/include/tilegrind")) if path.exists()]
    if "tilegrind" in said("ldconfig", "--print-cache"):
        left.append("libtilegrind in the cache of ldconfig")
    if left:
        raise Failure("left behind: " + ", ".join(left))


@contextmanager
def installed(deb: Path, scratch: Path) -> Iterator[tuple[Path, str]]:
    """The root below which it is available, and how: installed by dpkg or, if that is not possible, unpacked."""
    if not may_install():
        said("dpkg-deb", "--extract", deb, scratch)
        yield scratch, "unpacked, not installed: that needs root, and none of that name in its place"
        return
    files = files_of(deb)
    try:
        said("dpkg", "--install", deb)
        check_as_installed(scratch)
        yield Path("/"), "installed by dpkg, used, purged by apt-get: nothing is left"
    finally:
        said("apt-get", "--quiet", "--assume-yes", "purge", NAME)
    check_nothing_left(files)
