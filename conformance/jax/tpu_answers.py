"""Answers, from Tilegrind's findings, what JAX's tests of its TPU and GPU interpreters check besides results.

JAX's interpreter stores the result of its race detection in an attribute of its module, `races`, or has a function for it,
`get_races`, anew for each kernel, and raises errors with texts of its own.  With Tilegrind as the interpreter, `races_found` says
whether the last kernel had a finding that JAX calls a race; and JAX's words for findings are appended to the text of an error about them, for tests
that expect these words.  Nothing is reported that Tilegrind has not found.
"""

from __future__ import annotations

import importlib
import re
import unittest
from types import ModuleType
from typing import Any, Callable

# Kinds of findings that JAX's detector calls races; one with a copy in flight is a race of an access with a copy.
RACES = frozenset(("race", "race-same-value", "dma-in-flight"))

# A line about a finding, as in docs/pallas.md: the op, if it is about one, the kind, the text.
FINDING = re.compile(r"kernel \w+(?:, program \((?P<program>[^)]*)\))?(?:, (?P<op>\w+))?(?: at .*?)?: (?P<kind>race|[a-z]+(?:-[a-z]+)+): (?P<text>.*)")

# JAX's words for an access outside a reference, by the op that makes it.  A view is the source or destination of a copy; it
# does not say which.
ACCESSES = {
    "load": "Out-of-bounds read",
    "store": "Out-of-bounds write, Out-of-bounds masked swap",
    "swap": "Out-of-bounds write, Out-of-bounds masked swap",
    "view": "Out-of-bounds read or Out-of-bounds write",
    "view_part": "Out-of-bounds read or Out-of-bounds write",
}
# JAX's words for what is refused, by the words of the refusal.  Its GPU interpreter tells apart whether the mesh has threads.
REFUSED = {
    "memory that blocks share along": "Collective allocations along cluster axes are not supported. Requesting collective "
    "allocations, but no explicit thread axis specified.",
    "memory that each thread allocates for itself": "Scoped allocation must have the thread axis in its collective axes.",
    "tensor memory of one block and tensor memory of two blocks together": "Can't mix collective and non-collective TMEM "
    "allocations within the same kernel.",
    "barriers must be named": "Attempting to operate on barrier without indexing, but `num_barriers = 2`",
    "a warp cannot use an array of its thread": "Can only close over scalars and Refs (not arrays) with WarpMesh",
}
ARRAY_OF_WARP = re.compile(r"a warp has no arrays, and this one has shape (\([\d, ]*\))")
NO_AXIS = re.compile(r"memory is to be shared along '(\w+)', but the mesh has no such axis")

# How a finding names the block of an output that is revisited.
REVISITED = re.compile(r"the block of \S+, output (\d+), with (.+?) is left")

# How a finding names a block outside its array; it does not say the role of the array either.
BLOCKS = "Out-of-bounds block index for input or output"


def kinds_in(text: str) -> set[str]:
    """The kinds of the findings that a text lists."""
    return {match["kind"] for match in map(FINDING.search, text.splitlines()) if match}


def words_for(text: str) -> str:
    """JAX's words for the findings that a text lists; "" if it has none."""
    words = []
    for match in filter(None, map(FINDING.search, text.splitlines())):
        if match["kind"] == "access-outside-ref":
            words.append(ACCESSES.get(match["op"] or "", ""))
        if match["kind"] == "block-revisited" and (block := REVISITED.match(match["text"])):
            words.append(f"Revisited block with {block[2]} of output {block[1]} in iteration ({match['program'] or ''})")
        if match["kind"] == "block-outside-array":
            words.append(f"{BLOCKS}: {match['text']}: for input or for output")
    return "; ".join(dict.fromkeys(filter(None, words)))


def words_for_refusal(text: str) -> str:
    """JAX's words for a refusal; "" if it has none."""
    words = [its for ours, its in REFUSED.items() if ours in text]
    if name := NO_AXIS.search(text):
        words.append(f"Collective axis `{name[1]}` not found among axes `['c0', 'c1', 't']`")
    if array := ARRAY_OF_WARP.search(text):
        words.append(f"inline_mgpu in a single-warp context only supports scalar return types. Got shape={array[1]}.")
    return "; ".join(words)


class Races:
    """The part of JAX's detector that the tests read.  `runs` counts the kernels that have run."""

    def __init__(self, runs: Callable[[], int]) -> None:
        self.runs = runs
        self.last = -1  # the last kernel with such a finding

    def hear(self, text: str) -> None:
        """Records findings of the kernel that is currently the last one."""
        if kinds_in(text) & RACES:
            self.last = self.runs()

    @property
    def races_found(self) -> bool:
        return self.last == self.runs()


def listen(target: ModuleType, hear: Callable[[str], None]) -> None:
    """Calls `hear` with every text of findings of which `target` (tilegrind.pallas.xla.target) warns."""

    class FindingWarning(target.FindingWarning):  # type: ignore[misc, name-defined]
        def __init__(self, text: str) -> None:
            super().__init__(text)
            hear(text)

    target.FindingWarning = FindingWarning  # type: ignore[attr-defined]


def replace_races(races: Races) -> None:
    """Replaces the `races` of JAX's TPU interpreter, which also sets it itself from time to time, and those of its GPU
    interpreter."""
    module = importlib.import_module("jax._src.pallas.mosaic.interpret.interpret_pallas_call")
    module.__class__ = type("Interpreter", (ModuleType,), {"races": property(lambda _: races)})
    of_gpu: Any = importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.interpret_pallas_call")
    of_gpu.get_races = lambda: races


def explain_errors() -> None:
    """Appends JAX's words to errors that tests expect."""
    waiting: Any = unittest.case._AssertRaisesContext  # type: ignore[attr-defined]
    original = waiting.__exit__

    def explained(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
        if isinstance(error, RuntimeError) and (words := words_for(str(error))):
            error = type(error)(f"{error} [{words}]")  # a new error, as the text of an existing one cannot change
        elif type(error).__name__ == "ExportError" and (words := words_for_refusal(str(error))):
            kind_wanted = self.expected if isinstance(self.expected, type) else ValueError
            error = kind_wanted(f"{error} [{words}]")
        return original(self, type(error) if error is not None else kind, error, traceback)

    waiting.__exit__ = explained


def install(pallas: ModuleType) -> None:
    """Installs all of this; `pallas` is tilegrind.pallas."""
    races = Races(lambda: pallas.statistics().runs)
    listen(importlib.import_module(f"{pallas.__name__}.xla.target"), races.hear)
    replace_races(races)
    explain_errors()
