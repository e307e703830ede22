"""A copy of the tree with a build folder of its own, into which faults are put one at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from conformance.faults.faults import Fault, seeded


class BuildFailed(Exception):
    """The compiler's first error."""


class Scratch:
    """The copy is in `work`/tree, its build in `work`/build; both are kept for the next run."""

    def __init__(self, root: Path, work: Path, jobs: int):
        self.root, self.tree, self.build_folder, self.jobs = root, work / "tree", work / "build", jobs
        self._copy()

    def _copy(self) -> None:
        """Updates the copy: copies only files that differ, so that little is built again."""
        listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=self.root, check=True,
                                capture_output=True, text=True).stdout
        wanted = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for path in [path for path in self.tree.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.tree)) not in wanted:
                path.unlink()
        for name in wanted:
            source, copy = self.root / name, self.tree / name
            if copy.exists() and copy.read_bytes() == source.read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)

    def build(self, targets: str) -> None:
        """Builds targets, with blanks between their names.  Raises BuildFailed."""
        if not (self.build_folder / "build.ninja").exists():
            launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            self._run(["cmake", "-S", self.tree, "-B", self.build_folder, "-G", "Ninja",
                       "-DCMAKE_BUILD_TYPE=Release", "-DTG_WERROR=OFF", *launcher])
        self._run(["ninja", "-C", self.build_folder, "-j", str(self.jobs), *targets.split()])

    @staticmethod
    def _run(command: list[object]) -> None:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).splitlines()
            raise BuildFailed(next((line for line in lines if "rror:" in line), lines[-1] if lines else "no output"))

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """Inside the ``with`` block the fault is in the tree."""
        file = self.tree / fault.file
        # The file system sets the times: the object of the faulty file must look older than the correct one.
        right, wrong = file.read_text(encoding="utf-8"), seeded(fault, self.tree)
        file.write_text(wrong, encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(right, encoding="utf-8")


def processors() -> int:
    return int(os.environ.get("TG_JOBS", 0)) or os.cpu_count() or 1
