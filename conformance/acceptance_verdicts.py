"""Whether the results of an acceptance kernel are right; docs/acceptance.md gives the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from conformance.acceptance_cases import Case

TABLES = Path(__file__).with_name("grid_blockspec_tables.txt")
ULPS = 4  # allowed difference of element-wise kernels from JAX
NOISE = 2.0**-44  # error of the f64 references themselves, relative to their greatest element
MEANING = 2.0**-6  # allowed difference of the two f64 references, relative to the bound


@dataclass(frozen=True)
class Verdict:
    """`reason` is a phrase with the result, whether the row passed or not."""

    passed: bool
    reason: str


def judge(case: Case, run: Mapping[str, Any], outputs: Mapping[str, np.ndarray]) -> Verdict:
    """Judges one run: `run` is the command's report, `outputs` are its output arrays."""
    if run["unexpected_findings"] or run["absent_findings"]:
        kinds = sorted({finding["kind"] for finding in run["findings"]})
        return Verdict(False, f"findings: {', '.join(kinds) or 'none, where some are expected'}")
    table = _tables().get(case.name)
    if table is not None:
        verdict = _judge_table(table, *outputs.values())
    elif (case.folder / "reference.npz").exists():
        verdict = _judge_sums(case, outputs)
    else:
        verdict = _judge_elementwise(run, outputs)
    if verdict.passed and case.kernel.findings:
        return Verdict(True, f"{verdict.reason}; finding as expected: "
                             f"{', '.join(case.kernel.findings)}")
    return verdict


def worst_ulps(run: Mapping[str, Any]) -> int:
    """The largest difference of an element from JAX's."""
    return max((output.get("worst_ulps", 0) for output in run["outputs"]), default=0)


# -- tables of the document --


@dataclass(frozen=True)
class _Table:
    """A table in the document; for a list of slices, the block that they belong to."""

    text: str
    program: tuple[int, ...]


def _tables() -> dict[str, _Table]:
    """The tables by the names of their kernels."""
    sections = re.split(r"^\[(\w+)([ \d]*)\]\n", TABLES.read_text(), flags=re.MULTILINE)[1:]
    return {name: _Table(text.strip("\n"), tuple(map(int, program.split())))
            for name, program, text in zip(*(sections[i::3] for i in range(3)))}


def _judge_table(table: _Table, array: np.ndarray) -> Verdict:
    if table.program:
        return _judge_slices(table, array)
    printed = str(array)
    if table.text.startswith("Array("):
        printed = repr(array).replace("array(", "Array(", 1)
    same = printed == table.text
    return Verdict(same, "as printed" if same else f"differs from the document:\n{printed}")


def _judge_slices(table: _Table, array: np.ndarray) -> Verdict:
    """The program must have written exactly these slices, cut off at the array's edges."""
    number = int("".join(map(str, table.program)))
    found = [slice(int(at.min()), int(at.max()) + 1) for at in np.nonzero(array == number)]
    printed = re.findall(r"slice\((\d+), (\d+), None\)", table.text)
    wanted = [slice(int(a), min(int(b), n)) for (a, b), n in zip(printed, array.shape)]
    filled = (array == number).sum() == np.prod([s.stop - s.start for s in wanted])
    return Verdict(found == wanted and bool(filled),
                   "as printed" if found == wanted and filled else f"the block is {found}")


# -- numbers --


def _judge_elementwise(run: Mapping[str, Any], outputs: Mapping[str, np.ndarray]) -> Verdict:
    for report in run["outputs"]:
        integers = outputs[report["name"]].dtype.kind != "f"
        if not report["agrees"] or integers and report["differing"]:
            return Verdict(False, f"{report['name']}: {report['summary']}")
    distance = worst_ulps(run)
    return Verdict(True, f"within {ULPS} ULP of JAX" if distance else "the bits of JAX")


@dataclass(frozen=True)
class _Distance:
    """Differences of one output from its f64 reference, in units of eps times the greatest rounded element."""

    ours: float
    jax: float
    of_bound: float  # the largest share of an element's bound

    @property
    def further(self) -> bool:
        """Whether JAX is closer by more than one rounding of the greatest element."""
        return self.ours > self.jax + 1


def _judge_sums(case: Case, outputs: Mapping[str, np.ndarray]) -> Verdict:
    files = {name: case.arrays(f"{name}.npz")
             for name in ("expected", "reference", "evaluated", "bound")}
    worst: _Distance | None = None
    for name, ours in outputs.items():
        jax, reference, evaluated, bound = (files[file][name] for file in files)
        if ours.dtype.kind != "f":
            if not np.array_equal(ours, jax):
                return Verdict(False, f"{name}: integers differ from JAX's")
            continue
        distance = _distance(ours, jax, reference, evaluated, bound)
        if isinstance(distance, str):
            return Verdict(False, f"{name}: {distance}")
        if distance.further or distance.of_bound > 1:
            return Verdict(False, f"{name}: {_figures(distance)}")
        if worst is None or distance.ours - distance.jax > worst.ours - worst.jax:
            worst = distance
    return Verdict(True, _figures(worst) if worst else "the bits of JAX")


def _distance(ours: np.ndarray, jax: np.ndarray, reference: np.ndarray, evaluated: np.ndarray,
              bound: np.ndarray) -> _Distance | str:
    """Differences over the defined elements, or the reason why they are meaningless."""
    eps = float(np.finfo(ours.dtype).eps)
    undefined = np.isnan(jax)
    if not np.array_equal(np.isnan(ours), undefined):
        return "undefined elements are others than JAX's"
    ours, jax, reference, evaluated, bound = (
        array[~undefined].astype(np.float64) for array in (ours, jax, reference, evaluated, bound))
    if not np.isfinite(reference).all() or not np.isfinite(bound).all():
        return "an element has no f64 reference, or no bound"
    # An element without a bound is exact, such as the least float that stands for -inf.
    scale = np.abs(reference[bound > 0]).max(initial=0.0) or 1.0
    allowed = bound + NOISE * scale
    if (np.abs(evaluated - reference) > MEANING * bound + NOISE * scale).any():
        return "the exported kernel means something else than JAX's in f64"
    error = np.abs(ours - reference)
    return _Distance(error.max(initial=0.0) / (eps * scale),
                     np.abs(jax - reference).max(initial=0.0) / (eps * scale),
                     (error / allowed).max(initial=0.0))


def _figures(distance: _Distance) -> str:
    return (f"{distance.ours:.2f} eps from f64, JAX {distance.jax:.2f}; "
            f"{100 * distance.of_bound:.0f} % of the bound")
