"""How launches run, and what was found in them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np

from ... import runtime
from ...finding_text import texts_of


class FindingWarning(UserWarning):
    """The findings of a launch, as a warning."""


class FindingError(RuntimeError):
    """The findings of a launch; ``findings`` has all of them."""

    def __init__(self, findings: list[runtime.Finding]):
        super().__init__("\n\n".join(texts_of(findings)))
        self.findings = findings


@dataclass
class Session:
    """Options of runs, as `Module.run` has them, and what becomes of findings: "raise", "warn" or "collect"."""

    options: Mapping[str, Any] = field(default_factory=dict)
    on_finding: str = "raise"
    findings: list[runtime.Finding] = field(default_factory=list)
    launches: int = 0
    programs: int = 0

    def run(self, name: str, module: runtime.Module, inputs: dict[str, np.ndarray], grid: tuple[int, ...],
            memories: dict[str, np.ndarray]) -> None:
        """Runs one launch, and copies what it wrote to the memory of the program."""
        run = module.run(inputs, grid=grid, **self.options)
        for output, array in run.outputs.items():
            memories[output][...] = array
        self.launches += 1
        self.programs += run.programs
        self.findings += run.findings
        if run.findings and self.on_finding == "raise":
            raise FindingError(run.findings)
        if run.findings and self.on_finding == "warn":
            warnings.warn("\n\n".join(texts_of(run.findings)), FindingWarning, stacklevel=2)


_sessions = [Session()]


def current() -> Session:
    return _sessions[-1]


def push(session: Session) -> None:
    _sessions.append(session)


def pop(session: Session) -> None:
    _sessions.remove(session)
