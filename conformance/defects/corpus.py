"""The corpus of defects: pairs of kernels, one broken and one repaired, and the findings that a check must make in the broken one.

A pair is a class with two functions, `broken` and `repaired`, each of which makes one `pallas_call` on the arrays that
`inputs` lists.  Comments mark lines: `# <name>`, and `# <name> <other>` for several marks on one.  An expected
finding names marks, never line numbers.

If a defect breaks several elements, an expected finding names the first element in row-major order, and of the
programs in conflict there the first two in the order of the grid.
"""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

FOLDER = Path(__file__).resolve().parent

# A module of pairs for each class, in the order of the tables.
CLASSES = ("sequential_grid", "overlapping_blocks", "same_value", "masks", "index_maps", "unwritten", "accumulators",
           "padding", "undefined_control", "scatter", "atomics", "aliasing", "revisits", "arithmetic", "independent",
           "delicate", "semaphores", "copies", "tpu_axes", "tpu_aliases", "tpu_tables", "waiting", "locks_and_barriers", "residence",
           "orders", "memory_cost", "layouts_wgmma", "layouts_mma", "layouts_tcgen05", "layouts_matrices", "layouts_copies",
           "layouts_agreement", "layouts_overlap", "layouts_views", "mosaic_barriers", "mosaic_clusters", "mosaic_copies",
           "mosaic_products", "mosaic_proxies", "mosaic_scheduling", "mosaic_semaphores", "mosaic_tcgen05",
           "mosaic_threads", "triton_memory", "triton_numbers", "triton_orders", "triton_counters", "triton_locks")

Index = tuple[int, ...]


@dataclass(frozen=True)
class Finding:
    """One expected finding.

    kind      as spelled in `docs/findings.md`
    here      mark of the line that the finding is about; "a|b": either, if both are involved
    program   that makes the access; None if the finding is not about one program
    param     whose elements it is about; None if it is about no parameter
    element   index of the first one in the whole array; None if there is no element
    there     mark or marks of the other side: the other access of a race, the origin of an undefined value
    other     the program of the other side
    says      a part of the message; None if the rest tells it from others
    """

    kind: str
    here: str | None
    program: Index | None
    param: str | None = None
    element: Index | None = None
    there: str | None = None
    other: Index | None = None
    says: str | None = None


# Kinds of findings of checks that are not in "all".
_MORE_CHECKS = {"memory-cost": "memory-cost", "phases-left": "gpu-strict", "overwrite-unfenced": "gpu-strict",
                "wait-only-promised": "gpu-strict"}

Access = tuple[str, Index]  # marks and program


def race(param: str, element: Index, one: Access, two: Access, kind: str = "race") -> Finding:
    """Two programs in conflict on an element of `param`."""
    return Finding(kind, one[0], one[1], param, element, two[0], two[1])


def undefined(param: str, element: Index, store: str, program: Index, origin: str) -> Finding:
    """An element of an output with a value that the line `store` computed from undefined values that the line `origin` read."""
    return Finding("undefined-output", store, program, param, element, origin)


def outside(access: str, program: Index, param: str) -> Finding:
    """An access beyond the reference that it indexes."""
    return Finding("access-outside-ref", access, program, param)


def unwritten(param: str, element: Index) -> Finding:
    """An output with unwritten elements, of which this is the first; findings name the kernel's first line."""
    return Finding("output-unwritten", "kernel", None, param, element)


Write = Callable[[Callable[..., Any]], tuple[dict[str, Any], Sequence[Any]]]
Outputs = Callable[..., "Sequence[Any] | Mapping[str, Any]"]


