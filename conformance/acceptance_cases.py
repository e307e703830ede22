"""The cases of the acceptance table: captured once, together with the data by which their results are judged.

Each folder KERNEL/CASE holds the files of a capture; kernels with sums also have

    reference.npz   the outputs, computed by JAX in f64
    evaluated.npz   the outputs, computed in f64 by the evaluator of error_bound.py
    bound.npz       a bound on the error of each element

The name of the folder of all cases contains a digest of its sources, so that a change makes new ones.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import jax
import jaxlib
import numpy as np

from conformance import acceptance_kernels, error_bound
from conformance.acceptance_kernels import KERNELS, Acceptance
from tilegrind import pallas
from tilegrind.pallas.launch.pallas_call import Launch
from tilegrind.pallas.running import wide

_SUMS = {"reduce_sum", "reduce_prod", "cumsum", "cumprod", "dot_general", "add_update"}


@dataclass(frozen=True)
class Case:
    """One kernel on one set of inputs."""

    name: str  # of the acceptance kernel
    kernel: Acceptance
    folder: Path

    @property
    def label(self) -> str:
        """The name of the row: both names if a program has several kernels."""
        siblings = [path.name for path in self.folder.parent.iterdir()]
        kernel = self.folder.name.rpartition("-")[0]
        if len(siblings) == 1:
            return self.name
        return f"{self.name}/{self.folder.name if f'{kernel}-1' in siblings else kernel}"

    def arrays(self, file: str) -> dict[str, np.ndarray]:
        """The arrays of one of the folder's files, by the names of the parameters."""
        with np.load(self.folder / file) as found:
            return dict(found)

    def ir(self) -> dict[str, Any]:
        """The kernel, in the form of docs/ir.md."""
        return json.loads((self.folder / "kernel.json").read_text())["kernels"][0]


def all_cases(work: Path, names: Sequence[str]) -> list[Case]:
    """The cases of these kernels; captures those that are not in `work`."""
    root = work / f"cases-{_fingerprint()}"
    missing = [name for name in names if not (root / name).exists()]
    if missing:
        print(f"capturing {len(missing)} programs with JAX {jax.__version__}", flush=True)
    for name in missing:
        # An interrupted capture must not look like a complete one.
        unfinished = root / "unfinished" / name
        shutil.rmtree(unfinished, ignore_errors=True)
        _capture(name, unfinished)
        unfinished.rename(root / name)
    return [Case(name, KERNELS[name], folder)
            for name in names for folder in sorted((root / name).iterdir())]


def has_sums(region: Any) -> bool:
    """Whether the IR contains sums of floats or products of several floats."""
    if isinstance(region, list):
        return any(map(has_sums, region))
    if not isinstance(region, dict):
        return False
    if region.get("op") in _SUMS and not _of_integers(region):
        return True
    return any(map(has_sums, region.values()))


def _of_integers(op: dict[str, Any]) -> bool:
    return all(not error_bound.Type.of(out["type"]).is_float for out in op.get("out", ())) and \
        op["op"] != "add_update"


def _fingerprint() -> str:
    """A digest of the programs, the exporter, this folder's tools and JAX."""
    package = Path(pallas.__file__).parent
    digest = hashlib.sha256(f"{jax.__version__} {jaxlib.__version__} {platform.processor()} "
                            f"{platform.python_version()}".encode())
    tools = [Path(m.__file__) for m in (acceptance_kernels, error_bound)]
    for path in [Path(__file__), *tools, *sorted(package.glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _capture(name: str, folder: Path) -> None:
    """Runs a program in JAX's interpreter and writes its cases.  Raises if one is missing."""
    kernel = KERNELS[name]
    with warnings.catch_warnings(), wide.recording() as calls, \
            pallas.capture(folder, kernel.grid_semantics, compare={"ulp": 4}) as captured:
        warnings.simplefilter("ignore")
        jax.block_until_ready(kernel.run())
    if captured.errors or not captured.cases:
        raise RuntimeError(f"{name}: no case: {captured.errors}")
    by_name: dict[str, list[wide.Call]] = {}
    for call in calls:
        by_name.setdefault(Launch(call.params, None).name, []).append(call)
    for path in captured.cases:
        case = Case(name, kernel, path)
        if kernel.findings:
            _expect_findings(case)
        if has_sums(case.ir()):
            number = int(path.name.rpartition("-")[2])
            _add_reference(case, by_name[case.ir()["name"]][number])


def _expect_findings(case: Case) -> None:
    path = case.folder / "case.json"
    content = json.loads(path.read_text())
    content["expect"]["findings"] = [{"kind": kind} for kind in case.kernel.findings]
    path.write_text(json.dumps(content, indent=1) + "\n")


def _add_reference(case: Case, call: wide.Call) -> None:
    ir, inputs = case.ir(), case.arrays("inputs.npz")
    bounds = json.loads((case.folder / "case.json").read_text()).get("dynamic_grid", [])
    names = {role: [p["name"] for p in ir["params"] if p["role"] == role]
             for role in ("prefetch", "input", "output")}
    operands = [inputs[name] for name in names["prefetch"] + names["input"]]
    results = call.run_in_f64(*map(np.int32, bounds), *operands)
    np.savez(case.folder / "reference.npz", **dict(zip(names["output"], results, strict=True)))
    evaluated = error_bound.evaluate(ir, inputs, bounds)
    np.savez(case.folder / "evaluated.npz", **{name: v.x for name, v in evaluated.items()})
    np.savez(case.folder / "bound.npz", **{name: v.e for name, v in evaluated.items()})
