"""What the tests of reports run: the examples, and a broken kernel of each class of the corpus of defects."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.path.abspath(os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"))
SHIFTED = ["examples/shifted.json", "--in", "examples/shifted_inputs.npz"]
SUMMED = ["examples/summed.json", "--in", "examples/summed_inputs.npz"]
TRANSPOSED = ["examples/transposed.json", "--in", "examples/transposed_inputs.npz"]
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.json"))
KINDS = json.loads((ROOT / "docs" / "report.schema.json").read_text())["$defs"]["kind"]["enum"]


def tilegrind(*arguments, env=None, cwd=ROOT):
    return subprocess.run([TILEGRIND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})})


def output(code, *arguments):
    """Standard output of a command that must end with `code`."""
    done = tilegrind(*arguments)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def inputs_of(example):
    """What --in takes for an example; nothing where it comes without."""
    inputs = ROOT / "examples" / example.replace(".json", "_inputs.npz")
    return ["--in", inputs] if inputs.exists() else []


@functools.cache
def defects(folder):
    """Command lines that find the broken kernels of the corpus: of each class the first, and those of kinds that none of
    these shows."""
    pytest.importorskip("jax")
    sys.path[:0] = [path for path in (str(ROOT / "python"), str(ROOT)) if path not in sys.path]
    from conformance.defects import corpus, pair_cases

    chosen, seen = {}, set()
    for pair in corpus.load():
        kinds = {finding.kind for finding in pair.finds}
        is_new = pair.group not in {one.group for one in chosen.values()} or kinds - seen
        if is_new and kinds <= set(KINDS):  # the corpus may run ahead of the detectors
            chosen[pair.label] = pair
            seen |= kinds
    written = pair_cases.write_all(list(chosen.values()), folder)
    return [["check" if chosen[label].needs_orders else "run", cases.broken, "--check", chosen[label].checks,
             "--fail-on", "advice"] for label, cases in written.items() if cases.broken]
