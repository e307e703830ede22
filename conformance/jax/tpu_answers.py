"""What JAX's tests of its TPU interpreter look at besides results, answered by what Tilegrind finds.

JAX's interpreter keeps the outcome of its search for races in an attribute of its module, `races`, anew for each kernel, and raises
errors with texts of its own.  With Tilegrind in its place `races.races_found` says whether the kernel that ran last had a finding
that JAX calls a race; and to the text of an error that speaks of findings is added what JAX calls these, for a test
that waits for its words.  Nothing is told that Tilegrind has not found.
"""

from __future__ import annotations

import importlib
import re
import unittest
from types import ModuleType
from typing import Any, Callable

# Kinds of findings that JAX's detector calls races; that with a copy in flight is a race of an access with a copy.
RACES = frozenset(("race", "race-same-value", "dma-in-flight"))

# A line about a finding, as docs/pallas.md shows it: the op, if it is about one, the kind, the text.
FINDING = re.compile(r"kernel \w+(?:, program \((?P<program>[\d,]*)\))?(?:, (?P<op>\w+))?(?: at .*?)?: (?P<kind>race|[a-z]+(?:-[a-z]+)+): (?P<text>.*)")

# What JAX calls an access outside a reference, by the op that makes it.  A view is what a copy reads or writes, and
# does not say which of them.
ACCESSES = {
    "load": "Out-of-bounds read",
    "store": "Out-of-bounds write, Out-of-bounds masked swap",
    "swap": "Out-of-bounds write, Out-of-bounds masked swap",
    "view": "Out-of-bounds read or Out-of-bounds write",
    "view_part": "Out-of-bounds read or Out-of-bounds write",
}
# How a finding names the block of an output that is come back to.
REVISITED = re.compile(r"the block of \S+, output (\d+), with (.+?) is left")

# And a block outside its array, where the finding does not say either what the array is for.
BLOCKS = "Out-of-bounds block index for input or output"


def kinds_in(text: str) -> set[str]:
    """The kinds of the findings that a text lists."""
    return {match["kind"] for match in map(FINDING.search, text.splitlines()) if match}


def words_for(text: str) -> str:
    """What JAX calls the findings that a text lists; "" where it has no words for them."""
    words = []
    for match in filter(None, map(FINDING.search, text.splitlines())):
        if match["kind"] == "access-outside-ref":
            words.append(ACCESSES.get(match["op"] or "", ""))
        if match["kind"] == "block-revisited" and (block := REVISITED.match(match["text"])):
            place = ", ".join((match["program"] or "").split(","))
            words.append(f"Revisited block with {block[2]} of output {block[1]} in iteration ({place})")
        if match["kind"] == "block-outside-array":
            words.append(f"{BLOCKS}: {match['text']}: for input or for output")
    return "; ".join(dict.fromkeys(filter(None, words)))


class Races:
    """What the tests read of JAX's detector.  `runs` counts the kernels that have run."""

    def __init__(self, runs: Callable[[], int]) -> None:
        self.runs = runs
        self.last = -1  # kernel with such a finding

    def hear(self, text: str) -> None:
        """Findings of the kernel that is the last one now."""
        if kinds_in(text) & RACES:
            self.last = self.runs()

    @property
    def races_found(self) -> bool:
        return self.last == self.runs()


def listen(target: ModuleType, hear: Callable[[str], None]) -> None:
    """Lets `hear` know of every text of findings that `target` (tilegrind.pallas.target) warns of."""

    class FindingWarning(target.FindingWarning):  # type: ignore[misc, name-defined]
        def __init__(self, text: str) -> None:
            super().__init__(text)
            hear(text)

    target.FindingWarning = FindingWarning  # type: ignore[attr-defined]


def replace_races(races: Races) -> None:
    """Puts `races` where JAX's interpreter has its own, which it also sets now and then."""
    module = importlib.import_module("jax._src.pallas.mosaic.interpret.interpret_pallas_call")
    module.__class__ = type("Interpreter", (ModuleType,), {"races": property(lambda _: races)})


def explain_errors() -> None:
    """Adds JAX's words to errors that tests wait for."""
    waiting: Any = unittest.case._AssertRaisesContext  # type: ignore[attr-defined]
    original = waiting.__exit__

    def explained(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
        if isinstance(error, RuntimeError) and (words := words_for(str(error))):
            error = type(error)(f"{error} [{words}]")  # the text of one that is there does not change
        return original(self, kind, error, traceback)

    waiting.__exit__ = explained


def install(pallas: ModuleType) -> None:
    """All of it; `pallas` is tilegrind.pallas."""
    races = Races(lambda: pallas.statistics().runs)
    listen(importlib.import_module(f"{pallas.__name__}.target"), races.hear)
    replace_races(races)
    explain_errors()
