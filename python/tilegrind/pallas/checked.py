"""Results of a check: kernels, findings, and a case of each kernel that has findings."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Mapping

import jax

from .. import _native, runtime, whole_file
from ..arrays import view
from ..suppressions import Suppressions
from ..tracing import trace_text
from .cases import folder_name, save_arrays
from ..ir.errors import ExportError
from ..ir.module import VERSION
from .xla.target import CheckedRun

LEVELS = ("advice", "note", "warning", "error")


def is_at_least(finding: runtime.Finding, level: str) -> bool:
    """Whether a finding's level is `level` or worse."""
    return LEVELS.index(finding.level) >= LEVELS.index(level)


@dataclass
class KernelRuns:
    """How often a kernel ran under a check, and over how many programs; runs in other orders are not counted."""

    runs: int = 0
    programs: int = 0


@dataclass
class Checked:
    """Results of a check.

    findings    one for each fault, with the number of its occurrences in all runs
    suppressed  likewise, those that a suppression covers
    kernels     by name
    cases       folders that were written for findings, which ``tilegrind check`` accepts
    traces      files with timelines, of the first run of each kernel and of those with new findings
    refused     one error for each call that Tilegrind does not support, and that was not checked
    """

    findings: list[runtime.Finding] = field(default_factory=list)
    suppressed: list[runtime.Suppressed] = field(default_factory=list)
    kernels: dict[str, KernelRuns] = field(default_factory=dict)
    cases: list[Path] = field(default_factory=list)
    traces: list[Path] = field(default_factory=list)
    refused: list[ExportError] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return sum(kernel.runs for kernel in self.kernels.values())

    @property
    def programs(self) -> int:
        return sum(kernel.programs for kernel in self.kernels.values())

    def add(self, run: Run) -> list[runtime.Finding]:
        """Records a run; returns its new findings."""
        counts = self.kernels.setdefault(run.kernel, KernelRuns())
        counts.runs += 1
        counts.programs += run.programs
        for known in run.suppressed:
            self._enter_known(known)
        return [finding for finding in run.findings if self._enter(finding)]

    def _enter(self, finding: runtime.Finding) -> bool:
        for index, known in enumerate(self.findings):
            if _fault(known) == _fault(finding):
                self.findings[index] = _both(known, finding)
                return False
        self.findings.append(finding)
        return True

    def _enter_known(self, new: runtime.Suppressed) -> None:
        for index, old in enumerate(self.suppressed):
            if old.suppression == new.suppression and _fault(old.finding) == _fault(new.finding):
                self.suppressed[index] = replace(old, finding=_both(old.finding, new.finding))
                return
        self.suppressed.append(new)


def _both(known: runtime.Finding, finding: runtime.Finding) -> runtime.Finding:
    """Two findings of the same fault as one: of devices, that of the first, whichever ran first."""
    first = finding if finding.devices[:1] < known.devices[:1] else known
    devices = tuple(sorted({*known.devices, *finding.devices}))
    return replace(first, count=known.count + finding.count, devices=devices)


def _fault(finding: runtime.Finding) -> tuple[Any, ...]:
    """A key that findings of the same fault share, whatever their program and run."""
    others = tuple((other.role, other.op, other.param, other.file, other.line) for other in finding.related)
    return (finding.kind, finding.kernel, finding.op, finding.param, finding.file, finding.line, others)


@dataclass(frozen=True)
class Run:
    """A run of a check; valid only during the call that reports it."""

    kernel: str
    programs: int
    findings: list[runtime.Finding]
    suppressed: list[runtime.Suppressed]
    told: CheckedRun

    @classmethod
    def of(cls, told: CheckedRun, known: Suppressions | None) -> Run:
        """`known` decides which findings are suppressed, and counts each use."""
        name = _native.text(_native.lib.tg_module_kernel_name(told.module, 0)) or ""
        programs = _native.lib.tg_report_stats(told.report).programs
        return cls(name, programs, *runtime.split_findings(told.report, known), told)

    def save(self, parent: Path, settings: Mapping[str, str], why: str) -> Path:
        """Writes a case into a new folder of `parent`: the kernel and its inputs.  `settings` are keys of the case, and `why` is
        its purpose."""
        arrays = runtime.arrays_at(self.told.module, self.told.data)
        roles = {param.name: param.role for param in runtime.params_of(self.told.module)}
        inputs = {name: array for name, array in arrays.items() if roles[name] != "output"}
        folder = _new_folder(parent, folder_name(self.kernel))
        save_arrays(folder / "inputs.npz", list(inputs), list(inputs.values()))
        (folder / "kernel.json").write_text(runtime.json_of(self.told.module), encoding="utf-8")
        case: dict[str, Any] = {"tilegrind": VERSION, "name": folder.name, "why": why,
                                "kernel": "kernel.json", **settings}
        if self.told.grid_count:
            case["dynamic_grid"] = self.told.grid[: self.told.grid_count]
        case["inputs"] = {name: {"file": "inputs.npz", "key": name} for name in inputs}
        case["made_by"] = {"jax": jax.__version__}
        (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
        return folder


    def trace(self, parent: Path, settings: Mapping[str, str], max_steps: int) -> Path:
        """Makes the run once more, as `settings` say, and writes its timeline into a new file of `parent`."""
        module, arrays = self.told.module, runtime.arrays_at(self.told.module, self.told.data)
        views = (_native.Array * len(arrays))(*(view(name, array) for name, array in arrays.items()))
        options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), dynamic_grid=self.told.grid, dynamic_grid_count=self.told.grid_count,
            max_steps=max_steps, **{name: value.encode() for name, value in settings.items()})

        def record(_device: None, limits: Any, recording: Any, errors: Any) -> int:
            status: int = _native.lib.tg_record(module, None, views, len(arrays), ctypes.byref(options), self.told.report, limits,
                                                recording, errors)
            return status

        text = trace_text(record, self.told.report, settings["order"])
        path = _new_file(parent, folder_name(self.kernel))
        whole_file.write(path, text)
        return path


def _new_file(parent: Path, start: str) -> Path:
    """A new file, created atomically, so that no other process has it."""
    number = 0
    while True:
        path = parent / f"{start}-{number}.json"
        try:
            path.touch(exist_ok=False)
            return path
        except FileExistsError:
            number += 1


def _new_folder(parent: Path, start: str) -> Path:
    """A new folder, created atomically, so that no other process has it."""
    number = 0
    while True:
        folder = parent / f"{start}-{number}"
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1