@dataclass(frozen=True)
class Pair:
    """A broken kernel, the same kernel repaired, and the defect.

    group     the class of defects: a name of CLASSES
    why       the defect, in one sentence
    thread    a public thread about a defect of this kind: "OWNER/REPOSITORY#NUMBER"; None if there is none
    finds     all findings that a check must make in the broken kernel
    dialect   of the kernels: the meaning of division by zero and other corner cases
    target    of the kernels: "any", or "tpu"
    also      kinds that follow from the same defect: a check may report them in the broken kernel too
    by_check  order sequential alone does not show the defect: `tilegrind check`, which runs other orders, must
    outputs   of the repaired kernel, from the inputs, in their order or by name; None: those of JAX's own interpreter, which runs one program after
              another, would never end if a program waits for a later one, and knows no transposed references
    write     makes a module, as JSON, and its inputs of one of the two functions; None: the exporter of Pallas makes it, and
              the inputs are `inputs`
    """

    group: str
    name: str
    why: str
    thread: str | None
    finds: tuple[Finding, ...]
    also: tuple[str, ...]
    dialect: str
    target: str
    inputs: tuple[Any, ...]
    broken: Callable[..., Any]
    repaired: Callable[..., Any]
    by_check: bool = False
    outputs: Outputs | None = None
    write: Write | None = None

    @property
    def label(self) -> str:
        return f"{self.group}/{self.name}"

    @property
    def needs_orders(self) -> bool:
        """Whether one run cannot show it: it needs the outputs of several orders, or a detector in another order."""
        return self.by_check or any(finding.kind in ("order-dependence", "order-rounding") for finding in self.finds)

    @property
    def checks(self) -> str:
        """The checks that tell of it: all, and what is not one of them only if the pair is about that."""
        kinds = {finding.kind for finding in self.finds}
        return ",".join(["all", *sorted({check for kind, check in _MORE_CHECKS.items() if kind in kinds})])

    def marks(self) -> Mapping[str, int]:
        """Line of each mark of the broken kernel, in its file.  Raises CorpusError if a mark is on two lines."""
        return marks_of(self.broken)


class CorpusError(Exception):
    """The corpus contradicts itself."""


_PAIRS: dict[str, Pair] = {}


def defect(why: str, *finds: Finding, thread: str | None = None, also: Sequence[str] = (),
           dialect: str = "xla", inputs: Sequence[Any] = (), by_check: bool = False,
           write: Write | None = None) -> Callable[[type], type]:
    """Adds a class to the corpus under the name of the class, with the class of defects named after its module; in modules
    tpu_* the target is a TPU.  A third function, `outputs`, computes the outputs if JAX cannot.  `write` is as in Pair."""

    def enter(case: type) -> type:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", case.__name__).lower()
        group = case.__module__.rpartition(".")[2]
        target = "tpu" if group.startswith("tpu_") else "any"
        pair = Pair(group, name, why, thread, finds, tuple(also), dialect, target, tuple(inputs), case.__dict__["broken"],
                    case.__dict__["repaired"], by_check, case.__dict__.get("outputs"), write)
        if pair.label in _PAIRS:
            raise CorpusError(f"{pair.label} is there twice")
        _PAIRS[pair.label] = pair
        return case

    return enter


_MARK = re.compile(r"<([a-z][a-z-]*)>")


def marks_of(function: Callable[..., Any]) -> dict[str, int]:
    lines, first = inspect.getsourcelines(function)
    marks: dict[str, int] = {}
    for number, line in enumerate(lines, first):
        for mark in _MARK.findall(line.partition("#")[2]):
            if mark in marks:
                raise CorpusError(f"{function.__qualname__}: <{mark}> stands on two lines")
            marks[mark] = number
    return marks


def load(groups: Iterable[str] = CLASSES) -> list[Pair]:
    """All pairs of some classes, in the order of the files."""
    wanted = list(groups)
    for group in wanted:
        importlib.import_module(f"conformance.defects.{group}")
    return [pair for group in wanted for pair in _PAIRS.values() if pair.group == group]


def problems(pairs: Sequence[Pair]) -> list[str]:
    """Problems in the pairs themselves, a line each."""
    found = []
    for pair in pairs:
        marks = pair.marks()
        named = {mark for finding in pair.finds for side in (finding.here, finding.there) if side
                 for mark in side.split("|")}
        found += [f"{pair.label}: no line is marked <{mark}>" for mark in sorted(named - set(marks))]
        found += [f"{pair.label}: nothing names <{mark}>" for mark in sorted(set(marks) - named)]
        if marks_of(pair.repaired):
            found.append(f"{pair.label}: the repaired kernel has marks")
        if not pair.finds:
            found.append(f"{pair.label}: nothing is expected")
        if pair.thread is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", pair.thread):
            found.append(f"{pair.label}: no thread: {pair.thread}")
    return found
