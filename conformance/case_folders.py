"""The cases of all checks over the whole tree: every example of docs/semantics.md and every kernel of the acceptance table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def semantics_cases(cli: Path, folder: Path) -> list[Path]:
    """Every example of docs/semantics.md, written to `folder` as a case."""
    subprocess.run([sys.executable, HERE / "semantics" / "run.py", "cases", folder, "--cli", cli], check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(path.parent for path in folder.rglob("case.json"))


def acceptance_cases(work: Path) -> list[Path]:
    """The kernels of the acceptance table; captures those that are not in `work`."""
    from conformance.acceptance_cases import all_cases
    from conformance.acceptance_kernels import KERNELS
    return [case.folder for case in all_cases(work, list(KERNELS))]
