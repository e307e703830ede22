"""Separate environments for the packages: a fresh one for each package and each JAX, without anything of the tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path("/usr/share/tilegrind/python")  # the .deb's folder for the Python package
SECONDS = 900


class Failure(Exception):
    """An error that a check has found, as text for people."""


@dataclass(frozen=True)
class Base:
    """An interpreter, and its JAX."""

    python: str
    jax: str
    packages: str  # the folder with that JAX

    @classmethod
    def of(cls, python: str) -> Base:
        code = ("import jax, sys, sysconfig\n"
                "print(sys._base_executable, jax.__version__, sysconfig.get_path('purelib'), sep='\\n')")
        return cls(*subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")[:3])


@dataclass(frozen=True)
class Environment:
    kind: str  # tree, sdist, wheel or deb
    base: Base
    folder: Path
    root: Path  # where the .deb is unpacked or installed; unused by the other kinds

    @property
    def name(self) -> str:
        return f"{self.kind}, JAX {self.base.jax}"

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def variables(self) -> dict[str, str]:
        """The environment variables of a user who has activated it and has no checkout."""
        program = self.root / "usr" / "bin"
        return {"PATH": f"{self.python.parent}:{program}:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8",
                "JAX_PLATFORMS": "cpu", "NO_COLOR": "1"}

    def run(self, *command: object, expect: tuple[int, ...] = (0,), variables: dict[str, str] | None = None) -> str:
        """The output of a command in the environment's own folder, which must end with one of the exit codes `expect`."""
        done = subprocess.run([str(part) for part in command], cwd=self.folder, env=variables or self.variables(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        if done.returncode not in expect:
            raise Failure(f"{' '.join(map(str, command))}\nexit code {done.returncode}, not {expect}\n{done.stdout}")
        return done.stdout

    def install(self, packages: dict[str, Path], borrow: bool) -> None:
        """Creates it: Python, the package as its users install it, and JAX, borrowed from the base or installed by pip."""
        self.folder.mkdir()
        self.run(self.base.python, "-m", "venv", *(["--without-pip"] if borrow else []), self.folder / "venv")
        if borrow:
            self._add_to_path("borrowed", self.base.packages)
        if self.kind == "deb":
            self._install_deb()
        else:
            self._shell(self._line(packages))
        if not borrow:
            self._shell(f"python -m pip install -q jax=={self.base.jax} pytest numpy ml_dtypes fastjsonschema")

    def _line(self, packages: dict[str, Path]) -> str:
        if self.kind == "tree":  # the line that ./bootstrap demo prints
            return subprocess.run([sys.executable, ROOT / "demo" / "own_environment.py"], capture_output=True, text=True,
                                  check=True).stdout.strip()
        # Pip caches its builds by the name of the file, so it might use an older one.
        return f"python -m pip install --no-cache-dir {packages[self.kind]}"

    def _install_deb(self) -> None:
        """Uses the line of docs/installing.md; an unpacked .deb has another folder."""
        text = (ROOT / "docs" / "installing.md").read_text()
        line = re.search(r"^echo /usr/share/tilegrind/python.*$", text, re.MULTILINE)
        if not line:
            raise Failure("docs/installing.md has no line that begins with `echo /usr/share/tilegrind/python`")
        self._shell(line[0].replace(str(INSTALLED), f"{self.root}{INSTALLED}".replace("//", "/")))

    def _shell(self, line: str) -> None:
        """Runs a line that a user types.  Pip's settings and the compiler's are those of this process, the path is the environment's."""
        ours = {name: value for name, value in os.environ.items()
                if not name.startswith("TILEGRIND") and name not in ("PYTHONPATH", "PYTHONHOME")}
        # A compiler launcher and other build tools may be anywhere on our path.
        path = f"{self.python.parent}:{os.environ['PATH']}"
        # For a compiler cache: the sources of an sdist are in another folder each time, but are the same.
        sources = str(ROOT) if self.kind == "tree" else tempfile.gettempdir()
        self.run("sh", "-c", line, variables={
            **ours, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CCACHE_BASEDIR": sources, "CCACHE_NOHASHDIR": "1"})

    def _add_to_path(self, name: str, folder: str) -> None:
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(self.run(self.python, "-c", code).strip())
        (packages / f"{name}.pth").write_text(folder + "\n")
