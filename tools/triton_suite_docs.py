"""The generated parts of docs/triton-suites.md and docs/triton-public-suites.md, from the stored results of conformance/triton/run.py and
conformance/triton/public.py."""

import json
import sys
import tomllib
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.triton import public  # noqa: E402
from conformance.triton.run import COLUMNS  # noqa: E402
from jax_suite_docs import markdown  # noqa: E402

FOLDER = ROOT / "conformance" / "triton"


def rows_of(results):
    """The rows of a file of results."""
    return json.loads((FOLDER / results).read_text(encoding="utf-8"))["files"]


def files(results, columns):
    """One row for each file, and their sum."""
    found = rows_of(results)
    rows = [[f"`{file['file']}`", *(file[column] for column in columns)] for file in found]
    return markdown(["file", *columns], [*rows, ["all", *(sum(file[column] for file in found) for column in columns)]])


def reasons(results, header="why they are expected to fail"):
    """Why tests are expected to fail, or are left, the most frequent reason first."""
    counts = {}
    for file in rows_of(results):
        for reason, count in file["reasons"].items():
            counts[reason] = counts.get(reason, 0) + count
    rows = sorted(counts.items(), key=lambda pair: -pair[1])
    return markdown(["tests", header], [[count, reason] for reason, count in rows]) if rows else "No test is expected to fail."


def findings(suite):
    """What was found in a public suite, and what it was judged to be."""
    tests = {}
    for file in rows_of(f"public_{suite}.json"):
        for text, count in file["found"].items():
            tests[text] = tests.get(text, 0) + count
    judged = tomllib.loads((FOLDER / f"public_{suite}.toml").read_text(encoding="utf-8")).get("finding", [])
    rows = [[tests.get(one["text"], 0), f"`{one['text']}`", "true" if one["is_true"] else "false", one["why"]] for one in judged]
    return markdown(["tests", "finding", "judged", "why"], rows) if rows else "Nothing was found."


def of_public_suite(suite):
    """The parts about one public suite."""
    results = f"public_{suite}.json"
    return {f"{suite}_files": partial(files, results, public.COLUMNS), f"{suite}_reasons": partial(reasons, results, "why they fail, or are left"),
            f"{suite}_findings": partial(findings, suite)}


PARTS = {"triton_files": partial(files, "results.json", COLUMNS), "triton_reasons": partial(reasons, "results.json"),
         **{name: part for suite in public.SUITES for name, part in of_public_suite(suite.name).items()}}
