"""The files in dist/: their contents, the libraries that they link to, and a table of them."""

from __future__ import annotations

import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

from environments import ROOT, Failure

# The libraries that every Linux has (PEP 600) and that Tilegrind uses.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libz.so.1", "ld-linux-x86-64.so.2"}
LICENSES = {"LICENSE", "libzip.txt", "cjson.txt", "sleef.txt", "libgomp.txt"}
BUILT = {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "tilegrind.pc.in"}  # besides folders
OTHERS = {"bench", "conformance", "demo", "docs", "tests", "tools"}  # folders that a build does not need


SUITE = "tilegrind/conform/suite.zip"  # which is made for the packages, and is no part of the tree


def output(*command: object) -> str:
    return subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def is_built(name: str) -> bool:
    """Whether a file of ours belongs in an sdist: files that are compiled or installed, and the examples of the README."""
    if name.startswith(("python/tests/", "python/tests_triton/")):
        return False
    folder, _, rest = name.partition("/")
    return name in BUILT or (rest != "" and folder[0] != "." and folder not in OTHERS)


def check_sdist(path: Path) -> None:
    """Checks that it has all that the build needs, and only files of ours."""
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    ours = output("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    needed = {name for name in ours if is_built(name) and (ROOT / name).exists()} | {f"python/{SUITE}"}
    if held != needed:
        raise Failure(f"{path.name}: missing {sorted(needed - held)}, too many {sorted(held - needed)}")


def needed_of(elf: Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", elf))


def exported_by(elf: Path) -> set[str]:
    return {line.split()[-1].partition("@")[0] for line in output("nm", "-D", "--defined-only", elf).splitlines()}


def declared() -> set[str]:
    """The functions of the public header."""
    text = "".join(path.read_text() for path in (ROOT / "include" / "tilegrind").glob("*.h"))
    return set(re.findall(r"^TG_API.*?\b(tg_[a-z0-9_]+)\(", text, re.MULTILINE))


def elves(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF")


def check_wheel(path: Path, folder: Path) -> dict[str, list[str]]:
    """Checks that it has all it needs; returns the libraries to which each of its ELF files links."""
    if not re.search(r"-py3-none-manylinux_2_\d+_x86_64\.whl$", path.name):
        raise Failure(f"{path.name} is not one for every Linux and every Python 3")
    zipfile.ZipFile(path).extractall(folder)
    links = {str(elf.relative_to(folder)): needed_of(elf) for elf in elves(folder)}
    inside = {Path(name).name for name in links}
    strangers = {name for needs in links.values() for name in needs} - inside - EVERYWHERE
    if strangers:
        raise Failure(f"{path.name} links to {sorted(strangers)}")
    exported = exported_by(folder / "tilegrind" / "libtilegrind.so")
    if exported != declared():
        raise Failure(f"libtilegrind.so exports {sorted(exported ^ declared())} against the header")
    licenses = {file.name for file in folder.glob("*.dist-info/licenses/*")}
    if licenses != LICENSES:
        raise Failure(f"{path.name} has the licences {sorted(licenses)}, not {sorted(LICENSES)}")
    if not (folder / SUITE).is_file():
        raise Failure(f"{path.name} has no {SUITE}")
    return links


def print_files(dist: Path, seconds: dict[str, str], links: dict[str, list[str]]) -> None:
    print(f"{'file':58}{'size':>10}{'built in':>10}")
    for path in sorted(dist.iterdir()):
        built = next((time for suffix, time in seconds.items() if path.name.endswith(suffix)), "?")
        print(f"{path.name:58}{path.stat().st_size / 1e6:7.2f} MB{built:>8} s")
    print("\nIn the wheel:")
    for name, needs in links.items():
        print(f"  {name:50} links to {', '.join(needs)}")
    print(flush=True)
