"""Results of checks: kernels, findings, and what was written for those that have some."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from . import runtime

LEVELS = ("advice", "note", "warning", "error")


def is_at_least(finding: runtime.Finding, level: str) -> bool:
    """Whether a finding's level is `level` or worse."""
    return LEVELS.index(finding.level) >= LEVELS.index(level)


@dataclass
class KernelRuns:
    """How often a kernel ran under a check, and over how many programs; runs in other orders are not counted."""

    runs: int = 0
    programs: int = 0


class OneRun(Protocol):
    """What is recorded of a run."""

    kernel: str
    programs: int
    findings: list[runtime.Finding]
    suppressed: list[runtime.Suppressed]


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
    refused: list[Exception] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return sum(kernel.runs for kernel in self.kernels.values())

    @property
    def programs(self) -> int:
        return sum(kernel.programs for kernel in self.kernels.values())

    def add(self, run: OneRun) -> list[runtime.Finding]:
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


class Results:
    """The results of a check as attributes of its own."""

    def _seen(self) -> Checked:
        """Everything seen since the start, or since results were taken."""
        raise NotImplementedError

    @property
    def findings(self) -> list[runtime.Finding]:
        """As `Checked.findings`."""
        return self._seen().findings

    @property
    def suppressed(self) -> list[runtime.Suppressed]:
        """As `Checked.suppressed`."""
        return self._seen().suppressed

    @property
    def kernels(self) -> dict[str, KernelRuns]:
        """As `Checked.kernels`."""
        return self._seen().kernels

    @property
    def cases(self) -> list[Path]:
        """As `Checked.cases`."""
        return self._seen().cases

    @property
    def traces(self) -> list[Path]:
        """As `Checked.traces`."""
        return self._seen().traces

    @property
    def refused(self) -> list[Exception]:
        """As `Checked.refused`."""
        return self._seen().refused

    @property
    def runs(self) -> int:
        """As `Checked.runs`."""
        return self._seen().runs

    @property
    def programs(self) -> int:
        """As `Checked.programs`."""
        return self._seen().programs
