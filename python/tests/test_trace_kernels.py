"""Traces of kernels of the corpus of defects, broken and repaired: of Mosaic GPU, of Pallas on TPUs, with atomics and loops that wait."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from conformance.defects import corpus, pair_cases
from tilegrind.pallas import export

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
from trace_schema import check  # noqa: E402

TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
GROUPS = ["mosaic_barriers", "mosaic_clusters", "mosaic_products", "mosaic_proxies", "copies", "semaphores", "locks_and_barriers"]


def trace_of(function, inputs, folder, order):
    """The events, and the kinds of the findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        export(function, *inputs).save(folder / "kernel.json")
    params = json.loads((folder / "kernel.json").read_text())["kernels"][0]["params"]
    names = [param["name"] for param in params if param["role"] in ("input", "prefetch")]
    np.savez(folder / "in.npz", **{name: np.asarray(value) for name, value in zip(names, inputs, strict=True)})
    done = subprocess.run([TILEGRIND, "run", folder / "kernel.json", "--in", folder / "in.npz", "--order", order, "--json",
                           "--trace", folder / "trace.json"], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    found = {finding["kind"] for finding in json.loads(done.stdout)["findings"]}
    return check(json.loads((folder / "trace.json").read_text())), found


def has_threads(folder):
    (kernel,) = json.loads((folder / "kernel.json").read_text())["kernels"]
    return any(axis.get("semantics") == "thread" for axis in kernel["grid"])


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sequential", "interleaved:1"])
def test_form_of_every_case_with_threads(tmp_path, order):
    """All that readers of traces want, of each kernel of the corpus, broken and repaired, whose programs have threads."""
    count = 0
    for cases in pair_cases.write_all(corpus.load(), tmp_path).values():
        for case in filter(None, (cases.broken, cases.repaired)):
            if not has_threads(case):
                continue
            done = subprocess.run([TILEGRIND, "run", case, "--order", order, "--trace", tmp_path / "trace.json"], capture_output=True,
                                  text=True, timeout=120)
            assert done.returncode in (0, 1), (case, done.stderr)
            check(json.loads((tmp_path / "trace.json").read_text()))
            count += 1
    assert count > 80


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_waits_of_the_corpus(tmp_path, group):
    """Who has ended a wait is known, but of one for a group in which nothing was; a deadlock is a wait that never ends."""
    waits = 0
    for pair in corpus.load([group]):
        for function in (pair.broken, pair.repaired):
            for order in ("sequential", "interleaved:1"):
                events, found = trace_of(function, pair.inputs, tmp_path, order)
                own = [event for event in events if event.get("cat") == "wait"]
                waits += len(own)
                for wait in own:
                    is_of_groups = wait["args"]["op"].endswith("_wait_groups")
                    assert is_of_groups or ("ended_by" in wait["args"]) != ("never_ends" in wait["args"]), (pair.label, wait)
                if found & {"deadlock", "livelock"}:
                    assert any("never_ends" in wait["args"] for wait in own), (pair.label, order)
    assert waits > 5
