"""What launches of Triton kernels do while a session is the current one: run, and tell what is found in them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

from ... import runtime
from ...case_folders import folder_name, new_file, new_folder, save_case
from ...checked import Checked, is_at_least
from ...raising import FindingError, raise_at_kernel, warn
from ...suppressions import Suppressions
from ..lowering.choices import Choices
from .launches import Launch
from .undefined import Undefined

ON_FINDING = ("raise", "warn", "collect")
PRINTS = ("program", "thread")


class _Seen(NamedTuple):
    """`checked.OneRun`."""

    kernel: str
    programs: int
    findings: list[runtime.Finding]
    suppressed: list[runtime.Suppressed]


@dataclass
class Session:
    """How launches run, and what becomes of findings.

    options       of `Module.run`, but `checks` and `suppressions`
    checks        those of each run
    orders        None: each launch runs once, in the order of `options`; else arguments of `Module.check`, which runs it in many orders
    on_finding    "raise", "warn" or "collect": what becomes of findings of level `fail_on` or worse; others are warned of, or collected
    save          folder for a case of each kernel with new findings
    trace         folder for the timeline of the first launch of each kernel and of those with new findings, in `trace_order`
    autotune      "first": of several configurations of a kernel the first one runs; "all": each of them, once, before the first one
    choices       what Triton leaves open
    prints        "program": each program prints a thing once; "thread": each thread of it that has the thing does
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    on_finding: str = "raise"
    checks: str = "none"
    orders: Mapping[str, int] | None = None
    fail_on: str = "error"
    suppressions: Suppressions | None = None
    save: Path | None = None
    trace: Path | None = None
    trace_order: str = "sequential"
    autotune: str = "first"
    choices: Choices = Choices()
    prints: str = "program"
    checked: Checked = field(default_factory=Checked)

    def run(self, launch: Launch) -> None:
        """Runs one launch, which writes to the arrays in its `outputs`.  Raises FindingError, with what it wrote in place."""
        before = launch if self.save is None and self.trace is None else launch.kept()
        run = self._executed(launch)
        is_first = launch.name not in self.checked.kernels
        new = self.checked.add(_Seen(launch.name, run.programs, run.findings, run.suppressed))
        if self.save is not None and new:
            self._save(before, new[0].message)
        if self.trace is not None and (new or is_first):
            self._trace(before)
        self._tell(run.findings)

    def choices_of(self, threads: int) -> Choices:
        """Those for a launch with so many threads in a program."""
        return replace(self.choices, threads=threads) if self.prints == "thread" else self.choices

    @property
    def looks_at_undefined(self) -> bool:
        """Whether runs have the check "undefined"."""
        return bool({"all", "undefined"} & set(self.checks.split(",")))

    def refuse(self, error: Exception) -> None:
        """Records that a kernel is not supported."""
        self.checked.refused.append(error)

    def _executed(self, launch: Launch) -> runtime.Run:
        common = {**self.options, "print": self._printer(), "checks": self.checks, "suppressions": self.suppressions, "grid": launch.grid,
                  "outputs": launch.outputs, **self._known(launch.undefined)}
        if self.orders is None:
            return launch.module.run(launch.inputs, **common)
        return launch.module.check(launch.inputs, **common, **self.orders)

    def _printer(self) -> Callable[[str], Any]:
        """What gets each text that programs print."""
        return self.options.get("print", sys.stdout.write)

    def _known(self, undefined: Undefined) -> dict[str, Any]:
        """What a run is told of undefined memory.  One without the check tells nothing of what it does to it."""
        if not self.looks_at_undefined:
            undefined.forget()
            return {}
        return {"undefined": {name: (known, known) for name, known in undefined.inputs.items()}}

    def _save(self, launch: Launch, why: str) -> None:
        folder = new_folder(self.save, folder_name(launch.name))
        profile = self.options.get("profile")
        save_case(folder, launch.module.to_json(), launch.inputs, grid=launch.grid, made_by=made_by(),
                  settings={"why": why, **({"profile": profile} if profile not in (None, "reference") else {})})
        self.checked.cases.append(folder)

    def _trace(self, launch: Launch) -> None:
        path = new_file(self.trace, folder_name(launch.name))
        options = {key: value for key, value in self.options.items() if key != "print"}
        launch.module.run(launch.inputs, **{**options, "order": self.trace_order}, grid=launch.grid, trace=path)
        self.checked.traces.append(path)

    def _tell(self, findings: list[runtime.Finding]) -> None:
        if self.on_finding == "collect":
            return
        raised = [one for one in findings if self.on_finding == "raise" and is_at_least(one, self.fail_on)]
        raised += [one for one in findings if one not in raised and not warn(one)]
        if raised:
            raise_at_kernel(FindingError(raised))


def made_by() -> dict[str, str]:
    """What a case says of its origin."""
    triton = sys.modules.get("triton")
    return {"triton": getattr(triton, "__version__", "none")}


_sessions = [Session()]


def current() -> Session:
    return _sessions[-1]


def push(session: Session) -> None:
    _sessions.append(session)


def pop(session: Session) -> None:
    """Ends this one, not another with the same options, which is equal."""
    del _sessions[next(place for place, one in enumerate(_sessions) if one is session)]
