"""Results of a cross-check, as text while they come, and as JSON in the end."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Sequence

from .. import __version__, emulator
from .ptx.crosschecks import Crosscheck
from .ptx.differences import Difference
from .ptx.first_difference import First
from .ptx.printed import Printed

VERDICTS = ("equal", "within", "different", "not-compared")


class Report:
    """Tells each result on standard output, in a line or, where something differs, several.

    ulps, most   by which an element may differ: it is within if it is within one of them
    names        whether lines name the backend, of which there are several
    """

    def __init__(self, ulps: int, most: float, names: bool) -> None:
        self._ulps, self._most, self._names = ulps, most, names
        self.results: list[Crosscheck] = []

    def verdict(self, result: Crosscheck) -> str:
        """One of `VERDICTS`, of what is in memory in the end and what was printed, whatever the reference has found."""
        if result.refusal:
            return "not-compared"
        if not result.agrees(self._ulps, self._most):
            return "different"
        return "within" if result.prints or any(one.differing for one in result.differences) else "equal"

    def tell(self, result: Crosscheck) -> None:
        self.results.append(result)
        verdict = self.verdict(result)
        told = [str(one) for one in result.differences if one.differing]
        told += [str(one) for one in (result.prints, result.first) if one]
        if result.trap:
            told += result.trap.text.rstrip().splitlines()
        told += [result.effect] if result.effect else []
        if result.refusal:
            told = [str(result.refusal)]
        backend = f", {result.backend}" if self._names else ""
        print("\n  ".join([f"{result.kernel}, launch {result.number}{backend}: {verdict.replace('-', ' ')}", *told]), flush=True)

    def counted(self) -> dict[str, int]:
        """How many results there are of each verdict."""
        counts = Counter(map(self.verdict, self.results))
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def summary(self) -> str:
        """One line."""
        counts = ", ".join(f"{number} {verdict.replace('-', ' ')}" for verdict, number in self.counted().items())
        return f"{len(self.results)} compared with the reference: {counts}"

    def write(self, path: str | Path, code: int) -> None:
        """Writes all results as a JSON file.  Raises OSError."""
        tree = {"tilegrind": __version__, "results": [self._tree(one) for one in self.results], **self.counted(), "exit": code}
        Path(path).write_text(json.dumps(tree, indent=1) + "\n", encoding="utf-8")

    def _tree(self, result: Crosscheck) -> dict[str, Any]:
        return {"kernel": result.kernel, "launch": result.number, "grid": list(result.grid), "backend": result.backend,
                "target": f"sm_{result.target}" if result.backend == "triton-ptx" else None, "verdict": self.verdict(result),
                "why": str(result.refusal) if result.refusal else None, "differences": [_difference(one) for one in result.differences],
                "first": _first(result.first), "trap": _trap(result.trap), "effect": result.effect, "prints": _prints(result.prints),
                "findings": [str(one) for one in result.findings], "inexact": result.inexact}


def _difference(of: Difference) -> dict[str, Any]:
    """Figures that are no number, as the distance between NaN and a number, are null."""
    values = {} if of.index is None else {"index": of.place, "reference": str(of.ours), "other": str(of.theirs)}
    return {"memory": of.name, "elements": of.elements, "differing": of.differing, "ulps": of.ulps,
            "largest": of.largest if math.isfinite(of.largest) else None, **values}


def _first(of: First | str | None) -> dict[str, Any] | None:
    if not isinstance(of, First):
        return None if of is None else {"message": of}
    return {"message": str(of), "op": of.op, "type": of.type, "variable": of.variable, "file": of.file, "line": of.line,
            "program": list(of.program), "index": list(of.index), "differing": of.difference.differing, "ulps": of.difference.ulps,
            "reference": str(of.difference.ours), "other": str(of.difference.theirs)}


def _prints(of: Printed | None) -> dict[str, Any] | None:
    return None if of is None else {"reference": list(of.reference), "ptx": list(of.ptx)}


def _trap(of: emulator.Trap | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {"kind": of.kind, "message": of.message, "file": of.at.source, "line": of.at.source_line, "cta": list(of.at.cta),
            "thread": list(of.at.thread)}


class Progress:
    """What runs just now, on a terminal: standard error, in a line that the next one replaces."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()

    def running(self, kernel: str, number: int, backend: str) -> None:
        if self._is_shown:
            print(f"\r\x1b[K{kernel}, launch {number}: {backend} ...", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def backends_of(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The backends of `cpu,triton-ptx`: those behind cpu, which is the reference.  Raises ValueError."""
    names = tuple(text.split(","))
    if names[0] != "cpu" or len(names) < 2 or len(set(names)) < len(names) or not set(names[1:]) <= set(known):
        raise ValueError(f"--backends takes cpu and then one or more of {', '.join(known)}, each once, not {text!r}")
    return names[1:]
