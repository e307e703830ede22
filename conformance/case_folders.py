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


def thread_cases(folder: Path) -> list[Path]:
    """The repaired kernels of Mosaic GPU among the pairs of the corpus of defects, written to `folder`: programs of several threads."""
    from conformance.defects import corpus, pair_cases
    pairs = [pair for pair in corpus.load() if pair.group.startswith("mosaic_")]
    written = pair_cases.write_all(pairs, folder)
    return [cases.repaired for cases in written.values() if cases.repaired]


def acceptance_cases(work: Path) -> list[Path]:
    """The kernels of the acceptance table; captures those that are not in `work`."""
    from conformance.acceptance_cases import all_cases
    from conformance.acceptance_kernels import KERNELS
    return [case.folder for case in all_cases(work, list(KERNELS))]
