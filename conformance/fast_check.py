"""Compares profile fast as PTX with the interpreter's reference profile: a part of ./bootstrap crosscheck.

Each kernel of the acceptance table runs on the interpreter, in profile reference, and in the emulator, in profile
fast, where the seed moves approximate instructions and matrix units within their documented errors.  Where bits differ,
each element must be as near to the exact value as the running error analysis of error_bound.py allows.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from conformance import error_bound

NOISE = 2.0**-44  # error of the analysis itself, which is in f64, relative to the greatest element
GREATEST = {2: 65504.0, 4: float(np.finfo(np.float32).max), 8: float(np.finfo(np.float64).max)}


@dataclass(frozen=True)
class Outcome:
    """Result of one run: equal bits; within the bound, and the largest share of it; outside; or without a bound."""

    verdict: str  # "equal", "within", "outside", "unjudged", "failed"
    share: float = 0.0
    message: str = ""


def _numbers(array: np.ndarray) -> np.ndarray:
    """The array in f64; bf16 comes as two bytes per element, as numpy has no name for it."""
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def _run(cli: Path, case: Path, backend: str, profile: str, out: Path) -> dict[str, np.ndarray]:
    grid = json.loads((case / "case.json").read_text()).get("dynamic_grid", [])
    command = [cli, "run", case / "kernel.json", "--in", case / "inputs.npz", "--out", out,
               "--backend", backend, "--profile", profile]
    command += ["--grid", ",".join(map(str, grid))] if grid else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1 means findings, which the other check compares
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    with np.load(out) as found:
        return dict(found)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)


def judge(got: np.ndarray, want: np.ndarray, exact: np.ndarray, bound: np.ndarray) -> Outcome:
    """Judges one output of floats; `exact` and `bound` as in error_bound."""
    greatest = GREATEST[got.dtype.itemsize] if got.dtype.kind == "f" else GREATEST[4]
    got, want = _numbers(got), _numbers(want)
    other = ~_same(got, want)
    scale = np.abs(exact[np.isfinite(exact)]).max(initial=0.0)
    allowed = bound + NOISE * scale
    with np.errstate(invalid="ignore"):
        far = np.where(np.isinf(got) & (np.abs(exact) + allowed >= greatest)
                       & (np.sign(got) == np.sign(exact)), 0.0, np.abs(got - exact))
        share = np.where(other, far / np.maximum(allowed, np.finfo(np.float64).tiny), 0.0)
    if not np.isfinite(exact[other]).all() or not np.isfinite(bound[other]).all():
        return Outcome("unjudged", message="an element has no exact value, or no bound")
    worst = float(np.max(np.where(np.isnan(share), np.inf, share), initial=0.0))
    if worst <= 1:
        return Outcome("within", worst)
    at = np.unravel_index(np.argmax(np.where(np.isnan(share), np.inf, share)), share.shape)
    return Outcome("outside", worst, f"at {tuple(map(int, at))}: {got[at]!r}, exact {exact[at]!r}, "
                                     f"allowed {allowed[at]:.3g}")


def check(cli: Path, case: Path, seed: int) -> Outcome:
    """Checks one case with one seed."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.npz"
        try:
            want = _run(cli, case, "cpu", "reference", out)
            got = _run(cli, case, f"emulator:{seed}", "fast", out)
        except RuntimeError as error:
            refused = "does not support" in str(error)
            return Outcome("refused" if refused else "failed", message=str(error))
    different = [name for name in want if not _same(_numbers(got[name]), _numbers(want[name])).all()]
    if not different:
        return Outcome("equal")
    whole = [name for name in different if want[name].dtype.kind in "iub"]
    if whole:
        return Outcome("outside", np.inf, f"{whole[0]}: integers differ")
    kernel = json.loads((case / "kernel.json").read_text())["kernels"][0]
    grid = json.loads((case / "case.json").read_text()).get("dynamic_grid", [])
    with np.load(case / "inputs.npz") as inputs:
        try:
            found = error_bound.evaluate(kernel, dict(inputs), grid, is_fast=True)
        except KeyError as missing:
            return Outcome("unjudged", message=f"the error analysis does not know {missing}")
    outcomes = [judge(got[name], want[name], found[name].x, found[name].e) for name in different]
    return max(outcomes, key=lambda o: (o.verdict != "within", o.share))


def check_all(cli: Path, seeds: int, cases: Sequence[Path], jobs: int) -> bool:
    """Prints elements outside their bounds, and how many runs ended in which way; returns whether all passed."""
    verdicts: Counter[str] = Counter()
    worst = (0.0, "")
    runs = [(case, seed) for case in cases for seed in range(seeds)]
    with ThreadPoolExecutor(jobs) as pool:
        for (case, seed), found in zip(runs, pool.map(lambda run: check(cli, *run), runs)):
            verdicts[found.verdict] += 1
            name = f"{case.parent.name}/{case.name}"
            if found.verdict == "within":
                worst = max(worst, (found.share, name))
            elif found.message:
                print(f"{found.verdict} {name}, seed {seed}\n    {found.message}", flush=True)
    print(f"profile fast: {len(cases)} kernels, {seeds} seeds: "
          + ", ".join(f"{verdicts[v]} {v}" for v in ("equal", "within", "outside", "unjudged",
                                                     "refused", "failed"))
          + f"\n    nearest to its bound: {worst[1]}, {100 * worst[0]:.0f} % of it")
    return not verdicts["outside"] and not verdicts["failed"]
