"""The generated part of docs/triton-suites.md, from the stored results of conformance/triton/run.py."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.triton.run import COLUMNS  # noqa: E402
from jax_suite_docs import markdown  # noqa: E402

RESULTS = ROOT / "conformance" / "triton" / "results.json"


def files():
    """One row for each file, and their sum."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))["files"]
    rows = [[f"`{file['file']}`", *(file[column] for column in COLUMNS)] for file in found]
    return markdown(["file", *COLUMNS], [*rows, ["all", *(sum(file[column] for file in found) for column in COLUMNS)]])


def reasons():
    """Why tests are expected to fail, the most frequent reason first."""
    counts = {}
    for file in json.loads(RESULTS.read_text(encoding="utf-8"))["files"]:
        for reason, count in file["reasons"].items():
            counts[reason] = counts.get(reason, 0) + count
    rows = sorted(counts.items(), key=lambda pair: -pair[1])
    return markdown(["tests", "why they are expected to fail"], [[count, reason] for reason, count in rows]) if rows else "No test is expected to fail."


PARTS = {"triton_files": files, "triton_reasons": reasons}
