"""A session in which each launch runs on other backends as well, which are compared with the reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np

from ... import emulator, runtime
from ..running.launches import Launch
from ..running.session import Session
from .compiling import NotCompared
from .differences import Difference, differences
from .emulating import Emulated, How, arguments_of, emulated
from .first_difference import First, first_difference
from .printed import Printed, printed
from .races import KINDS, effect_of_race
from .translations import Translations

BACKENDS = ("triton-ptx", "emulator")


@dataclass(frozen=True)
class Crosscheck:
    """What came of one launch on one backend, beside the reference.

    kernel, number, grid  of the launch, (z, y, x); launches of a kernel are counted from 1
    backend, target       "triton-ptx" or "emulator"; the number of sm_80
    ptx                   Triton's
    differences           one for each memory; none after a trap
    trap                  what the emulator stopped at, or None
    findings              those of the reference
    refusal               why the launch did not run on the backend, and is not compared; None where it did
    inexact               instructions that a GPU may round otherwise
    first                 the first operation that differs, or why none is told; None where it was not looked for
    prints                lines that only the reference or only Triton's PTX prints; None: they are the same
    effect                of a race at which the emulator stopped: what is in memory in the end if nobody looks for it; else None
    """

    kernel: str
    number: int
    grid: tuple[int, ...]
    backend: str
    target: int
    ptx: str = field(default="", repr=False)
    differences: list[Difference] = field(default_factory=list)
    trap: emulator.Trap | None = None
    findings: list[runtime.Finding] = field(default_factory=list)
    refusal: Exception | None = None
    inexact: int = 0
    first: First | str | None = None
    effect: str | None = None
    prints: Printed | None = None

    @property
    def equal(self) -> bool:
        """Whether it was compared, nothing differs, and nothing was found."""
        return self.within_ulps(0, 0.0) and not any(one.differing for one in self.differences)

    def within(self, most: float) -> bool:
        """The same where values may differ by `most`."""
        return self.within_ulps(0, most)

    def within_ulps(self, ulps: int, most: float = 0.0) -> bool:
        """The same where each memory may differ by `ulps` or by `most`; with either, printed numbers may differ too."""
        return not self.findings and self.agrees(ulps, most)

    def agrees(self, ulps: int, most: float) -> bool:
        """The same, whatever the reference has found."""
        return (not self.refusal and not self.trap and (ulps > 0 or most > 0 or not self.prints)
                and all(one.within(ulps, most) for one in self.differences))

    def __str__(self) -> str:
        name = f"sm_{self.target}" if self.backend == "triton-ptx" else self.backend
        if self.refusal:
            return f"{name}: not compared: {self.refusal}"
        lines = [f"{name}: " + ("equal" if self.equal else "different")]
        lines += [str(one) for one in self.differences] + [str(one) for one in (self.prints, self.first) if one]
        lines += ([self.trap.text.rstrip()] if self.trap else []) + ([self.effect] if self.effect else [])
        return "\n  ".join(lines + [str(finding) for finding in self.findings])


@dataclass
class Crosschecking(Session):
    """A session that has one `Crosscheck` for each launch and backend, in the order of the launches, and tells each as it comes, after
    what `starts` gets: kernel, number of its launch, and backend.

    The reference runs first and in place, the other backends on copies of what it has read.  With `explains`, the first operation that
    differs is looked for where Triton's PTX differs by more than `ulps` and `most`: in the first such launch of each kernel.  Of each kernel the first `limit`
    launches are compared; None: all."""

    backends: tuple[str, ...] = ("triton-ptx",)
    target: int = 80
    how: How = How()
    explains: bool = False
    ulps: int = 0
    most: float = 0.0
    limit: int | None = None
    tell: Callable[[Crosscheck], None] = lambda result: None
    starts: Callable[[str, int, str], None] = lambda kernel, number, backend: None
    results: list[Crosscheck] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)
    _translations: Translations | None = None
    _explained: set[str] = field(default_factory=set)
    _heard: list[str] = field(default_factory=list)

    def _executed(self, launch: Launch) -> runtime.Run:
        self._heard.clear()
        if self.limit is not None and self._counts.get(launch.name, 0) >= self.limit:
            return super()._executed(launch)
        before = launch.kept()
        run = super()._executed(launch)
        number = self._counts[launch.name] = self._counts.get(launch.name, 0) + 1
        for backend in self.backends:
            common = {"kernel": launch.name, "number": number, "grid": launch.grid, "backend": backend, "target": self.target}
            self.starts(launch.name, number, backend)
            runs = {"triton-ptx": self._as_ptx, "emulator": self._as_ours}[backend]
            try:
                result = Crosscheck(**common, findings=run.findings, **runs(before, launch))
            except (NotCompared, runtime.Error) as refusal:
                result = Crosscheck(**common, refusal=refusal)
            self.results.append(result)
            self.tell(result)
        return run

    def _printer(self) -> Callable[[str], Any]:
        tell = super()._printer()

        def hear(text: str) -> None:
            self._heard.append(text)
            tell(text)

        return hear

    def _as_ptx(self, before: Launch, after: Launch) -> dict[str, Any]:
        arguments = arguments_of(after)
        self._translations = self._translations or Translations(self.target)
        ptx, module = self._translations.of(after.made_of)

        def run(how: How) -> Emulated:
            return emulated(ptx, module, arguments, before.inputs, before.grid, how)

        done = run(self.how)
        if done.run.trap and done.run.trap.kind == "instruction-limit":
            raise NotCompared(f"stopped after {self.how.instruction_limit:,} instructions of warps")
        found = [] if done.run.trap else differences(after, done.arrays)
        prints = None if done.run.trap else printed("".join(self._heard), done.run.prints)
        first = effect = None
        if done.run.trap and done.run.trap.kind in KINDS:
            effect = effect_of_race(run, self.how, after, self.ulps, self.most)
        if self._is_to_explain(before.name, found):
            self._explained.add(before.name)
            first = first_difference(ptx, before, arguments, self.how, self.choices)
        return {"ptx": ptx.text, "differences": found, "trap": done.run.trap, "inexact": done.run.inexact, "first": first, "effect": effect,
                "prints": prints}

    def _is_to_explain(self, name: str, found: list[Difference]) -> bool:
        return self.explains and name not in self._explained and not all(one.within(self.ulps, self.most) for one in found)

    def _as_ours(self, before: Launch, after: Launch) -> dict[str, Any]:
        """As PTX of our own backend."""
        done = before.module.run(before.inputs, grid=before.grid, backend=_emulator(self.how.seed))
        theirs = {_input(name, before.inputs): array for name, array in done.outputs.items()}
        return {"differences": differences(after, theirs, "our PTX")}


def _emulator(seed: int) -> str:
    return f"emulator:{seed}" if seed else "emulator"


def _input(output: str, inputs: Mapping[str, np.ndarray]) -> str:
    before = f"{output}.before"
    return before if before in inputs else output
