"""JAX's own lowering of Mosaic GPU's kernels as a judge of which kernels Tilegrind refuses; docs/jax-suites.md has the results.

    legality.py [PATTERN...]          kernels whose names are of a pattern, each with the texts of both where they differ
    legality.py --all [PATTERN...]    the texts of all
    legality.py --json OUT            the answers as data
    legality.py --write               legality.tsv, from the tables alone: what both differ in, for the document

JAX lowers kernels for a GPU on any machine.  Each kernel is asked with the lowering semantics of lanes and of warpgroups.  Exit
status: 0 if all answers are those of the tables, 1 if one is not, 2 if JAX is another version.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import warnings
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
from jax.experimental.pallas import mosaic_gpu as plgpu  # noqa: E402

from conformance.jax import legality_copies, legality_launches, legality_products  # noqa: E402
from conformance.jax.legality_table import Kernel  # noqa: E402
from conformance.jax.suites import VERSION  # noqa: E402
from tilegrind.pallas import export  # noqa: E402

TABLES = {"copies": legality_copies.KERNELS, "products": legality_products.KERNELS, "launches": legality_launches.KERNELS}
DIFFERENCES = Path(__file__).with_name("legality.tsv")
SEMANTICS = (plgpu.LoweringSemantics.Lane, plgpu.LoweringSemantics.Warpgroup)


@dataclass(frozen=True)
class Answer:
    """To one kernel, of one kind of lowering: what JAX and Tilegrind say against it; None: nothing."""

    semantics: str
    jax: str | None
    tilegrind: str | None

    @property
    def sign(self) -> str:
        return "".join("+" if text is None else "-" for text in (self.jax, self.tilegrind))


@dataclass(frozen=True)
class Row:
    """The answers to one kernel."""

    table: str
    name: str
    wanted: str
    why: str
    answers: tuple[Answer, ...]

    @property
    def found(self) -> str:
        return " ".join(answer.sign for answer in self.answers)

    @property
    def is_refused_by_tracing(self) -> bool:
        """Whether a kernel is refused when it is traced, and so never reaches Tilegrind."""
        return all(answer.tilegrind is not None and not answer.tilegrind.startswith("ExportError") for answer in self.answers)

    @property
    def verdict(self) -> str:
        """Whether both agree, or which of them refuses more."""
        signs = {answer.sign for answer in self.answers} - {"++", "--"}
        return {frozenset(): "agree", frozenset({"+-"}): "we refuse more", frozenset({"-+"}): "we refuse less"}.get(
            frozenset(signs), "both refuse more")


def differences() -> str:
    """What legality.tsv holds: how many kernels there are, and those on which both differ."""
    kernels = [kernel for table in TABLES.values() for kernel in table]
    differ = [kernel for kernel in kernels if kernel.why]
    return ("# Kernels of Mosaic GPU on which JAX's lowering and Tilegrind differ, parted by tabs: the kernel; + takes, - refuses:\n"
            "# JAX and Tilegrind, of lanes and of warpgroups; why.  legality.py --write writes this file.\n"
            f"kernels\t{len(kernels)}\n"
            + "".join(f"{kernel.name}\t{kernel.answers}\t{kernel.why}\n" for kernel in differ))


def refusal(ask: Callable[[], Any]) -> str | None:
    """What is said against a kernel in one line; None: it is taken."""
    try:
        ask()
    except Exception as problem:  # noqa: BLE001  (JAX refuses with any of them)
        return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
    return None


def lowered(kernel: Kernel, semantics: Any) -> str | None:
    """What JAX says against a kernel."""

    def lower() -> None:
        launch, args = kernel.make(plgpu.CompilerParams(lowering_semantics=semantics))
        jax.jit(launch).trace(*args).lower(lowering_platforms=("cuda",))

    return refusal(lower)


def converted(kernel: Kernel, semantics: Any) -> str | None:
    """What Tilegrind says against a kernel."""

    def convert() -> None:
        launch, args = kernel.make(plgpu.CompilerParams(lowering_semantics=semantics))
        export(launch, *args)

    return refusal(convert)


def answer(kernel: Kernel, semantics: Any) -> Answer:
    return Answer(semantics.name.lower(), lowered(kernel, semantics), converted(kernel, semantics))


def judge(table: str, kernel: Kernel) -> Row:
    return Row(table, kernel.name, kernel.answers, kernel.why, tuple(answer(kernel, one) for one in SEMANTICS))


def rows(patterns: Sequence[str]) -> Iterable[Row]:
    for table, kernels in TABLES.items():
        for kernel in kernels:
            if not patterns or any(fnmatch.fnmatchcase(kernel.name, pattern) for pattern in patterns):
                yield judge(table, kernel)


def show(row: Row, texts: bool) -> str:
    """A line of a kernel, then the texts of both where they are wanted, differ from the table, or from each other."""
    is_wanted = row.found == row.wanted
    lines = [f"{row.verdict:16} {row.found}  {row.name}" + ("" if is_wanted else f"  UNEXPECTED: {row.wanted} in the table")]
    if row.why:
        lines.append(f"{'':24}{row.why}")
    if texts or not is_wanted or row.verdict != "agree":
        for one in row.answers:
            lines += [f"{'':24}{one.semantics}: {who}: {text or 'takes it'}" for who, text in (
                ("JAX", one.jax), ("Tilegrind", one.tilegrind))]
    return "\n".join(lines)


def summary(judged: Sequence[Row]) -> str:
    counts = Counter(row.verdict for row in judged)
    unexpected = sum(row.found != row.wanted for row in judged)
    traced = sum(row.is_refused_by_tracing for row in judged)
    return f"{len(judged)} kernels: " + ", ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())) + (
        f"; JAX's tracing refuses {traced} of them, before either is asked" if traced else "") + (
        f"; {unexpected} UNEXPECTED" if unexpected else "")


def as_json(judged: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**asdict(row), "found": row.found, "verdict": row.verdict} for row in judged]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="JAX's own lowering of Mosaic GPU's kernels, beside what Tilegrind refuses.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="only kernels whose names are of this pattern")
    parser.add_argument("--all", action="store_true", help="print the texts of kernels on which both agree too")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the answers here too")
    parser.add_argument("--write", action="store_true", help="write legality.tsv from the tables, and do nothing else")
    options = parser.parse_args(arguments)
    if options.write:
        DIFFERENCES.write_text(differences())
        return 0
    if jax.__version__ != VERSION:
        print(f"legality.py: the tables are of JAX {VERSION}; this is {jax.__version__}", file=sys.stderr)
        return 2
    judged = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows(options.patterns):
            judged.append(row)
            print(show(row, options.all), flush=True)
    print(summary(judged))
    if options.json is not None:
        options.json.write_text(json.dumps(as_json(judged), indent=1) + "\n")
    return 1 if any(row.found != row.wanted for row in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
